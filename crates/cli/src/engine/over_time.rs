//! What channels do over time, read from the counters of a run between its slices.
//!
//! Nothing is asked of the simulation while it runs, so a run that is looked at takes the same
//! steps as one that is not.

use backwater_flit::ChannelState as FlitState;
use backwater_kernel::{EventQueue, Time};
use backwater_net::probe::Probe;
use backwater_net::{ChannelState, Simulation};
use backwater_results::map::bins::{Bins, CHANNELS_MOST, Seen};

/// Looks in a run of which the end is known, if it gets there: as many as that where much happens
/// between them,
const LOOKS: u64 = 4_096;
/// at least so many
const LOOKS_LEAST: u64 = 128;
/// where there are fewer events than these for each channel that is looked at.
const EVENTS_A_CHANNEL: u64 = 48;

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
    /// Events up to when it was asked last whether they are too frequent, and looks since.
    asked: (u64, u64),
}

impl OverTime {
    /// Of a run of so many channels.
    pub fn new(channels: usize, warm_up: Time, end: Time) -> OverTime {
        OverTime {
            bins: Bins::new(channels, end.ps() / LOOKS),
            warm_up: Some(warm_up).filter(|at| *at > Time::ZERO),
            before: vec![0; channels],
            states: Vec::new(),
            widest: end.ps() / LOOKS_LEAST,
            asked: (0, 0),
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
                self.ask(simulation.events_handled());
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

    /// Looks become rarer where they would cost more than a little of what happens between them.
    fn ask(&mut self, events: u64) {
        self.asked.1 += 1;
        if !self.bins.is_even() || self.bins.step() * 2 > self.widest {
            return;
        }
        let (before, looks) = core::mem::replace(&mut self.asked, (events, 0));
        let looked_at = looks * self.before.len() as u64;
        if (events - before) < looked_at * EVENTS_A_CHANNEL {
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

/// Takes note of what channels of the cycle engine have done up to `cycle`.
pub fn look_at_flits(bins: &mut Bins, cycle: u64, states: &[FlitState]) {
    let seen = states.iter().map(|state| Seen {
        busy: state.crossed,
        stopped: [0; 8],
        is_blocked: state.is_blocked,
        queued: u64::from(state.taken),
    });
    bins.look(cycle, seen);
}
