//! Which networks may deadlock, and what is said of them.

use super::checks::shipped;
use super::{codes, try_read};

/// A ring of switches with a host each, all of which send to the host `hops` further on, clockwise.
fn ring(switches: usize, hops: usize, rest: &str) -> String {
    let mut text = format!(
        "engine = \"ethernet\"\n[run]\nduration = \"200 ms\"\n[topology]\nkind = \"ring\"\n\
         switches = {switches}\n[link]\nrate = \"1 Gbps\"\n{rest}\n"
    );
    let host = |at: usize| format!("H{}_1", at % switches + 1);
    for at in 0..switches {
        for hop in 1..=hops {
            let (node, to) = (at + 1, host(at + hop));
            let via = (at + 1) % switches + 1;
            text += &format!("[[routes]]\nnode = \"S{node}\"\nto = \"{to}\"\nvia = \"S{via}\"\n");
        }
        let (from, to) = (host(at), host(at + hops));
        text += &format!("[[flows]]\nname = \"f{at}\"\nfrom = \"{from}\"\nto = \"{to}\"\n");
        text += "traffic = { kind = \"greedy\" }\n";
    }
    text
}

fn told(text: &str) -> String {
    let found = try_read(text, &[]).expect("no mistakes");
    found.warnings.render(false)
}

/// A host's stop waits for whatever keeps the queue congested, frames to other hosts too; so the
/// scheme is no cure where queues that share frames close a circle.
#[test]
fn destination_control_is_judged_by_queues_that_share_frames() {
    let by_destination = |switches, hops| {
        ring(switches, hops, "[flow_control]\nkind = \"destination\"")
            .replace("traffic", "transport = \"udp\"\ntraffic")
    };
    assert_eq!(codes(&by_destination(4, 2)), ["deadlock"]);
    assert_eq!(codes(&by_destination(5, 4)), ["deadlock"]);
    let both = ["deadlock", "overload"];
    assert_eq!(codes(&shipped("ring-destination")), both);
    // No frame goes on from one queue between switches to another.
    assert_eq!(codes(&by_destination(4, 1)), [""; 0]);
    // A line of switches has no circle, whoever sends to whom.
    let line = by_destination(4, 2).replace("\"ring\"", "\"line\"");
    let (line, _) = line.split_once("[[routes]]").expect("routes");
    let both = "[[flows]]\nname = \"a\"\nfrom = \"H1_1\"\nto = \"H4_1\"\ntransport = \"udp\"\n\
                [[flows]]\nname = \"b\"\nfrom = \"H4_1\"\nto = \"H1_1\"\ntransport = \"udp\"\n";
    assert_eq!(codes(&format!("{line}{both}")), [""; 0]);
}

/// Nothing is advised under which a circle is left.
#[test]
fn advice_leaves_no_circle() {
    let cure = "kind = \"destination\"";
    for notify in ["others", "contributing"] {
        let stops = format!("[flow_control]\nkind = \"pfc\"\nnotify = \"{notify}\"");
        let said = told(&ring(4, 2, &stops).replace("traffic", "transport = \"udp\"\ntraffic"));
        assert!(said.contains("warning[deadlock]"), "{said}");
        assert!(!said.contains(cure), "{said}");
        assert!(!said.contains("notify = \"contributing\""), "{said}");
    }
    // Each waits for a queue that its frames do not share: stopping those alone ends it.
    let apart = ring(4, 1, "[flow_control]\nkind = \"pfc\"");
    let apart = apart.replace("traffic", "transport = \"udp\"\ntraffic");
    let said = told(&apart);
    assert!(
        said.contains(cure) && said.contains("notify = \"contributing\""),
        "{said}"
    );
    for kind in ["kind = \"pfc\"\nnotify = \"contributing\"", cure] {
        assert_eq!(
            codes(&apart.replace("kind = \"pfc\"", kind)),
            [""; 0],
            "{kind}"
        );
    }
}

