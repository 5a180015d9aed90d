//! What hosts of today do, beside the figures of a Linux 6.18 over the same paths.

use backwater_ends::TcpSpec;
use backwater_ends::spec::{Recovery, SlowStart};
use backwater_kernel::{Duration, Rings};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::TransportSpec;
use backwater_net::outcome::Outcome;

use crate::ethernet::{codes, read};

/// S - R - D, 100 Mbps behind R.
const PATH: &str = r#"
engine = "ethernet"
[run]
duration = "{duration}"
warm_up = "{warm_up}"
[network]
hosts = ["S", "D"]
switches = ["R"]
[link]
rate = "10 Gbps"
delay = "{delay}"
[[links]]
between = ["R", "D"]
rate = "100 Mbps"
{outage}
[buffer]
per_queue = "{room}"
[flow_control]
kind = "none"
[tcp]
preset = "linux-6"
mss = "1448 B"
{tcp}
[[flows]]
name = "A"
from = "S"
to = "D"
{flow}
"#;

/// The path with these instead of a round trip of 0.1 ms, 125 kB and a flow without end.
fn path(given: &[(&str, &str)]) -> String {
    let usual = [
        ("duration", "60 s"),
        ("warm_up", "10 s"),
        ("delay", "20 us"),
        ("room", "125 kB"),
        ("outage", ""),
        ("tcp", ""),
        ("flow", ""),
    ];
    let all = given.iter().chain(&usual);
    all.fold(PATH.to_owned(), |text, (key, value)| {
        text.replace(&format!("{{{key}}}"), value)
    })
}

fn run(text: &str) -> Outcome {
    let spec = read(text);
    let mut engine = Simulation::<Rings>::new(&spec).expect("a sound network");
    engine.run();
    engine.outcome()
}

/// The mean queue of the only port of 100 Mbps that is full, as a part of its 125 kB.
fn queue(outcome: &Outcome) -> f64 {
    let queues = outcome.channels.iter().flat_map(|it| &it.by_class.queues);
    queues.map(|queue| queue.mean_bytes).fold(0.0, f64::max) / 125_000.0
}

fn tcp(text: &str) -> TcpSpec {
    match &read(text).flows[0].transport {
        TransportSpec::Tcp(tcp) => tcp.clone(),
        TransportSpec::Roce(_) | TransportSpec::Udp { .. } => panic!("no TCP"),
    }
}

/// Files of ten segments over a queue that takes seven: mean completion, ms.
fn tail(tcp: &str) -> f64 {
    let outcome = run(&path(&[
        ("duration", "6 s"),
        ("warm_up", "0 s"),
        ("room", "10800 B"),
        ("tcp", &format!("reuse = \"fresh-window\"\n{tcp}")),
        (
            "flow",
            "traffic = { kind = \"files\", size = \"14480 B\", think = \"500 ms\" }",
        ),
    ]));
    let flow = &outcome.flows[0];
    assert!(flow.lost_total >= 3 * flow.ends.transfers, "{flow:?}");
    flow.ends.transfer_time.mean().expect("complete") / 1e9
}

#[test]
fn the_last_three_of_ten_lost_cost_milliseconds() {
    let took = tail("");
    assert!((3.0..12.0).contains(&took), "{took} ms; Linux 7.3 to 11.6");
    let took = tail("tail_loss_probe = false");
    assert!(took > 200.0, "{took} ms");
}

#[test]
fn a_lost_first_window_costs_the_least_time_out() {
    let first = |tcp: &str| {
        let outcome = run(&path(&[
            ("duration", "6 s"),
            ("warm_up", "0 s"),
            ("tcp", tcp),
            (
                "outage",
                "outages = [{ from = \"1.06 ms\", until = \"7 ms\", direction = \"forward\" }]",
            ),
            (
                "flow",
                "traffic = { kind = \"files\", size = \"14480 B\", think = \"1 ms\", \
                 transfers = 1 }",
            ),
        ]));
        let took = outcome.flows[0].ends.transfer_time.max();
        took.expect("complete") / 1e9
    };
    let took = first("");
    assert!(took < 220.0, "{took} ms; Linux 7 to 9, or 215");
    assert!(first("handshake_rtt = false") > 900.0);
    let opened = first("reuse = \"handshake\"");
    assert!(opened < 220.0, "{opened} ms");
}

/// Half of the packets come 300 us late to the queue.
#[test]
fn late_packets_leave_the_queue_full() {
    let text = |tcp: &str| {
        path(&[("duration", "15 s"), ("warm_up", "5 s"), ("tcp", tcp)])
            .replace("[\"R\"]", "[\"A\", \"B\", \"C\", \"R\"]")
            .replace(
                "[[links]]\nbetween = [\"R\", \"D\"]",
                "[[links]]\nbetween = [\"S\", \"A\"]\n\
                 [[links]]\nbetween = [\"A\", \"B\"]\n\
                 [[links]]\nbetween = [\"A\", \"C\"]\ndelay = \"320 us\"\n\
                 [[links]]\nbetween = [\"B\", \"R\"]\n\
                 [[links]]\nbetween = [\"C\", \"R\"]\n\
                 [[links]]\nbetween = [\"R\", \"D\"]",
            )
            .replace("[tcp]", "[switch]\nspread = \"frames\"\n[tcp]")
    };
    assert_eq!(codes(&text("")), [""; 0], "it learns how late frames come");
    let found = |tcp: &str| {
        let outcome = run(&text(tcp));
        (queue(&outcome), outcome.flows[0].ends.tcp.duplicates / 10)
    };
    let (full, spurious) = found("");
    assert!(full >= 0.7 && spurious <= 10, "{full} {spurious}");
    let counting = "recovery = \"sack\"";
    assert_eq!(codes(&text(counting)), ["reordering"]);
    let (full, spurious) = found(counting);
    assert!(full < 0.3 && spurious > 50, "{full} {spurious}");
}

