//! The gate of a leg: may its first unit cross?
//!
//! It opens with credit and shuts when the last of it is spent; a leg without flow control never
//! spends any. Ports don't ask: they are told when a queue starts or ceases to compete for the
//! wire, which it does while units wait and the gate is open.

use backwater_kernel::EventQueue;

use crate::hop::leg::Sender;
use crate::probe::Probe;
use crate::scheduler::Scheduler;
use crate::simulation::Simulation;

impl Sender {
    /// A unit may cross, if there is one.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.credit > 0
    }

    /// May the first unit of the queue cross now?
    #[inline]
    pub fn is_eligible(&self) -> bool {
        self.queue.len != 0 && self.is_open()
    }

    /// Units wait and only credit is missing.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.queue.len != 0 && !self.is_open()
    }

    /// A unit passes.
    #[inline]
    pub fn pass(&mut self) {
        self.credit -= self.credit_per_unit as i32;
    }

    /// From now on so much may pass; the gate may stay as it is.
    #[inline]
    pub fn set_credit(&mut self, credit: i64) {
        self.credit = credit.clamp(i32::MIN as i64, i32::MAX as i64) as i32;
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// What waits at `leg_id`, or its credit, has changed: the time that it waits for credit
    /// alone begins or ends.
    pub(crate) fn watch_credit(&mut self, leg_id: u32) {
        let (now, network) = (self.now, &mut self.network);
        let sender = &network.legs[leg_id as usize].sender;
        if let Some(link) = network.credits.get_mut(sender.control as usize) {
            link.blocked.set(now, sender.is_blocked());
        }
    }

    /// The gate of `leg_id` has been set: its port learns whether the queue competes now.
    #[inline]
    pub(crate) fn turn_gate(&mut self, leg_id: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let (channel_id, is_blocked) = (sender.channel, sender.is_blocked());
        let scheduler = &mut network.channels[channel_id as usize].scheduler;
        let control = sender.control;
        if let Some(link) = network.credits.get_mut(control as usize) {
            link.blocked.set(self.now, is_blocked);
        }
        if sender.is_eligible() {
            match scheduler {
                Scheduler::RoundRobin(turns) => turns.ready(sender.place),
                Scheduler::Ranked(_) => self.offer_head(leg_id),
                // A port with a line has no gates.
                Scheduler::Line(_) => {}
            }
            self.wake(channel_id);
        } else {
            scheduler.not_ready(sender.place);
            if is_blocked {
                self.note_blocked(leg_id);
            }
        }
    }
}
