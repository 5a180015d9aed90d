//! Random small networks of switches, as text.

use std::fmt::Write;

use crate::random::Random;

/// Switches with hosts, and paths that each destination has of its own.
pub struct Network {
    /// Pairs of switches.
    pub links: Vec<[usize; 2]>,
    /// Of each host, its switch.
    pub hosts: Vec<usize>,
    /// Next switch on the way to a host: host, switch, next.
    pub routes: Vec<[usize; 3]>,
    switches: usize,
}

impl Network {
    /// A ring, a tree or a mesh; so many in a hundred are rings round which all go in one
    /// direction. In others frames go to each host along a random tree.
    pub fn draw(random: &mut Random, round: u64) -> Network {
        let switches = random.between(3, 6) as usize;
        let kind = match random.chance(round) {
            true => 0,
            false => random.between(1, 4),
        };
        let mut links: Vec<[usize; 2]> = match kind {
            0..=1 => (0..switches).map(|at| [at, (at + 1) % switches]).collect(),
            _ => (1..switches).map(|at| [random.below(at), at]).collect(),
        };
        if kind == 2 || kind == 3 {
            for _ in 0..random.between(1, switches as u64) {
                let [a, b] = [random.below(switches), random.below(switches)];
                let is_new = !links
                    .iter()
                    .any(|[c, d]| [a, b] == [*c, *d] || [b, a] == [*c, *d]);
                if a != b && is_new {
                    links.push([a, b]);
                }
            }
        }
        let each = random.between(1, 3) as usize;
        let hosts: Vec<usize> = (0..switches * each).map(|host| host % switches).collect();
        let mut network = Network {
            links,
            hosts,
            routes: Vec::new(),
            switches,
        };
        let is_round = kind == 0;
        for host in 0..network.hosts.len() {
            if kind < 4 {
                network.lead_to(host, is_round, random);
            }
        }
        network
    }

    fn lead_to(&mut self, host: usize, is_round: bool, random: &mut Random) {
        let root = self.hosts[host];
        if is_round {
            let others = (0..self.switches).filter(|at| *at != root);
            let routes = others.map(|at| [host, at, (at + 1) % self.switches]);
            self.routes.extend(routes);
            return;
        }
        let mut reached = vec![root];
        while reached.len() < self.switches {
            let Some([a, b]) = random.pick(&self.links).copied() else {
                return;
            };
            for [at, next] in [[a, b], [b, a]] {
                if reached.contains(&next) && !reached.contains(&at) {
                    reached.push(at);
                    self.routes.push([host, at, next]);
                }
            }
        }
    }

    /// All but the flows and what belongs to the scheme; `own` is what each link has of its own.
    pub fn text(&self, link: &str, mut own: impl FnMut() -> String) -> String {
        let mut text = format!(
            "[network]\nhosts = [\"H{{1..{}}}\"]\nswitches = [\"S{{1..{}}}\"]\n[link]\n{link}\n",
            self.hosts.len(),
            self.switches
        );
        for (host, switch) in self.hosts.iter().enumerate() {
            let ends = [format!("H{}", host + 1), format!("S{}", switch + 1)];
            let _ = write!(text, "[[links]]\nbetween = {ends:?}\n{}", own());
        }
        for [a, b] in &self.links {
            let ends = [a, b].map(|at| format!("S{}", at + 1));
            let _ = write!(text, "[[links]]\nbetween = {ends:?}\n{}", own());
        }
        for [host, at, next] in &self.routes {
            let (host, at, next) = (host + 1, at + 1, next + 1);
            let _ = writeln!(
                text,
                "[[routes]]\nnode = \"S{at}\"\nto = \"H{host}\"\nvia = \"S{next}\""
            );
        }
        text
    }

    /// Two hosts at different switches.
    pub fn pair(&self, random: &mut Random) -> [usize; 2] {
        loop {
            let [a, b] = [(); 2].map(|()| random.below(self.hosts.len()));
            if self.hosts[a] != self.hosts[b] {
                return [a, b];
            }
        }
    }
}
