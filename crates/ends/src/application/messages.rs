//! Messages that wait for others: what collectives and the programs of ranks are made of.
//!
//! A flow has a list of messages, which go one after another over its connection. One begins when
//! all that it waits for has happened at its own host, a think time (the computing of a rank)
//! later, and not before the one ahead of it in the list. What can be waited for is what a host
//! sees: that a message of a flow to it was received, or that one of its own was sent, which is
//! when its last byte went to the port. So nothing has to be told between hosts.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

use crate::spec::messages::{Happened, MessagesSpec};

/// One of the list.
#[derive(Clone, Copy, Debug)]
struct Message {
    bytes: u64,
    /// Position in the stream behind its last byte.
    end: u64,
    think: Duration,
    /// Of what it waits for, so much has not happened.
    waits: u32,
    /// When the last of it did; before, when its flow starts.
    ready_at: Time,
}

/// Those of one flow, at both of its ends.
#[derive(Debug)]
pub(crate) struct Messages {
    flow: u32,
    list: Vec<Message>,
    /// When each began, of those that have.
    begun: Vec<Time>,
    /// So many were sent to their last byte.
    sent: u32,
    /// So many were received to their last byte.
    received: u32,
    got_bytes: u64,
    /// The source's end is simulated elsewhere.
    is_elsewhere: bool,
    /// One began that the other end has not been told of.
    is_news: bool,
}

impl Messages {
    /// None of them begun.
    pub fn new(flow: u32, spec: &MessagesSpec) -> Messages {
        let mut end = 0_u64;
        let list = spec.messages.iter().map(|message| {
            end = end.saturating_add(message.bytes);
            Message {
                bytes: message.bytes,
                end,
                think: message.think,
                waits: message.after.len() as u32,
                ready_at: spec.start,
            }
        });
        Messages {
            flow,
            list: list.collect(),
            begun: Vec::new(),
            sent: 0,
            received: 0,
            got_bytes: 0,
            is_elsewhere: false,
            is_news: false,
        }
    }

    /// So many in all.
    pub fn planned(&self) -> u64 {
        self.list.len() as u64
    }

    /// Only its destination's end, or none, is simulated here.
    pub fn leave_source(&mut self) {
        self.is_elsewhere = true;
    }

    /// When the next one begins, as far as that is known.
    pub fn wakes_at(&self) -> Option<Time> {
        let next = self.list.get(self.begun.len())?;
        if self.is_elsewhere || next.waits > 0 {
            return None;
        }
        let at = next.ready_at.checked_add(next.think)?;
        Some(self.begun.last().map_or(at, |before| at.max(*before)))
    }

    /// The next one begins: so many bytes.
    pub fn begin(&mut self, now: Time) -> u64 {
        let bytes = self.list[self.begun.len()].bytes;
        self.begun.push(now);
        self.is_news = true;
        bytes
    }

    /// One began, if the other end has not been told.
    pub fn take_news(&mut self) -> Option<Time> {
        let at = self.begun.last().copied();
        at.filter(|_| core::mem::take(&mut self.is_news))
    }

    /// One began at the other end, which is simulated elsewhere.
    pub fn hear(&mut self, at: Time) {
        self.begun.push(at);
    }

    /// Something that one of them waits for has happened.
    pub fn on_happened(&mut self, now: Time, message: u32) {
        let message = &mut self.list[message as usize];
        message.waits -= 1;
        message.ready_at = message.ready_at.max(now);
    }

    /// All before this position was sent: the next message of which that is the end.
    pub fn on_sent(&mut self, position: u64) -> Option<Happened> {
        let number = self.sent;
        let is_begun = (number as usize) < self.begun.len();
        if !is_begun || position < self.list[number as usize].end {
            return None;
        }
        self.sent += 1;
        Some(Happened::Sent {
            flow: self.flow,
            message: number,
        })
    }

    /// So many bytes more were received.
    pub fn take(&mut self, bytes: u64) {
        self.got_bytes += bytes;
    }

    /// The next message of which these were the last, and when it began.
    pub fn on_received(&mut self) -> Option<(Happened, Time)> {
        let number = self.received;
        let message = self.list.get(number as usize)?;
        let began = *self.begun.get(number as usize)?;
        if self.got_bytes < message.end {
            return None;
        }
        self.received += 1;
        let flow = self.flow;
        Some((
            Happened::Received {
                flow,
                message: number,
            },
            began,
        ))
    }
}

/// What waits for what, of all flows.
#[derive(Default, Debug)]
pub(crate) struct Dependences {
    /// Sorted: what happens, and the message (of a flow) that waits for it.
    waiting: Vec<(Happened, (u32, u32))>,
}

impl Dependences {
    /// Message after message of a flow, with what it waits for.
    pub fn add(&mut self, flow: u32, spec: &MessagesSpec) {
        for (number, message) in (0..).zip(&spec.messages) {
            let waits = message.after.iter().map(|what| (*what, (flow, number)));
            self.waiting.extend(waits);
        }
    }

    /// All were added.
    pub fn close(&mut self) {
        self.waiting.sort_unstable();
    }

    /// Nothing waits for anything.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What waits for this, by number.
    pub fn of(&self, what: Happened) -> core::ops::Range<usize> {
        let first = self.waiting.partition_point(|(other, _)| *other < what);
        let behind = self.waiting.partition_point(|(other, _)| *other <= what);
        first..behind
    }

    /// The message of a flow that waits, by that number.
    pub fn waiting(&self, at: usize) -> (u32, u32) {
        self.waiting[at].1
    }
}

#[cfg(test)]
mod tests;
