//! Frames for several stations: one copy for each port where ways to them part.
//!
//! A frame goes along a tree, over each channel at most once. Where its ways part it is copied, as
//! it is admitted: each copy joins the queue of its port, and counts there as a frame of its own.
//! What came over an input counts there once, whatever the copies, until the last bit of the last
//! of them has left; so do shared memory and credit. (Switches with shared memory store a frame
//! once, and queues hold pointers to it.)
//!
//! A queue that takes no more drops its copy; the others go on. If the input finds no room, all
//! copies are dropped.

use alloc::vec::Vec;
use core::ops::Range;

use backwater_kernel::{EventQueue, Time};

use crate::classes::FrameFlow;
use crate::classes::routes::Routes;
use crate::classes::shape::ANYTHING;
use crate::hop::frame::COPY;
use crate::hop::unit::{ECT, NONE, Unit};
use crate::network::Network;
use crate::probe::{Frame, LossCause, Probe};
use crate::simulation::Simulation;

/// A copy in front of a channel.
struct Branch {
    channel: u32,
    id: u32,
    /// Why it is dropped, if it is.
    refused: Option<LossCause>,
}

impl Network {
    /// Channel over which a frame came to the node it is at; [`NONE`] at its source.
    pub(crate) fn input_of(&self, frame: &Unit) -> u32 {
        match self.account_of(frame) {
            NONE => NONE,
            account => self.classes.accounts[self.classes.queue_of(account).0].channel,
        }
    }

    /// The account that holds a frame; [`NONE`] at its source.
    pub(crate) fn account_of(&self, frame: &Unit) -> u32 {
        match frame.account() {
            NONE => NONE,
            shared if shared & COPY != 0 => self.copies.account(shared & !COPY),
            account => account,
        }
    }

    /// A frame of data has come over `input` to a node where the time of that matters.
    pub(crate) fn note_arrival(&mut self, now: Time, input: u32, frame: &Unit) {
        let has_lanes = !self.classes.lanes.is_empty();
        let station = has_lanes.then(|| self.destination(frame));
        let of_input = self.queue(input, frame.class);
        self.classes.account_times[of_input].note(now, station);
    }

    /// Places of the receivers that a frame of a multicast is still for.
    pub(crate) fn places_behind(&self, frame: &Unit) -> Range<u32> {
        match &self.classes.routes {
            Routes::Paths { hops, trees, .. } => trees.places(hops, frame.hop()),
            Routes::Tables(_) => 0..1,
        }
    }

    /// Hops behind a fork, and their channels.
    pub(crate) fn branches_of(&self, fork: u32) -> impl Iterator<Item = (u32, u32)> {
        let parts = match &self.classes.routes {
            Routes::Paths { hops, trees, .. } => Some((hops, trees.branches(fork))),
            Routes::Tables(_) => None,
        };
        parts.into_iter().flat_map(|(hops, branches)| {
            let ways = branches.iter();
            ways.map(|hop| (*hop, hops[*hop as usize]))
        })
    }

    /// Receivers that a frame of a multicast is still for, by their number in the flow.
    pub(crate) fn receivers(&self, frame: &Unit) -> Vec<u32> {
        let places = self.places_behind(frame);
        match &self.classes.routes {
            Routes::Paths { trees, .. } => places.map(|place| trees.receiver(place)).collect(),
            Routes::Tables(_) => places.collect(),
        }
    }

