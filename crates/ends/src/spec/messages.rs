//! Messages that wait for others, of one flow.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

mod waiters;
mod written_out;

pub use waiters::Waiters;
pub use written_out::written_out;

/// What one flow sends over its connection, message after message.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MessagesSpec {
    /// None begins before this.
    pub start: Time,
    /// In the order in which they go.
    pub messages: Vec<MessageSpec>,
    /// What its host computes meanwhile, one after another, likewise not before the start.
    pub computes: Vec<ComputeSpec>,
    /// How both go on behind their ends.
    pub again: Again,
}

/// The last of both is a round, which is done again and again: each time it waits for what it
/// waited for, a round later. So it may wait for things of its round and of the one before, of
/// lists that go round as often.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Again {
    /// So many times more.
    pub times: u32,
    /// Messages of a round,
    pub messages: u32,
    /// computing,
    pub computes: u32,
    /// and steps.
    pub steps: u32,
}

impl Again {
    /// Of a list of so many, in which a round has so many: which of them number `number` is, and
    /// how many rounds before.
    fn place(self, number: u64, listed: usize, round: u32) -> Option<(usize, u32)> {
        let Some(more) = number.checked_sub(listed as u64) else {
            return Some((number as usize, 0));
        };
        let rounds = more.checked_div(round.into())?;
        let at = listed - round as usize + (more % u64::from(round)) as usize;
        (rounds < self.times.into()).then_some((at, rounds as u32 + 1))
    }
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

    /// The same so many rounds later, where its flow does this again and again.
    pub fn later(self, rounds: u32, again: Again) -> Happened {
        match self {
            Happened::Received { flow, message } => Happened::Received {
                flow,
                message: message + rounds * again.messages,
            },
            Happened::Sent { flow, message } => Happened::Sent {
                flow,
                message: message + rounds * again.messages,
            },
            Happened::Computed { flow, compute } => Happened::Computed {
                flow,
                compute: compute + rounds * again.computes,
            },
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

impl Waiter {
    /// The same so many rounds later.
    pub fn later(self, rounds: u32, again: Again) -> Waiter {
        match self {
            Waiter::Message(number) => Waiter::Message(number + rounds * again.messages),
            Waiter::Compute(number) => Waiter::Compute(number + rounds * again.computes),
        }
    }
}

/// The most of a list: numbers have 32 bits.
pub const MOST_IN_LIST: u64 = 1 << 31;

impl MessagesSpec {
    /// Messages, all rounds together.
    pub fn message_count(&self) -> u64 {
        let Again {
            times, messages, ..
        } = self.again;
        self.messages.len() as u64 + u64::from(times) * u64::from(messages)
    }

    /// How often its host computes, all rounds together.
    pub fn compute_count(&self) -> u64 {
        let Again {
            times, computes, ..
        } = self.again;
        self.computes.len() as u64 + u64::from(times) * u64::from(computes)
    }

    /// Bytes of all messages, if they can be counted.
    pub fn bytes(&self) -> Option<u64> {
        let sum = |all: &[MessageSpec]| all.iter().map(|own| u128::from(own.bytes)).sum::<u128>();
        let round = sum(&self.messages[self.round_from().0..]);
        let all = sum(&self.messages).checked_add(round.checked_mul(self.again.times.into())?)?;
        u64::try_from(all).ok()
    }

    /// A message by number, and how many rounds before it stands in the list.
    pub fn message(&self, number: u32) -> Option<(&MessageSpec, u32)> {
        let (listed, again) = (self.messages.len(), self.again);
        let (at, later) = again.place(number.into(), listed, again.messages)?;
        Some((self.messages.get(at)?, later))
    }

    /// The same of computing.
    pub fn compute(&self, number: u32) -> Option<(&ComputeSpec, u32)> {
        let (listed, again) = (self.computes.len(), self.again);
        let (at, later) = again.place(number.into(), listed, again.computes)?;
        Some((self.computes.get(at)?, later))
    }

    /// Rounds of which it consists, if it goes on in rounds.
    pub fn rounds(&self) -> Option<u64> {
        let Again {
            times, messages, ..
        } = self.again;
        let rounds = self.message_count().checked_div(messages.into())?;
        (times > 0).then_some(rounds)
    }

    /// Where the round begins that is done again: its first message, and its first computing.
    pub fn round_from(&self) -> (usize, usize) {
        let Again {
            messages, computes, ..
        } = self.again;
        let from = |listed: usize, round: u32| listed.saturating_sub(round as usize);
        (
            from(self.messages.len(), messages),
            from(self.computes.len(), computes),
        )
    }

    /// All that stands in the list and waits, with what it waits for.
    pub fn waiters(&self) -> impl Iterator<Item = (Waiter, &[Happened])> {
        let all = self.waiters_and_next();
        let listed = all.filter(|(.., rounds)| *rounds == 0);
        listed.map(|(waiter, after, _)| (waiter, after))
    }

    /// The same, and behind the messages those of the round after the list, likewise behind the
    /// computing: with what each is, and waits for, so many rounds before.
    fn waiters_and_next(&self) -> impl Iterator<Item = (Waiter, &[Happened], u32)> {
        let (messages, computes) = self.round_from();
        let rounds = 0..=u32::from(self.again.times > 0);
        let of_messages = rounds.clone().flat_map(move |round| {
            let from = if round == 0 { 0 } else { messages };
            let all = (from as u32..).zip(&self.messages[from..]);
            all.map(move |(at, own)| (Waiter::Message(at), &own.after[..], round))
        });
        let of_computes = rounds.flat_map(move |round| {
            let from = if round == 0 { 0 } else { computes };
            let all = (from as u32..).zip(&self.computes[from..]);
            all.map(move |(at, own)| (Waiter::Compute(at), &own.after[..], round))
        });
        of_messages.chain(of_computes)
    }
}
