//! Credit for classes of frames: what follows from a link, and what that is good for.

use backwater_kernel::{Duration, Rings};
use backwater_net::frames::Simulation;
use backwater_net::frames::probe::{Audit, LossCause};
use backwater_net::frames::spec::{CreditRule, EthernetSpec};
use backwater_net::outcome::Outcome;

use crate::ethernet::{codes, read};

const KINDS: [&str; 5] = ["n23", "n123", "n123+", "relative", "cumulative"];

/// Datagrams of 1,472 bytes without end from S over A and B to D, with traffic the other way.
fn line(kind: &str, more: &str) -> String {
    format!(
        r#"
engine = "ethernet"
[run]
duration = "5 ms"
[network]
hosts = ["S", "D"]
switches = ["A", "B"]
[link]
rate = "10 Gbps"
delay = "20 us"
[flow_control]
kind = "{kind}"
{more}
[[links]]
between = ["S", "A"]
[[links]]
between = ["A", "B"]
[[links]]
between = ["B", "D"]
[[flows]]
name = "there"
from = "S"
to = "D"
transport = "udp"
[[flows]]
name = "back"
from = "D"
to = "S"
transport = "udp"
"#
    )
}

fn run(spec: &EthernetSpec) -> Outcome {
    let audit = Audit::new(spec);
    let mut engine = Simulation::<Rings, Audit>::with_probe(spec, audit).expect("a sound network");
    engine.run();
    let seen = engine.probe().checks().violations();
    assert_eq!(seen.total(), 0, "{seen:?}");
    engine.outcome()
}

/// Frames lost for want of a place that credit had promised.
fn lost(outcome: &Outcome) -> u64 {
    let queues = outcome
        .channels
        .iter()
        .flat_map(|channel| &channel.by_class.queues);
    queues.map(|queue| queue.drops.by(LossCause::Buffer)).sum()
}

#[test]
fn zones_follow_from_the_loop_of_a_link() {
    // Largest frame: 1,472 + 28 + 18 bytes; on the wire 20 more, 1,230.4 ns.
    // Credit: 84 bytes, 67.2 ns. Propagation 20 us each way.
    let spec = read(&line("n23", ""));
    let credit = spec.links[1].channels[0].credits[0].expect("into a switch");
    let window = Duration(1_230_400 + 67_200 + 40_000_000);
    assert_eq!((credit.unit_bytes, credit.rule.window), (1_518, window));
    // And the time of a frame the other way: 42,528 / 1,230.4.
    assert_eq!((credit.rule.n2, credit.rule.n3), (10, 35));
    assert!(spec.links[2].channels[0].credits.is_empty(), "to a host");
    let small = read(&line("n23", "unit = \"64 B\""));
    let credit = small.links[1].channels[0].credits[0].expect("into a switch");
    assert_eq!((credit.unit_bytes, credit.rule.n3), (64, 853));
    let given = read(&line("cumulative", "n2 = 3\nn3 = 7\nresync_every = 20"));
    let rule = given.links[0].channels[0].credits[0]
        .expect("into a switch")
        .rule;
    assert_eq!(
        (rule.rule, rule.n2, rule.n3),
        (CreditRule::Cumulative, 3, 7)
    );
    assert_eq!(rule.resync_every, Some(20));
}

#[test]
fn the_defaults_keep_a_link_busy_and_lose_nothing() {
    for kind in KINDS {
        for unit in ["", "unit = \"64 B\"", "unit = \"700 B\""] {
            let spec = read(&line(kind, unit));
            let outcome = run(&spec);
            assert_eq!(lost(&outcome), 0, "{kind}, {unit}");
            let shares = [2, 3].map(|channel| &outcome.channels[channel]);
            for share in shares.map(|it| it.data_share + it.control_share) {
                assert!(share > 0.98, "{kind}, {unit}: {share}");
            }
        }
    }
}

/// What law of the loop says: N2 + N3 units each loop, in whole lots of N2.
#[test]
fn a_small_zone_gives_the_throughput_of_the_closed_form() {
    let text = line("n23", "n2 = 1\nn3 = 9").replace("to = \"S\"", "to = \"S\"\nclass = 1");
    assert!(codes(&text).contains(&"slow"));
    let spec = read(&text.replace(
        "from = \"D\"",
        "from = \"D\"\ntraffic = { kind = \"greedy\", total = \"1 kB\" }",
    ));
    let outcome = run(&spec);
    let frame_ns = 1_538.0 * 0.8;
    let loop_ns = frame_ns + 67.2 + 40_000.0 + frame_ns;
    let expected = 10.0 * frame_ns / loop_ns;
    let share = outcome.channels[2].data_share;
    assert!((share / expected - 1.0).abs() < 0.05, "{share}, {expected}");
}

#[test]
fn a_window_too_short_overflows() {
    let text = line("n23", "window = \"1 us\"\nheadroom = \"unchecked\"");
    let slow = "rate = \"1 Gbps\"\nbetween = [\"B\", \"D\"]";
    let text = text.replace("between = [\"B\", \"D\"]", slow);
    assert!(codes(&text).contains(&"window-too-short"));
    assert!(lost(&run(&read(&text))) > 10);
    let exact = text.replace("window = \"1 us\"", "");
    assert_eq!(lost(&run(&read(&exact))), 0);
}
