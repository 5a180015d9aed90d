//! Messages that wait for others, in datagrams.
//!
//! The port of the source asks for one datagram after another, as of a greedy flow. A message is
//! received when all its datagrams are, and those of the messages ahead of it. What is lost nobody
//! sends again: its message is never received, and what waits for that never begins.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use backwater_kernel::Time;

use super::Datagrams;
use crate::application::messages::Messages;
use crate::application::{NEVER_PS, Outgoing};
use crate::outcome::EndsOutcome;
use crate::spec::messages::{Happened, MessagesSpec};
use crate::tcp::Scoreboard;

/// Those of one flow, at both of its ends.
pub(crate) struct Carried {
    /// Positions count datagrams.
    pub messages: Messages,
    /// What of theirs has happened and nobody was told.
    pub happened: Vec<Happened>,
    /// Of those that have begun and have not gone to the port, so many bytes.
    begun: VecDeque<u64>,
    /// A datagram waits in the port.
    is_in_port: bool,
    /// The datagram that the destination expects, and those it got beyond.
    expected: u64,
    kept: Scoreboard,
}

impl Carried {
    /// None of them begun, in datagrams of so many bytes.
    pub fn new(flow: u32, spec: &MessagesSpec, payload_bytes: u32) -> Carried {
        let datagrams = |bytes: u64| bytes.div_ceil(u64::from(payload_bytes.max(1)));
        Carried {
            messages: Messages::new(flow, spec, datagrams),
            happened: Vec::new(),
            begun: VecDeque::new(),
            is_in_port: false,
            expected: 0,
            kept: Scoreboard::default(),
        }
    }

    /// Has any begun that has not gone to the port in full?
    pub fn has_begun(&self) -> bool {
        !self.begun.is_empty()
    }

    /// Adds what is known of messages.
    pub fn tell(&self, into: &mut EndsOutcome) {
        into.transfers_planned = Some(self.messages.planned());
        into.messages = Some(alloc::boxed::Box::new(self.messages.outcome()));
    }

    /// The bytes of the next datagram.
    fn cut(&mut self, payload_bytes: u32) -> Option<u32> {
        let left = self.begun.front_mut()?;
        let bytes = (*left).min(payload_bytes.into());
        *left -= bytes;
        if *left == 0 {
            self.begun.pop_front();
        }
        Some(bytes as u32)
    }
}

impl Datagrams {
    /// What waits for others, if messages do.
    pub fn carried_messages(&mut self) -> Option<&mut Messages> {
        self.carried.as_mut().map(|carried| &mut carried.messages)
    }

    /// What has happened and nobody was told.
    pub fn take_happened(&mut self) -> Vec<Happened> {
        let carried = self.carried.as_mut();
        carried.map_or_else(Vec::new, |own| core::mem::take(&mut own.happened))
    }

    /// Something that a message may wait for has happened.
    pub fn set_timer(&mut self) {
        if let Some(carried) = &self.carried {
            self.next_ps = carried.messages.wakes_at().map_or(NEVER_PS, Time::ps);
        }
    }

    /// What is due begins, and what was computed is over.
    pub(super) fn begin_messages(&mut self, now: Time, out: &mut Vec<Outgoing>) {
        let Some(carried) = &mut self.carried else {
            return;
        };
        while let Some(happened) = carried.messages.on_computed(now) {
            carried.happened.push(happened);
        }
        if let Some(bytes) = carried.messages.begin(now) {
            carried.begun.push_back(bytes);
            self.tally.begin(now, 1);
        }
        let is_in_port = carried.is_in_port;
        self.set_timer();
        if !is_in_port {
            self.pull_message(now, out);
        }
    }

    /// The next datagram goes to the port: none of the flow waits there.
    pub(super) fn pull_message(&mut self, now: Time, out: &mut Vec<Outgoing>) {
        let payload_bytes = self.payload_bytes;
        let Some(carried) = &mut self.carried else {
            return;
        };
        let bytes = carried.cut(payload_bytes);
        carried.is_in_port = bytes.is_some();
        let Some(bytes) = bytes else {
            return;
        };
        self.emit(bytes, out);
        let sent = self.number;
        if let Some(carried) = &mut self.carried {
            while let Some(happened) = carried.messages.on_sent(now, sent) {
                carried.happened.push(happened);
            }
        }
    }

    /// A datagram of this number came: it may end messages.
    pub(super) fn take_message(&mut self, now: Time, number: u64, is_measured: bool) {
        let Some(carried) = &mut self.carried else {
            return;
        };
        if number >= carried.expected {
            carried.kept.insert(number, number + 1);
        }
        let next = carried.kept.skip(carried.expected);
        carried.kept.forget_below(next);
        carried.messages.take(next - carried.expected);
        carried.expected = next;
        while let Some((happened, began)) = carried.messages.on_received(now) {
            self.tally.count_transfer(now, began, is_measured);
            carried.happened.push(happened);
        }
    }
}