/// Four connections over four spines: of 400 Gbps on the wire 380 and more, and nothing is dropped.
#[test]
fn sprayed_frames_fill_the_fabric() {
    let text = "engine = \"ethernet\"\n\
        [run]\nduration = \"10 ms\"\nwarm_up = \"5 ms\"\n\
        [topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 4\nhosts_per_switch = 4\n\
        [link]\nrate = \"100 Gbps\"\ncable = \"10 m\"\n\
        [buffer]\nper_queue = \"2 MB\"\n[flow_control]\nkind = \"none\"\n\
        [switch]\nspread = \"frames\"\n[tcp]\npreset = \"linux-6\"\n\
        [[flows]]\nname = \"f\"\nfrom = \"H1_{1..4}\"\nto = \"H2_{1..4}\"\n";
    let gbps = |text: &str| {
        let outcome = run(text);
        let flows = outcome.flows.iter();
        assert_eq!(flows.clone().map(|flow| flow.lost_total).sum::<u64>(), 0);
        flows.map(|flow| flow.ends.goodput_bytes).sum::<u64>() as f64 * 8.0 / 5e6
    };
    let found = gbps(text);
    // Of a frame of 1538 B with preamble and gap 1460 are payload.
    assert!(found * 1538.0 / 1460.0 >= 380.0, "{found} Gbps of payload");
    let counting = text.replace("\"linux-6\"", "\"linux-3\"");
    let less = gbps(&counting);
    assert!(less < 320.0, "{less} Gbps of payload");
}

/// A round trip of 10 ms and 100 ms of buffer.
#[test]
fn slow_start_ends_with_nothing_lost() {
    let after = |tcp: &str| {
        let outcome = run(&path(&[
            ("duration", "300 ms"),
            ("warm_up", "0 s"),
            ("delay", "2.5 ms"),
            ("room", "1.25 MB"),
            ("tcp", tcp),
        ]));
        let queues = outcome.channels.iter().flat_map(|it| &it.by_class.queues);
        let most = queues.map(|queue| queue.most_bytes).max();
        (outcome.flows[0].lost_total, most.expect("a port") / 1506)
    };
    // The window is what is in the queue and 83 segments on the way.
    let (lost, most) = after("");
    assert!(lost == 0 && (17..=67).contains(&most), "{lost} {most}");
    let (lost, most) = after("slow_start = \"hystart++\"");
    assert!(lost < 300 && most > 200, "{lost} {most}");
    let (lost, most) = after("slow_start = \"loss\"");
    assert!(lost > 20 && most > 800, "{lost} {most}");
}

/// The queue of Linux 6.18 within a tenth, its loss events within a quarter.
#[test]
fn one_and_two_flows_are_as_in_linux() {
    for (flow, full, events) in [("", 0.776, 2.25), ("count = 2", 0.831, 7.6)] {
        let outcome = run(&path(&[("flow", flow)]));
        let found = queue(&outcome);
        assert!((found / full - 1.0).abs() < 0.1, "{flow}: {found}");
        let losses = outcome
            .flows
            .iter()
            .map(|flow| flow.ends.tcp.fast_retransmits);
        let found = losses.sum::<u64>() as f64 / 50.0;
        assert!((found / events - 1.0).abs() < 0.25, "{flow}: {found}");
        assert!(
            outcome
                .flows
                .iter()
                .all(|flow| flow.ends.tcp.time_outs == 0)
        );
    }
}

#[test]
fn presets_and_their_keys() {
    let of = |keys: &str| tcp(&path(&[("tcp", keys)]));
    let usual = of("");
    assert_eq!(usual.recovery, Recovery::Rack);
    // SYN and its answer, 84 B on the wire over 10 Gbps and over 100 Mbps, and twice two links.
    let handshake = 2 * (67_200 + 6_720_000 + 2 * 20_000_000);
    assert_eq!(usual.handshake_rtt, Some(Duration(handshake)));
    let all_off =
        "recovery = \"sack\"\nslow_start = \"loss\"\nquick_acks = 0\nhandshake_rtt = false";
    let linux_3 = path(&[("tcp", "")]).replace("linux-6", "linux-3");
    assert_eq!(of(all_off), tcp(&linux_3));
    assert_eq!(of("recovery = \"sack\"").slow_start, SlowStart::Loss);
    let modern = path(&[("tcp", "")]).replace("linux-6", "modern");
    assert_eq!(tcp(&modern), usual);
    for (key, keys) in [
        ("prr", "recovery = \"sack\"\nprr = true"),
        (
            "tail_loss_probe",
            "recovery = \"reno\"\ntail_loss_probe = true",
        ),
        ("dsack_undo", "recovery = \"sack\"\ndsack_undo = true"),
        (
            "slow_start",
            "congestion = \"reno\"\nslow_start = \"hystart\"",
        ),
        (
            "slow_start",
            "recovery = \"sack\"\nslow_start = \"hystart++\"",
        ),
    ] {
        assert_eq!(codes(&path(&[("tcp", keys)])), ["no-meaning"], "{key}");
    }
    assert_eq!(
        codes(&path(&[("tcp", "recovery = \"sack\"\nprr = false")])),
        [""; 0]
    );
}