/// A frame costs whole units, however small it is; and N2 - 1 free units may not be told of.
#[test]
fn credit_counts_in_units() {
    let credit = |n2: u32, n3: u32, unit: &str| {
        let kind = format!("[flow_control]\nkind = \"n23\"\nclasses = [0]\nn2 = {n2}\nn3 = {n3}\n");
        let large = "[[flows]]\nname = \"large\"\nfrom = \"H1_1\"\nto = \"H2_1\"\n\
                     transport = \"udp\"\npayload = \"1472 B\"\nclass = 1\n";
        let small = "tcp = { preset = \"linux-3\", mss = \"64 B\", window = \"768 B\" }\ntraffic";
        let text = ring(3, 2, &format!("{kind}{unit}")).replace("traffic", small);
        codes(&format!("{text}{large}"))
    };
    let whole = "unit = \"1518 B\"";
    // Twelve segments of each of two flows, and acknowledgements of one.
    assert_eq!(credit(1, 34, whole), ["deadlock"]);
    assert_eq!(credit(1, 35, whole), [""; 0]);
    assert_eq!(credit(8, 34, whole), ["deadlock"]);
    assert_eq!(credit(8, 35, whole), [""; 0]);
    assert_eq!(credit(1, 71, "unit = \"64 B\""), [""; 0]);
}

/// A window holds back what is new, not what is sent again while the first copy waits.
#[test]
fn windows_are_no_limit_where_time_outs_send_again() {
    let stops = "[buffer]\nper_queue = \"120 kB\"\n[flow_control]\nkind = \"pfc\"\nclasses = [0]\n\
                 xoff = \"36 kB\"\nxon = \"20 kB\"\n";
    let with = |tcp: &str, more: &str| ring(3, 2, &format!("{stops}[tcp]\n{tcp}\n{more}"));
    let window = "initial_window = 2\nwindow = \"2920 B\"\nacks = \"every\"";
    let fast = format!("{window}\nmin_rto = \"1 ms\"\ninitial_rto = \"1 ms\"");
    // Longer than any wait that such windows allow, and longer than the run.
    assert_eq!(codes(&with(&fast, "")), [""; 0]);
    assert_eq!(codes(&with(window, "")), [""; 0]);
    // A host that stops holds frames for longer than that.
    let storm = "[[nodes]]\nname = \"H1_1\"\nstorm = { from = \"1 ms\", until = \"9 ms\", \
                 classes = [0] }\n";
    let stormy = with(&fast, storm);
    assert_eq!(codes(&stormy), ["deadlock"]);
    assert!(told(&stormy).contains("windows alone would not fill these queues"));
    assert_eq!(
        codes(&stormy.replace("\"1 ms\"\ninitial", "\"1 s\"\ninitial")),
        ["deadlock"]
    );
    let slow = stormy.replace("min_rto = \"1 ms\"", "min_rto = \"1 s\"");
    let slow = slow.replace("initial_rto = \"1 ms\"", "initial_rto = \"1 s\"");
    assert_eq!(codes(&slow), [""; 0]);
}

/// A queue without credit may wait for one that is stopped, and the other way round.
#[test]
fn credit_and_stops_close_a_circle_together() {
    let text = |credit: &str| {
        let mut text = String::from(
            "engine = \"ethernet\"\n[run]\nduration = \"200 ms\"\n[network]\n\
             hosts = [\"H{1..3}_1\"]\nswitches = [\"S{1..3}\"]\n[link]\nrate = \"1 Gbps\"\n\
             [[links]]\nbetween = [\"H1_1\", \"S1\"]\n[[links]]\nbetween = [\"H2_1\", \"S2\"]\n\
             [[links]]\nbetween = [\"H3_1\", \"S3\"]\n[[links]]\nbetween = [\"S2\", \"S3\"]\n\
             [[links]]\nbetween = [\"S3\", \"S1\"]\n[[links]]\nbetween = [\"S1\", \"S2\"]\n",
        );
        let whole = ring(3, 2, "[flow_control]\nkind = \"pfc\"\ndetect = \"inputs\"");
        let (_, rest) = whole.split_once("[flow_control]").expect("stops");
        let rest = rest.replace("traffic", "transport = \"udp\"\nclass = 1\ntraffic");
        text += &format!("{credit}\n[flow_control]\nclasses = [1]{rest}");
        text
    };
    assert_eq!(codes(&text("")), ["deadlock"]);
    let credit = "flow_control = { kind = \"n23\", classes = [1] }";
    assert!(told(&text(credit)).contains("queues, stopped or without credit, may wait"));
}
