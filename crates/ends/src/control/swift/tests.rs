//! By hand, against a slow one in random runs, and where a closed loop settles.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::Stream;
use backwater_kernel::stream::Purpose;

use super::*;
use crate::control::RateControl;
use crate::control::tests::bottleneck::Bottleneck;
use crate::spec::Notify;

const US: u64 = 1_000_000;

fn us(us: u64) -> Duration {
    Duration(us * US)
}

fn spec() -> SwiftSpec {
    SwiftSpec::guessed(1_000, 1_048, 2)
}

fn acknowledge(swift: &mut Swift, now: Time, rtt: Duration, news_bytes: u64) {
    let ack = Ack {
        news_bytes,
        rtt: Some(rtt),
        ..Ack::default()
    };
    swift.on_ack(now, &ack);
}

/// All of the range at a tenth of a packet, nothing at a hundred packets.
#[test]
fn small_windows_aim_at_more_delay() {
    let mut swift = Swift::new(&spec());
    let hops = 2 * 3_053_435;
    let mut at = |cwnd: f64| {
        swift.cwnd = cwnd;
        (swift.target().0 - 20 * US - hops) as f64 / US as f64
    };
    assert!((at(0.1) - 100.0).abs() < 0.001);
    assert_eq!(at(0.01), 100.0);
    assert!(at(100.0) < 0.001);
    assert_eq!(at(1_000.0), 0.0);
    // alpha = range / (1/sqrt(0.1) - 1/sqrt(100)).
    let alpha = 100.0 / (10_f64.sqrt() - 0.1);
    assert!((at(4.0) - alpha * (0.5 - 0.1)).abs() < 0.001);
}

#[test]
fn it_grows_below_the_target_and_shrinks_once_a_round_trip() {
    let mut swift = Swift::new(&spec());
    swift.cwnd = 10.0;
    acknowledge(&mut swift, Time(0), us(10), 1_000);
    assert_eq!(swift.cwnd, 10.1);
    acknowledge(&mut swift, Time(0), us(10), 0);
    assert_eq!(swift.cwnd, 10.1, "nothing was acknowledged");
    let before = swift.cwnd;
    acknowledge(&mut swift, Time(us(1).0), us(1_000), 1_000);
    assert_eq!(swift.cwnd, before * 0.5, "no more than half");
    acknowledge(&mut swift, Time(us(999).0), us(1_000), 1_000);
    assert_eq!(swift.cwnd, before * 0.5, "once a round trip");
    acknowledge(&mut swift, Time(us(1_001).0), us(1_000), 1_000);
    assert_eq!(swift.cwnd, before * 0.25);
}

/// Below one packet it is paced, one packet each rtt / cwnd.
#[test]
fn less_than_a_packet_is_paced() {
    let mut swift = Swift::new(&spec());
    swift.cwnd = 0.5;
    assert_eq!((swift.pacing(), swift.window()), (None, 1_000));
    acknowledge(&mut swift, Time(0), us(500), 1_000);
    assert_eq!(swift.cwnd, 0.5 * swift.factor_of(us(500), 0.5));
    let gap = swift.pacing().map(|rate| rate.serialization(1_048));
    let expected = 500.0 / swift.cwnd;
    assert!(gap.is_some_and(|gap| (gap.0 as f64 / US as f64 - expected).abs() < 0.01));
    // It grows by a whole packet each packet, then.
    acknowledge(&mut swift, Time(1), us(10), 1_000);
    assert!(swift.cwnd > 1.0 && swift.pacing().is_none());
}

impl Swift {
    /// What a decrease of a window takes, with a round trip like that.
    fn factor_of(&self, rtt: Duration, cwnd: f64) -> f64 {
        let mut other = self.clone();
        other.cwnd = cwnd;
        let target = other.target().0 as f64;
        let cut: f64 = 1.0 - 0.8 * ((rtt.0 as f64 - target) / rtt.0 as f64);
        cut.max(0.5)
    }
}

