//! Credit for classes of frames: what follows from a link, and what that is good for.

use backwater_kernel::Duration;
use backwater_net::frames::probe::{Audit, LossCause};
use backwater_net::frames::spec::{ClassCreditRule, CreditRule, EthernetSpec};
use backwater_net::outcome::Outcome;
use backwater_net::watched;

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
    let (audit, outcome) = watched(spec, Audit::new(spec)).expect("a sound network");
    let seen = audit.checks().violations();
    assert_eq!(seen.total(), 0, "{seen:?}");
    outcome
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
    // E counts what arrives while credit is on its way.
    let window = Duration(67_200 + 20_000_000);
    let zones = *credit.zones().expect("zones");
    assert_eq!((credit.unit_bytes, zones.window), (1_518, window));
    // The loop, 41,297.6, and the time of a frame the other way: 42,528 / 1,230.4.
    assert_eq!((zones.n2, zones.n3), (10, 35));
    assert!(spec.links[2].channels[0].credits.is_empty(), "to a host");
    let small = read(&line("n23", "unit = \"64 B\""));
    let credit = small.links[1].channels[0].credits[0].expect("into a switch");
    assert_eq!(
        (credit.unit_bytes, credit.zones().expect("zones").n3),
        (64, 853)
    );
    let given = read(&line("cumulative", "n2 = 3\nn3 = 7\nresync_every = 20"));
    let rule = given.links[0].channels[0].credits[0]
        .expect("into a switch")
        .rule;
    let ClassCreditRule::Zones(rule) = rule else {
        panic!("zones");
    };
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

/// PFC for the hosts, each for what it brought itself, and credit between the switches; the last
/// link has half the rate.
#[test]
fn a_link_may_have_credit_where_others_are_stopped() {
    let bare = line("pfc", "detect = \"inputs\"").replace(
        "between = [\"B\", \"D\"]",
        "between = [\"B\", \"D\"]\nrate = \"5 Gbps\"",
    );
    let between = "between = [\"A\", \"B\"]\n";
    let own = |control: &str| format!("{between}flow_control = {control}\n");
    let mixed = bare.replace(between, &own("{ kind = \"n23\", n2 = 2 }"));
    let spec = read(&mixed);
    let (host, trunk) = (&spec.links[0].channels[0], &spec.links[1].channels[0]);
    assert!(host.credits.is_empty() && host.inputs[0].high_bytes < u64::MAX);
    assert_eq!(
        trunk.credits[0].expect("credit").zones().expect("zones").n2,
        2
    );
    let mut sent = Vec::new();
    for (text, has_credit) in [(&mixed, true), (&bare, false)] {
        let outcome = run(&read(text));
        assert_eq!(lost(&outcome), 0);
        assert_eq!(outcome.violations.total(), 0);
        let stops = |channel: usize| outcome.channels[channel].by_class.stops_obeyed;
        assert!(stops(0) > 0, "S is stopped either way");
        assert_eq!(stops(2) == 0, has_credit, "A is stopped without credit");
        sent.push(outcome.flows[0].delivered_total);
    }
    assert_eq!(sent[0].abs_diff(sent[1]) * 1_000 / sent[0], 0, "{sent:?}");
}

/// What a link says of its own credit gives up the promise of the switch behind it, and no other.
#[test]
fn a_link_may_give_up_its_promise() {
    let text = |words: &str| {
        let between = "between = [\"A\", \"B\"]\n";
        let own = format!("{between}flow_control = {{ kind = \"n23\"{words} }}\n");
        line("pfc", "detect = \"inputs\"").replace(between, &own)
    };
    for (words, at_b) in [("", 1), (", headroom = \"unchecked\"", 0)] {
        let spec = read(&text(words));
        let promised = [2, 3].map(|node: usize| spec.nodes[node].promised & 1);
        // `B -> A` is such a link too.
        assert_eq!(promised, [at_b, at_b], "{words}");
    }
    let one_way = text(", headroom = \"unchecked\"")
        .replace("flow_control = {", "forward = { flow_control = {");
    let one_way = one_way.replace("\"unchecked\" }", "\"unchecked\" } }");
    let spec = read(&one_way);
    assert_eq!(
        [2, 3].map(|node: usize| spec.nodes[node].promised & 1),
        [1, 0]
    );
}

