//! Shared memory: what differs by switch, port and class, pools, cells, and headroom that is enough
//! for some inputs at once.

use backwater_kernel::{Channels, Rings};
use backwater_net::frames::Simulation;
use backwater_net::frames::probe::LossCause;
use backwater_net::frames::spec::{EthernetSpec, MemorySpec, NodeKind, Ratio, SharedSpec};
use backwater_net::outcome::Outcome;
use backwater_scenario::headroom::Place;

use super::{codes, read, try_read};

/// Six hosts at a switch, of which five send to the sixth, and little memory to share.
fn incast(memory: &str) -> String {
    format!(
        r#"
engine = "ethernet"
[run]
duration = "40 us"
[topology]
kind = "star"
hosts_per_switch = 6
[link]
rate = "400 Gbps"
cable = "100 m"
[flow_control]
kind = "pfc"
[buffer.shared]
{memory}
[[flows]]
name = "in"
from = ["H1_1", "H1_2", "H1_3", "H1_4", "H1_5"]
to = "H1_6"
transport = "udp"
"#
    )
}

fn node(spec: &EthernetSpec, name: &str) -> u32 {
    let mut nodes = (0..).zip(&spec.nodes);
    let (id, _) = nodes.find(|(_, node)| &*node.name == name).expect("a node");
    id
}

fn memory<'a>(spec: &'a EthernetSpec, name: &str) -> &'a SharedSpec {
    match &spec.nodes[node(spec, name) as usize].kind {
        NodeKind::Switch(switch) => match &switch.memory {
            MemorySpec::Shared(shared) => shared,
            MemorySpec::Queues => panic!("no shared memory"),
        },
        NodeKind::Station { .. } => panic!("a host"),
    }
}

/// The channel from one node to another.
fn channel(spec: &EthernetSpec, from: &str, to: &str) -> u32 {
    let ends = (node(spec, from), node(spec, to));
    let mut all = spec.links.channels();
    all.find(|id| spec.links.ends(*id) == ends).expect("a link")
}

fn run(spec: &EthernetSpec) -> Outcome {
    let mut run = Simulation::<Rings>::new(spec).expect("a sound network");
    run.run();
    run.outcome()
}

fn lost(outcome: &Outcome) -> u64 {
    let queues = outcome.channels.iter().flat_map(|own| &own.by_class.queues);
    queues.map(|queue| queue.drops.by(LossCause::Buffer)).sum()
}

/// What each input needs, and the pool's answer.
fn account(text: &str) -> (u64, u64) {
    let scenario = try_read(text, &[]).expect("no errors");
    let account = &scenario.ethernet().expect("for Ethernet").headroom;
    let of = |place| move |need: &&backwater_scenario::headroom::Need| need.place == place;
    let input = account.iter().find(of(Place::Shared)).expect("an input");
    let pool = account.iter().find(of(Place::Pool)).expect("a pool");
    (input.needs(), pool.at_once())
}

/// `active` of the five send from the start, the others never.
fn with(text: &str, active: usize) -> EthernetSpec {
    let mut spec = read(text);
    spec.flows.truncate(active);
    spec
}

/// What `check` says of so many inputs at once is kept by the run, and no more than that is so.
#[test]
fn a_pool_is_enough_for_as_many_inputs_as_check_says() {
    let enough = incast("bytes = \"4 MB\"\nalpha = \"1/65536\"");
    let (each, all) = account(&enough);
    assert_eq!(all, 5);
    for safe in 1..5_u64 {
        // A frame less than the next input would need.
        let pool = (safe + 1) * each - 1;
        let text = incast(&format!(
            "bytes = \"4 MB\"\npool = \"{pool} B\"\nalpha = \"1/65536\""
        ));
        assert_eq!(codes(&text), ["oversold-headroom"]);
        assert_eq!(account(&text).1, safe);
        // Two senders at least, else nothing congests.
        let kept = run(&with(&text, (safe as usize).max(2)));
        if safe > 1 {
            assert_eq!(lost(&kept), 0, "{safe} at once");
        }
        assert_eq!(kept.violations.total(), 0);
        let tight = safe * each;
        let text = text.replace(&format!("{pool} B"), &format!("{tight} B"));
        assert_eq!(account(&text).1, safe);
        if safe > 1 {
            assert_eq!(lost(&run(&with(&text, safe as usize))), 0);
        }
        let broken = run(&with(&text, safe as usize + 1));
        assert!(lost(&broken) > 0, "{} at once", safe + 1);
        assert_eq!(broken.violations.total(), 0, "it was not promised");
    }
}

