//! The same rule stated again, without epochs: all circuits are swept at the end of an interval.
//! Random cells in random order must get the same answers from both.

use alloc::vec::Vec;

use backwater_kernel::{Purpose, Stream};

use super::*;

/// One circuit, as the rule words it.
#[derive(Clone, Default)]
struct Plain {
    ccr: u128,
    cells: u128,
    measured: u128,
    weight: u128,
    answer: Option<u128>,
}

struct Eager {
    spec: EricaSpec,
    circuits: Vec<Plain>,
    start: u64,
    cells: u128,
    background: u128,
    capacity: u128,
    fair_share: u128,
    /// In units of 2^-32; none: endless.
    load: Option<u128>,
    previous: u128,
    current: u128,
}

const ONE: u128 = 1 << 32;

fn fixed(factor: f64) -> u128 {
    libm::round(factor * ONE as f64) as u128
}

fn per_second(bits: u128, ps: u128) -> u128 {
    bits * 1_000_000_000_000 / ps
}

impl Eager {
    fn new(spec: EricaSpec, circuits: usize) -> Eager {
        let capacity = fixed(spec.target) * LINK.0 as u128 / ONE;
        Eager {
            spec,
            circuits: vec![Plain::default(); circuits],
            start: 0,
            cells: 0,
            background: 0,
            capacity,
            fair_share: capacity,
            load: Some(0),
            previous: capacity,
            current: capacity,
        }
    }

    /// Whether the interval ended.
    fn cell(&mut self, now: u64, seat: usize) -> bool {
        self.circuits[seat].cells += 1;
        self.cells += 1;
        let is_last = self.cells == self.spec.interval_cells as u128;
        if is_last {
            self.end(now);
        }
        is_last
    }

    fn end(&mut self, now: u64) {
        let ps = (now - self.start).max(1) as u128;
        let background = per_second(self.background, ps);
        let available = (LINK.0 as u128).saturating_sub(background);
        self.capacity = fixed(self.spec.target) * available / ONE;
        let input = per_second(self.cells * BITS as u128, ps);
        self.load = match (input, self.capacity) {
            (0, 0) => Some(0),
            (_, 0) => None,
            (input, capacity) => Some(input * ONE / capacity),
        };
        for plain in &mut self.circuits {
            let faded = plain.weight * fixed(self.spec.activity_decay) / ONE;
            plain.weight = match plain.cells {
                0 if faded < ONE / 64 => 0,
                0 => faded,
                _ => ONE,
            };
            plain.measured = per_second(plain.cells * BITS as u128, ps);
            plain.cells = 0;
            plain.answer = None;
        }
        let active: u128 = self.circuits.iter().map(|plain| plain.weight).sum();
        self.fair_share = self.capacity * ONE / active.max(ONE);
        self.previous = self.current;
        self.current = self.fair_share;
        self.cells = 0;
        self.background = 0;
        self.start = now;
    }

    fn answer(&mut self, seat: usize) -> u128 {
        let plain = &self.circuits[seat];
        if let (Some(answer), true) = (plain.answer, self.spec.one_feedback) {
            return answer;
        }
        let ccr = match self.spec.ccr {
            CurrentRate::Field => plain.ccr,
            CurrentRate::Measured => plain.measured,
        };
        let own = match self.load {
            None => 0,
            Some(0) => u64::MAX as u128,
            Some(load) => ccr * ONE / load,
        };
        let is_overloaded = self.load.is_none_or(|z| z > ONE + fixed(self.spec.delta));
        let before = if is_overloaded { 0 } else { self.previous };
        let cap = if self.spec.up_to_link {
            LINK.0 as u128
        } else {
            self.capacity
        };
        let mut er = own.max(before).max(self.fair_share).min(cap);
        self.current = self.current.max(er);
        if self.spec.limit_jump && ccr < self.fair_share {
            er = er.min(self.fair_share);
        }
        self.circuits[seat].answer = Some(er);
        er
    }
}

fn random_spec(stream: &mut Stream) -> EricaSpec {
    let mut coin = || stream.below(2) == 0;
    let (limit_jump, measured, one_feedback, up_to_link) = (coin(), coin(), coin(), coin());
    EricaSpec {
        interval_cells: [0, 1, 7, 40][stream.below(4) as usize],
        target: [0.5, 0.9, 0.95, 1.0][stream.below(4) as usize],
        delta: [0.0, 0.1][stream.below(2) as usize],
        limit_jump,
        ccr: if measured {
            CurrentRate::Measured
        } else {
            CurrentRate::Field
        },
        one_feedback,
        up_to_link,
        activity_decay: [0.0, 0.5, 0.9][stream.below(3) as usize],
        ..SPEC
    }
}

/// Feeds both with random cells; the first answer that differs.
fn first_difference(seed: u64, circuits: u64, spoil: bool) -> Option<(u128, u128)> {
    let mut stream = Stream::new(seed, 0, Purpose::Traffic);
    let spec = random_spec(&mut stream);
    let mut erica = Erica::new(&spec, LINK, circuits as u32, BITS);
    let mut eager = Eager::new(spec, circuits as usize);
    let mut now = 0;
    for _ in 0..4_000 {
        let seat = stream.below(circuits);
        let deadline = erica.timer().unwrap().0;
        let pace = [3, MS / 100, MS / 20][stream.below(3) as usize];
        let next = now + stream.below(pace);
        if next >= deadline {
            now = deadline;
            erica.on_timer(&port(now, 0)).unwrap();
            eager.end(now);
        }
        now = now.max(next.min(erica.timer().unwrap().0 - 1));
        match stream.below(10) {
            0..=5 => {
                let ended = erica.on_cell(&port(now, 0), seat as u32, BITS);
                assert_eq!(ended.is_some(), eager.cell(now, seat as usize));
            }
            6 => {
                let bits = stream.below(20_000) as u32;
                erica.on_cell(&port(now, 0), BACKGROUND, bits);
                eager.background += bits as u128;
            }
            7 => {
                let ccr = stream.below(LINK.0);
                let mut cell = RmCell {
                    ccr: Rate(ccr),
                    ..RmCell::default()
                };
                erica.on_forward(&port(now, 0), seat as u32, &mut cell);
                eager.circuits[seat as usize].ccr = ccr as u128 + spoil as u128;
            }
            _ => {
                let mut cell = RmCell {
                    er: Rate(u64::MAX),
                    ..RmCell::default()
                };
                erica.on_backward(&port(now, 0), seat as u32, &mut cell);
                let cap = if spec.up_to_link {
                    LINK
                } else {
                    erica.capacity
                };
                assert!(cell.er <= cap, "seed {seed}");
                let (lazy, plain) = (cell.er.0 as u128, eager.answer(seat as usize));
                if lazy != plain {
                    return Some((lazy, plain));
                }
            }
        }
    }
    None
}

#[test]
fn epochs_change_no_answer() {
    for seed in 0..300 {
        let circuits = 1 + seed % 30;
        assert_eq!(first_difference(seed, circuits, false), None, "seed {seed}");
    }
}

#[test]
fn a_rate_that_is_off_by_one_is_seen() {
    let seen = (0..50).filter(|seed| first_difference(*seed, 5, true).is_some());
    assert!(seen.count() > 5);
}