#[test]
fn losses_cut_once_a_round_trip_and_time_outs_in_a_row_most() {
    let mut swift = Swift::new(&spec());
    acknowledge(&mut swift, Time(0), us(20), 0);
    swift.on_loss(Time(us(1).0), Loss::Duplicates, 0);
    assert_eq!(swift.window(), 6_000);
    swift.on_loss(Time(us(2).0), Loss::Duplicates, 0);
    assert_eq!(swift.window(), 6_000);
    for n in 1..=5 {
        let is_repeated = n > 1;
        swift.on_loss(Time(us(100 * n).0), Loss::TimeOut { is_repeated }, 0);
    }
    assert_eq!(swift.cwnd, 0.01);
    acknowledge(&mut swift, Time(us(700).0), us(20), 1_000);
    assert_eq!(swift.time_outs, 0);
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    CutsEachTime,
    NoSmallWindows,
}

/// The rules as printed, with the root of the machine.
struct Slow {
    cwnd: f64,
    last: Option<u64>,
    fault: Fault,
}

impl Slow {
    fn on_ack(&mut self, now: u64, rtt: u64, acked: f64) {
        let (range, least, most) = (100.0 * US as f64, 0.1_f64, 100.0_f64);
        let alpha = range / (1.0 / least.sqrt() - 1.0 / most.sqrt());
        let beta = -alpha / most.sqrt();
        let fs = (alpha / self.cwnd.sqrt() + beta).clamp(0.0, range);
        let target = 20.0 * US as f64 + 2.0 * 3_053_435.0 + fs;
        let delay = rtt as f64;
        let before = self.cwnd;
        if delay < target {
            let small = self.cwnd < 1.0 && self.fault != Fault::NoSmallWindows;
            self.cwnd += if small { acked } else { acked / self.cwnd };
        } else if self.fault == Fault::CutsEachTime
            || self.last.is_none_or(|last| now - last >= rtt)
        {
            let factor = 1.0 - 0.8 * (delay - target) / delay;
            self.cwnd *= factor.max(0.5);
        }
        self.cwnd = self.cwnd.clamp(0.01, 65_536.0);
        if self.cwnd < before {
            self.last = Some(now);
        }
    }
}

fn is_near(seed: u64, fault: Fault) -> bool {
    let mut stream = Stream::new(seed, 0, Purpose::Traffic);
    let mut swift = Swift::new(&spec());
    let mut slow = Slow {
        cwnd: 12.0,
        last: None,
        fault,
    };
    let mut now = 0;
    (0..3_000).all(|_| {
        now += stream.below(10 * US);
        let most = if (now / (3_000 * US)).is_multiple_of(2) {
            60
        } else {
            400
        };
        let rtt = 10 * US + stream.below(most * US);
        let packets = stream.below(3);
        acknowledge(&mut swift, Time(now), Duration(rtt), packets * 1_000);
        slow.on_ack(now, rtt, packets as f64);
        (swift.cwnd - slow.cwnd).abs() <= 1e-5 * slow.cwnd
    })
}

#[test]
fn agrees_with_the_slow_one() {
    for seed in 0..40 {
        assert!(is_near(seed, Fault::None), "seed {seed}");
    }
    for fault in [Fault::CutsEachTime, Fault::NoSmallWindows] {
        let seen = (0..20).filter(|seed| !is_near(*seed, fault)).count();
        assert!(seen >= 10, "{fault:?}: {seen}");
    }
}

/// Equal windows, and a queue of what the target leaves.
#[test]
fn the_queue_is_what_the_target_leaves() {
    let line = Rate(100_000_000_000);
    let net = Bottleneck {
        nic: line,
        link: line,
        there: us(2),
        back: us(6),
        payload: 1_000,
        frame: 1_048,
        marking: None,
        notify: Notify::Echo,
    };
    let base = 8.0 + 2.0 * 0.08384;
    for flows in [2_u64, 10, 40] {
        let make = || RateControl::Swift(Box::new(Swift::new(&spec())));
        let mut controls: Vec<RateControl> = (0..flows).map(|_| make()).collect();
        let starts: Vec<Time> = (0..flows).map(|flow| Time(flow * 100 * US)).collect();
        let seen = net.run(&mut controls, &starts, Time(30_000 * US), Time(50_000 * US));
        let targets = controls
            .iter()
            .filter_map(|control| control.inner(Time(0), Inner::TargetDelay));
        let target = 1e6 * targets.sum::<f64>() / flows as f64;
        let expected = 12_500.0 * (target - base);
        assert!(
            (seen.queue - expected).abs() < 0.05 * expected,
            "{flows}: {} for {expected}",
            seen.queue
        );
        assert!(
            seen.jain() > 0.99 && seen.total() > 0.999 * 100e9,
            "{flows}: {}",
            seen.jain()
        );
    }
}
