//! Random chains of switches, and what max-min fairness gives their circuits.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_results::fairness::{Claim, max_min};

use super::policies::Sets;

/// Rate of hosts' links, Mbps.
const ACCESS: f64 = 155.52;
/// Rates of links between switches.
const TRUNKS: [f64; 3] = [ACCESS, ACCESS / 2.0, ACCESS / 3.0];

/// A chain of switches and circuits along it, all one way.
#[derive(Clone, Debug)]
pub struct Lot {
    /// Rate of each link between switches, Mbps.
    pub trunks: Vec<f64>,
    /// First and last switch of each circuit, by number from 0; the first one passes all.
    pub circuits: Vec<(usize, usize)>,
}

impl Lot {
    /// The chain with this number: 3 to 6 switches, 4 to 9 circuits over any parts of it.
    pub fn chain(seed: u64) -> Lot {
        let mut draw = Stream::new(seed, 0, Purpose::Topology);
        let switches = 3 + draw.below(4) as usize;
        let trunks = (1..switches).map(|_| TRUNKS[draw.below(3) as usize]);
        let trunks = trunks.collect();
        let mut circuits = vec![(0, switches - 1)];
        for _ in 0..3 + draw.below(6) {
            let from = draw.below(switches as u64 - 1) as usize;
            let further = draw.below((switches - 1 - from) as u64) as usize;
            circuits.push((from, from + 1 + further));
        }
        Lot { trunks, circuits }
    }

    /// The same, but all leave at the end: a parking lot.
    pub fn parking(seed: u64) -> Lot {
        let mut lot = Lot::chain(seed);
        for (_, to) in &mut lot.circuits {
            *to = lot.trunks.len();
        }
        lot
    }

    /// As settings of the shipped scenario.
    pub fn sets(&self) -> Sets {
        let (n, switches) = (self.circuits.len(), self.trunks.len() + 1);
        let mut links = Vec::new();
        for (at, rate) in self.trunks.iter().enumerate() {
            let ends = format!("[\"X{}\", \"X{}\"]", at + 1, at + 2);
            links.push(format!("{{ between = {ends}, rate = \"{rate} Mbps\" }}"));
        }
        let mut flows = Vec::new();
        for (at, (from, to)) in self.circuits.iter().enumerate() {
            let k = at + 1;
            links.push(format!("{{ between = [\"A{k}\", \"X{}\"] }}", from + 1));
            links.push(format!("{{ between = [\"X{}\", \"B{k}\"] }}", to + 1));
            flows.push(format!(
                "{{ name = \"{k}\", from = \"A{k}\", to = \"B{k}\", \
                 source_control = {{ kind = \"abr\", uili = {{ kind = \"none\" }} }} }}"
            ));
        }
        vec![
            (
                "network.hosts",
                format!("[\"A{{1..{n}}}\", \"B{{1..{n}}}\"]"),
            ),
            ("network.switches", format!("[\"X{{1..{switches}}}\"]")),
            ("links", format!("[{}]", links.join(", "))),
            ("flows", format!("[{}]", flows.join(", "))),
            ("series", "[]".into()),
        ]
    }

    /// Max-min fair rates in Mbps of the circuits, if `target` of each link may be used.
    pub fn max_min(&self, target: f64) -> Vec<f64> {
        let capacity: Vec<f64> = self.trunks.iter().map(|rate| target * rate).collect();
        let claim = |(from, to): &(usize, usize)| Claim {
            loads: (*from..*to).map(|trunk| (trunk as u32, 1.0)).collect(),
            // The links of its hosts are its own.
            demand: target * ACCESS,
            ..Claim::default()
        };
        let claims: Vec<Claim> = self.circuits.iter().map(claim).collect();
        max_min(&capacity, &claims).rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn water_filling_by_hand() {
        // The second link is the narrower one: its two circuits get 30 each, the rest of the
        // first goes to the third.
        let lot = Lot {
            trunks: vec![100.0, 60.0],
            circuits: vec![(0, 2), (1, 2), (0, 1)],
        };
        assert_eq!(lot.max_min(1.0), [30.0, 30.0, 70.0]);
        assert_eq!(lot.max_min(0.5), [15.0, 15.0, 35.0]);
    }
}
