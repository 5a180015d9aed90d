//! What comes out of files for the Ethernet engine that are right.

use ethernet::spec::{
    Detect, EthernetSpec, Forwarding, MemorySpec, NodeKind, Notify, Order, Select, Spread,
    SwitchSpec, ThinkSpec, TrafficSpec, TransportSpec,
};
use kernel::{Duration, Rate, Time};
use scenario::{Diagnostics, Limits, Scenario, Set, Source, parse_within};
use transport::TcpSpec;

fn try_read(text: &str, sets: &[&str]) -> Result<Scenario, Diagnostics> {
    let sets = sets.iter().map(|set| Set::new(set).expect("key=value"));
    let sets: Vec<Set> = sets.collect();
    parse_within(&Source::new("test.toml", text), &sets, &Limits::default())
}

fn read(text: &str) -> EthernetSpec {
    match try_read(text, &[]) {
        Ok(scenario) => scenario.ethernet().expect("for Ethernet").network.clone(),
        Err(mistakes) => panic!("{}", mistakes.render(false)),
    }
}

fn codes(text: &str) -> Vec<&'static str> {
    match try_read(text, &[]) {
        Ok(scenario) => scenario.warnings.iter().map(|d| d.code).collect(),
        Err(mistakes) => mistakes.iter().map(|d| d.code).collect(),
    }
}

fn switch(spec: &EthernetSpec) -> &SwitchSpec {
    let kinds = spec.nodes.iter().map(|node| &node.kind);
    let mut switches = kinds.filter_map(|kind| match kind {
        NodeKind::Switch(switch) => Some(switch),
        NodeKind::Station { .. } => None,
    });
    switches.next().expect("a switch")
}

/// The paper's Figure 1: a fast station and a slow one on one switch.
const ONE_SWITCH: &str = r#"
engine = "ethernet"
[run]
duration = "20 s"
warm_up = "10 s"
[network]
stations = ["S", "D"]
switches = ["A"]
[link]
rate = "100 Mbps"
[[links]]
between = ["D", "A"]
rate = "10 Mbps"
[back_pressure]
kind = "pause"
[[flows]]
name = "f"
from = "S"
to = "D"
count = 3
traffic = { kind = "files", size = "200 kB", think = "10 ms" }
"#;

#[test]
fn one_switch_gets_the_papers_defaults() {
    let spec = read(ONE_SWITCH);
    assert_eq!((spec.seed, spec.spread), (1, Spread::Flows));
    assert_eq!(
        (spec.warm_up, spec.stop_at),
        (Time(10_000_000_000_000), Time(20_000_000_000_000))
    );
    assert_eq!(spec.stall_after, Duration(200_000_000_000));
    let names: Vec<&str> = spec.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["S", "D", "A"]);
    let [slow, fast] = spec.links.as_slice() else {
        panic!("{} links", spec.links.len());
    };
    assert_eq!((slow.a, slow.b, fast.a, fast.b), (1, 2, 0, 2));
    assert_eq!(
        (slow.forward.rate, fast.forward.rate),
        (Rate(10_000_000), Rate(100_000_000))
    );
    assert_eq!(slow.forward.delay, Duration(500_000));
    assert_eq!(slow.forward.order, Order::StrictPriority);
    assert!(slow.forward.inputs.is_empty());
    let (to_d, from_d) = (slow.backward.queues[0], slow.forward.queues[0]);
    assert_eq!(
        (to_d.limit_bytes, to_d.high_bytes, to_d.low_bytes),
        (Some(70_000), 56_000, 49_000)
    );
    assert_eq!(fast.backward.queues[0].limit_bytes, Some(500_000));
    assert_eq!(
        (from_d.limit_bytes, from_d.high_bytes),
        (None, u64::MAX),
        "stations are endless"
    );
    let switch = switch(&spec);
    assert_eq!(
        (switch.forwarding, switch.memory),
        (Forwarding::StoreAndForward, MemorySpec::Queues)
    );
    let pressure = switch.back_pressure.expect("PAUSE");
    assert_eq!(
        (
            pressure.classes,
            pressure.select,
            pressure.detect,
            pressure.notify
        ),
        (1, Select::Port, Detect::Outputs, Notify::Others)
    );
    let names: Vec<&str> = spec.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["f[1]", "f[2]", "f[3]"]);
    assert_eq!(spec.flows[0].transport, TransportSpec::Tcp(TcpSpec::bsd()));
    let files = TrafficSpec::Files {
        start: Time::ZERO,
        bytes: 200_000,
        think: ThinkSpec::Uniform(Duration(10_000_000_000)),
        count: None,
    };
    assert_eq!(spec.flows[0].traffic, files);
}

