//! TCP where the file says nothing of it, and presets of the 1990s on fast links.

use backwater_ends::TcpSpec;
use backwater_kernel::{Duration, Rings, Stop};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::{EthernetSpec, TransportSpec};
use backwater_net::outcome::Outcome;

use crate::ethernet::{codes, read};

/// A file of 1 MB over one switch, alone.
const LONE: &str = r#"
engine = "ethernet"
[run]
duration = "20 ms"
[network]
hosts = ["S", "D"]
switches = ["A"]
[link]
rate = "100 Gbps"
[[flows]]
name = "f"
from = "S"
to = "D"
traffic = { kind = "files", size = "1 MB", think = "0 s", transfers = 1 }
"#;

fn run(spec: &EthernetSpec) -> Outcome {
    let mut engine = Simulation::<Rings>::new(spec).expect("a sound network");
    engine.run();
    engine.outcome()
}

/// What a flow has, but for the round trip that a handshake over its path measured.
fn tcp(text: &str, flow: usize) -> TcpSpec {
    match &read(text).flows[flow].transport {
        TransportSpec::Tcp(tcp) => TcpSpec {
            handshake_rtt: tcp.handshake_rtt.map(|_| Duration::ZERO),
            ..tcp.clone()
        },
        TransportSpec::Roce(_) | TransportSpec::Udp { .. } => panic!("no TCP"),
    }
}

/// Nanoseconds: rounds of slow start that leave the wire idle, each 1.5 times as large as the one
/// before since every second segment is acknowledged, then the rest at the rate of the link.
fn closed_form(delay_ns: f64) -> f64 {
    let (segment, acknowledgement) = (1538.0 * 0.08, 84.0 * 0.08);
    let there = 2.0 * (segment + delay_ns);
    let round = there + segment + 2.0 * (acknowledgement + delay_ns);
    let (mut left, mut window, mut at) = (685.0, 10.0, 0.0);
    while window * segment < round && left > window {
        left -= window;
        at += round;
        window *= 1.5;
    }
    at + (left - 1.0) * segment + there
}

/// From the first byte to the last one at the receiver; the run is over when that is acknowledged.
/// (`linux-6` acknowledges young connections at once, and there delay ends slow start.)
#[test]
fn a_lone_file_takes_slow_start_and_its_bytes() {
    for (delay_ns, gbps) in [(500, 85.0), (10_000, 15.0)] {
        let link = format!("[link]\ndelay = \"{delay_ns} ns\"");
        let text = LONE.replace("[link]", &format!("[tcp]\npreset = \"linux-3\"\n{link}"));
        let outcome = run(&read(&text));
        let found = &outcome.flows[0];
        assert_eq!(
            (found.ends.transfers, found.ends.unacknowledged_total),
            (1, 0)
        );
        let took = found.ends.transfer_time.max().expect("complete") / 1e3;
        let expected = closed_form(delay_ns as f64);
        assert!((took / expected - 1.0).abs() < 0.05, "{took} {expected}");
        assert!(8e6 / took > gbps, "{took} ns");
        assert_eq!(outcome.stop, Stop::Drained);
        let after = outcome.ended_at.ps() as f64 / 1e3 - took;
        assert!(
            after < 3.0 * delay_ns as f64,
            "the last acknowledgement waits: {after}"
        );
    }
}

#[test]
fn tcp_follows_the_network() {
    assert_eq!(tcp(LONE, 0), TcpSpec::modern());
    let slow = LONE.replace("100 Gbps", "10 Mbps");
    assert_eq!(tcp(&slow, 0), TcpSpec::modern());
    let jumbo = LONE.replace("[link]", "[link]\nmtu = 9000");
    let expected = TcpSpec {
        mss_bytes: 8_960,
        ..TcpSpec::modern()
    };
    assert_eq!(tcp(&jumbo, 0), expected);
    let buffer = "[buffer]\nmark_above = \"100 kB\"\n[[flows]]";
    let marking = LONE.replace("[[flows]]", buffer);
    assert_eq!(tcp(&marking, 0), TcpSpec::dctcp());
    // What the file says of TCP goes first.
    let with = |keys: &str| marking.replace("[buffer]", &format!("[tcp]\n{keys}\n[buffer]"));
    assert_eq!(tcp(&with("preset = \"modern\""), 0), TcpSpec::modern());
    assert_eq!(tcp(&with("preset = \"bsd\""), 0), TcpSpec::bsd());
    assert_eq!(tcp(&with("ecn = \"off\""), 0), TcpSpec::modern());
    let expected = TcpSpec {
        initial_window_segments: 2,
        ..TcpSpec::dctcp()
    };
    assert_eq!(tcp(&with("initial_window = 2"), 0), expected);
}

/// Only the classes that are marked.
#[test]
fn tcp_of_a_class_that_nothing_marks_is_modern() {
    let text = LONE.replace(
        "[[flows]]",
        "[switch]\nclasses = 2\n[[classes]]\nclass = 1\nmark_above = \"100 kB\"\n[[flows]]",
    );
    assert_eq!(tcp(&text, 0), TcpSpec::modern());
    let marked = text.replace("name = \"f\"", "name = \"f\"\nclass = 1");
    assert_eq!(tcp(&marked, 0), TcpSpec::dctcp());
}

