//! Random chains of switches, and what max-min fairness gives their circuits.

use kernel::stream::{Purpose, Stream};

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

    /// Max-min fair rates in Mbps of the circuits, if `target` of each link may be used: the link
    /// with the smallest equal share is filled, its circuits are done, and so on.
    pub fn max_min(&self, target: f64) -> Vec<f64> {
        let mut left: Vec<f64> = self.trunks.iter().map(|rate| target * rate).collect();
        let mut rates: Vec<Option<f64>> = vec![None; self.circuits.len()];
        let passes = |at: usize, trunk: usize| {
            let (from, to) = self.circuits[at];
            (from..to).contains(&trunk)
        };
        loop {
            let share = |trunk: usize| {
                let open = |at: &usize| rates[*at].is_none() && passes(*at, trunk);
                let count = (0..rates.len()).filter(open).count();
                (count > 0).then(|| (left[trunk] / count as f64, trunk))
            };
            let shares = (0..left.len()).filter_map(share);
            let Some((fair, full)) = shares.min_by(|one, other| one.0.total_cmp(&other.0)) else {
                break;
            };
            // A circuit alone has the link of its host besides.
            let fair = fair.min(target * ACCESS);
            for (rate, (from, to)) in rates.iter_mut().zip(&self.circuits) {
                if rate.is_some() || !(*from..*to).contains(&full) {
                    continue;
                }
                *rate = Some(fair);
                for left in &mut left[*from..*to] {
                    *left -= fair;
                }
            }
        }
        rates.into_iter().map(|rate| rate.unwrap_or(0.0)).collect()
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

    #[test]
    fn nobody_can_get_more_without_taking_from_a_poorer_one() {
        for seed in 1..=60 {
            let lot = Lot::chain(seed);
            let rates = lot.max_min(0.9);
            for (at, (from, to)) in lot.circuits.iter().enumerate() {
                // Some link of it is full, and nobody there has more.
                let is_bottleneck = |trunk: usize| {
                    let over =
                        |k: &usize| (lot.circuits[*k].0..lot.circuits[*k].1).contains(&trunk);
                    let there: Vec<usize> = (0..rates.len()).filter(over).collect();
                    let used: f64 = there.iter().map(|k| rates[*k]).sum();
                    let most = there.iter().map(|k| rates[*k]).fold(0.0, f64::max);
                    used > 0.9 * lot.trunks[trunk] - 1e-6 && rates[at] > most - 1e-6
                };
                assert!((*from..*to).any(is_bottleneck), "{lot:?} {rates:?}");
            }
        }
    }
}
