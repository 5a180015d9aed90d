//! Can packets wait for each other in a cycle? Dally & Seitz, "Deadlock-Free Message Routing in
//! Multiprocessor Interconnection Networks", 1987: not if the graph of which lanes a packet may
//! ask for while it holds which is free of cycles.
//!
//! With adaptive lanes that graph has cycles. Duato, "A New Theory of Deadlock-Free Adaptive
//! Routing in Wormhole Networks", 1993: it is enough that the escape lanes have none among
//! themselves, where a packet may have gone by any adaptive lanes in between.
//!
//! Groups of packets never share lanes, so each is checked by itself, and only packets that are
//! sent count. Injection lanes wait for others but none waits for them, and ejection lanes wait
//! for none.

mod cycle;

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::route::{Choice, Choices, Way};
use crate::routing::Routing;
use crate::spec::Graph;
use crate::traffic::pairs::Pairs;

/// Routes asked for before giving up.
const STEPS_MAX: u64 = 50_000_000;
/// With adaptive lanes, joining so many words of the sets behind some four choices counts as one.
const WORDS_OF_STEP: u64 = 16;
/// Most 64-bit words of sets of lanes kept at a time.
const WORDS_MAX: u64 = 1 << 22;

/// What is known about cycles of waiting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dependency {
    /// There are none: no deadlock.
    Acyclic,
    /// Network channels and sets of their lanes, a bit each: a packet that holds one may ask for
    /// the next, one that holds the last for the first. With [`Routing::escapes`] it may have
    /// gone by adaptive lanes in between.
    Cycle(Vec<(u32, u32)>),
    /// It would take too long to find out; says how long.
    NotChecked(String),
}

/// Checks all routes of all packets.
pub fn dependency(graph: &Graph, routing: &Routing) -> Dependency {
    dependency_of(graph, routing, &Packets::all(graph))
}

/// Checks all routes of some packets.
pub fn dependency_of(graph: &Graph, routing: &Routing, packets: &Packets) -> Dependency {
    check(graph, routing, packets, &|lanes| {
        routing.class_of(packets.group, lanes).unwrap_or(0).into()
    })
}

/// Which packets are followed.
#[derive(Clone, Debug)]
pub struct Packets {
    /// Those of this group of lanes ...
    pub group: u8,
    /// ... that are sent from here to there.
    pub pairs: Pairs,
    /// May one wait for an adaptive lane alone, having given up its escapes?
    pub wait_for_adaptive: bool,
}

impl Packets {
    /// From everywhere to everywhere, never without their escapes.
    pub fn all(graph: &Graph) -> Packets {
        Packets {
            group: 0,
            pairs: Pairs::all(graph),
            wait_for_adaptive: false,
        }
    }
}

fn check(
    graph: &Graph,
    routing: &Routing,
    packets: &Packets,
    class_of: &dyn Fn(u32) -> u32,
) -> Dependency {
    let mut walker = match Walker::new(graph, routing, packets, class_of) {
        Ok(walker) => walker,
        Err(reason) => return Dependency::NotChecked(reason),
    };
    let done = if routing.escapes() > 0 && !packets.wait_for_adaptive {
        walker.walk_escapes()
    } else {
        walker.walk_all()
    };
    if let Err(reason) = done {
        return Dependency::NotChecked(reason);
    }
    match cycle::find(&walker.edges) {
        Some(nodes) => Dependency::Cycle(nodes.into_iter().map(|n| walker.name(n)).collect()),
        None => Dependency::Acyclic,
    }
}

/// Follows routes and notes which lanes are asked for while which are held. A node is a class of
/// lanes of a network channel.
struct Walker<'a> {
    graph: &'a Graph,
    routing: &'a Routing,
    packets: &'a Packets,
    class_of: &'a dyn Fn(u32) -> u32,
    classes: u32,
    /// By router: its first channel; one more at the end.
    first: Vec<u32>,
    /// Routers that packets of the group enter at: all, and those where some do.
    entries: &'a [u32],
    senders: Vec<u32>,
    /// Routers that packets leave at, with one of their terminals.
    exits: Vec<(u32, u32)>,
    /// Different directions a packet may draw.
    departures: u64,
    /// By node: those asked for while it is held.
    edges: Vec<Vec<u32>>,
    steps: u64,
}

