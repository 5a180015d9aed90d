//! Ports that tell rates: ERICA, EFCI and relative-rate marking. EPRCA and CAPC are in `early.rs`.

use backwater_kernel::Duration;
use backwater_net::spec::{CurrentRate, EricaSpec, ExplicitRateSpec, MarkSpec, QueueControlSpec};

use super::aging::Past;
use super::early::{Capc, Eprca};
use super::math::{ENDLESS, ONE, SECOND, divided, factor, rate_of, ratio, times};
use super::source::Rm;

/// The rule of a port.
pub(super) enum RatePort {
    Erica(Box<Erica>),
    Efci(Mark),
    Eprca(Eprca),
    Capc(Capc),
    Relative {
        congestion: Mark,
        no_increase: Mark,
        marks_backward: bool,
        notices: Option<Notices>,
    },
}

/// What a switch says to a source on its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Notice {
    pub ci: bool,
    pub ni: bool,
}

/// Notices of a port.
pub(super) struct Notices {
    every: Duration,
    /// Leg of a circuit, and when it last got one.
    last: Vec<(usize, u64)>,
}

impl Notices {
    /// Is it time for another one for the circuit of `leg`?
    fn are_due(&mut self, leg: usize, now_ps: u64) -> bool {
        let last = self.last.iter().find(|(known, _)| *known == leg);
        if last.is_some_and(|(_, at)| now_ps - at < self.every.ps()) {
            return false;
        }
        self.last.retain(|(known, _)| *known != leg);
        self.last.push((leg, now_ps));
        true
    }
}

/// A queue that is long from `high` until `low`.
pub(super) struct Mark {
    spec: MarkSpec,
    is_long: bool,
}

impl Mark {
    pub fn new(spec: MarkSpec) -> Mark {
        Mark {
            spec,
            is_long: false,
        }
    }

    /// Is it long now?
    pub fn look(&mut self, queue_cells: u64) -> bool {
        if queue_cells > u64::from(self.spec.high_cells) {
            self.is_long = true;
        } else if queue_cells <= u64::from(self.spec.low_cells) {
            self.is_long = false;
        }
        self.is_long
    }
}

/// What is known of a circuit. It is named by its leg here.
#[derive(Clone, Default)]
struct Circuit {
    leg: usize,
    /// Bits in this interval.
    bits: u64,
    seen: bool,
    weight: u128,
    /// Of its last forward RM cell.
    ccr: u64,
    /// Over the interval before.
    measured: u64,
    /// Given in this interval.
    answer: Option<u64>,
    past: Past,
}

pub(super) struct Erica {
    spec: EricaSpec,
    link: u64,
    circuits: Vec<Circuit>,
    cell_bits: u64,
    /// Start of the interval.
    start_ps: u64,
    cells: u32,
    bits: u64,
    background_bits: u64,
    /// C'.
    capacity: u64,
    fair_share: u64,
    most_now: u64,
    most_before: u64,
    /// `None` is endless.
    load: Option<u128>,
}

