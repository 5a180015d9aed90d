//! Messages that wait for others: what collectives and the programs of ranks are made of.
//!
//! A flow has a list of messages, which go one after another over its connection, or in datagrams:
//! positions count bytes of the one, and datagrams of the other. One begins when all that it waits
//! for has happened at its own host, a think time (the computing of a rank) later, and not before
//! the one ahead of it in the list. What can be waited for is what a host sees: that a message of a
//! flow to it was received, or that one of its own was sent, which is when its last byte went to
//! the port, or that it has computed. So nothing has to be told between hosts.

use backwater_kernel::Time;

use crate::outcome::MessagesOutcome;
use crate::spec::messages::{Happened, MessagesSpec, Waiter};

mod line;
use line::{Line, Row};

/// Those of one flow, at both of its ends.
#[derive(Debug)]
pub(crate) struct Messages {
    flow: u32,
    list: Line,
    computes: Line,
    /// When what has happened did, in the order of the lists.
    done: MessagesOutcome,
    /// Position up to which the destination has all.
    got: u64,
    /// The source's end is simulated elsewhere.
    is_elsewhere: bool,
    /// Of those that began, the other end has been told of so many.
    told: u64,
}

impl Messages {
    /// None of them begun. So many bytes take how many positions?
    pub fn new(flow: u32, spec: &MessagesSpec, length: impl Fn(u64) -> u64) -> Messages {
        let mut end = 0_u64;
        let list = spec.messages.iter().map(|message| {
            end = end.saturating_add(length(message.bytes));
            Row {
                bytes: message.bytes,
                end,
                time: message.think,
                after: message.after.len() as u32,
            }
        });
        let list = list.collect();
        let computes = spec.computes.iter().map(|own| Row {
            bytes: 0,
            end: 0,
            time: own.time,
            after: own.after.len() as u32,
        });
        let again = spec.again;
        Messages {
            flow,
            list: Line::new(list, (again.messages, again.times), spec.start),
            computes: Line::new(
                computes.collect(),
                (again.computes, again.times),
                spec.start,
            ),
            done: MessagesOutcome::default(),
            got: 0,
            is_elsewhere: false,
            told: 0,
        }
    }

    /// So many in all.
    pub fn planned(&self) -> u64 {
        self.list.count()
    }

    /// Only its destination's end, or none, is simulated here.
    pub fn leave_source(&mut self) {
        self.is_elsewhere = true;
    }

    /// When the next one begins, or the computing under way is over, as far as that is known.
    pub fn wakes_at(&self) -> Option<Time> {
        let all = [self.begins_at(), self.computed_at()];
        all.into_iter().flatten().min()
    }

    fn begins_at(&self) -> Option<Time> {
        let (row, ready_at) = self.list.ready().filter(|_| !self.is_elsewhere)?;
        let at = ready_at.checked_add(row.time)?;
        Some(self.done.begun.last().map_or(at, |before| at.max(before)))
    }

    fn computed_at(&self) -> Option<Time> {
        let (row, ready_at) = self.computes.ready().filter(|_| !self.is_elsewhere)?;
        let before = self.done.computed.last();
        let begins = before.map_or(ready_at, |before| ready_at.max(before));
        begins.checked_add(row.time)
    }

    /// The next one begins, if it is due: so many bytes.
    pub fn begin(&mut self, now: Time) -> Option<u64> {
        self.begins_at().filter(|at| *at <= now)?;
        let (row, _) = self.list.ready()?;
        self.list.pass();
        self.done.begun.push(now);
        Some(row.bytes)
    }

    /// The computing under way is over, if it is.
    pub fn on_computed(&mut self, now: Time) -> Option<Happened> {
        self.computed_at().filter(|at| *at <= now)?;
        let number = self.done.computed.len();
        self.computes.pass();
        self.done.computed.push(now);
        Some(Happened::Computed {
            flow: self.flow,
            compute: number as u32,
        })
    }

    /// When the next one began of which the other end has not been told.
    pub fn take_news(&mut self) -> Option<Time> {
        let at = self.done.begun.get(self.told)?;
        self.told += 1;
        Some(at)
    }

    /// One began at the other end, which is simulated elsewhere.
    pub fn hear(&mut self, at: Time) {
        self.list.pass();
        self.done.begun.push(at);
        self.told += 1;
    }

    /// Something that one of them waits for has happened.
    pub fn on_happened(&mut self, now: Time, waiter: Waiter) {
        match waiter {
            Waiter::Message(number) => self.list.on_happened(now, number),
            Waiter::Compute(number) => self.computes.on_happened(now, number),
        }
    }

    /// All before this position was sent: the next message of which that is the end.
    pub fn on_sent(&mut self, now: Time, position: u64) -> Option<Happened> {
        let number = self.done.sent.len();
        let is_begun = number < self.done.begun.len();
        if !is_begun || position < self.list.row(number)?.end {
            return None;
        }
        self.done.sent.push(now);
        Some(Happened::Sent {
            flow: self.flow,
            message: number as u32,
        })
    }

    /// So much more was received, in order.
    pub fn take(&mut self, more: u64) {
        self.got += more;
    }

    /// The next message of which these were the last, and when it began.
    pub fn on_received(&mut self, now: Time) -> Option<(Happened, Time)> {
        let number = self.done.received.len();
        let began = self.done.begun.get(number)?;
        if self.got < self.list.row(number)?.end {
            return None;
        }
        self.done.received.push(now);
        let happened = Happened::Received {
            flow: self.flow,
            message: number as u32,
        };
        Some((happened, began))
    }

    /// When what has happened did.
    pub fn outcome(&self) -> MessagesOutcome {
        self.done.clone()
    }
}

mod repeated;
pub use repeated::Round;
#[cfg(test)]
mod tests;
