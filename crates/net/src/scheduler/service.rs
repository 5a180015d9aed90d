//! Ports whose scheduler sees each unit: building them, and the way of a unit through them.

use backwater_kernel::EventQueue;

use crate::hop::unit::NONE;
use crate::network::Freed;
use crate::outcome::LossCause;
use crate::probe::Probe;
use crate::scheduler::{Admitted, Check, Scheduler};
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The unit at `place` joins the queue of `leg_id` at a port that ranks.
    #[inline(never)]
    pub(crate) fn enqueue_ranked(&mut self, leg_id: u32, place: u32) {
        let now = self.now;
        let network = &mut self.network;
        let sender = &mut network.legs[leg_id as usize].sender;
        let unit = network.units.get(place);
        let (bytes, number) = (unit.bytes, unit.number);
        let channel_id = sender.channel;
        let (port, Some(ranked)) = network.channels[channel_id as usize].ranked(now) else {
            return;
        };
        let Some(Admitted { rank, check }) = ranked.on_arrival(&port, sender.place, bytes) else {
            return self.refuse(leg_id, place);
        };
        network.units.set_rank(place, rank);
        if ranked.reorders {
            sender.queue.insert_by_rank(&mut network.units, place);
        } else {
            sender.queue.push(&mut network.units, place);
        }
        if ranked.tracks_tails {
            let last = network.units.packet(sender.queue.tail);
            ranked.on_tail(sender.place, last);
        }
        let is_first = sender.queue.head == place;
        let (is_open, waiting) = (sender.is_open(), sender.queue.len);
        if is_first && is_open {
            ranked.ready(now, sender.place, network.units.packet(place));
        }
        self.probe.on_rank(now, leg_id, number, rank);
        self.probe.on_queue(now, leg_id, waiting);
        if is_first && is_open {
            self.wake(channel_id);
        } else if is_first {
            self.watch_credit(leg_id);
            self.note_blocked(leg_id);
        }
        if let Some(check) = check {
            self.warn(leg_id, check);
        }
    }

    /// The flow of `leg_id` was checked: its source is warned if it runs too fast.
    #[cold]
    fn warn(&mut self, leg_id: u32, check: Check) {
        let Check {
            ahead_ps,
            threshold,
        } = check;
        self.probe.on_check(self.now, leg_id, ahead_ps, threshold);
        if i128::from(ahead_ps) <= i128::from(threshold.ps()) {
            return;
        }
        self.network.counts[leg_id as usize].alarms += 1;
        let channel = self.network.legs[leg_id as usize].sender.channel;
        let scheduler = &self.network.channels[channel as usize].scheduler;
        if let Scheduler::Ranked(ranked) = scheduler
            && let Some(bytes) = ranked.alarm_bytes
        {
            self.raise_alarm(leg_id, bytes);
        }
    }

    /// The first unit of the queue may be chosen.
    pub(crate) fn offer_head(&mut self, leg_id: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let first = sender.queue.head;
        let head = network.units.packet(first);
        let scheduler = &mut network.channels[sender.channel as usize].scheduler;
        if let Scheduler::Ranked(ranked) = scheduler {
            ranked.ready(self.now, sender.place, head);
        }
    }

    /// The unit at `place`, taken from the queue of `leg_id`, is about to start. The next one is
    /// first now; if there is none, the port learns that after the start, since the source may
    /// hand over another.
    #[inline(never)]
    pub(crate) fn serve_ranked(&mut self, leg_id: u32, place: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let unit = network.units.packet(place);
        let channel = &mut network.channels[sender.channel as usize];
        channel.serve_rank(unit.rank);
        let Scheduler::Ranked(ranked) = &mut channel.scheduler else {
            return;
        };
        let is_eligible = sender.is_eligible();
        let next = is_eligible.then(|| network.units.packet(sender.queue.head));
        ranked.on_start(self.now, sender.place, unit, next);
        if ranked.tracks_tails {
            self.note_tail(leg_id);
        }
    }

    /// The queue of `leg_id` lost a unit: where units are pushed out by rank, its port learns the
    /// new end. (A unit that joins is noted where it gets its rank.)
    #[inline]
    pub(crate) fn note_tail(&mut self, leg_id: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let channel = &mut network.channels[sender.channel as usize];
        let Scheduler::Ranked(ranked) = &mut channel.scheduler else {
            return;
        };
        if !ranked.tracks_tails {
            return;
        }
        match sender.queue.len {
            0 => ranked.on_empty(sender.place),
            _ => ranked.on_tail(sender.place, network.units.packet(sender.queue.tail)),
        }
    }

    /// The scheduler does not let the unit wait.
    #[cold]
    fn refuse(&mut self, leg_id: u32, place: u32) {
        self.discard(leg_id, place, LossCause::Residence);
    }

    /// The unit at `place`, in no queue any more, is not sent by `leg_id`; the memory it held is
    /// free if no other branch sends it.
    pub(crate) fn discard(&mut self, leg_id: u32, place: u32, cause: LossCause) {
        let freed = self.lose_waiting(leg_id, place, cause);
        self.freed.extend(freed);
    }

    /// The same, but what it frees is left to the caller.
    pub(crate) fn lose_waiting(
        &mut self,
        leg_id: u32,
        place: u32,
        cause: LossCause,
    ) -> Option<Freed> {
        let sender = &self.network.legs[leg_id as usize].sender;
        let (channel_id, parent) = (sender.channel, sender.parent);
        let unit = *self.network.units.get(place);
        let (is_rated, is_empty) = (sender.seen_by.rates(), sender.queue.len == 0);
        if is_rated {
            self.leave_rate_port(leg_id);
        }
        if is_empty {
            self.watch_credit(leg_id);
        }
        self.network.counts[leg_id as usize].dropped_waiting += 1;
        self.forget(channel_id, leg_id, place, cause);
        if parent == NONE {
            return None;
        }
        let until = self.now;
        if unit.shared != NONE {
            return self.leave_shared_copy(parent, &unit, until);
        }
        let (leg, bytes) = (parent, unit.bytes);
        Some(Freed { leg, bytes, until })
    }
}
