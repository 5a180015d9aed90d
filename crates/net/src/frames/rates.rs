//! Congestion points state their rates: each interval, to the sources of all data in the queue.
//!
//! A message is a frame that starts at the switch, in the class in which the flow's sources hear of
//! congestion, on the way that frames of the flow take from there. It finds room in the queue of
//! its port or is lost; it takes no place at an input, and asks nobody to stop.

use alloc::vec::Vec;

use backwater_ends::application::Payload;
use backwater_ends::queue_pair::{PacketKind, RocePacket};
use backwater_kernel::EventQueue;

use crate::classes::FrameFlow;
use crate::classes::shape::ANYTHING;
use crate::hop::timer::Timer;
use crate::hop::unit::Unit;
use crate::network::Network;
use crate::outcome::LossCause;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The first intervals begin.
    pub(crate) fn start_rates(&mut self) {
        for at in 0..self.network.classes.points.len() {
            let count = self.network.classes.count;
            self.await_rate((at / count) as u32, (at % count) as u8);
        }
    }

    fn await_rate(&mut self, channel: u32, class: u8) {
        let at = self.network.queue(channel, class);
        if let Some(point) = &self.network.classes.points[at] {
            let next = self.later(point.spec.interval);
            self.set_timer(next, channel, Timer::Rates, class);
        }
    }

    /// An interval of the queue of a class is over.
    pub(crate) fn state_rate(&mut self, channel: u32, class: u8) {
        if self.network.channels[channel as usize].is_to_rest(self.now) {
            self.rest::<ANYTHING>(channel);
        }
        let at = self.network.queue(channel, class);
        let bytes = self.network.classes.queues[at].bytes;
        let Some(point) = &mut self.network.classes.points[at] else {
            return;
        };
        point.update(bytes);
        let packet = RocePacket {
            kind: PacketKind::Rate,
            seq: point.rate().0,
            other: u64::from(channel) << 5 | u64::from(class),
            ..RocePacket::default()
        };
        for way in self.network.ways_told(channel, class) {
            self.tell_rate(channel, way ^ 1, packet);
        }
        self.await_rate(channel, class);
    }

    /// A message goes to a source of data that waits for `channel`.
    fn tell_rate(&mut self, channel: u32, way: u32, packet: RocePacket) {
        let (now, payload) = (self.now, Payload::Roce(packet));
        let network = &mut self.network;
        let node = network.channels[channel as usize].from;
        let flow = &mut network.classes.flows[way as usize / 2];
        let bytes = crate::hop::sizes::frame_bytes(&payload, false, flow.is(FrameFlow::TAGGED));
        let (number, class) = (flow.created, flow.message_class);
        let to = flow.ends(way.is_multiple_of(2)).1;
        flow.created += 1;
        flow.created_bytes += u64::from(bytes);
        let hop = network
            .classes
            .routes
            .start_at_switch(way, channel, number, (node, to));
        let frame = Unit {
            leg: way,
            class,
            ..Unit::data(now, hop, bytes)
        };
        let id = network.units.frame(frame, number, &payload);
        let out = network.classes.routes.channel(network.units.get(id));
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, out);
            self.probe.on_frame_created(now, out, &frame);
        }
        if self.network.channels[out as usize].is_to_rest(now) {
            self.rest::<ANYTHING>(out);
        }
        let queue = &self.network.classes.queues[self.network.queue(out, class)];
        if queue.bytes + u64::from(bytes) > queue.limit_bytes {
            return self.discard_frame(out, id, LossCause::QueueFull);
        }
        if self.drops_all(out, class) {
            return self.discard_frame(out, id, LossCause::Watchdog);
        }
        self.join::<ANYTHING>(out, id);
    }
}

impl Network {
    /// Ways of flows that hear rates and have data that waits in a queue.
    fn ways_told(&self, channel: u32, class: u8) -> Vec<u32> {
        let waiting = self.waiting(channel, class).into_iter();
        let data = waiting.filter(|(id, _)| self.units.is_pair_data(*id));
        let ways = data.map(|(id, _)| self.units.get(id).way());
        let flows = &self.classes.flows;
        let mut ways: Vec<u32> = ways
            .filter(|way| flows[*way as usize / 2].is(FrameFlow::HEARS_RATES))
            .collect();
        ways.sort_unstable();
        ways.dedup();
        ways
    }
}