/// Who promises too much is told on: one input more than it is enough for.
#[test]
fn a_promise_of_headroom_that_is_not_kept_is_a_violation() {
    let (each, _) = account(&incast("bytes = \"4 MB\""));
    let text = incast(&format!(
        "bytes = \"4 MB\"\npool = \"{} B\"\nalpha = \"1/65536\"",
        2 * each
    ));
    let mut spec = with(&text, 3);
    let switch = node(&spec, "S1");
    if let NodeKind::Switch(switch) = &mut spec.nodes[switch as usize].kind
        && let MemorySpec::Shared(shared) = &mut switch.memory
    {
        assert_eq!(shared.pools[0].safe_inputs, Some(2));
        shared.pools[0].safe_inputs = Some(3);
    }
    let outcome = run(&spec);
    assert_eq!(outcome.violations.total(), lost(&outcome));
    assert!(lost(&outcome) > 0);
}

/// What a single input can break is refused, a byte below and not at what it needs.
#[test]
fn a_pool_must_be_enough_for_each_input_alone() {
    let (each, _) = account(&incast("bytes = \"4 MB\""));
    for (pool, code) in [(each, "oversold-headroom"), (each - 1, "headroom")] {
        let text = incast(&format!("bytes = \"4 MB\"\npool = \"{pool} B\""));
        assert_eq!(codes(&text), [code], "{pool} B");
    }
    assert_eq!(codes(&incast("bytes = \"4 MB\"")), [""; 0]);
}

const DIFFERS: &str = r#"
engine = "ethernet"
[run]
duration = "10 us"
[network]
hosts = ["A", "B", "C"]
switches = ["T1", "T2", "X"]
[link]
rate = "10 Gbps"
[[links]]
between = ["T1", "A"]
[[links]]
between = ["T2", "B"]
[[links]]
between = ["X", "C"]
[[links]]
between = ["T1", "X"]
[[links]]
between = ["T2", "X"]
[switch]
classes = 2
[flow_control]
kind = "pfc"
classes = [1]
[buffer.shared]
bytes = "1 MB"
alpha = "1/8"
reserve = "1 kB"
[[memory]]
nodes = "T*"
bytes = "500 kB"
pool = "60 kB"
cell = 208
alpha = "1/4"
[[memory]]
nodes = ["T2", "X"]
ports = ["B", "C"]
classes = [1]
alpha = 2
resume_floor = "5 kB"
headroom = "20 kB"
[[pools]]
name = "lossy"
bytes = "100 kB"
[[memory]]
classes = [0]
in_pool = "lossy"
reserve = "0 B"
[[flows]]
name = "f"
from = ["A", "B"]
to = "C"
class = 1
transport = "udp"
"#;

