//! Which port a frame takes where those of one flow take several.

use backwater_kernel::Time;
use backwater_net::frames::spec::{EthernetSpec, Spread};

use super::network::{Frame, Network};
use super::routes;

/// The word of a frame that a node hashes; of kinds that look at the node, the frame's number.
fn entropy(spec: &EthernetSpec, frame: &Frame) -> u64 {
    let word = frame.flow as u64 * 2 + u64::from(!frame.is_forward);
    match spec.rules.spread {
        Spread::Flows => 0,
        Spread::Entropies { count } => {
            let count = u64::from(count);
            let order = routes::mix(&[spec.seed, word, frame.number / count]) % count;
            (frame.number % count) ^ order
        }
        Spread::Frames | Spread::RoundRobin | Spread::Adaptive | Spread::Flowlets { .. } => {
            frame.number
        }
    }
}

/// The port that a frame draws from `node`, of these.
pub(super) fn drawn(spec: &EthernetSpec, node: usize, frame: &Frame, hops: &[usize]) -> usize {
    let word = frame.flow as u64 * 2 + u64::from(!frame.is_forward);
    let hash = match spec.rules.spread.parts_flows() {
        false => routes::mix(&[spec.seed, word, node as u64]),
        true => routes::mix(&[spec.seed, word, node as u64, entropy(spec, frame)]),
    };
    hops[(hash % hops.len() as u64) as usize]
}

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
                let taken = self.turns.entry((node, hops.clone())).or_default();
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
                let found = around.find(|hop| Some(held(**hop)) == least);
                *found.unwrap_or(&drawn)
            }
            Spread::Flowlets { gap } => {
                let key = (node, frame.flow, frame.is_forward);
                let before = self.flowlets.get(&key).copied();
                let goes_on = before.filter(|(last, _)| now.ps() - last.ps() < gap.ps());
                let port = goes_on.map_or(drawn, |(_, port)| port);
                self.flowlets.insert(key, (now, port));
                port
            }
        }
    }
}
