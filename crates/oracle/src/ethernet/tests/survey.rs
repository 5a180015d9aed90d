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
        let of =
            |f: fn(&super::super::ChannelCounts) -> u64| report.channels.iter().map(f).sum::<u64>();
        println!(
            "{seed} {:?} nodes {} starts {} drops {} congestions {} stops {} resumes {}",
            SCHEMES[seed as usize % SCHEMES.len()],
            spec.nodes.len(),
            report.starts.len(),
            report.drops.len(),
            of(|c| c.congestions.iter().sum()),
            of(|c| c.stops_sent),
            of(|c| c.resumes_sent)
        );
        for flow in &report.flows {
            assert!(flow.created >= flow.delivered + flow.dropped, "seed {seed}");
        }
    }
    println!(
        "{starts} starts {stops} stops {ends} {refreshes} {drops} {marked} {trips} {congestions}"
    );
    assert!(starts > 50_000, "{starts}");
}
