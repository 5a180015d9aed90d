//! Messages that wait for others, of one flow.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

mod waiters;

pub use waiters::Waiters;

/// What one flow sends over its connection, message after message.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MessagesSpec {
    /// None begins before this.
    pub start: Time,
    /// In the order in which they go.
    pub messages: Vec<MessageSpec>,
    /// What its host computes meanwhile, one after another, likewise not before the start.
    pub computes: Vec<ComputeSpec>,
}

/// One of them.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageSpec {
    /// At least 1.
    pub bytes: u64,
    /// It begins when all of this has happened at its host,
    pub after: Vec<Happened>,
    /// so much later.
    pub think: Duration,
    /// The step of its operation, counted on over all times that it is done: results tell of it.
    pub step: u32,
}

/// A host computes.
#[derive(Clone, PartialEq, Debug)]
pub struct ComputeSpec {
    /// From when all of this has happened there, and the computing ahead of it is over,
    pub after: Vec<Happened>,
    /// so long.
    pub time: Duration,
}

/// What can be waited for. Messages are counted from 0 in each flow, and so is computing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Happened {
    /// The last byte of a message came to the destination of its flow.
    Received {
        /// Of this flow.
        flow: u32,
        /// By number.
        message: u32,
    },
    /// The last byte of a message went to the port of its source.
    Sent {
        /// Of this flow.
        flow: u32,
        /// By number.
        message: u32,
    },
    /// The source of a flow has computed.
    Computed {
        /// Of this flow.
        flow: u32,
        /// By number.
        compute: u32,
    },
}

impl Happened {
    /// The flow.
    pub fn flow(self) -> u32 {
        match self {
            Happened::Received { flow, .. }
            | Happened::Sent { flow, .. }
            | Happened::Computed { flow, .. } => flow,
        }
    }
}

/// What waits for something: of a flow, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Waiter {
    /// A message.
    Message(u32),
    /// Computing.
    Compute(u32),
}

impl MessagesSpec {
    /// All that waits, with what it waits for.
    pub fn waiters(&self) -> impl Iterator<Item = (Waiter, &[Happened])> {
        let messages = (0..).zip(&self.messages);
        let messages = messages.map(|(at, own)| (Waiter::Message(at), &own.after[..]));
        let computes = (0..).zip(&self.computes);
        messages.chain(computes.map(|(at, own)| (Waiter::Compute(at), &own.after[..])))
    }
}