/// What joins a port's queue.
pub(super) enum Joining<'a> {
    Background,
    /// A data cell: its EFCI bit.
    Data(&'a mut bool),
    Forward(&'a mut Rm),
    Backward,
}

impl RatePort {
    pub fn new(spec: &ExplicitRateSpec, link: u64, legs: &[usize], cell_bits: u64) -> Self {
        match spec {
            ExplicitRateSpec::Erica(spec) => {
                RatePort::Erica(Box::new(Erica::new(*spec, link, legs, cell_bits)))
            }
            ExplicitRateSpec::Efci(mark) => RatePort::Efci(Mark::new(*mark)),
            ExplicitRateSpec::Eprca(spec) => RatePort::Eprca(Eprca::new(*spec)),
            ExplicitRateSpec::Capc(spec) => RatePort::Capc(Capc::new(*spec, link, cell_bits)),
            ExplicitRateSpec::RelativeRate(spec) => RatePort::Relative {
                congestion: Mark::new(spec.congestion),
                no_increase: Mark::new(spec.no_increase),
                marks_backward: spec.marks_backward,
                notices: spec.backward_notice_every.map(|every| Notices {
                    every,
                    last: Vec::new(),
                }),
            },
        }
    }

    /// A unit of `bits` joins the queue; `queue_cells` ABR cells wait, this one included. What the
    /// switch is to tell the unit's source on its own.
    pub fn on_join(&mut self, leg: usize, bits: u64, now: Now, joining: Joining) -> Option<Notice> {
        let is_abr = !matches!(joining, Joining::Background);
        match self {
            RatePort::Erica(erica) => {
                erica.count(is_abr.then_some(leg), bits, now);
                if let Joining::Forward(rm) = joining {
                    erica.circuit(leg).ccr = rm.ccr;
                }
            }
            RatePort::Capc(capc) => capc.on_join(is_abr, bits),
            RatePort::Eprca(eprca) if is_abr => {
                let forward = match &joining {
                    Joining::Forward(rm) => Some(&**rm),
                    _ => None,
                };
                eprca.on_join(now, forward);
            }
            RatePort::Efci(mark) if is_abr => {
                let is_long = mark.look(now.queue_cells);
                if let Joining::Data(efci) = joining {
                    *efci |= is_long;
                }
            }
            RatePort::Relative {
                congestion,
                no_increase,
                marks_backward,
                notices,
            } if is_abr => {
                let ci = congestion.look(now.queue_cells);
                let ni = no_increase.look(now.queue_cells);
                match joining {
                    Joining::Forward(rm) if !*marks_backward => {
                        rm.ci |= ci;
                        rm.ni |= ni;
                    }
                    Joining::Data(_) if ci => {
                        let notices = notices.as_mut()?;
                        let are_due = notices.are_due(leg, now.at_ps);
                        return are_due.then_some(Notice { ci, ni });
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        None
    }

    /// An answer for the circuit of `leg` passes on its way back.
    pub fn on_backward(&mut self, leg: usize, now: Now, rm: &mut Rm) {
        match self {
            RatePort::Erica(erica) => {
                let er = erica.answer(leg);
                rm.limit(er);
                if let Some(most) = erica.aged(leg) {
                    rm.limit(most);
                }
            }
            RatePort::Efci(_) => {}
            RatePort::Eprca(eprca) => eprca.on_backward(now, rm),
            RatePort::Capc(capc) => capc.on_backward(now, rm),
            RatePort::Relative {
                congestion,
                no_increase,
                marks_backward,
                ..
            } => {
                let ci = congestion.look(now.queue_cells);
                let ni = no_increase.look(now.queue_cells);
                if *marks_backward {
                    rm.ci |= ci;
                    rm.ni |= ni;
                }
            }
        }
    }

    /// When its interval ends by time.
    pub fn timer_ps(&self) -> Option<u64> {
        match self {
            RatePort::Erica(erica) => Some(erica.start_ps + erica.spec.interval.ps()),
            RatePort::Capc(capc) => Some(capc.end_ps()),
            _ => None,
        }
    }

    /// The interval may have ended by time.
    pub fn on_timer(&mut self, now: Now) {
        if self.timer_ps() != Some(now.at_ps) {
            return;
        }
        match self {
            RatePort::Erica(erica) => erica.end_interval(now),
            RatePort::Capc(capc) => capc.end_interval(now),
            _ => {}
        }
    }
}

/// The instant and the ABR cells that wait.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub at_ps: u64,
    pub queue_cells: u64,
}

impl Erica {
    fn new(spec: EricaSpec, link: u64, legs: &[usize], cell_bits: u64) -> Erica {
        let capacity = times(link, factor(spec.target));
        let circuit = |leg: &usize| Circuit {
            leg: *leg,
            ..Circuit::default()
        };
        Erica {
            spec,
            link,
            circuits: legs.iter().map(circuit).collect(),
            cell_bits,
            start_ps: 0,
            cells: 0,
            bits: 0,
            background_bits: 0,
            capacity,
            fair_share: capacity,
            most_now: capacity,
            most_before: capacity,
            load: Some(0),
        }
    }

    fn circuit(&mut self, leg: usize) -> &mut Circuit {
        let mut circuits = self.circuits.iter_mut();
        circuits
            .find(|one| one.leg == leg)
            .expect("the leg is here")
    }

    fn count(&mut self, leg: Option<usize>, bits: u64, now: Now) {
        let Some(leg) = leg else {
            self.background_bits += bits;
            return;
        };
        let circuit = self.circuit(leg);
        circuit.bits += bits;
        circuit.seen = true;
        self.bits += bits;
        self.cells += 1;
        if self.cells == self.spec.interval_cells {
            self.end_interval(now);
        }
    }

    fn end_interval(&mut self, now: Now) {
        let span_ps = (now.at_ps - self.start_ps).max(1);
        let available = self
            .link
            .saturating_sub(rate_of(self.background_bits, span_ps));
        let target = times(available, factor(self.spec.target));
        self.capacity = match self.spec.queue {
            None => target,
            Some(queue) => times(target, share(&queue, target, now, self.cell_bits)),
        };
        self.load = ratio(rate_of(self.bits, span_ps), self.capacity);
        let decay = factor(self.spec.activity_decay);
        for circuit in &mut self.circuits {
            circuit.weight = match circuit.seen {
                true => ONE,
                false => (circuit.weight * decay) >> 32,
            };
            if circuit.weight < ONE / 64 {
                circuit.weight = 0;
            }
            circuit.measured = rate_of(circuit.bits, span_ps);
            circuit.past.add(circuit.measured, circuit.seen);
            circuit.bits = 0;
            circuit.seen = false;
            circuit.answer = None;
        }
        let active: u128 = self.circuits.iter().map(|one| one.weight).sum();
        self.fair_share = divided(self.capacity, active.max(ONE));
        self.most_before = self.most_now;
        self.most_now = self.fair_share;
        self.start_ps = now.at_ps;
        self.cells = 0;
        self.bits = 0;
        self.background_bits = 0;
    }

    /// The most that aging leaves to the circuit of `leg`.
    fn aged(&mut self, leg: usize) -> Option<u64> {
        let spec = self.spec.aging?;
        let circuit = self.circuit(leg);
        circuit.past.limit(&spec, circuit.ccr)
    }

    fn answer(&mut self, leg: usize) -> u64 {
        let one_feedback = self.spec.one_feedback;
        let measures = self.spec.ccr == CurrentRate::Measured;
        let circuit = self.circuit(leg).clone();
        if let (true, Some(answer)) = (one_feedback, circuit.answer) {
            return answer;
        }
        let ccr = if measures {
            circuit.measured
        } else {
            circuit.ccr
        };
        let share = match self.load {
            None => 0,
            Some(0) => ENDLESS,
            Some(load) => divided(ccr, load),
        };
        let overload = ONE + factor(self.spec.delta);
        let mut er = self.fair_share.max(share);
        if self.load.is_some_and(|load| load <= overload) {
            er = er.max(self.most_before);
        }
        let cap = match self.spec.up_to_link {
            true => self.link,
            false => self.capacity,
        };
        er = er.min(cap);
        self.most_now = self.most_now.max(er);
        if self.spec.limit_jump && ccr < self.fair_share && er > self.fair_share {
            er = self.fair_share;
        }
        self.circuit(leg).answer = Some(er);
        er
    }
}

/// ERICA+: the share of the target, for a queue of so many cells.
fn share(queue: &QueueControlSpec, target: u64, now: Now, cell_bits: u64) -> u128 {
    let bits = u128::from(target) * u128::from(queue.delay.ps()) / SECOND;
    let aim = bits / u128::from(cell_bits);
    let cells = u128::from(now.queue_cells);
    let slope = factor(if cells <= aim { queue.b } else { queue.a });
    let below = (slope - ONE) * cells + ONE * aim;
    let share = match (cells, below) {
        (0, _) => slope,
        (_, 0) => 0,
        _ => ((slope * aim) << 32) / below,
    };
    share.max(factor(queue.least))
}
