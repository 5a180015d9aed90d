//! How a run ends.

use backwater_kernel::{Stop, Time};
use backwater_net::Simulation;
use backwater_scenario::{EthernetScenario, Source};

use super::super::{Found, complete};
use super::EventRun;

const MERGE: &str = r#"
engine = "ethernet"
[run]
duration = "1 ms"
[topology]
kind = "star"
hosts_per_switch = 5
[link]
rate = "1 Gbps"
[buffer]
per_queue = "60 kB"
[flow_control]
kind = "pause"
[[patterns]]
name = "merge"
kind = "all-to-one"
to = "H1_1"
traffic = { kind = "constant", rate = "900 Mbps" }
"#;

/// A sound file: all send to one host, and lose nothing.
pub fn merge() -> EthernetScenario {
    let scenario = backwater_scenario::parse(&Source::new("merge.toml", MERGE), &[]);
    let scenario = scenario.expect("sound");
    scenario.ethernet().expect("for Ethernet").clone()
}

/// How its run ends with so many bytes of each queue cut off, promises broken, frames lost.
fn end(cut_bytes: u64) -> (Stop, u64, u64) {
    let mut scenario = merge();
    for link in &mut scenario.network.links {
        let queues = link.channels.iter_mut().flat_map(|side| &mut side.queues);
        for limit in queues.filter_map(|queue| queue.limit_bytes.as_mut()) {
            *limit -= cut_bytes;
        }
    }
    let mut run = EventRun::plain(&scenario).expect("it runs");
    assert!(complete(&mut run));
    let found = run.so_far();
    let flows = found.run.outcome.flows.iter();
    let lost = flows.map(|flow| flow.lost_total).sum();
    let head = found.head();
    (head.stop, head.broken, lost)
}

#[test]
fn a_frame_lost_in_a_lossless_class_breaks_a_promise() {
    assert_eq!(end(0), (Stop::TimeReached, 0, 0));
    let (stop, broken, lost) = end(11_000);
    assert!(lost > 0, "the control loses nothing");
    assert!(stop == Stop::TimeReached && broken > 0, "{broken}");
}

/// Whether it came to its end or stopped before, with frames under way.
#[test]
fn a_run_that_does_not_go_on_tells_the_same() {
    let scenario = merge();
    for until in [Time(300_000_000), Time::MAX] {
        let mut run: Simulation = Simulation::new(&scenario.network).expect("it runs");
        run.run_until(until);
        let so_far = format!("{:?}", run.outcome());
        assert_eq!(so_far, format!("{:?}", run.last_outcome()));
    }
}
