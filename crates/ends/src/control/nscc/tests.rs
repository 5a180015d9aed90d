//! By hand, against a slow one in random runs, and what a closed loop comes to.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Rate, Stream};

use super::*;
use crate::control::RateControl;
use crate::control::tests::bottleneck::Bottleneck;
use crate::spec::Notify;
use crate::spec::rates::Marking;

const US: u64 = 1_000_000;

fn us(us: u64) -> Duration {
    Duration(us * US)
}

/// The network for which the gains are printed: packets without headers, 100 Gbps, 12 us.
fn spec() -> NsccSpec {
    NsccSpec {
        base_rtt: us(12),
        network_rtt: us(12),
        ..NsccSpec::usual(4_000, 4_000, Rate(100_000_000_000))
    }
}

fn acknowledge(nscc: &mut Nscc, now: Time, rtt: Duration, news_bytes: u64, is_marked: bool) {
    let ack = Ack {
        news_bytes,
        rtt: Some(rtt),
        is_marked,
        ..Ack::default()
    };
    nscc.on_ack(now, &ack);
}

/// a = b = 1 there.
#[test]
fn gains_are_those_printed_for_the_reference_network() {
    let gains = spec().gains();
    assert_eq!(gains.target, us(12));
    assert_eq!((gains.fair, gains.eta), (20_000.0, 600.0));
    assert!((gains.fast - 0.25).abs() < 1e-12);
    assert!((gains.alpha * 12e6 - 16_000.0).abs() < 1e-6);
    let nscc = Nscc::new(&spec());
    assert_eq!(nscc.window(), 225_000, "1.5 times rate by round trip");
    // Three quarters where switches trim; four times as fast a line has four times the gains.
    let quick = NsccSpec {
        target_share: 0.75,
        line: Rate(400_000_000_000),
        ..spec()
    };
    let gains = quick.gains();
    assert_eq!((gains.target, gains.fair), (us(9), 80_000.0));
    assert!((gains.alpha * 9e6 - 4.0 * 16_000.0 * 0.75).abs() < 1e-6);
}

/// Of the window as a payload: 4,000 of 5,000 bytes.
#[test]
fn windows_are_of_payload() {
    let spec = NsccSpec {
        packet_bytes: 5_000,
        ..spec()
    };
    assert_eq!(Nscc::new(&spec).window(), 180_000);
}

/// Nine packets make the window take what was gained, and with it eta.
#[test]
fn the_four_cases_by_hand() {
    let at = |n: u64| Time((100 + n) * US);
    // Not marked, late: 5 packets of window for each window of bytes.
    let mut nscc = Nscc::new(&spec());
    nscc.cwnd = 100_000.0;
    acknowledge(&mut nscc, at(0), us(30), 40_000, false);
    let gained = 40_000.0 * 20_000.0 / 100_000.0;
    assert_eq!(nscc.cwnd, 100_000.0 + gained + 600.0);
    // Not marked, in time: by what is missing to the target.
    let mut nscc = Nscc::new(&spec());
    nscc.cwnd = 100_000.0;
    acknowledge(&mut nscc, at(0), us(18), 40_000, false);
    let gained = 40_000.0 * 16_000.0 * 0.5 / 100_000.0;
    assert!((nscc.cwnd - (100_000.0 + gained + 600.0)).abs() < 1e-6);
    // Marked and in time: nothing but eta.
    let mut nscc = Nscc::new(&spec());
    nscc.cwnd = 100_000.0;
    acknowledge(&mut nscc, at(0), us(18), 40_000, true);
    assert_eq!(nscc.cwnd, 100_600.0);
    // Marked and late: nothing, as long as the mean is below the target; then once a round trip.
    let mut nscc = Nscc::new(&spec());
    nscc.cwnd = 100_000.0;
    nscc.mean_delay = 24e6;
    acknowledge(&mut nscc, at(0), us(36), 4_000, true);
    assert!((nscc.mean_delay - 24e6).abs() < 1.0);
    assert!(
        (nscc.cwnd - (60_000.0 + 600.0)).abs() < 1e-6,
        "{}",
        nscc.cwnd
    );
    let before = nscc.cwnd;
    acknowledge(&mut nscc, at(5), us(36), 4_000, true);
    assert_eq!(nscc.cwnd, before, "once a round trip");
    acknowledge(&mut nscc, at(13), us(36), 4_000, true);
    assert!(nscc.cwnd < before);
}

