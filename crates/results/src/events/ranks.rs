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
    pub steps: OnceCell<Vec<Vec<Stretch>>>,
    /// By job.
    pub ends: OnceCell<Vec<Ends>>,
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
