//! Random networks: the books balance, and everything that can happen does.

use super::super::{Mix, SCHEMES, random_spec, run};

#[test]
fn everything_happens_somewhere() {
    let (mut starts, mut stops, mut refreshes, mut drops, mut marked) = (0, 0, 0, 0, 0);
    let (mut trips, mut congestions, mut ends) = (0, 0, 0);
    for seed in 0..60 {
        let spec = random_spec(seed, Mix::of(SCHEMES[seed as usize % SCHEMES.len()]));
        let report = run(&spec).expect("it can be run");
        starts += report.starts.len();
        for channel in &report.channels {
            stops += channel.stops_sent;
            ends += channel.resumes_sent;
            refreshes += channel.refreshes_sent;
            drops += channel.drops.iter().map(|it| it.total()).sum::<u64>();
            marked += channel.marked.iter().sum::<u64>();
            trips += channel.watchdog_trips.iter().sum::<u64>();
            congestions += channel.congestions.iter().sum::<u64>();
        }
        for flow in &report.flows {
            assert!(flow.created >= flow.delivered + flow.dropped, "seed {seed}");
        }
    }
    println!(
        "{starts} starts {stops} stops {ends} {refreshes} {drops} {marked} {trips} {congestions}"
    );
    assert!(starts > 50_000, "{starts}");
}