/// After a window without a queue the window grows by a quarter of what comes back.
#[test]
fn without_a_queue_it_grows_fast() {
    let mut nscc = Nscc::new(&spec());
    let at = |n: u64| Time((100 + n) * US);
    (nscc.cwnd, nscc.last_adjust) = (10_000.0, at(0));
    acknowledge(&mut nscc, at(0), us(12), 4_000, false);
    acknowledge(&mut nscc, at(0), us(12), 4_000, false);
    assert!(!nscc.is_fast);
    acknowledge(&mut nscc, at(0), us(12), 4_000, false);
    assert!(nscc.is_fast);
    let before = nscc.cwnd;
    acknowledge(&mut nscc, at(0), us(12), 4_000, false);
    assert_eq!(nscc.cwnd, before + 1_000.0);
    // A queue ends it.
    acknowledge(&mut nscc, at(0), us(14), 4_000, false);
    assert!(!nscc.is_fast && nscc.without_queue == 0);
}

/// The window becomes what got through, and what was in flight then says nothing.
#[test]
fn quick_adapt_takes_what_got_through() {
    let mut nscc = Nscc::new(&spec());
    let trimmed = Loss::Trimmed { bytes: 4_000 };
    let at = |n: u64| Time(n * US);
    // The first period begins with the first that is heard, and a trimmed packet is taken off.
    nscc.on_loss(at(100), trimmed, 225_000);
    assert_eq!(nscc.window(), 221_000);
    acknowledge(&mut nscc, at(110), us(60), 12_000, true);
    let before = nscc.window();
    nscc.on_loss(at(124), trimmed, 200_000);
    assert_eq!(nscc.window(), before - 4_000, "the period is not over");
    nscc.on_loss(at(125), trimmed, 200_000);
    assert_eq!(nscc.window(), 12_000);
    // Marked ones of before are passed over.
    acknowledge(&mut nscc, at(126), us(60), 190_000, true);
    assert_eq!((nscc.window(), nscc.gained), (12_000, 0.0));
    acknowledge(&mut nscc, at(127), us(60), 20_000, false);
    assert!(nscc.gained > 0.0 || nscc.window() > 12_000);
    // Without it, each trimmed packet is one packet less and no more.
    let mut nscc = Nscc::new(&NsccSpec {
        quick: false,
        ..spec()
    });
    for n in 0..4 {
        nscc.on_loss(at(100 + 50 * n), trimmed, 225_000);
    }
    assert_eq!(nscc.window(), 209_000);
}

/// A shorter round trip than the path should have: the base, and the largest window, follow.
#[test]
fn the_base_is_the_least_seen() {
    let mut nscc = Nscc::new(&spec());
    acknowledge(&mut nscc, Time(US), us(8), 0, false);
    assert_eq!((nscc.base_rtt, nscc.window()), (us(8), 150_000));
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    CutsEachTime,
    NoQuickAdapt,
    NoFastIncrease,
}

/// The rules one after another, of whole numbers where that is how they are told.
struct Slow {
    cwnd: f64,
    mean: f64,
    cut_at: Option<u64>,
    gained: f64,
    received: u64,
    adjusted_at: u64,
    empty: u64,
    fast: bool,
    end: Option<u64>,
    achieved: u64,
    asked: bool,
    to_ignore: u64,
    ignored: u64,
    fault: Fault,
}

const BASE: u64 = 12 * US;
const Q: u64 = 12 * US;
const MOST: f64 = 225_000.0;
const PACKET: f64 = 4_000.0;

impl Slow {
    fn quick(&mut self, now: u64, old: bool, bad: bool, flight: u64) -> bool {
        if self.fault == Fault::NoQuickAdapt {
            return false;
        }
        let mut done = old && self.ignored < self.to_ignore;
        if !done && self.end.is_none_or(|end| now > end) {
            let little = (self.achieved as f64) < MOST / 8.0;
            if self.end.is_some() && (bad || self.asked) && little {
                self.cwnd = PACKET.max(self.achieved as f64);
                (self.to_ignore, self.ignored, self.asked) = (flight, 0, false);
                done = true;
            }
            self.achieved = 0;
            self.end = Some(now + BASE + Q);
        }
        if done {
            (self.gained, self.received) = (0.0, 0);
        }
        done
    }