#[test]
fn the_resolved_scenario_means_the_same() {
    let first = try_read(ONE_SWITCH, &[]).expect("no mistakes");
    let again = try_read(&first.resolved, &[]).expect("no mistakes");
    assert_eq!(first.ethernet(), again.ethernet());
    assert_eq!(first.resolved, again.resolved, "resolving is idempotent");
}

#[test]
fn unknown_codes_are_not_invented() {
    assert_eq!(codes(ONE_SWITCH), [""; 0]);
}

/// A file in `scenarios/ethernet`.
fn shipped(name: &str) -> String {
    let path = format!(
        "{}/../../scenarios/ethernet/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(path).expect("readable")
}

#[test]
fn shipped_scenarios_say_what_they_mean() {
    for (name, expected) in [
        ("incast", vec![]),
        ("shared-memory", vec![]),
        ("dctcp", vec![]),
        ("tree-deadlock", vec!["deadlock"]),
        ("tree-others", vec![]),
        ("ring-deadlock", vec!["deadlock"]),
        ("ring-destination", vec![]),
        ("storm", vec![]),
        ("storm-watchdog", vec![]),
    ] {
        let text = shipped(name);
        match try_read(&text, &[]) {
            Err(mistakes) => panic!("{name}: {}", mistakes.render(false)),
            Ok(scenario) => println!("{name}: {}", scenario.warnings.render(false)),
        }
        assert_eq!(codes(&text), expected, "{name}");
        let first = try_read(&text, &[]).expect("no mistakes");
        let again = try_read(&first.resolved, &[]).expect("no mistakes");
        assert_eq!(first.ethernet(), again.ethernet(), "{name}");
    }
}

/// `n` stations merge at one rate; the paper's Figure 3.
fn merging(n: u32, mbps: u32, mss: u32, limit: &str, high: &str, notify: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"20 s\"\n\
         [network]\nstations = [\"S{{1..{n}}}\", \"D\"]\nswitches = [\"A\"]\n\
         [link]\nrate = \"{mbps} Mbps\"\n[buffer]\nper_queue = \"{limit}\"\n\
         [back_pressure]\nkind = \"pause\"\nnotify = \"{notify}\"\nhigh = \"{high}\"\n\
         low = \"60 %\"\n[tcp]\nmss = \"{mss} B\"\n\
         [[flows]]\nname = \"f\"\nfrom = \"S{{1..{n}}}\"\nto = \"D\"\n\
         traffic = {{ kind = \"files\", size = \"100 kB\", think = \"10 ms\" }}\n"
    )
}

#[test]
fn the_papers_buffers_are_large_enough_for_five_stations() {
    for notify in ["all", "others", "contributing"] {
        for n in [2, 5] {
            let text = merging(n, 10, 1_024, "70 kB", "80 %", notify);
            assert_eq!(codes(&text), [""; 0], "{n} stations, {notify}");
        }
        let eight = merging(8, 10, 1_024, "70 kB", "80 %", notify);
        assert_eq!(codes(&eight), ["headroom"], "{notify}");
        let meant = eight.replace("low = ", "headroom = \"unchecked\"\nlow = ");
        assert!(try_read(&meant, &[]).is_ok(), "a warning where the loss is meant");
        assert_eq!(codes(&meant), ["headroom"]);
    }
}

#[test]
fn fifty_kilobytes_need_a_lower_threshold() {
    let at = |high| merging(5, 100, 1_460, "50 kB", high, "all");
    assert_eq!(codes(&at("70 %")), [""; 0]);
    assert_eq!(codes(&at("80 %")), ["headroom"]);
}
