//! What channels do over time, read from the counters of a run between its slices.
//!
//! Nothing is asked of the simulation while it runs, so a run that is looked at takes the same
//! steps as one that is not.

use backwater_flit::ChannelState as FlitState;
use backwater_kernel::{EventQueue, Time};
use backwater_net::probe::Probe;
use backwater_net::{ChannelState, Simulation};
use backwater_results::map::bins::{Bins, CHANNELS_MOST, Seen};

/// Looks in a run of which the end is known, if it gets there, where much happens between them:
/// few enough that the last bins are not merged at the end.
const LOOKS: u64 = 4_080;
/// Where little happens there are fewer, at least so many in networks of any size,
const LOOKS_LEAST: u64 = 128;
/// and at least so many in small ones,
const LOOKS_SMALL: u64 = 1_024;
/// in which that is no more than so many channels looked at: about a millisecond of CPU.
const FREE: u64 = 16_384;
/// Little is fewer units than these that cross for each channel that is looked at. (How many events
/// that takes depends on who looks on.)
const UNITS_A_CHANNEL: u64 = 32;
/// Of flits little is fewer than these for each channel,
const FLITS_A_CHANNEL: u64 = 48;
/// once there are so many bins.
const FLIT_BINS_LEAST: usize = 64;
/// Cycles between the first two looks at a network of flits, if it is small and if not,
const FIRST_LOOK: (u64, u64) = (4, 32);
/// and channels of a small one at most.
const CHANNELS_SMALL: usize = 100;

/// When a run is recorded for a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum WhenMap {
    /// In networks of up to 12,500 channels
    #[default]
    Auto,
    /// Always
    On,
    /// Never
    Off,
}

impl WhenMap {
    /// For a network of so many channels?
    pub fn is_for(self, channels: usize) -> bool {
        match self {
            WhenMap::Auto => channels <= CHANNELS_MOST,
            WhenMap::On => true,
            WhenMap::Off => false,
        }
    }
}

/// What is looked at.
pub trait Looked {
    /// As [`Simulation::run_some`].
    fn run_some(&mut self, until: Time, events: u64) -> Option<bool>;
    /// Events so far.
    fn events_handled(&mut self) -> u64;
    /// Units that have crossed a channel so far.
    fn crossed(&mut self) -> u64;
    /// As [`Simulation::snapshot`]; true if the warm-up is over.
    fn snapshot(&mut self, at: Time, into: &mut Vec<ChannelState>) -> bool;
}

impl<Q: EventQueue, P: Probe> Looked for Simulation<Q, P> {
    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        Simulation::run_some(self, until, events)
    }

    fn events_handled(&mut self) -> u64 {
        Simulation::events_handled(self)
    }

    fn crossed(&mut self) -> u64 {
        self.unit_hops()
    }

    fn snapshot(&mut self, at: Time, into: &mut Vec<ChannelState>) -> bool {
        Simulation::snapshot(self, at, into);
        self.is_warm()
    }
}

/// Looks at a run of the event engine.
#[derive(Clone)]
pub struct OverTime {
    bins: Bins,
    /// The end of the warm-up, when counters begin anew, if it is to come.
    warm_up: Option<Time>,
    /// By channel: time spent sending before it.
    before: Vec<u64>,
    states: Vec<ChannelState>,
    /// Looks are no rarer than this.
    widest: u64,
    thrift: Thrift,
}

/// Says when looks would cost more than a little of what happens between them.
#[derive(Clone, Default)]
struct Thrift {
    /// Units that had crossed when it was asked last,
    crossed: u64,
    /// and looks since.
    looks: u64,
}

impl Thrift {
    /// Have there been fewer than `least` for each channel and look since it was asked last?
    fn is_idle(&mut self, crossed: u64, channels: usize, least: u64) -> bool {
        let looks = core::mem::take(&mut self.looks);
        let before = core::mem::replace(&mut self.crossed, crossed);
        crossed - before < looks * channels as u64 * least
    }
}

impl OverTime {
    /// Of a run of so many channels.
    pub fn new(channels: usize, warm_up: Time, end: Time) -> OverTime {
        let looks = FREE / (channels as u64).max(1);
        OverTime {
            bins: Bins::new(channels, end.ps() / LOOKS),
            warm_up: Some(warm_up).filter(|at| *at > Time::ZERO),
            before: vec![0; channels],
            states: Vec::new(),
            widest: end.ps() / looks.clamp(LOOKS_LEAST, LOOKS_SMALL),
            thrift: Thrift::default(),
        }
    }

