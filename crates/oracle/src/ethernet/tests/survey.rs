//! Random networks: everything that can happen does.

use super::super::{Mix, SCHEMES, random_spec, run};

#[test]
fn everything_happens_somewhere() {
    let names = [
        "stops",
        "resumes",
        "refreshes",
        "congestions",
        "marks",
        "trips",
    ];
    let (mut counts, mut starts, mut drops) = ([0; 6], 0, 0);
    for seed in 0..100 {
        let spec = random_spec(seed, Mix::of(SCHEMES[seed as usize % SCHEMES.len()]));
        let report = run(&spec).expect("it can be run");
        starts += report.starts.len();
        drops += report.drops.len();
        for channel in &report.channels {
            let sum = |list: &[u64]| list.iter().sum::<u64>();
            counts[0] += channel.stops_sent;
            counts[1] += channel.resumes_sent;
            counts[2] += channel.refreshes_sent;
            counts[3] += sum(&channel.congestions);
            counts[4] += sum(&channel.marked);
            counts[5] += sum(&channel.watchdog_trips);
        }
        for (index, flow) in report.flows.iter().enumerate() {
            let done = flow.delivered + flow.dropped;
            assert!(flow.created >= done, "seed {seed}, flow {index}: {flow:?}");
        }
    }
    assert!(
        starts > 50_000 && drops > 500,
        "{starts} starts, {drops} drops"
    );
    for (name, count) in names.iter().zip(counts) {
        assert!(count > 5, "{count} {name}");
    }
}