/// Where a link has neither, what finds the memory of its input full is dropped, and nothing
/// promises otherwise; what has credit is lossless.
#[test]
fn a_link_may_have_neither() {
    let slow = line("none", "").replace(
        "between = [\"B\", \"D\"]",
        "between = [\"B\", \"D\"]\nrate = \"5 Gbps\"",
    );
    let between = "between = [\"A\", \"B\"]\n";
    let text = slow.replace(between, &format!("{between}flow_control.kind = \"n23\"\n"));
    let spec = read(&text);
    let outcome = run(&spec);
    assert_eq!(outcome.violations.total(), 0);
    let lost = |channel: usize| {
        let queues = &outcome.channels[channel].by_class.queues;
        queues.iter().map(|queue| queue.drops.total()).sum::<u64>()
    };
    // A has no credit for more, and drops what S goes on to send; B has nothing to drop.
    assert!(lost(2) > 1_000, "{}", lost(2));
    assert_eq!(lost(4), 0);
    assert_eq!(spec.nodes[2].promised & 1, 0, "A");
    assert_eq!(spec.nodes[3].promised & 1, 0, "B: D may send it too much");
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

/// One link is slow, and frames of a class cost more than their credit, or another link's zone is
/// too small: both are told.
#[test]
fn what_is_slow_hides_nothing_that_is_wrong() {
    let small = "transport = \"udp\"\npayload = \"46 B\"\n[[flows]]\nname = \"back\"\nclass = 1";
    let text = line("relative", "n2 = 3\nn3 = 7\nunit = \"64 B\"");
    let text = text.replace("transport = \"udp\"\n[[flows]]\nname = \"back\"", small);
    assert_eq!(codes(&text), ["zone-too-small", "slow"]);
    let text = line("n123", "").replace(
        "between = [\"A\", \"B\"]",
        "between = [\"A\", \"B\"]\nflow_control = { kind = \"n123\", n1 = 1 }",
    );
    assert_eq!(codes(&text), ["zone-too-small"]);
    let first = "between = [\"S\", \"A\"]";
    let slow = format!("{first}\nflow_control = {{ kind = \"n23\", n2 = 1, n3 = 2 }}");
    assert_eq!(
        codes(&text.replace(first, &slow)),
        ["slow", "zone-too-small"]
    );
}

/// N123 takes nothing off for what is under way, so its bursts grow, if N3 has room for more than
/// the frame that is held: told is what comes of that in the run.
#[test]
fn the_share_of_n123_is_the_one_that_runs() {
    let zones = [
        (46, "n2 = 10\nn3 = 0"),
        (46, "n2 = 10\nn3 = 1"),
        (46, "n2 = 10\nn3 = 2"),
        (46, "n2 = 10\nn3 = 9"),
        (46, "n2 = 24\nn3 = 16"),
        (46, "n2 = 1\nn3 = 1"),
        (46, "n2 = 10\nn3 = 0\nredundant_every = 5"),
        (1_472, "unit = \"64 B\"\nn2 = 24\nn3 = 48"),
        (1_472, "unit = \"64 B\"\nn2 = 10\nn3 = 24"),
        (1_472, "n2 = 2\nn3 = 3"),
    ];
    let found = zones.map(|(payload, zones)| {
        let text = tight(zones, payload, 400).replace("cumulative", "n123");
        let told = told(&text, "about ");
        let share = run(&read(&text)).channels[0].data_share * 100.0;
        let near = match told {
            Some(told) => (share - told).abs() <= 0.5 + 0.06 * share,
            None => share > 88.0,
        };
        assert!(near, "{zones}: {share} for {told:?}");
        told.is_some()
    });
    assert!(found.contains(&true) && found.contains(&false), "{found:?}");
}

/// N123+ takes off what has come, not what is on its way: never less than the law.
#[test]
fn the_share_of_n123_plus_is_a_bound_from_below() {
    for (n2, n3) in [(10, 1), (10, 9), (24, 16)] {
        let text = tight(&format!("n2 = {n2}\nn3 = {n3}"), 46, 400);
        let text = text.replace("cumulative", "n123+");
        let least = told(&text, "at least ").expect("it is slow");
        let share = run(&read(&text)).channels[0].data_share * 100.0;
        assert!(share > 0.9 * least, "{share} for {least}");
    }
}

#[test]
fn a_window_too_short_overflows() {
    let text = line("n23", "window = \"1 us\"\nheadroom = \"unchecked\"");
    let slow = "rate = \"1 Gbps\"\nbetween = [\"B\", \"D\"]";
    let text = text.replace("between = [\"B\", \"D\"]", slow);
    assert!(codes(&text).contains(&"window-too-short"));
    // One that is too long counts frames that have left: by a tenth of N3 none too many for it, by
    // ten times as many the class stops.
    let given = |window: &str| line("n23", &format!("window = \"{window}\""));
    assert_eq!(codes(&given("42 us")), [""; 0]);
    assert_eq!(codes(&given("400 us")), ["window-too-long"]);
    let repaired = given("400 us").replace("window =", "request_after = \"1 ms\"\nwindow =");
    assert_eq!(codes(&repaired), [""; 0]);
    assert!(lost(&run(&read(&text))) > 10);
    let exact = text.replace("window = \"1 us\"", "");
    assert_eq!(lost(&run(&read(&exact))), 0);
}

/// Datagrams of so much payload without end over one link of 100 Gbps with credit.
fn tight(zones: &str, payload: u32, metres: u32) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"400 us\"\nwarm_up = \"100 us\"\n\
         [network]\nhosts = [\"A\", \"B\"]\nswitches = [\"S\"]\n\
         [link]\nrate = \"100 Gbps\"\ncable = \"{metres} m\"\n\
         [flow_control]\nkind = \"cumulative\"\n{zones}\n\
         [[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"B\"\ntransport = \"udp\"\n\
         payload = \"{payload} B\"\n"
    )
}

