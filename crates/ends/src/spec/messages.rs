//! Messages that wait for others, of one flow.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

/// What one flow sends over its connection, message after message.
#[derive(Clone, PartialEq, Debug)]
pub struct MessagesSpec {
    /// None begins before this.
    pub start: Time,
    /// In the order in which they go.
    pub messages: Vec<MessageSpec>,
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
}

/// What can be waited for. Messages are counted from 0 in each flow.
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
}

impl Happened {
    /// The flow.
    pub fn flow(self) -> u32 {
        match self {
            Happened::Received { flow, .. } | Happened::Sent { flow, .. } => flow,
        }
    }

    /// The message.
    pub fn message(self) -> u32 {
        match self {
            Happened::Received { message, .. } | Happened::Sent { message, .. } => message,
        }
    }
}
