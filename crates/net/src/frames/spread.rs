//! A node chooses the port of a frame that came, of several that lead to its station: see
//! [`crate::classes::routes::spreading`].

use backwater_kernel::Time;

use crate::classes::Classes;
use crate::classes::routes::Routes;
use crate::hop::unit::NONE;
use crate::spec::frames::Spread;

impl Classes {
    /// The next hops from a node to a station where frames are spread one by one.
    pub(crate) fn choices(&self, node: u32, to: u32) -> &[u32] {
        match &self.routes {
            Routes::Tables(tables) => tables.next_hops(node, to),
            Routes::Paths { .. } => &[],
        }
    }

    /// The channel by which a frame of a way, with this number, leaves a node for a station, chosen
    /// now: all of its ports know which last bits have left.
    pub(crate) fn choose_port(
        &mut self,
        (node, to): (u32, u32),
        (way, number): (u32, u64),
        now: Time,
    ) -> u32 {
        let Routes::Tables(tables) = &self.routes else {
            return NONE;
        };
        let draw = tables.of_frame(way, number, node, to);
        match tables.spread() {
            Spread::Flows | Spread::Frames | Spread::Entropies { .. } => draw,
            Spread::RoundRobin => self.spreading.in_turn(tables, node, to),
            Spread::Adaptive => self.least_queued(tables.next_hops(node, to), draw),
            Spread::Flowlets { gap } => self.spreading.of_flowlet((node, way), (now, gap), draw),
        }
    }

    /// The next hop with the fewest bytes queued, of all classes and with those of the frame on its
    /// way out; of several such the first in a circle from `draw`.
    fn least_queued(&self, hops: &[u32], draw: u32) -> u32 {
        let from = hops.iter().position(|hop| *hop == draw).unwrap_or(0);
        let around = hops[from..].iter().chain(&hops[..from]).copied();
        let least = around.min_by_key(|hop| self.queued_bytes(*hop));
        least.unwrap_or(NONE)
    }

    /// Bytes queued in front of a channel.
    fn queued_bytes(&self, channel: u32) -> u64 {
        let first = self.queue(channel, 0);
        let queues = &self.queues[first..first + self.count];
        queues.iter().map(|queue| queue.bytes).sum()
    }
}
