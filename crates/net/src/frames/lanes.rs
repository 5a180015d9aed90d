//! Queues sorted by destination, where destinations can be stopped: what is not stopped never
//! waits behind what is, and frames of one source, destination and class stay in order.

use backwater_kernel::EventQueue;

use crate::classes::queue::Lanes;
use crate::hop::unit::{Fifo, NONE};
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame joins the lane of its destination; the queue has counted its bytes.
    pub(crate) fn join_lane(&mut self, channel_id: u32, id: u32) {
        let network = &mut self.network;
        let frame = *network.units.get(id);
        let class = frame.class;
        let station = network.destination(&frame);
        let at = network.queue(channel_id, class);
        let gates = &network.classes.gates[channel_id as usize];
        let lanes = &mut network.classes.lanes[at];
        let lane = lanes.lane(station, || gates.is_destination_stopped(class, station));
        let queue = &mut network.classes.queues[at];
        network.units.set_order(id, queue.order);
        queue.order = queue.order.wrapping_add(1);
        queue.frames += 1;
        let lane = &mut lanes.lanes[lane];
        lane.chain.push(&mut network.units, id);
        lane.frames += 1;
        lane.bytes += u64::from(frame.bytes);
        if lane.is_stopped {
            lanes.blocked_bytes += u64::from(frame.bytes);
            let input = network.input_of(&frame);
            self.check_blocked(channel_id, class, Some(input));
        } else {
            network.channels[channel_id as usize].waiting |= 1 << class;
        }
    }

    /// Takes the frame that joined first of those that may go.
    pub(crate) fn take_from_lanes(&mut self, channel_id: u32, class: u8) -> u32 {
        let network = &mut self.network;
        let at = network.queue(channel_id, class);
        let lanes = &mut network.classes.lanes[at];
        let Some(lane) = lanes.next(&network.units) else {
            return NONE;
        };
        let lane = &mut lanes.lanes[lane];
        let id = lane.chain.take(&network.units).unwrap_or(NONE);
        lane.frames -= 1;
        lane.bytes -= u64::from(network.units.get(id).bytes);
        self.renew_waiting(channel_id, class);
        id
    }

    /// A destination is stopped, or let go.
    pub(crate) fn stop_lane(&mut self, channel: u32, class: u8, station: u32, is_on: bool) {
        let network = &mut self.network;
        let at = network.queue(channel, class);
        let Some(lanes) = network.classes.lanes.get_mut(at) else {
            return;
        };
        let lane = lanes.lane(station, || !is_on);
        let lane = &mut lanes.lanes[lane];
        if lane.is_stopped != is_on {
            lane.is_stopped = is_on;
            match is_on {
                true => lanes.blocked_bytes += lane.bytes,
                false => lanes.blocked_bytes -= lane.bytes,
            }
        }
        self.renew_waiting(channel, class);
        self.check_blocked(channel, class, None);
    }

    fn renew_waiting(&mut self, channel: u32, class: u8) {
        let network = &mut self.network;
        let at = network.queue(channel, class);
        let lanes = network.classes.lanes[at].lanes.iter();
        let mut free = lanes.filter(|lane| !lane.is_stopped && lane.frames > 0);
        let waiting = &mut network.channels[channel as usize].waiting;
        match free.next() {
            Some(_) => *waiting |= 1 << class,
            None => *waiting &= !(1 << class),
        }
        self.note_head(channel, class);
        self.wake_if_scheduled(channel);
    }
}

impl Lanes {
    /// Nothing waits any more.
    pub fn empty(&mut self) {
        for lane in &mut self.lanes {
            lane.chain = Fifo::EMPTY;
            lane.frames = 0;
            lane.bytes = 0;
        }
        self.blocked_bytes = 0;
    }
}