    fn on_ack(&mut self, now: u64, rtt: u64, n: u64, mark: bool, flight: u64) {
        for count in [&mut self.achieved, &mut self.ignored, &mut self.received] {
            *count += n;
        }
        let delay = rtt - BASE;
        let sample = match !mark && delay > Q {
            true => BASE as f64 / 4.0,
            false => delay as f64,
        };
        self.mean = 0.0125 * sample + 0.9875 * self.mean;
        if self.quick(now, mark, delay > 4 * Q, flight) {
            return;
        }
        if !mark && delay >= Q {
            self.gained += 5.0 * PACKET * n as f64;
        } else if !mark {
            self.empty = if delay < US { self.empty + n } else { 0 };
            let full = delay < US && (self.fast || self.empty as f64 > self.cwnd);
            self.fast = full && self.fault != Fault::NoFastIncrease;
            if self.fast {
                self.cwnd += n as f64 / 4.0;
            } else {
                self.gained += 4.0 * PACKET * n as f64 * ((Q - delay) as f64 / Q as f64);
            }
        } else if delay >= Q {
            (self.fast, self.empty) = (false, 0);
            let free = self.cut_at.is_none_or(|at| now - at > BASE);
            if self.mean > Q as f64 && (free || self.fault == Fault::CutsEachTime) {
                let left = 1.0 - 0.8 * (self.mean - Q as f64) / self.mean;
                self.cwnd *= if left < 0.5 { 0.5 } else { left };
                self.cut_at = Some(now);
            }
        }
        self.cwnd = self.cwnd.clamp(PACKET, MOST);
        if self.received > 32_000 || now - self.adjusted_at > BASE {
            self.cwnd += self.gained / self.cwnd;
            if now - self.adjusted_at >= BASE {
                self.cwnd += 600.0;
                self.adjusted_at = now;
            }
            (self.gained, self.received) = (0.0, 0);
        }
        self.cwnd = self.cwnd.clamp(PACKET, MOST);
    }

    fn on_trimmed(&mut self, now: u64, flight: u64) {
        self.ignored += 4_000;
        self.mean = 0.0125 * BASE as f64 + 0.9875 * self.mean;
        self.asked = true;
        if !self.quick(now, true, true, flight) {
            self.cwnd = (self.cwnd - PACKET).clamp(PACKET, MOST);
        }
    }
}

/// Calm and crowded times in turn, with what is trimmed in between.
fn is_near(seed: u64, fault: Fault) -> bool {
    let mut stream = Stream::new(seed, 0, Purpose::Traffic);
    let mut nscc = Nscc::new(&spec());
    let mut slow = Slow {
        cwnd: MOST,
        mean: 0.0,
        cut_at: None,
        gained: 0.0,
        received: 0,
        adjusted_at: 0,
        empty: 0,
        fast: false,
        end: None,
        achieved: 0,
        asked: false,
        to_ignore: 0,
        ignored: 0,
        fault,
    };
    let mut now = 0;
    (0..3_000).all(|_| {
        now += stream.below(2 * US);
        let season = now / (300 * US) % 3;
        let flight = nscc.window();
        if season == 2 && stream.below(6) > 0 {
            nscc.on_loss(Time(now), Loss::Trimmed { bytes: 4_000 }, flight);
            slow.on_trimmed(now, flight);
        } else {
            let most = [1_500_000, 40 * US, 55 * US][season as usize];
            let rtt = BASE + stream.below(most);
            let is_marked = season > 0 && stream.below(3) > 0;
            let bytes = 4_000 * stream.below(3);
            let ack = Ack {
                news_bytes: bytes,
                flight_bytes: flight,
                rtt: Some(Duration(rtt)),
                is_marked,
                ..Ack::default()
            };
            nscc.on_ack(Time(now), &ack);
            slow.on_ack(now, rtt, bytes, is_marked, flight);
        }
        (nscc.cwnd - slow.cwnd).abs() <= 1e-6 * slow.cwnd
    })
}

#[test]
fn agrees_with_the_slow_one() {
    for seed in 0..40 {
        assert!(is_near(seed, Fault::None), "seed {seed}");
    }
    for fault in [
        Fault::CutsEachTime,
        Fault::NoQuickAdapt,
        Fault::NoFastIncrease,
    ] {
        let seen = (0..20).filter(|seed| !is_near(*seed, fault)).count();
        assert!(seen >= 10, "{fault:?}: {seen}");
    }
}

/// The link is full, nobody starves, and the queue rests where the delay is the target.
#[test]
fn the_queue_rests_at_the_target() {
    let line = Rate(100_000_000_000);
    let net = Bottleneck {
        nic: line,
        link: line,
        there: us(3),
        back: us(8),
        payload: 4_000,
        frame: 4_000,
        marking: Some(Marking {
            least_bytes: 30_000,
            most_bytes: 120_000,
            probability: 1.0,
        }),
        notify: Notify::Echo,
    };
    for flows in [1_u64, 2, 8] {
        let make = || RateControl::Nscc(Box::new(Nscc::new(&spec())));
        let mut controls: Vec<RateControl> = (0..flows).map(|_| make()).collect();
        let starts: Vec<Time> = (0..flows).map(|flow| Time(flow * 100 * US)).collect();
        let seen = net.run(&mut controls, &starts, Time(20_000 * US), Time(40_000 * US));
        assert!(seen.total() > 0.999 * 100e9, "{flows}: {}", seen.total());
        assert!(seen.jain() > 0.85, "{flows}: {}", seen.jain());
        // One alone leaves none; several rest where delay is the target: 150 kB.
        let expected = if flows == 1 { 4_000.0 } else { 150_000.0 };
        let off = (seen.queue - expected).abs();
        assert!(off < 0.1 * expected, "{flows}: {}", seen.queue);
    }
}
