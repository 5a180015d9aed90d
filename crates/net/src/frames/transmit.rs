//! Ports choose what starts, and take note of what has left.

use backwater_kernel::{Event, EventQueue, Phase};

use crate::classes::shape::{ANYTHING, Has, INPUTS, LANES, MARKS, OUTPUTS, SCHEDULERS, may};
use crate::hop::kind::ControlKind;
use crate::hop::unit::NONE;
use crate::hop::wire::{Channel, Ticket};
use crate::network::Network;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::spec::frames::wire_bytes;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// An idle port starts what goes next, if anything may.
    #[inline(always)]
    pub(crate) fn choose<const HAS: Has>(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        if may(HAS, SCHEDULERS) && channel.is(Channel::SCHEDULED) {
            return self.choose_scheduled(channel_id);
        }
        if channel.is_busy() {
            return self.choose_unless_sending(channel_id);
        }
        self.start_next::<HAS>(channel_id);
    }

    /// A port that may still be sending starts what goes next if it is not.
    #[inline(never)]
    fn choose_unless_sending(&mut self, channel_id: u32) {
        if !self.is_sending::<ANYTHING>(channel_id) {
            self.start_next::<ANYTHING>(channel_id);
        }
    }

    /// Is a frame being sent? Then there is an event for its last bit.
    #[inline(always)]
    pub(crate) fn is_sending<const HAS: Has>(&mut self, channel_id: u32) -> bool {
        let channel = &mut self.network.channels[channel_id as usize];
        if !channel.is_busy() {
            return false;
        }
        if channel.has_event {
            return true;
        }
        if channel.free_at > self.now {
            channel.has_event = true;
            let event = Event::new(channel.free_at, Phase::Transmit, channel_id, 0);
            self.events.push(event);
            return true;
        }
        self.rest::<HAS>(channel_id);
        false
    }

    /// Some control frames wait: the one that waits longest starts, unless it has nothing to say
    /// any more.
    #[inline(never)]
    pub(crate) fn start_next_control(&mut self, channel_id: u32) -> bool {
        match self.next_control(channel_id) {
            Some(id) => {
                self.start_frame::<ANYTHING>(channel_id, id, true);
                true
            }
            None => false,
        }
    }

    /// The control frame that waits longest, ready to start.
    pub(crate) fn next_control(&mut self, channel_id: u32) -> Option<u32> {
        if !self.network.channels[channel_id as usize].has_control {
            return None;
        }
        let yields = core::mem::take(&mut self.network.classes.asked[channel_id as usize].yields);
        if yields && self.network.has_ready_data(channel_id, self.now) {
            return None;
        }
        loop {
            let ticket = match self.network.channels[channel_id as usize].has_patient() {
                true => self.next_beside_patient(channel_id),
                false => self.network.channels[channel_id as usize].pop_control(),
            }?;
            let started = match ticket.kind {
                ControlKind::Stop => self.start_stop(channel_id, ticket),
                ControlKind::Update | ControlKind::Statement => self.make_message(ticket),
                _ => Some(self.make_control(ticket)),
            };
            if started.is_some() {
                return started;
            }
        }
    }

    /// The control frame that goes next where one waits until there is nothing else to send.
    #[cold]
    fn next_beside_patient(&mut self, channel_id: u32) -> Option<Ticket> {
        let other = self.network.channels[channel_id as usize].pop_impatient();
        if other.is_some() || self.network.has_ready_data(channel_id, self.now) {
            return other;
        }
        self.network.channels[channel_id as usize].pop_control()
    }

    /// Takes the frame of a class that goes next out of its queue.
    #[inline(always)]
    pub(crate) fn take<const HAS: Has>(&mut self, channel_id: u32, class: u8) -> u32 {
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let at = classes.queue_in::<HAS>(channel_id, class);
        let is_sorted = may(HAS, LANES) && classes.sorted(at).is_some();
        let queue = &mut classes.queues[at];
        let acts = may(HAS, MARKS) && queue.acts_on_leave;
        let id = if is_sorted {
            queue.frames -= 1;
            self.take_from_lanes(channel_id, class)
        } else {
            let (id, _) = queue.take(units);
            if queue.chain.len == 0 {
                channels[channel_id as usize].waiting &= !(1 << class);
            }
            id
        };
        if acts {
            self.on_leave(channel_id, at, id);
        }
        id
    }

    /// The last bit left before, when nobody needed to know.
    #[inline(never)]
    pub(crate) fn rest<const HAS: Has>(&mut self, channel_id: u32) {
        self.finish_sending::<HAS>(channel_id);
    }

    /// The last bit has left. Does anything wait for the port?
    #[inline(always)]
    pub(crate) fn finish_sending<const HAS: Has>(&mut self, channel_id: u32) -> bool {
        let network = &mut self.network;
        let (channels, classes) = (&mut network.channels, &mut network.classes);
        let channel = &mut channels[channel_id as usize];
        let (bytes, account) = (u64::from(channel.sent_bytes), channel.sent_account);
        let (class, node, kind) = (channel.sent_class, channel.from, channel.kind);
        let at = channel.free_at;
        channel.has_event = false;
        if channel.sends_control() {
            return self.note_control_sent(channel_id);
        }
        channel.sent_bytes = 0;
        let has_more = channel.waiting != 0 || channel.has_control;
        let queue_id = classes.queue_in::<HAS>(channel_id, class);
        let queue = &mut classes.queues[queue_id];
        queue.sub(at, bytes);
        queue.sent += 1;
        queue.sent_bytes += bytes;
        let held = queue.bytes;
        let clears = may(HAS, OUTPUTS) && queue.is_congested && held < queue.low_bytes;
        // What the node made itself is in no account.
        if may(HAS, INPUTS) && account != NONE {
            self.leave_account::<HAS>(node, account, bytes);
        }
        if clears && kind & Channel::FROM_HOST == 0 {
            self.end_congestion(channel_id, class);
        }
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            self.probe.on_frame_sent(at, channel_id, class, held);
        }
        has_more
    }

    /// The last bit of a control frame has left. Does anything wait for the port?
    #[inline(never)]
    fn note_control_sent(&mut self, channel_id: u32) -> bool {
        let channel = &mut self.network.channels[channel_id as usize];
        let bytes = core::mem::take(&mut channel.sent_bytes);
        self.network.classes.control_sent[channel_id as usize] += 1;
        let on_wire = u64::from(wire_bytes(bytes));
        self.network.classes.control_bytes[channel_id as usize] += on_wire;
        self.hand_over_next(channel_id);
        let channel = &self.network.channels[channel_id as usize];
        channel.waiting != 0 || channel.has_control
    }
}

impl Network {
    /// The frame of a class that goes next, of those whose lane is not held back.
    pub(crate) fn next_frame(&self, channel: u32, class: u8) -> u32 {
        self.next_in_queue(self.queue(channel, class))
    }

    #[inline]
    pub(crate) fn next_in_queue(&self, at: usize) -> u32 {
        match self.classes.sorted(at) {
            None => self.classes.queues[at].chain.first(),
            Some(lanes) => {
                let next = lanes.next(&self.units);
                next.map_or(NONE, |lane| lanes.lanes[lane].chain.first())
            }
        }
    }
}