/// Eight senders, one port that marks: the default answers marks and loses nothing; `linux-3` there
/// doesn't, and does.
#[test]
fn an_incast_answers_marks() {
    let text = LONE
        .replace("hosts = [\"S\",", "hosts = [\"S{1..8}\",")
        .replace("from = \"S\"", "from = \"S{1..8}\"")
        .replace("100 Gbps", "10 Gbps")
        .replace(
            "kind = \"files\", size = \"1 MB\", think = \"0 s\", transfers = 1",
            "kind = \"greedy\"",
        )
        .replace(
            "[[flows]]",
            "[buffer]\nper_queue = \"1 MB\"\nmark_above = \"100 kB\"\n[[flows]]",
        );
    let counted = |text: &str| {
        let outcome = run(&read(text));
        let flows = outcome.flows.iter();
        flows.fold((0, 0), |sum, flow| {
            (sum.0 + flow.ends.tcp.ecn_cuts, sum.1 + flow.lost_total)
        })
    };
    assert_eq!(tcp(&text, 7), TcpSpec::dctcp());
    let (cuts, dropped) = counted(&text);
    assert!(cuts > 8 && dropped == 0, "{cuts} {dropped}");
    let deaf = text.replace("[buffer]", "[tcp]\npreset = \"linux-3\"\n[buffer]");
    let (cuts, dropped) = counted(&deaf);
    assert!(cuts == 0 && dropped > 0, "{cuts} {dropped}");
}

#[test]
fn presets_of_the_1990s_are_warned_of_on_fast_links() {
    let with = |preset: &str, rate: &str| {
        let table = format!("[tcp]\npreset = \"{preset}\"\n[[flows]]");
        codes(&LONE.replace("100 Gbps", rate).replace("[[flows]]", &table))
    };
    for preset in ["bsd", "bsd-full"] {
        assert_eq!(with(preset, "10 Gbps"), ["old-tcp"], "{preset}");
        assert_eq!(with(preset, "9.9 Gbps"), [""; 0], "{preset}");
    }
    assert_eq!(with("modern", "400 Gbps"), [""; 0]);
    let slow = "[[links]]\nbetween = [\"A\", \"D\"]\nrate = \"1 Gbps\"\n\
                [tcp]\npreset = \"bsd\"\n[[flows]]";
    assert_eq!(
        codes(&LONE.replace("[[flows]]", slow)),
        [""; 0],
        "one end is slow"
    );
    let own = LONE.replace("name = \"f\"", "name = \"f\"\ntcp = { preset = \"bsd\" }");
    assert_eq!(codes(&own), ["old-tcp"]);
    let away = own.replace("[[flows]]", "[tcp]\npreset = \"bsd\"\n[[flows]]");
    let away = away.replace("{ preset = \"bsd\" }", "{ preset = \"modern\" }");
    assert_eq!(codes(&away), [""; 0], "the flow has another");
}

/// Two switches with two links between them, on which frames are spread; a host at each.
#[test]
fn frames_that_overtake_are_warned_of_where_tcp_takes_them_for_lost() {
    let text = |spread: &str, flow: &str, second: &str| {
        format!(
            "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n\
             [network]\nhosts = [\"A\", \"B\"]\nswitches = [\"S\", \"T\", \"U\", \"V\"]\n\
             [link]\nrate = \"1 Gbps\"\n[switch]\nspread = \"{spread}\"\n\
             [buffer]\nper_queue = \"100 kB\"\n[flow_control]\nkind = \"none\"\n\
             [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"B\", \"T\"]\n\
             [[links]]\nbetween = [\"S\", \"U\"]\n[[links]]\nbetween = [\"U\", \"T\"]\n\
             [[links]]\nbetween = [\"S\", \"V\"]\n{second}\
             [[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"B\"\n{flow}\n"
        )
    };
    let both = "[[links]]\nbetween = [\"V\", \"T\"]\n";
    let tcp = "tcp.preset = \"linux-3\"";
    assert_eq!(codes(&text("frames", tcp, both)), ["reordering"]);
    let and = |key: &str| format!("{tcp}\n{key}");
    for (spread, flow, second) in [
        ("flows", tcp, both),
        ("frames", "transport = \"udp\"\npayload = \"1 kB\"", both),
        ("frames", "transport = \"tcp\"", both),
        ("frames", &and("tcp.duplicate_threshold = 30"), both),
        ("frames", &and("tcp.duplicate_threshold = 0"), both),
        ("frames", &and("tcp.recovery = \"rack\""), both),
        ("frames", tcp, ""),
    ] {
        let found = codes(&text(spread, flow, second));
        assert!(
            !found.contains(&"reordering"),
            "{spread}, {flow}: {found:?}"
        );
    }
    let few = and("tcp.duplicate_threshold = 8");
    assert_eq!(codes(&text("frames", &few, both)), ["reordering"]);
}
