//! By hand, and against a slow one in random runs.

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Duration, Stream};

use super::*;

const US: u64 = 1_000_000;
const LINE: Rate = Rate(100_000_000_000);
const T: Duration = Duration(12 * US);

fn ack(expected: u64, sent_end: u64) -> Ack {
    Ack {
        expected,
        sent_end,
        ..Ack::default()
    }
}

fn hop(at: u64, sent_bytes: u64, queued_bytes: u64) -> Telemetry {
    Telemetry {
        at: Time(at),
        sent_bytes,
        queued_bytes,
        rate: LINE,
    }
}

/// Half used: the rate doubles, but for eta; a queue that stands counts as use.
#[test]
fn the_rate_follows_from_use() {
    let spec = HpccSpec::artifact(LINE, T);
    let mut hpcc = Hpcc::new(&spec, LINE);
    assert_eq!(hpcc.window(), 150_000);
    hpcc.on_telemetry(Time(US), &ack(1_000, 10_000), &[hop(0, 0, 0)]);
    assert_eq!(hpcc.pacing(), Some(LINE), "the first is only remembered");
    // 12 us at half of 12.5 GB/s.
    hpcc.on_telemetry(Time(2 * US), &ack(11_000, 20_000), &[hop(T.0, 75_000, 0)]);
    assert_eq!(hpcc.inner(Time(0), Inner::Use), Some(0.5));
    assert_eq!(hpcc.pacing(), Some(LINE));
    // All used, and 75,000 B that stood: 1.5.
    let full = hop(2 * T.0, 225_000, 75_000);
    hpcc.on_telemetry(Time(3 * US), &ack(21_000, 30_000), &[full]);
    assert_eq!(
        hpcc.whole.load, 1.0,
        "what stood before counts, if it is less"
    );
    hpcc.on_telemetry(
        Time(4 * US),
        &ack(31_000, 40_000),
        &[hop(3 * T.0, 375_000, 90_000)],
    );
    assert_eq!(hpcc.whole.load, 1.5);
    let before = 95_000_000_000_u64 + 40_000_000;
    let expected = (before as f64 / (1.5 / 0.95)) as u64 + 40_000_000;
    assert_eq!(hpcc.pacing(), Some(Rate(expected)));
    assert_eq!(hpcc.window(), expected * 12 / 8 / 1_000_000);
}

/// Within a round trip the reference stays: the same use gives the same rate again.
#[test]
fn acknowledgements_within_a_round_trip_do_not_compound() {
    let spec = HpccSpec::artifact(LINE, T);
    let mut hpcc = Hpcc::new(&spec, LINE);
    hpcc.on_telemetry(Time(0), &ack(1_000, 50_000), &[hop(0, 0, 0)]);
    hpcc.on_telemetry(Time(0), &ack(51_000, 100_000), &[hop(T.0, 150_000, 0)]);
    let once = hpcc.rate;
    for n in 2..20 {
        let path = [hop(n * T.0, n * 150_000, 0)];
        hpcc.on_telemetry(Time(0), &ack(60_000, 110_000), &path);
        let twice = (once.0 as f64 / (1.0 / 0.95)) as u64 + 40_000_000;
        assert_eq!(hpcc.rate, Rate(twice));
    }
    let slow = HpccSpec {
        reacts_fast: false,
        ..spec
    };
    let mut hpcc = Hpcc::new(&slow, LINE);
    hpcc.on_telemetry(Time(0), &ack(1_000, 50_000), &[hop(0, 0, 0)]);
    hpcc.on_telemetry(Time(0), &ack(2_000, 50_000), &[hop(T.0, 150_000, 0)]);
    assert_eq!(hpcc.rate, LINE);
}

/// The clock of a narrow stack goes around each 16.8 ms: after such a silence it starts anew.
#[test]
fn narrow_counters_go_around() {
    let spec = HpccSpec {
        counters: Counters::Narrow,
        ..HpccSpec::artifact(LINE, T)
    };
    let ns = |ns: u64| Time(ns * 1_000);
    let around = 1_u64 << 24;
    let run = |gap: u64| {
        let mut hpcc = Hpcc::new(&spec, LINE);
        // 20 bits of 512 B: 537 MB.
        let start = 536_870_912 - 512 * 100;
        let before = around - 6_000;
        let first = Telemetry {
            at: ns(before),
            ..hop(0, start, 0)
        };
        hpcc.on_telemetry(ns(before), &ack(1_000, 50_000), &[first]);
        let after = before + gap;
        let second = Telemetry {
            at: ns(after),
            ..hop(0, start + 512 * 293, 0)
        };
        hpcc.on_telemetry(ns(after), &ack(51_000, 90_000), &[second]);
        hpcc.whole.load
    };
    assert_eq!(run(12_000), 512.0 * 293.0 / 150_000.0);
    assert_eq!(run(around + 12_000), 1.0, "not measured");
    let exact = Telemetry {
        queued_bytes: 1_000,
        sent_bytes: 1_000,
        ..hop(1_999, 0, 0)
    };
    let written = Hpcc::new(&spec, LINE).rules.written(&exact);
    assert_eq!(
        (written.at, written.sent_bytes, written.queued_bytes),
        (Time(1_000), 512, 960)
    );
}

/// What may be wrong with the slow one on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    LargerQueue,
    UncappedTau,
    AlwaysReference,
}

