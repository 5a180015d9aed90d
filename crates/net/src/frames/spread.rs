//! A node chooses the port of a frame that came, of several that lead to its station: see
//! [`crate::classes::routes::spreading`].

use backwater_kernel::EventQueue;

use crate::classes::routes::{Routes, Tables};
use crate::classes::shape::ANYTHING;
use crate::hop::unit::{NONE, Unit};
use crate::network::Network;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::spec::frames::Spread;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The channel by which a frame leaves `node`, chosen now.
    #[inline(never)]
    pub(crate) fn choose_port(&mut self, node: u32, id: u32, frame: &Unit) -> u32 {
        let (way, to) = (frame.way(), self.network.destination(frame));
        let number = self.network.units.number_of(id);
        let Routes::Tables(tables) = &self.network.classes.routes else {
            return NONE;
        };
        let draw = tables.of_frame(way, number, node, to);
        let hop = match tables.spread() {
            Spread::Flows | Spread::Frames | Spread::Entropies { .. } => draw,
            Spread::RoundRobin => self.network.classes.spreading.in_turn(tables, node, to),
            Spread::Adaptive => self.least_queued((node, to), draw),
            Spread::Flowlets { gap } => {
                let spreading = &mut self.network.classes.spreading;
                spreading.of_flowlet((node, way), (self.now, gap), draw)
            }
        };
        self.network.units.get_mut(id).set_hop(hop);
        hop
    }

    /// The next hop with the fewest bytes queued, of all classes and with those of the frame on its
    /// way out; of several such the first in a circle from `draw`.
    fn least_queued(&mut self, (node, to): (u32, u32), draw: u32) -> u32 {
        let count = self.network.choices(node, to).len();
        for at in 0..count {
            let hop = self.network.choices(node, to)[at];
            if self.network.channels[hop as usize].is_to_rest(self.now) {
                self.rest::<ANYTHING>(hop);
            }
        }
        let hops = self.network.choices(node, to);
        let from = hops.iter().position(|hop| *hop == draw).unwrap_or(0);
        let around = hops[from..].iter().chain(&hops[..from]).copied();
        let least = around.min_by_key(|hop| self.network.queued_bytes(*hop));
        least.unwrap_or(NONE)
    }
}

impl Network {
    /// The next hops from a node to a station where frames are spread one by one.
    pub(crate) fn choices(&self, node: u32, to: u32) -> &[u32] {
        match &self.classes.routes {
            Routes::Tables(tables) => Tables::next_hops(tables, node, to),
            Routes::Paths { .. } => &[],
        }
    }

    /// Bytes queued in front of a channel.
    fn queued_bytes(&self, channel: u32) -> u64 {
        let first = self.classes.queue(channel, 0);
        let queues = &self.classes.queues[first..first + self.classes.count];
        queues.iter().map(|queue| queue.bytes).sum()
    }
}
