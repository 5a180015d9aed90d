//! How a run ends.

use backwater_kernel::Rings;
use backwater_net::frames::Simulation;
use backwater_scenario::Source;

use super::{Ending, ending};

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

/// The run of a sound file, with so many bytes of each queue cut off.
fn end(cut_bytes: u64) -> (Ending, u64) {
    let scenario =
        backwater_scenario::parse(&Source::new("merge.toml", MERGE), &[]).expect("sound");
    let mut spec = scenario.ethernet().expect("for Ethernet").network.clone();
    for link in &mut spec.links {
        let queues = link.channels.iter_mut().flat_map(|side| &mut side.queues);
        for limit in queues.filter_map(|queue| queue.limit_bytes.as_mut()) {
            *limit -= cut_bytes;
        }
    }
    let mut engine = Simulation::<Rings>::new(&spec).expect("it runs");
    engine.run_until(spec.stop_at);
    let outcome = engine.frame_outcome();
    let lost = outcome.flows.iter().map(|flow| flow.dropped_total).sum();
    (ending(&outcome), lost)
}

#[test]
fn a_frame_lost_in_a_lossless_class_fails_the_run() {
    assert_eq!(end(0), (Ending::Done, 0));
    let (ending, lost) = end(11_000);
    assert!(lost > 0, "the control loses nothing");
    assert_eq!(ending, Ending::Failed);
}