/// The rules as they are printed: maps and lists, no state but what they name.
struct Slow {
    fault: Fault,
    spec: HpccSpec,
    rc: f64,
    r: f64,
    stage: u32,
    last_seq: Option<u64>,
    stack: Vec<Telemetry>,
    u: f64,
}

impl Slow {
    fn on_ack(&mut self, ack: &Ack, path: &[Telemetry]) {
        let Some(last_seq) = self.last_seq else {
            self.last_seq = Some(ack.sent_end);
            self.stack = path.to_vec();
            return;
        };
        let t = self.spec.base_rtt.0 as f64;
        let mut largest: Option<(f64, f64)> = None;
        for (old, new) in self.stack.iter_mut().zip(path) {
            if new.at <= old.at {
                continue;
            }
            let dt = (new.at.0 - old.at.0) as f64;
            let bits = 8.0 * (new.sent_bytes - old.sent_bytes) as f64;
            let queue = match self.fault {
                Fault::LargerQueue => old.queued_bytes.max(new.queued_bytes),
                _ => old.queued_bytes.min(new.queued_bytes),
            };
            let b = new.rate.0 as f64;
            let u = bits * 1e12 / dt / b + 8.0 * queue as f64 * 1e12 / t / b;
            if largest.is_none_or(|(most, _)| u > most) {
                largest = Some((u, dt));
            }
            *old = *new;
        }
        let Some((u, dt)) = largest else {
            self.end_round(ack, last_seq);
            return;
        };
        let tau = match self.fault {
            Fault::UncappedTau => dt,
            _ => dt.min(t),
        };
        self.u = (self.u * (t - tau) + u * tau) / t;
        let c = self.u / self.spec.target_use;
        let stage;
        let ai = self.spec.additive.0 as f64;
        let new = if c >= 1.0 || self.stage >= self.spec.max_stage {
            stage = 0;
            (self.rc / c).floor() + ai
        } else {
            stage = self.stage + 1;
            self.rc + ai
        };
        self.r = new.max(self.spec.least.0 as f64).min(LINE.0 as f64);
        if ack.expected > last_seq || self.fault == Fault::AlwaysReference {
            self.rc = self.r;
            self.stage = stage;
        }
        self.end_round(ack, last_seq);
    }

    fn end_round(&mut self, ack: &Ack, last_seq: u64) {
        if ack.expected > last_seq {
            self.last_seq = Some(last_seq.max(ack.sent_end));
        }
    }
}

fn difference(seed: u64, fault: Fault) -> Option<u32> {
    let mut stream = Stream::new(seed, 0, Purpose::Traffic);
    let spec = HpccSpec {
        max_stage: stream.below(6) as u32,
        ..HpccSpec::artifact(LINE, T)
    };
    let mut fast = Hpcc::new(&spec, LINE);
    let mut slow = Slow {
        fault,
        spec,
        rc: LINE.0 as f64,
        r: LINE.0 as f64,
        stage: 0,
        last_seq: None,
        stack: Vec::new(),
        u: 1.0,
    };
    let count = 1 + stream.below(5) as usize;
    let mut path: Vec<Telemetry> = (0..count).map(|_| hop(0, 0, 0)).collect();
    let (mut acked, mut sent) = (0, 0);
    for step in 0..1_000 {
        for it in &mut path {
            let span = stream.below(3) * stream.below(10 * US);
            it.at += Duration(span);
            // Up to line rate, at times more after a change of order.
            let most = LINE.bits_in(Duration(span)) / 8;
            it.sent_bytes += stream.below(most as u64 + 2);
            it.queued_bytes = stream.below(2) * stream.below(60_000);
        }
        acked += 1_000;
        sent = (acked + stream.below(150_000)).max(sent);
        let ack = ack(acked, sent);
        fast.on_telemetry(Time(u64::from(step)), &ack, &path);
        slow.on_ack(&ack, &path);
        if fast.rate.0 as f64 != slow.r || fast.whole.load != slow.u {
            return Some(step);
        }
    }
    None
}

#[test]
fn agrees_with_the_slow_one() {
    for seed in 0..100 {
        assert_eq!(difference(seed, Fault::None), None, "seed {seed}");
    }
    for fault in [
        Fault::LargerQueue,
        Fault::UncappedTau,
        Fault::AlwaysReference,
    ] {
        let seen = (0..20).filter(|seed| difference(*seed, fault).is_some());
        assert!(seen.count() >= 10, "{fault:?}");
    }
}

/// By hop, the slowest one counts.
#[test]
fn the_least_of_all_hops_is_used() {
    let spec = HpccSpec {
        by_hop: true,
        ..HpccSpec::artifact(LINE, T)
    };
    let mut hpcc = Hpcc::new(&spec, LINE);
    hpcc.on_telemetry(Time(0), &ack(1_000, 50_000), &[hop(0, 0, 0), hop(0, 0, 0)]);
    let path = [hop(T.0, 150_000, 0), hop(T.0, 75_000, 0)];
    hpcc.on_telemetry(Time(0), &ack(51_000, 90_000), &path);
    assert_eq!(hpcc.rate, Rate(95_000_000_000 + 40_000_000));
    assert_eq!(hpcc.hops[1].reference, LINE);
    // Another path is only remembered.
    let rate = hpcc.rate;
    hpcc.on_telemetry(Time(0), &ack(91_000, 99_000), &[hop(9 * T.0, 0, 0)]);
    assert_eq!((hpcc.rate, hpcc.hops.len()), (rate, 1));
}