#[test]
fn memory_differs_by_switch_port_and_class() {
    let spec = read(DIFFERS);
    let alpha = |name: &str, from: &str, class: u8| {
        let share = memory(&spec, name).share(channel(&spec, from, name), class);
        let Ratio {
            numerator,
            denominator,
        } = share.alpha;
        (numerator, denominator)
    };
    assert_eq!(alpha("T1", "A", 1), (1, 4));
    assert_eq!(alpha("T1", "X", 0), (1, 4));
    assert_eq!(alpha("T2", "B", 1), (2, 1));
    assert_eq!(alpha("T2", "B", 0), (1, 4));
    assert_eq!(alpha("T2", "X", 1), (1, 4));
    assert_eq!(alpha("X", "C", 1), (2, 1));
    assert_eq!(alpha("X", "T1", 1), (1, 8));
    let own = memory(&spec, "T2").share(channel(&spec, "B", "T2"), 1);
    assert_eq!(
        (own.resume_floor_bytes, own.headroom_bytes),
        (5_000, 20_000)
    );
    assert_eq!((own.pool, own.reserve_bytes), (0, 1_000));
    let lossy = memory(&spec, "X").share(channel(&spec, "T1", "X"), 0);
    assert_eq!((lossy.pool, lossy.reserve_bytes), (1, 0));
    for (name, bytes, cell) in [("T1", 400_000, 208), ("X", 900_000, 1)] {
        let memory = memory(&spec, name);
        assert_eq!(memory.cell_bytes, cell, "{name}");
        let pools: Vec<u64> = memory.pools.iter().map(|pool| pool.bytes).collect();
        assert_eq!(pools, [bytes, 100_000], "{name}");
        assert_eq!(memory.pools[1].headroom_bytes, 0);
    }
    assert_eq!(memory(&spec, "T1").pools[0].headroom_bytes, 60_000);
}

/// The resolved scenario means the same.
#[test]
fn what_differs_is_written_out_again() {
    let scenario = try_read(DIFFERS, &[]).expect("no mistakes");
    let again = try_read(&scenario.resolved, &[]).expect("no mistakes");
    let of = |scenario: &backwater_scenario::Scenario| {
        scenario.ethernet().expect("for Ethernet").network.clone()
    };
    assert_eq!(of(&scenario), of(&again));
}

/// Frames of 1518 bytes take six cells of 256: 18 bytes more each.
#[test]
fn headroom_is_counted_in_cells() {
    let (bytes, _) = account(&incast("bytes = \"4 MB\""));
    let (cells, _) = account(&incast("bytes = \"4 MB\"\ncell = 256"));
    let udp = try_read(&incast("bytes = \"4 MB\""), &[]).expect("no errors");
    let account = &udp.ethernet().expect("for Ethernet").headroom;
    let stop = account[0].brought[0].stop;
    assert_eq!(u64::from(stop.sizes.largest), 1_518);
    assert_eq!(cells - bytes, 18 * stop.frames());
    // As much in a run, in which each of two inputs keeps more than its alpha.
    let text = incast("bytes = \"4 MB\"\ncell = 256\nalpha = \"1/65536\"");
    let outcome = run(&with(&text, 2));
    let inputs = outcome.channels.iter();
    let most: Vec<u64> = inputs.map(|own| own.by_class.input_most_bytes).collect();
    assert!(most.iter().all(|bytes| bytes % 256 == 0), "{most:?}");
    assert!(
        most.iter()
            .any(|bytes| bytes % 1_536 == 0 && *bytes > 10 * 1_536)
    );
    assert_eq!(lost(&outcome), 0);
}

/// An input of which one port may hold more than another holds as much more.
#[test]
fn each_port_holds_what_its_own_alpha_lets_it() {
    let text = incast("bytes = \"1 MB\"\nheadroom = \"100 kB\"\npool = \"500 kB\"")
        + "[[memory]]\nports = \"H1_1\"\nalpha = \"1/2\"\n\
           [[memory]]\nports = \"H1_2\"\nalpha = \"1/100\"\n";
    let spec = with(&text, 2);
    let outcome = run(&spec);
    let held = |from: &str| {
        let id = channel(&spec, from, "S1") as usize;
        let own = &outcome.channels[id].by_class;
        own.input_most_bytes - own.headroom_most_bytes
    };
    // Shared are 500,000 bytes: x of them and y, with x = (500,000 - x - y) / 2 and
    // y = (500,000 - x - y) / 100.
    let free: f64 = 500_000.0 / (1.0 + 0.5 + 0.01);
    for (from, bytes) in [("H1_1", free / 2.0), ("H1_2", free / 100.0)] {
        let seen = held(from) as f64;
        assert!(
            (bytes - seen).abs() < 3_100.0,
            "{from}: {seen}, not {bytes}"
        );
    }
}
