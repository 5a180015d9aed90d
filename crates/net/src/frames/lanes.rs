//! Sorted queues: frames join their lane and leave it, and lanes are held back and let go.

use backwater_kernel::EventQueue;

use crate::classes::credits::Credited;
use crate::classes::lanes::Lane;
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::probe::{Gate, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::Owner;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame joins its lane, if its queue has several; the queue has counted its bytes.
    pub(crate) fn join_lane(&mut self, channel_id: u32, id: u32) {
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let frame = *units.get(id);
        let class = frame.class;
        let at = classes.queue(channel_id, class);
        let queue = &mut classes.queues[at];
        let lanes = &mut classes.lanes[at];
        if lanes.by == Owner::Class {
            queue.push(units, id);
            channels[channel_id as usize].waiting |= 1 << class;
            return;
        }
        units.set_order(id, queue.order);
        queue.order = queue.order.wrapping_add(1);
        queue.frames += 1;
        let place = lanes.place_of(&frame, &classes.flows);
        let is_first = lanes.push(place, units, id);
        let is_stopped = lanes.lanes[place].is(Lane::STOPPED);
        if lanes.is_ready() {
            channels[channel_id as usize].waiting |= 1 << class;
        }
        if is_first {
            self.note_lane_head(at, place);
        }
        if is_stopped {
            let input = self.network.input_of(&frame);
            self.check_blocked(channel_id, class, Some(input));
        }
    }

    /// Takes the frame that goes next of those that may go. Whether the one behind it has credit is
    /// looked at as this one spends its own.
    pub(crate) fn take_from_lanes(&mut self, channel_id: u32, class: u8) -> u32 {
        let network = &mut self.network;
        let at = network.queue(channel_id, class);
        let Some(id) = network.classes.lanes[at].take(&network.units) else {
            return NONE;
        };
        self.network.mark_waiting(channel_id, class);
        self.wake_if_scheduled(channel_id);
        id
    }

    /// A destination is stopped, or let go.
    pub(crate) fn stop_lane(&mut self, channel: u32, class: u8, station: u32, is_on: bool) {
        let at = self.network.queue(channel, class);
        let Some(lanes) = self.network.classes.sorted_mut(at) else {
            return;
        };
        if let Some(place) = lanes
            .find(station)
            .filter(|_| lanes.by == Owner::Destination)
        {
            lanes.hold(place, Lane::STOPPED, is_on);
        }
        self.renew_waiting(channel, class);
        self.check_blocked(channel, class, None);
    }

    /// All that waited in a sorted queue is gone.
    pub(crate) fn empty_lanes(&mut self, channel: u32, class: u8) {
        let at = self.network.queue(channel, class);
        let Some(lanes) = self.network.classes.sorted_mut(at) else {
            return;
        };
        lanes.empty();
        for place in 0..lanes.lanes.len() {
            self.note_lane_head(at, place);
        }
    }

    /// The first frame of a lane has changed.
    fn note_lane_head(&mut self, at: usize, place: usize) {
        let lanes = &self.network.classes.lanes[at];
        if lanes.has_credit() {
            let lane = lanes.first + place as u32;
            if let Some(leg) = self.network.classes.credits.leg(lane as usize) {
                self.note_first(leg);
            }
        }
    }

    pub(crate) fn renew_waiting(&mut self, channel: u32, class: u8) {
        self.network.mark_waiting(channel, class);
        self.note_first_in(self.network.queue(channel, class));
        self.wake_if_scheduled(channel);
    }
}

impl Network {
    /// A port knows whether a class has a frame in a lane that may go.
    fn mark_waiting(&mut self, channel: u32, class: u8) {
        let at = self.queue(channel, class);
        let is_ready = self.classes.lanes[at].is_ready();
        let waiting = &mut self.channels[channel as usize].waiting;
        match is_ready {
            true => *waiting |= 1 << class,
            false => *waiting &= !(1 << class),
        }
    }

    /// What a lane with credit is shut or opened by, as probes are told.
    pub(crate) fn gate_of_lane(&self, leg: u32) -> Gate {
        let own = &self.classes.credits.lanes[leg as usize];
        if own.seat == NONE {
            return Gate::Class(own.class);
        }
        let lanes = &self.classes.lanes[own.queue as usize];
        let owner = lanes.lanes[own.seat as usize].owner;
        match lanes.by {
            Owner::Flow => Gate::Flow(own.class, owner),
            Owner::Hash(_) => Gate::Lane(own.class, owner),
            Owner::Destination | Owner::Class => Gate::Destination(own.class, owner),
        }
    }

    /// The first frame of a lane with credit.
    #[inline]
    pub(crate) fn first_of_lane(&self, own: &Credited) -> u32 {
        match own.seat {
            NONE => self.next_in_queue(own.queue as usize),
            seat => self.classes.lanes[own.queue as usize].lanes[seat as usize]
                .chain
                .first(),
        }
    }

    /// Do lanes of the class, or all of it, lack credit?
    #[inline]
    pub(crate) fn is_shut(&self, channel: u32, class: u8) -> bool {
        let lanes = self.classes.sorted(self.queue(channel, class));
        self.channels[channel as usize].shut() & 1 << class != 0
            || lanes.is_some_and(|lanes| lanes.shut > 0)
    }

    /// Does what crosses a channel in a class have credit, all of it or each lane by itself?
    pub(crate) fn has_credit(&self, channel: u32, class: u8) -> bool {
        let lanes = self.classes.sorted(self.queue(channel, class));
        self.credit_leg(channel, class).is_some() || lanes.is_some_and(|lanes| lanes.has_credit())
    }
}
