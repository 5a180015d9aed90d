//! Pacing, and what a host hands down at once, over a slow link with a queue.

use std::collections::BTreeMap;

use backwater_ends::TcpSpec;
use backwater_ends::spec::{BurstSpec, Congestion, Queued};
use backwater_kernel::{Duration, Time};

use crate::path::{MS, MSS, Path, counting, spec};

fn one(of: impl Fn(Congestion) -> TcpSpec, change: impl Fn(&mut TcpSpec), rtt: Duration) -> Path {
    let mut tcp = of(Congestion::Cubic);
    change(&mut tcp);
    let mut path = Path::new(vec![tcp], rtt, 125_000);
    path.run(Time(5_000 * MS), |_| {});
    path.sent.clear();
    path
}

fn bursts(queued: Queued) -> impl Fn(&mut TcpSpec) {
    move |tcp| {
        tcp.burst = Some(BurstSpec {
            most_bytes: 64_000,
            queued,
        });
    }
}

/// Bytes handed down at each instant.
fn at_once(path: &Path) -> Vec<u64> {
    let mut instants: BTreeMap<Time, u64> = BTreeMap::new();
    for (_, at, bytes) in &path.sent {
        *instants.entry(*at).or_default() += u64::from(*bytes);
    }
    instants.into_values().collect()
}

/// Each segment apart from the one before; without pacing an acknowledgement lets two go at once.
#[test]
fn paced_segments_go_one_by_one() {
    let mut paced = one(spec, |tcp| tcp.pacing = true, Duration(10 * MS));
    paced.run(Time(10_000 * MS), |_| {});
    assert!(paced.sent.len() > 30_000);
    assert!(at_once(&paced).iter().all(|bytes| *bytes == u64::from(MSS)));
    let mut plain = one(spec, |_| {}, Duration(10 * MS));
    plain.run(Time(10_000 * MS), |_| {});
    assert!(at_once(&plain).iter().any(|bytes| *bytes > u64::from(MSS)));
}

/// Frame by frame on a path of 10 ms: about a millisecond of the rate, 12.5 kB.
#[test]
fn a_burst_is_a_millisecond() {
    let mut path = one(spec, bursts(Queued::Frames), Duration(10 * MS));
    path.run(Time(10_000 * MS), |_| {});
    let sizes = at_once(&path);
    let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
    assert!((8_000.0..16_000.0).contains(&mean), "{mean}");
    assert!(path.sent.iter().all(|(_, _, bytes)| *bytes <= MSS));
}

/// Whole on a short path: bursts of tens of segments, and a drop loses all of one.
#[test]
fn what_stays_whole_is_lost_whole() {
    for of in [spec, counting] {
        let mut path = one(of, bursts(Queued::Whole), Duration(MS / 10));
        let seen = |path: &Path| (path.lost, path.ends[0][0].counts());
        let before = seen(&path);
        let (rates, queue) = path.measure(Time(65_000 * MS));
        let (lost, counts) = seen(&path);
        let events = counts.fast_retransmits - before.1.fast_retransmits;
        let lost = lost - before.0;
        let each = lost as f64 / events as f64;
        // A third of the window, or a quarter. Linux loses 27 at once with such bursts; PRR lets
        // seven tenths of one go for it, and they stay as they are.
        assert!((18.0..=40.0).contains(&each), "{lost} in {events}");
        assert!((0.6..0.85).contains(&(queue / 125_000.0)), "{queue}");
        assert!(rates[0] > 90e6, "{rates:?}");
        assert!(path.sent.iter().all(|(_, _, bytes)| *bytes <= 44 * MSS));
        assert_eq!(counts.time_outs, before.1.time_outs);
    }
}
