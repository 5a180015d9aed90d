//! What is worked out once of jobs and collective operations, however often it is asked for.

use std::cell::OnceCell;

use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::Happened;

/// Of each iteration of a job the end and what ended last; nothing where it is not complete.
pub type Ends = Vec<Option<(Time, Happened)>>;

/// Kept from when it is first asked for.
#[derive(Debug, Default)]
pub struct Ranks {
    /// By job, what it takes with nobody else in the network, ps.
    pub idle: OnceCell<Vec<Option<f64>>>,
    /// By collective, its steps, each time that it is done.
    pub steps: OnceCell<Vec<Steps>>,
    /// By job.
    pub ends: OnceCell<Vec<Ends>>,
}

/// What there is of each of many rounds, of which some are like others, so much later.
#[derive(Clone, Debug)]
pub struct Each<T> {
    kept: Vec<T>,
    /// By round: which of them, so many rounds before and so much earlier.
    places: Vec<(usize, u32, Duration)>,
}

impl<T> Default for Each<T> {
    fn default() -> Each<T> {
        Each {
            kept: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl<T> Each<T> {
    /// Of the next round this.
    pub fn push(&mut self, own: T) {
        self.places.push((self.kept.len(), 0, Duration::ZERO));
        self.kept.push(own);
    }

    /// The next round is like the one so many before it, so much later.
    pub fn push_like(&mut self, back: u32, later: Duration) {
        let like = self.places.len() - back as usize;
        let (at, rounds, before) = self.places[like];
        self.places.push((at, rounds + back, before + later));
    }

    /// By round: what there is of it, so many rounds before and so much earlier.
    pub fn iter(&self) -> impl Iterator<Item = (&T, u32, Duration)> {
        (0..self.places.len()).filter_map(|round| self.get(round))
    }

    fn get(&self, round: usize) -> Option<(&T, u32, Duration)> {
        let (at, rounds, later) = *self.places.get(round)?;
        Some((&self.kept[at], rounds, later))
    }
}

/// The steps of a collective operation, in order, round after round.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Those of each round.
    pub each: Each<Vec<Stretch>>,
    /// So many.
    pub count: usize,
}

impl Steps {
    /// By number, over all rounds.
    pub fn get(&self, number: usize) -> Option<Stretch> {
        let (steps, _, later) = self.each.get(number.checked_div(self.count)?)?;
        Some(steps.get(number % self.count)?.clone().later(later))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Stretch> + '_ {
        (0..self.each.places.len() * self.count).filter_map(|number| self.get(number))
    }
}

/// From the first to the last of something, and how much of it there is.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    /// When the first message began,
    pub begun: Option<Time>,
    /// and when the last that came did.
    pub ended: Option<Time>,
    /// Of all messages.
    pub bytes: u64,
    /// How many there are,
    pub messages: u64,
    /// and how many of them came.
    pub complete: u64,
    /// The flow of the message that came last.
    pub last: u32,
}

impl Stretch {
    /// The same, so much later.
    fn later(self, by: Duration) -> Stretch {
        Stretch {
            begun: self.begun.map(|at| at + by),
            ended: self.ended.map(|at| at + by),
            ..self
        }
    }

    /// A message of a flow, when it began and when it came.
    pub fn add(&mut self, (flow, bytes): (u32, u64), begun: Option<Time>, came: Option<Time>) {
        self.begun = [self.begun, begun].into_iter().flatten().min();
        self.messages += 1;
        self.bytes += bytes;
        if let Some(came) = came {
            self.complete += 1;
            if self.ended.is_none_or(|ended| came > ended) {
                (self.ended, self.last) = (Some(came), flow);
            }
        }
    }

    /// How long it took, if it is complete.
    pub fn took(&self) -> Option<Duration> {
        let is_complete = self.messages > 0 && self.complete == self.messages;
        let (begun, ended) = self.begun.zip(self.ended).filter(|_| is_complete)?;
        Some(ended.since(begun))
    }
}
