//! Which port a frame takes where those of one flow take several.

use backwater_kernel::Time;
use backwater_net::frames::spec::{EthernetSpec, Spread};

use super::network::{Frame, Network};
use super::routes;

/// Is the port chosen only as a frame comes to its node?
pub(super) fn is_chosen_there(spec: &EthernetSpec) -> bool {
    matches!(
        spec.rules.spread,
        Spread::RoundRobin | Spread::Adaptive | Spread::Flowlets { .. }
    )
}

impl Network {
    /// The port by which a frame that came to `node` leaves it.
    pub fn port_now(&mut self, now: Time, node: usize, frame: &Frame) -> usize {
        let hops = self.hops[&(node, frame.destination)].clone();
        let drawn = self.next_hop(node, frame);
        if hops.len() == 1 {
            return drawn;
        }
        match self.spec.rules.spread {
            Spread::Flows | Spread::Frames | Spread::Entropies { .. } => drawn,
            Spread::RoundRobin => {
                let mut first = routes::mix(&[self.spec.seed, node as u64]);
                for hop in &hops {
                    first = routes::mix(&[first, *hop as u64]);
                }
                let count = hops.len() as u64;
                let taken = self.chosen.turns.entry((node, hops.clone())).or_default();
                let at = (first % count + *taken) % count;
                *taken += 1;
                hops[at as usize]
            }
            Spread::Adaptive => {
                let queues = |hop: usize| self.channels[hop].queues.iter();
                let held = |hop: usize| queues(hop).map(|queue| queue.bytes()).sum::<u64>();
                let least = hops.iter().map(|hop| held(*hop)).min();
                let at = hops.iter().position(|hop| *hop == drawn).unwrap_or(0);
                let mut around = hops.iter().cycle().skip(at).take(hops.len());
                let emptiest = around.find(|hop| Some(held(**hop)) == least);
                *emptiest.unwrap_or(&drawn)
            }
            Spread::Flowlets { gap } => {
                let key = (node, frame.flow, frame.is_forward);
                let before = self.chosen.flowlets.get(&key).copied();
                let goes_on = before.filter(|(last, _)| now.ps() - last.ps() < gap.ps());
                let port = goes_on.map_or(drawn, |(_, port)| port);
                self.chosen.flowlets.insert(key, (now, port));
                port
            }
        }
    }
}