    /// As [`Simulation::run_some`], looking at it on the way.
    pub fn run(&mut self, simulation: &mut impl Looked, until: Time, events: u64) -> Option<bool> {
        let enough = simulation.events_handled().saturating_add(events);
        loop {
            let next = Time(self.bins.next());
            let before_warm = self.warm_up.map(|at| Time(at.ps() - 1));
            let stop = before_warm.map_or(next, |at| at.min(next)).min(until);
            let left = enough.saturating_sub(simulation.events_handled());
            if !simulation.run_some(stop, left)? {
                return Some(false);
            }
            if before_warm == Some(stop) {
                self.note_warm_up(simulation);
            }
            if stop == next {
                self.look(simulation, stop);
                self.ask(simulation.crossed());
            }
            if stop >= until {
                return Some(true);
            }
        }
    }

    /// What was recorded until `at`, the end of the run or before. What is recorded later does not
    /// depend on whether this was asked.
    pub fn bins(&self, simulation: &mut impl Looked, at: Time) -> Bins {
        let mut copy = self.clone();
        copy.look(simulation, at);
        copy.bins
    }

    fn ask(&mut self, crossed: u64) {
        self.thrift.looks += 1;
        if !self.bins.is_even() || self.bins.step() * 2 > self.widest {
            return;
        }
        let channels = self.before.len();
        if self.thrift.is_idle(crossed, channels, UNITS_A_CHANNEL) {
            self.bins.widen();
        }
    }

    fn note_warm_up(&mut self, simulation: &mut impl Looked) {
        let Some(at) = self.warm_up.take() else {
            return;
        };
        simulation.snapshot(at, &mut self.states);
        let busy = self.states.iter().map(|state| state.busy.ps());
        self.before = busy.collect();
    }

    fn look(&mut self, simulation: &mut impl Looked, at: Time) {
        let is_warm = simulation.snapshot(at, &mut self.states);
        let seen = self
            .states
            .iter()
            .zip(&self.before)
            .map(|(state, before)| Seen {
                busy: state.busy.ps() + if is_warm { *before } else { 0 },
                stopped: state.stopped.map(|stopped| stopped.ps()),
                is_blocked: state.is_blocked,
                queued: state.queued,
            });
        self.bins.look(at.ps(), seen);
    }
}

/// Looks at a run of the cycle engine.
pub struct FlitsOverTime {
    bins: Bins,
    thrift: Thrift,
}

impl FlitsOverTime {
    /// Of a run of so many channels.
    pub fn new(channels: usize) -> FlitsOverTime {
        let first = match channels <= CHANNELS_SMALL {
            true => FIRST_LOOK.0,
            false => FIRST_LOOK.1,
        };
        FlitsOverTime {
            bins: Bins::new(channels, first),
            thrift: Thrift::default(),
        }
    }

    /// The cycle to look at next.
    pub fn next(&self) -> u64 {
        self.bins.next()
    }

    /// Channels at this cycle, and how many flits have crossed one so far.
    pub fn look(&mut self, cycle: u64, hops: u64, states: &[FlitState]) {
        note(&mut self.bins, cycle, states);
        self.thrift.looks += 1;
        let bins = &mut self.bins;
        if bins.is_even()
            && bins.rows().len() >= FLIT_BINS_LEAST
            && self.thrift.is_idle(hops, states.len(), FLITS_A_CHANNEL)
        {
            bins.widen();
        }
    }

    /// What was recorded until `cycle`, the end of the run or before. What is recorded later does
    /// not depend on whether this was asked.
    pub fn bins(&self, cycle: u64, states: &[FlitState]) -> Bins {
        let mut bins = self.bins.clone();
        note(&mut bins, cycle, states);
        bins
    }
}

fn note(bins: &mut Bins, cycle: u64, states: &[FlitState]) {
    let seen = states.iter().map(|state| Seen {
        busy: state.crossed,
        stopped: [0; backwater_net::frames::spec::CLASSES_MAX],
        is_blocked: state.is_blocked,
        queued: u64::from(state.taken),
    });
    bins.look(cycle, seen);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is saved in the middle of a run must not change what is drawn at its end.
    #[test]
    fn flits_are_recorded_alike_whether_or_not_somebody_asks_meanwhile() {
        let rows = |is_asked: bool| {
            let mut over_time = FlitsOverTime::new(2);
            let state = |crossed| FlitState {
                crossed,
                ..FlitState::default()
            };
            for turn in 1..10 {
                let cycle = over_time.next();
                over_time.look(cycle, 1_000 * turn, &[state(cycle), state(cycle / 2)]);
                if is_asked {
                    over_time.bins(cycle + 1, &[state(cycle + 1), state(cycle / 2)]);
                }
            }
            let end = over_time.next();
            let bins = over_time.bins(end, &[state(end), state(end / 2)]);
            bins.rows().to_vec()
        };
        assert_eq!(rows(true), rows(false));
    }
}
