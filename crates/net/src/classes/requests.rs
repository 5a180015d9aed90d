//! Who asks whom for stops: what congested queues want, and what each channel has been used to say.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::{Survey, Time};

use crate::hop::load::Control;
use crate::hop::view::Gate;
use crate::outcome::StuckQueue;

/// What a control frame for a gate speaks of: one states all classes of a port.
pub(crate) fn topic_of(gate: Gate) -> Gate {
    match gate {
        Gate::Class(_) => Gate::Class(0),
        Gate::Port | Gate::Destination(..) | Gate::Flow(..) | Gate::Lane(..) => gate,
    }
}

/// What a channel has been used to ask for, and by how many.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Gates with those that ask for them, sorted.
    pub gates: Vec<(Gate, u32)>,
    /// Stops that stand for all that the neighbour was told, sorted.
    pub told: Vec<Gate>,
    /// Topics of which a frame waits or was handed over to the MAC and has not gone; what it says,
    /// if that is decided.
    pub pending: Vec<(Gate, Option<Control>)>,
    /// The topic of the frame on the wire, if it was handed over.
    pub on_wire: Option<Gate>,
    /// A frame of data goes before the next control frame.
    pub yields: bool,
    /// When which topic is stated again, the next first.
    pub refreshes: Vec<(Time, Gate)>,
    /// Topics for which it is time for that.
    pub due: Vec<Gate>,
    /// Frames that stop something.
    pub stops: u64,
    /// Frames that stop nothing.
    pub resumes: u64,
    pub refreshed: u64,
}

impl Asked {
    /// What was said, for a run that repeats itself. What is asked for now is not surveyed: it is
    /// in the way.
    pub fn survey_asked(&mut self, survey: &mut Survey) {
        let Asked {
            gates,
            told,
            pending,
            on_wire,
            yields,
            refreshes,
            due,
            stops,
            resumes,
            refreshed,
        } = self;
        let asks = !gates.is_empty() || !told.is_empty() || !pending.is_empty();
        if asks || on_wire.is_some() || !refreshes.is_empty() || !due.is_empty() {
            survey.rule_out("a stop that is asked for at the end of a period");
        }
        survey.flag(*yields);
        survey.adds(stops);
        survey.adds(resumes);
        survey.adds(refreshed);
    }

    /// One more asks. True for the first.
    pub fn add(&mut self, gate: Gate) -> bool {
        match self.gates.binary_search_by_key(&gate, |(gate, _)| *gate) {
            Ok(at) => {
                self.gates[at].1 += 1;
                false
            }
            Err(at) => {
                self.gates.insert(at, (gate, 1));
                true
            }
        }
    }

    /// One fewer asks. True for the last.
    pub fn remove(&mut self, gate: Gate) -> bool {
        let Ok(at) = self.gates.binary_search_by_key(&gate, |(gate, _)| *gate) else {
            return false;
        };
        self.gates[at].1 -= 1;
        if self.gates[at].1 > 0 {
            return false;
        }
        self.gates.remove(at);
        true
    }
}

/// What a queue asks of whom: every gate at every neighbour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// Channels to the neighbours, sorted.
    pub neighbours: Vec<u32>,
    /// When each of them was asked first.
    pub asked_at: Vec<Time>,
    /// Sorted.
    pub gates: Vec<Gate>,
    /// When each of them was asked for first.
    pub added_at: Vec<Time>,
    /// It stands since.
    pub since: Time,
    /// Random choice: the second draw was made.
    pub has_drawn_twice: bool,
    /// Neighbours were let go by a time-out: nobody is asked anew.
    pub is_given_up: bool,
}

/// Queues that ask, by channel and class: for their fill, and for what is blocked in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    pub congestion: Request,
    /// Hardly any queue has such.
    pub blocked: Option<Box<Request>>,
}

impl Requests {
    /// For a run that repeats itself: whoever asks is in the way.
    pub fn survey_requests(&self, survey: &mut Survey) {
        let Requests {
            congestion,
            blocked,
        } = self;
        if !congestion.neighbours.is_empty() || blocked.is_some() {
            survey.rule_out("a queue that asks for a stop at the end of a period");
        }
    }

    /// Is one of them for the stop of `wait`?
    pub fn ask(&self, wait: &StuckQueue) -> bool {
        let covers = |gate: &Gate| match (*gate, wait.destination) {
            (Gate::Port, _) => true,
            (Gate::Class(class), _) => class == wait.class,
            (Gate::Destination(class, station), Some(own)) => class == wait.class && station == own,
            (Gate::Destination(..), None) | (Gate::Flow(..) | Gate::Lane(..), _) => false,
        };
        let all = [Some(&self.congestion), self.blocked.as_deref()];
        all.into_iter().flatten().any(|request| {
            request.neighbours.contains(&(wait.channel ^ 1)) && request.gates.iter().any(covers)
        })
    }
}
