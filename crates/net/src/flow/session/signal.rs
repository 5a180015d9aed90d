//! Messages that travel along a flow's way, port by port: warnings to the source (Zhang 1991,
//! section 3.1) and the messages of sessions (section 2.2).
//!
//! They are control units: they go before data, one after another, take their size on the wire
//! and the delay of each link. Every node on the way takes a message in and writes a new one for
//! the next port. Messages that go back use the channels against the flow's.

use backwater_kernel::EventQueue;

use super::message::Message;
use crate::hop::kind::ControlKind;
use crate::hop::unit::NONE;
use crate::hop::wire::Ticket;
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The sending port of `leg_id` warns the source in `bytes`. The source's own port needs no
    /// message, and sends none.
    pub(crate) fn raise_alarm(&mut self, leg_id: u32, bytes: u32) {
        self.send_alarm_back(leg_id, bytes);
    }

    /// A warning has come back over `leg_id`: it goes on, or is at the source.
    pub(crate) fn pass_alarm(&mut self, leg_id: u32, bytes: u32) {
        let sender = &self.network.legs[leg_id as usize].sender;
        if sender.is_root() {
            self.on_alarm(sender.flow);
        } else {
            self.send_alarm_back(leg_id, bytes);
        }
    }

    /// From the node where `leg_id` starts, over the leg before it.
    fn send_alarm_back(&mut self, leg_id: u32, bytes: u32) {
        let leg = self.network.legs[leg_id as usize].sender.parent;
        if leg != NONE {
            self.tickets.push(Ticket {
                leg,
                kind: ControlKind::Alarm,
                value: 0,
                bytes,
                is_patient: false,
            });
        }
    }

    /// A message of a session is wanted on `leg_id`, along the leg or back.
    pub(crate) fn send_message(&mut self, leg_id: u32, message: Message) {
        let flow_id = self.network.legs[leg_id as usize].sender.flow;
        let bytes = self.network.message_bytes(flow_id);
        self.tickets.push(Ticket {
            leg: leg_id,
            kind: ControlKind::Session,
            value: message as u64,
            bytes,
            is_patient: false,
        });
    }

    /// It starts on the wire.
    pub(crate) fn on_message_start(&mut self, leg_id: u32, message: Message) {
        if message == Message::TearDown {
            self.network.release(leg_id);
        }
    }

    /// It has crossed the channel of `leg_id`.
    pub(crate) fn on_message(&mut self, leg_id: u32, message: Message) {
        match message {
            Message::SetUp => self.on_set_up(leg_id),
            Message::Acceptance => self.on_answer(leg_id, true),
            Message::Refusal => {
                self.network.release(leg_id);
                self.on_answer(leg_id, false);
            }
            Message::TearDown => self.on_tear_down(leg_id),
        }
    }
}

#[cfg(test)]
mod tests;