    /// A frame is lost: so many stations miss it.
    #[inline]
    pub(crate) fn count_missed(&mut self, frame: &Unit) -> u64 {
        let flow = frame.flow() as usize;
        if !self.classes.flows[self.classes.place(frame.flow())].is(FrameFlow::MULTICAST) {
            return 1;
        }
        let receivers = self.receivers(frame);
        for receiver in &receivers {
            self.classes.received[flow][*receiver as usize].dropped += 1;
        }
        receivers.len() as u64
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A copy has come to one of the stations of its flow, which has counted it.
    pub(crate) fn consume_copy(&mut self, id: u32) {
        let network = &mut self.network;
        let frame = *network.units.get(id);
        let receiver = network.receivers(&frame).first().copied().unwrap_or(0);
        network.classes.received[frame.flow() as usize][receiver as usize].delivered += 1;
        let (payload, born) = (network.units.payload(id), network.units.born(id));
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, NONE);
            self.probe.on_frame_delivered(self.now, &frame);
        }
        self.network.units.end_frame(id);
        let (now, to) = (self.now, (frame.flow(), receiver));
        let stations = &mut self.network.classes.stations;
        let bytes = stations.on_copy(now, to, &payload, born);
        if P::WATCHES && bytes > 0 {
            self.probe.on_payload(now, frame.flow(), true, bytes);
        }
    }

    /// A frame that came over `input` goes several ways from here: each queue takes its copy or
    /// drops it.
    #[cold]
    pub(crate) fn admit_copies(&mut self, (input, account): (u32, u32), id: u32) {
        let frame = *self.network.units.get(id);
        let (bytes, class) = (u64::from(frame.bytes), frame.class);
        let node_id = self.network.channels[input as usize].to;
        if self.network.classes.nodes[node_id as usize].has_time_out {
            self.network.note_arrival(self.now, input, &frame);
        }
        let mut branches = self.branches(id);
        for branch in &mut branches {
            branch.refused = self.queue_refuses(branch.channel, account, class, bytes);
        }
        let taken = branches.iter().filter(|branch| branch.refused.is_none());
        let mut taken = taken.count() as u32;
        let mut stops = false;
        if self.network.classes.nodes[node_id as usize].counts_inputs && taken > 0 {
            match self.enter_once(node_id, account, &branches, class, bytes) {
                Ok(is_above) => {
                    stops = is_above;
                    let shared = COPY | self.network.copies.insert_frame(taken, account);
                    for branch in &branches {
                        self.network.units.get_mut(branch.id).set_account(shared);
                    }
                }
                Err(cause) => {
                    let open = branches.iter_mut().filter(|own| own.refused.is_none());
                    open.for_each(|own| own.refused = Some(cause));
                    taken = 0;
                }
            }
        }
        if taken == 0 {
            self.count_refused(account, bytes);
        }
        self.take_copies(node_id, input, &branches, class);
        if stops {
            self.stop_account(node_id, account);
        }
    }

    /// A copy for each way, in the order of channels.
    fn branches(&mut self, id: u32) -> Vec<Branch> {
        let network = &mut self.network;
        let fork = network.classes.routes.channel(network.units.get(id));
        let ways: Vec<(u32, u32)> = network.branches_of(fork).collect();
        let mut branches = Vec::new();
        for (hop, channel) in ways {
            let id = match branches.is_empty() {
                true => id,
                false => network.units.copy_frame(id),
            };
            network.units.get_mut(id).set_hop(hop);
            let refused = None;
            branches.push(Branch {
                channel,
                id,
                refused,
            });
        }
        branches
    }

    /// Why a queue takes no more of a class, if it does not.
    fn queue_refuses(
        &mut self,
        channel: u32,
        account: u32,
        class: u8,
        bytes: u64,
    ) -> Option<LossCause> {
        if self.network.channels[channel as usize].is_to_rest(self.now) {
            self.rest::<ANYTHING>(channel);
        }
        let classes = &self.network.classes;
        let queue = &classes.queues[self.network.queue(channel, class)];
        let node = &classes.nodes[self.network.channels[channel as usize].from as usize];
        if queue.bytes + bytes > queue.limit_bytes {
            return Some(LossCause::QueueFull);
        }
        if self.drops_all(channel, class) {
            return Some(LossCause::Watchdog);
        }
        let account = &classes.accounts[classes.queue_of(account).0];
        let is_lossless = node.lossless & 1 << class != 0;
        let shared = node.shared.as_ref().filter(|_| !is_lossless)?;
        let bytes = shared.taken(bytes);
        let fits = shared.fits_queue(account, (queue.share, queue.bytes), bytes);
        (!fits).then(|| shared.refusal(account, bytes))
    }

    /// The frame comes in once, for all queues that take it. Is its sender to be stopped now?
    fn enter_once(
        &mut self,
        node_id: u32,
        account: u32,
        branches: &[Branch],
        class: u8,
        bytes: u64,
    ) -> Result<bool, LossCause> {
        let mut open = branches.iter().filter(|branch| branch.refused.is_none());
        let Some(any) = open.next() else {
            return Ok(false);
        };
        let queue = self.network.queue(any.channel, class);
        self.enter_account::<ANYTHING>(node_id, account, queue, bytes)
    }

    /// Copies are dropped, or join their queues; congestion of those is seen.
    fn take_copies(&mut self, node_id: u32, input: u32, branches: &[Branch], class: u8) {
        let node = &self.network.classes.nodes[node_id as usize];
        let detects_queues = node.detects_queues(class);
        for branch in branches {
            let (channel, id) = (branch.channel, branch.id);
            if let Some(cause) = branch.refused {
                self.discard_frame(channel, id, cause);
                continue;
            }
            let at = self.network.queue(channel, class);
            let has_ect = self.network.units.get(id).marks & ECT != 0;
            if has_ect && self.network.classes.queues[at].marks {
                let held = self.network.classes.queues[at].bytes;
                self.mark_frame(at, id, held);
            }
            self.join::<ANYTHING>(channel, id);
            if detects_queues {
                self.detect_at_queue(input, channel, class, id);
            }
        }
    }
}
