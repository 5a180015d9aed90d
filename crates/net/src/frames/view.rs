//! A network with classes, as probes and its own parts ask it.

use backwater_ends::control::Inner;
use backwater_kernel::{Duration, Rate, Time};

use crate::classes::FrameFlow;
use crate::classes::account::Account;
use crate::hop::unit::{NONE, Unit};
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::probe::{FrameView, Gate};

impl Network {
    /// Channels.
    pub fn channels(&self) -> u32 {
        self.channels.len() as u32
    }

    /// Classes of every port.
    pub fn classes(&self) -> u8 {
        self.classes.count as u8
    }

    /// Bytes in a queue, the frame being sent included.
    pub fn queue_bytes(&self, channel: u32, class: u8) -> u64 {
        self.classes.queues[self.queue(channel, class)].bytes
    }

    /// Is a frame being sent on the channel?
    pub fn is_busy(&self, channel: u32) -> bool {
        self.channels[channel as usize].is_busy()
    }

    /// Frames of the class to this station may not start on the channel now.
    pub fn is_stopped(&self, channel: u32, class: u8, station: u32) -> bool {
        let gates = &self.classes.gates[channel as usize];
        let channel_now = &self.channels[channel as usize];
        channel_now.held() & 1 << class != 0 || gates.is_destination_stopped(class, station)
    }

    /// Is something waiting that may start `now`?
    pub fn may_send(&self, channel: u32, now: Time) -> bool {
        self.channels[channel as usize].has_control || self.has_ready_data(channel, now)
    }

    /// Is data waiting that may start `now`?
    pub(crate) fn has_ready_data(&self, channel: u32, now: Time) -> bool {
        let channel = &self.channels[channel as usize];
        let waits = channel.ready_classes() != 0;
        let is_held = channel.is(Channel::SCHEDULED) && !channel.scheduler.may_start(now);
        waits && !is_held
    }

    /// Frames in queues and on wires, control frames included.
    pub fn frames_inside(&self) -> u32 {
        self.units.live()
    }

    /// Bytes of a class that came in over a channel and have not left; 0 where nobody counts them.
    pub fn input_bytes(&self, channel: u32, class: u8) -> u64 {
        self.account(channel, class).bytes
    }

    /// The part of them that is in headroom: of shared memory, or else above the threshold.
    pub fn headroom_bytes(&self, channel: u32, class: u8) -> u64 {
        let account = self.account(channel, class);
        let node = self.channels[channel as usize].to;
        match self.classes.nodes[node as usize].shared {
            Some(_) => account.headroom_bytes,
            None => account.bytes.saturating_sub(account.high_bytes),
        }
    }

    /// Congestion window of a flow's source, bytes; 0 without TCP.
    pub fn window_bytes(&self, flow: u32) -> u64 {
        let place = self.classes.place_if_active(flow);
        place.map_or(0, |place| self.classes.stations.window_bytes(place))
    }

    /// What the control of a queue pair allows; without a limiter, the rate of its port.
    pub fn allowed_rate(&self, flow: u32) -> Option<Rate> {
        self.classes
            .stations
            .rate(self.classes.place_if_active(flow)?)
    }

    /// The rate that the queue of a class states to sources; `None` if it states none.
    pub fn stated_rate(&self, channel: u32, class: u8) -> Option<Rate> {
        let points = &self.classes.points;
        let point = points.get(self.queue(channel, class))?.as_ref()?;
        Some(point.rate())
    }

    /// A number that the control of a queue pair keeps to itself.
    pub fn inner(&self, flow: u32, of: Inner) -> Option<f64> {
        let place = self.classes.place_if_active(flow)?;
        self.classes.stations.inner(place, of)
    }

    /// Positions at both ends of a TCP flow: acknowledged, next to send, next expected.
    pub fn positions(&self, flow: u32) -> Option<[(u64, u64, u64); 2]> {
        self.classes
            .stations
            .positions(self.classes.place_if_active(flow)?)
    }

    /// How long bytes take on a channel.
    #[inline]
    pub(crate) fn span(&self, channel: u32, bytes: u64) -> Duration {
        self.channels[channel as usize].span(bytes)
    }

    #[inline]
    pub(crate) fn queue(&self, channel: u32, class: u8) -> usize {
        self.classes.queue(channel, class)
    }

    /// What came over a channel in a class and has not left.
    pub(crate) fn account(&self, channel: u32, class: u8) -> &Account {
        &self.classes.accounts[self.queue(channel, class)]
    }

    /// The station a data frame is for, or the group of several.
    #[inline]
    pub(crate) fn destination(&self, frame: &Unit) -> u32 {
        self.classes.flows[self.classes.place(frame.flow())]
            .ends(frame.is_forward())
            .1
    }

    /// A frame that is on, or in front of, `channel`, as probes see it; at its host without one.
    #[inline(never)]
    pub(crate) fn view(&self, id: u32, channel: u32) -> FrameView {
        let frame = self.units.get(id);
        if frame.is_control() {
            let channel = &self.channels[channel as usize];
            let ends = (channel.from, channel.to);
            return self.units.view(id, ends, false, false);
        }
        let flow = &self.classes.flows[self.classes.place(frame.flow())];
        let ends = flow.ends(frame.is_forward());
        let units = &self.units;
        let mut view = units.view(
            id,
            ends,
            flow.is(FrameFlow::TAGGED),
            flow.is(FrameFlow::RTP),
        );
        if flow.is(FrameFlow::MULTICAST) {
            let places = self.places_behind(frame);
            view.receivers = (places.start, places.len() as u32);
            if channel == NONE {
                view.destination = self.channels[self.input_of(frame) as usize].to;
            }
        }
        view
    }

    /// Does the gate on a channel concern this class at all?
    pub(crate) fn covers(gate: Gate, class: u8) -> bool {
        gate.class().is_none_or(|own| own == class)
    }
}

#[cfg(test)]
mod tests {
    use crate::classes::queue::Queue;
    use crate::hop::wire::Channel;

    #[test]
    fn what_a_hop_touches_is_small() {
        assert_eq!(core::mem::offset_of!(Channel, arbitration_due), 64);
        assert_eq!(size_of::<Queue>(), 128);
    }
}