/// Where packets to one terminal with the same draws were followed.
struct Trail {
    /// Which of them.
    packet: u64,
    /// By node: the last packet followed over it. Another like it that takes the same node goes
    /// on alike.
    seen: Vec<u64>,
    /// Headers to follow on: router, way, and the node held.
    open: Vec<(u32, Way, Option<u32>)>,
}

impl<'a> Walker<'a> {
    fn new(
        graph: &'a Graph,
        routing: &'a Routing,
        packets: &'a Packets,
        class_of: &'a dyn Fn(u32) -> u32,
    ) -> Result<Walker<'a>, String> {
        let entries = packets.pairs.entries();
        let mut exits: Vec<(u32, u32)> = graph.eject.iter().copied().zip(0..).collect();
        exits.sort_unstable();
        exits.dedup_by_key(|(router, _)| *router);
        // A stop is walked to and from on its own, so it isn't drawn.
        let stops = if routing.has_stop() {
            u64::from(graph.routers)
        } else {
            1
        };
        let departures = routing.departures() / stops;
        let sent = exits.iter().map(|(exit, _)| packets.pairs.senders(*exit));
        let senders = packets.pairs.all_senders();
        let pairs = match routing.has_stop() {
            true => 2 * entries.len() as u64 * exits.len() as u64,
            false => sent.map(|senders| senders.len() as u64).sum(),
        };
        let routes = pairs.saturating_mul(departures);
        if routes > STEPS_MAX {
            return Err(format!(
                "{routes} routes to follow: at most {STEPS_MAX} are"
            ));
        }
        let mut first = vec![0; graph.routers as usize + 1];
        for channel in &graph.channels {
            first[channel.from as usize + 1] += 1;
        }
        for router in 0..graph.routers as usize {
            first[router + 1] += first[router];
        }
        let classes = u32::from(routing.classes());
        let nodes = graph.channels.len() * classes as usize;
        let edges = vec![Vec::new(); nodes];
        let steps = 0;
        Ok(Walker {
            graph,
            routing,
            packets,
            class_of,
            classes,
            first,
            entries,
            senders,
            exits,
            departures,
            edges,
            steps,
        })
    }

    fn name(&self, node: u32) -> (u32, u32) {
        let (channel, class) = (node / self.classes, node % self.classes);
        let lanes = self.routing.class_lanes(self.packets.group, class as u8);
        (channel, lanes)
    }

    /// The node a choice leads to; `None` if it leads out.
    fn node(&self, router: u32, choice: &Choice) -> Option<u32> {
        let channel = self.first[router as usize] + u32::from(choice.port);
        let inside = channel < self.first[router as usize + 1];
        inside.then(|| channel * self.classes + (self.class_of)(choice.lanes))
    }

    /// The router at the end of a node's channel.
    fn end(&self, node: u32) -> u32 {
        self.graph.channels[(node / self.classes) as usize].to
    }

    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(format!("more than {STEPS_MAX} steps to follow all routes"));
        }
        Ok(())
    }

    /// Follows every packet over every choice.
    ///
    /// A packet that goes by a stop is followed on each leg alone, with the stop at its end or at
    /// its start. Nothing of the second leg leads back to the first, so a cycle lies within one.
    fn walk_all(&mut self) -> Result<(), String> {
        let mut trail = Trail {
            packet: 0,
            seen: vec![0; self.edges.len()],
            open: Vec::new(),
        };
        for (exit, destination) in self.exits.clone() {
            for nth in 0..self.departures {
                let mut way = self.way(destination);
                self.routing.depart_nth(&mut way, nth);
                let legs: &[bool] = if self.routing.has_stop() {
                    &[true, false]
                } else {
                    &[true]
                };
                for stop_at_end in legs {
                    trail.packet += 1;
                    for entry in self.entered(exit, *stop_at_end).to_vec() {
                        if self.routing.has_stop() {
                            way.via = if *stop_at_end { exit } else { entry };
                        }
                        self.walk(entry, way, &mut trail)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn way(&self, destination: u32) -> Way {
        Way {
            destination,
            group: self.packets.group,
            ..Way::default()
        }
    }

    /// Where packets that leave at `exit` enter; those with a stop there, or after a stop there.
    fn entered(&self, exit: u32, stop_at_end: bool) -> &[u32] {
        let senders = self.packets.pairs.senders(exit);
        match (self.routing.has_stop(), stop_at_end) {
            (false, _) => senders,
            (true, true) => &self.senders,
            (true, false) if senders.is_empty() => &[],
            (true, false) => self.entries,
        }
    }

    fn walk(&mut self, entry: u32, way: Way, trail: &mut Trail) -> Result<(), String> {
        let mut choices = Choices::default();
        trail.open.push((entry, way, None));
        while let Some((router, mut way, held)) = trail.open.pop() {
            self.step()?;
            self.routing.route(router, &mut way, &mut choices);
            for choice in choices.as_slice() {
                let Some(next) = self.node(router, choice) else {
                    continue;
                };
                if let Some(held) = held {
                    let asked = &mut self.edges[held as usize];
                    if !asked.contains(&next) {
                        asked.push(next);
                    }
                }
                if trail.seen[next as usize] != trail.packet {
                    trail.seen[next as usize] = trail.packet;
                    trail.open.push((self.end(next), way, Some(next)));
                }
            }
        }
        Ok(())
    }

    /// Notes for each escape which escapes may be asked for next, at its end or after any
    /// adaptive lanes from there.
    fn walk_escapes(&mut self) -> Result<(), String> {
        let words = self.edges.len().div_ceil(64);
        let routers = self.graph.routers as usize;
        let rows = self.edges.len() as u64 + routers as u64;
        // One row of bits by router, and one by node.
        if rows * words as u64 > WORDS_MAX {
            return Err(format!("{rows} sets of {} VCs to fill", self.edges.len()));
        }
        let steps = (self.entries.len() as u64 * self.exits.len() as u64)
            .saturating_mul(self.departures)
            .saturating_mul(1 + words as u64 / WORDS_OF_STEP);
        if steps > STEPS_MAX {
            return Err(format!(
                "{steps} steps to follow all routes: at most {STEPS_MAX} are"
            ));
        }
        let mut reach = vec![0u64; routers * words];
        let mut after = vec![0u64; self.edges.len() * words];
        for (exit, destination) in self.exits.clone() {
            if self.packets.pairs.senders(exit).is_empty() {
                continue;
            }
            for nth in 0..self.departures {
                let mut way = self.way(destination);
                self.routing.depart_nth(&mut way, nth);
                let escapes = self.fill_reach(way, words, &mut reach);
                for escape in escapes {
                    let from = self.end(escape) as usize * words;
                    let to = escape as usize * words;
                    let (from, to) = (&reach[from..from + words], &mut after[to..to + words]);
                    to.iter_mut().zip(from).for_each(|(to, from)| *to |= from);
                }
            }
        }
        for (node, row) in after.chunks(words.max(1)).enumerate() {
            let bit = |n: &u32| row[*n as usize / 64] >> (n % 64) & 1 == 1;
            self.edges[node] = (0..self.edges.len() as u32).filter(bit).collect();
        }
        Ok(())
    }

    /// For one packet: fills in, by router, the escapes that can be asked for there or after any
    /// adaptive lanes; returns all escapes it can take.
    fn fill_reach(&self, way: Way, words: usize, reach: &mut [u64]) -> Vec<u32> {
        let routers = self.graph.routers;
        let mut done = vec![false; routers as usize];
        let mut escapes = Vec::with_capacity(routers as usize);
        let mut choices = Choices::default();
        reach.fill(0);
        let mut open: Vec<u32> = (0..routers).collect();
        while let Some(router) = open.pop() {
            if done[router as usize] {
                continue;
            }
            let mut way = way;
            self.routing.route(router, &mut way, &mut choices);
            let (adaptive, rest) = choices.as_slice().split_at(choices.equal.into());
            let next = |choice: &Choice| self.node(router, choice).map(|node| self.end(node));
            let nexts: Vec<u32> = adaptive.iter().filter_map(next).collect();
            let wait = nexts.iter().copied().filter(|next| !done[*next as usize]);
            let before = open.len();
            open.push(router);
            open.extend(wait);
            if open.len() > before + 1 {
                continue;
            }
            open.pop();
            done[router as usize] = true;
            let here = router as usize * words;
            for next in nexts {
                let there = next as usize * words;
                for word in 0..words {
                    reach[here + word] |= reach[there + word];
                }
            }
            for escape in rest.iter().filter_map(|choice| self.node(router, choice)) {
                reach[here + escape as usize / 64] |= 1 << (escape % 64);
                escapes.push(escape);
            }
        }
        escapes
    }
}

#[cfg(test)]
mod tests;
