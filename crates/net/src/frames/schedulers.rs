//! Classes that a scheduler serves otherwise than by strict priority: what it is told of them.
//!
//! A class is *offered* while it has a frame that may go: one waits, neither port nor class nor
//! its destination is stopped, and there is credit. What changed in an instant is told once, before
//! the port chooses, and what a start changed right after it. So the order of events within one
//! instant decides nothing, and a class whose last frame starts is not offered any more, even if
//! its source hands over another at once.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::{EventQueue, Rate};

use crate::classes::shape::ANYTHING;
use crate::hop::timer::Timer;
use crate::hop::unit::NONE;
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::probe::Probe;
use crate::scheduler::{Choice, Packet, Ranked, RoundRobin, Scheduler, Seat, Share};
use crate::simulation::Simulation;
use crate::spec::frames::{
    ChannelSpec, EthernetSpec, SchedulerSpec, WIRE_OVERHEAD_BYTES, largest_bytes,
};

/// Stands for the frame of a class that has just started.
const STARTED: u32 = NONE - 1;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame has joined the queue of its class, whose port is to know of it.
    fn rank_frame(&mut self, channel_id: u32, id: u32) {
        let network = &mut self.network;
        let frame = network.units.get(id);
        let (bytes, class) = (frame.bytes, frame.class);
        let place = network.classes.queues[network.queue(channel_id, class)].place;
        let (port, ranked) = network.channels[channel_id as usize].ranked(self.now);
        let Some(ranked) = ranked else {
            return;
        };
        let bytes = bytes + ranked.overhead_bytes;
        // No class is refused a frame (see `check_scheduler`).
        let rank = ranked.on_arrival(&port, place, bytes);
        let rank = rank.map_or(0, |admitted| admitted.rank);
        network.units.set_rank(id, rank);
    }

    /// A frame has joined the queue `at` with credit, or of a port with a scheduler.
    #[inline(never)]
    pub(crate) fn note_join(&mut self, channel_id: u32, id: u32, at: usize) {
        if self.network.channels[channel_id as usize].is(Channel::SCHEDULED) {
            self.rank_frame(channel_id, id);
            self.wake_port(channel_id);
        }
        self.note_first_in(at);
    }

    /// The port learns which classes may send.
    fn offer_all(&mut self, channel_id: u32) {
        for class in 0..self.network.classes.count as u8 {
            self.offer(channel_id, class);
        }
    }

    fn offer(&mut self, channel_id: u32, class: u8) {
        let network = &mut self.network;
        let channel = &network.channels[channel_id as usize];
        let head = match channel.ready_classes() & 1 << class {
            0 => NONE,
            _ => network.next_frame(channel_id, class),
        };
        let at = network.queue(channel_id, class);
        let queue = &mut network.classes.queues[at];
        if head == queue.offered {
            return;
        }
        queue.offered = head;
        let place = queue.place;
        if head == NONE {
            return network.channels[channel_id as usize]
                .scheduler
                .not_ready(place);
        }
        let unit = network.class_packet(channel_id, head);
        match &mut network.channels[channel_id as usize].scheduler {
            Scheduler::RoundRobin(scheduler) => scheduler.ready(place),
            Scheduler::Ranked(ranked) => ranked.ready(self.now, place, unit),
            Scheduler::Line(_) => {}
        }
    }

    /// The port learns what has changed; if it is idle, it starts what goes next, unless its
    /// scheduler holds all of it.
    #[inline(never)]
    pub(crate) fn choose_scheduled(&mut self, channel_id: u32) {
        self.offer_all(channel_id);
        if self.is_sending::<ANYTHING>(channel_id) {
            return;
        }
        let has_control = self.network.channels[channel_id as usize].has_control;
        if has_control && self.start_next_control(channel_id) {
            return;
        }
        let channel = &mut self.network.channels[channel_id as usize];
        match channel.choose(self.now) {
            Choice::Leg(class) => {
                let id = self.take::<ANYTHING>(channel_id, class as u8);
                let unit = self.network.class_packet(channel_id, id);
                self.start_frame::<ANYTHING>(channel_id, id, false);
                self.note_scheduled_start(channel_id, class as u8, unit);
            }
            Choice::Wait(until) if channel.held_until != until => {
                channel.held_until = until;
                self.set_timer(until, channel_id, Timer::Hold, 0);
            }
            Choice::Wait(_) | Choice::Nothing => {}
        }
    }

    /// A frame of the class has started, `unit` as the scheduler knew it.
    fn note_scheduled_start(&mut self, channel_id: u32, class: u8, unit: Packet) {
        let network = &mut self.network;
        let at = network.queue(channel_id, class);
        let queue = &mut network.classes.queues[at];
        queue.offered = STARTED;
        let channel = &mut network.channels[channel_id as usize];
        channel.serve_rank(unit.rank);
        if let Scheduler::Ranked(ranked) = &mut channel.scheduler {
            ranked.on_start(self.now, queue.place, unit, None);
        }
        self.offer(channel_id, class);
    }

    /// A frame that waited was dropped. The class is not offered before ports choose again.
    pub(crate) fn note_removed(&mut self, channel_id: u32, class: u8) {
        let network = &mut self.network;
        let at = network.queue(channel_id, class);
        let queue = &mut network.classes.queues[at];
        queue.offered = NONE;
        let scheduler = &mut network.channels[channel_id as usize].scheduler;
        if let Scheduler::Ranked(ranked) = scheduler {
            ranked.on_removed();
        }
        if network.channels[channel_id as usize].is(Channel::SCHEDULED) {
            let scheduler = &mut network.channels[channel_id as usize].scheduler;
            scheduler.not_ready(queue.place);
        }
    }

    /// What a scheduler was told of its classes has changed.
    #[inline]
    pub(crate) fn wake_if_scheduled(&mut self, channel_id: u32) {
        if self.network.channels[channel_id as usize].is(Channel::SCHEDULED) {
            self.wake_port(channel_id);
        }
    }
}