/// What `check` says of a share of the link, in per cent, if it says anything.
fn told_share(text: &str) -> Option<f64> {
    told(text, "about ")
}

/// The number behind this word.
fn told(text: &str, word: &str) -> Option<f64> {
    let scenario = super::try_read(text, &[]).expect("it is sound");
    let told = format!("{}", scenario.warnings);
    let (_, after) = told.split_once(word)?;
    after.split(' ').next()?.parse().ok()
}

/// Over a grid of units, zones, frames and lengths: the share that is told is the one that runs.
#[test]
fn the_share_that_is_told_is_measured() {
    let mut told = 0;
    for (unit, n2, n3) in [
        (64, 24, 48),
        (64, 10, 60),
        (64, 30, 70),
        (256, 6, 12),
        (256, 3, 29),
        (1_518, 1, 2),
        (1_518, 2, 5),
    ] {
        for (payload, metres) in [(1_472, 100), (1_472, 300), (700, 100)] {
            let zones = format!("unit = \"{unit} B\"\nn2 = {n2}\nn3 = {n3}");
            let text = tight(&zones, payload, metres);
            let Some(share) = told_share(&text) else {
                continue;
            };
            let found = run(&read(&text)).channels[0].data_share * 100.0;
            let near = (found - share).abs() <= 0.5 + 0.04 * found;
            assert!(
                near,
                "{zones}, {payload} B, {metres} m: {share} for {found}"
            );
            told += 1;
        }
    }
    assert!(told >= 15, "{told}");
}

/// Small frames in a class whose unit is a full one; the cure that is told cures.
#[test]
fn small_frames_are_told_of_where_they_waste_credit() {
    let beside = |unit: &str, rate: &str| {
        format!(
            "{}\n[[flows]]\nname = \"full\"\nfrom = \"A\"\nto = \"B\"\n\
             transport = \"udp\"\npayload = \"1472 B\"\n\
             traffic = {{ kind = \"constant\", rate = \"1 Gbps\" }}\n",
            tight(unit, 100, 5_000).replace(
                "payload = \"100 B\"",
                &format!(
                    "payload = \"100 B\"\ntraffic = {{ kind = \"constant\", rate = \"{rate}\" }}"
                )
            )
        )
    };
    let goodput = |text: &str| {
        let bytes = run(&read(text)).flows[0].ends.goodput_bytes;
        bytes as f64 * 8.0 / 300e-6 / 1e9
    };
    let slow = beside("", "59 Gbps");
    assert_eq!(codes(&slow), ["slow"]);
    let found = goodput(&slow) / 59.0 * 100.0;
    let share = told_share(&slow).expect("it is told");
    assert!((found - share).abs() < 1.5, "{share} for {found}");
    let cured = beside("unit = \"146 B\"", "59 Gbps");
    assert!(codes(&cured).is_empty() && goodput(&cured) > 57.0);
    // The control: few small frames have units enough.
    assert!(codes(&beside("", "5 Gbps")).is_empty());
    assert!(goodput(&beside("", "5 Gbps")) > 4.8);
}