impl Network {
    /// A frame as the scheduler of its port sees it.
    pub(crate) fn class_packet(&self, channel_id: u32, id: u32) -> Packet {
        match &self.channels[channel_id as usize].scheduler {
            Scheduler::Ranked(ranked) => {
                let unit = self.units.packet(id);
                Packet {
                    bytes: unit.bytes + ranked.overhead_bytes,
                    ..unit
                }
            }
            // Which counts frames.
            Scheduler::RoundRobin(_) | Scheduler::Line(_) => Packet {
                rank: 0,
                came: self.units.get(id).arrived,
                bytes: self.units.get(id).bytes,
            },
        }
    }

    /// Gives every port the scheduler of its classes.
    pub(crate) fn add_schedulers(&mut self, spec: &EthernetSpec) {
        let largest = largest_bytes(spec);
        for (id, own) in (0..).zip(spec.channels()) {
            if own.scheduler.is_strict() {
                continue;
            }
            let groups = groups(own);
            for (group, classes) in (0..).zip(&groups) {
                for (seat, class) in (0..).zip(classes) {
                    let at = self.queue(id, *class);
                    self.classes.queues[at].place = Seat::new(group, seat);
                }
            }
            let channel = &mut self.channels[id as usize];
            channel.kind |= Channel::SCHEDULED;
            channel.scheduler = scheduler(own, groups, &largest);
        }
    }
}

/// Classes by priority, the largest first; in each the highest class first.
fn groups(channel: &ChannelSpec) -> Vec<Vec<u8>> {
    let priority = |class: u8| match channel.scheduler {
        SchedulerSpec::Fifo => 0,
        _ => channel.queues[usize::from(class)].priority,
    };
    let mut classes: Vec<u8> = (0..channel.queues.len() as u8).rev().collect();
    classes.sort_by_key(|class| core::cmp::Reverse(priority(*class)));
    let same = |one: &u8, other: &u8| priority(*one) == priority(*other);
    classes.chunk_by(same).map(<[u8]>::to_vec).collect()
}

fn scheduler(channel: &ChannelSpec, groups: Vec<Vec<u8>>, largest: &[u32]) -> Scheduler {
    if channel.scheduler.takes_turns() {
        let legs = |classes: &Vec<u8>| classes.iter().map(|class| u32::from(*class)).collect();
        return Scheduler::RoundRobin(RoundRobin::new(groups.iter().map(legs).collect()));
    }
    let reserves = channel.queues.iter().any(|queue| queue.reserve.is_some());
    let unreserved = match reserves || channel.scheduler.shapes() {
        true => Rate(0),
        false => Rate((channel.rate.0 / channel.queues.len().max(1) as u64).max(1)),
    };
    let is_drr = channel.scheduler.has_quanta();
    let overhead_bytes = if is_drr { 0 } else { WIRE_OVERHEAD_BYTES };
    let group = |classes: Vec<u8>| {
        let queue = |class: &u8| &channel.queues[usize::from(*class)];
        let quanta = classes.iter().map(|class| queue(class).quantum_bytes);
        let spec = match quanta.min() {
            Some(quantum_bytes) if is_drr => SchedulerSpec::Drr { quantum_bytes },
            _ => channel.scheduler,
        };
        let seat = |class: &u8| {
            let unit_bytes = largest[usize::from(*class)].saturating_add(overhead_bytes);
            let queue = queue(class);
            // Quanta stand to each other as rates would.
            let (reserve, rate) = match is_drr {
                true => (None, Rate(queue.quantum_bytes.into())),
                false => (queue.reserve, unreserved),
            };
            (
                u32::from(*class),
                Share::new(reserve, rate, unit_bytes, NONE),
            )
        };
        (spec, classes.iter().map(seat).collect())
    };
    let groups = groups.into_iter().map(group).collect();
    let mut ranked = Ranked::of_groups(channel.rate, groups, false);
    ranked.overhead_bytes = overhead_bytes;
    Scheduler::Ranked(Box::new(ranked))
}
