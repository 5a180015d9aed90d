//! Which part of what a source sends crosses which channel, where that does not depend on the
//! load: the mean over its destinations and over what packets draw at departure.

use alloc::vec;
use alloc::vec::Vec;

use super::Generator;
use crate::route::Way;
use crate::routing::Routing;
use crate::spec::{FabricSpec, Graph, Injection, Pattern, Sources};

/// Channels crossed on all ways together, at most: what can be followed without a wait.
const STEPS_MAX: u64 = 2_000_000;

/// Channels and the part of a source's flits that crosses each, by channel.
pub type Parts = Vec<(u32, f64)>;

/// The loads of each terminal by the first class, or why they are not known. Channels are numbered
/// as in [`crate::outcome::FabricOutcome::utilization`].
///
/// # Errors
///
/// Ways that depend on the load, or too many to follow.
pub fn loads(spec: &FabricSpec) -> Result<Vec<Parts>, &'static str> {
    follow(spec, false)
}

/// The same where ways depend on the load, as if all packets found the network empty: each channel
/// may get another part, all together get as much.
///
/// # Errors
///
/// Too many ways to follow.
pub fn loads_when_empty(spec: &FabricSpec) -> Result<Vec<Parts>, &'static str> {
    follow(spec, true)
}

fn follow(spec: &FabricSpec, is_empty: bool) -> Result<Vec<Parts>, &'static str> {
    let graph = &spec.graph;
    let destinations = Destinations::new(spec)?;
    let terminals = graph.inject.len() as u32;
    let pairs: u64 = (0..terminals)
        .map(|source| destinations.count(source))
        .sum();
    if pairs > STEPS_MAX {
        return Err(TOO_MANY);
    }
    let group = spec.classes.first().map_or(0, |class| class.lane_group);
    let groups = group.saturating_add(1);
    let routing = Routing::new(graph, spec.routing, spec.router.lanes, groups);
    let routing = routing.map_err(|_| "no routing")?;
    if routing.is_adaptive() && !is_empty {
        return Err("paths depend on the load");
    }
    if pairs.saturating_mul(routing.departures()) > STEPS_MAX {
        return Err(TOO_MANY);
    }
    let mut walker = Walker::new(graph, &routing, group);
    let mut all = Vec::with_capacity(graph.inject.len());
    for source in 0..terminals {
        destinations.visit(source, |destination, chance| {
            walker.follow(source, destination, chance)
        })?;
        all.push(walker.take());
    }
    Ok(all)
}

const TOO_MANY: &str = "too many paths to follow";

/// Where packets of each source go, with what chance.
enum Destinations<'a> {
    Everyone(u32),
    Others(u32),
    /// By source.
    Fixed(Vec<u32>),
    /// Chance of every terminal, the same for all sources.
    Same(Vec<f64>),
    /// By source: a weight for each terminal.
    Rows(&'a [Vec<f64>]),
}

impl<'a> Destinations<'a> {
    fn new(spec: &'a FabricSpec) -> Result<Destinations<'a>, &'static str> {
        let terminals = spec.graph.eject.len();
        let class = spec.classes.first().ok_or("no class")?;
        Ok(match &class.pattern {
            Pattern::Uniform { include_self: true } => Destinations::Everyone(terminals as u32),
            Pattern::Uniform { .. } => Destinations::Others(terminals as u32),
            Pattern::Hotspot { targets, share } => {
                let mut chances = vec![(1.0 - share) / terminals as f64; terminals];
                let sum: f64 = targets.iter().map(|(_, weight)| f64::from(*weight)).sum();
                for (target, weight) in targets {
                    let chance = chances.get_mut(*target as usize).ok_or("no such target")?;
                    *chance += share * f64::from(*weight) / sum;
                }
                Destinations::Same(chances)
            }
            Pattern::Matrix(rows)
                if rows.len() == terminals && rows.iter().all(|row| row.len() == terminals) =>
            {
                Destinations::Rows(rows)
            }
            Pattern::Matrix(_) => return Err("no such matrix"),
            Pattern::BitComplement
            | Pattern::BitReverse
            | Pattern::Shuffle
            | Pattern::Transpose
            | Pattern::Tornado
            | Pattern::Neighbour
            | Pattern::Permutation => Destinations::Fixed(drawn(spec)?),
        })
    }

    fn count(&self, source: u32) -> u64 {
        match self {
            Destinations::Everyone(count) => (*count).into(),
            Destinations::Others(count) => u64::from(*count) - 1,
            Destinations::Fixed(_) => 1,
            Destinations::Same(chances) => positive(chances),
            Destinations::Rows(rows) => positive(&rows[source as usize]),
        }
    }

    fn visit(
        &self,
        source: u32,
        mut each: impl FnMut(u32, f64) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        let mut weighted = |weights: &[f64]| {
            let sum: f64 = weights.iter().sum();
            let all = (0..).zip(weights).filter(|(_, weight)| **weight > 0.0);
            { all }.try_for_each(|(destination, weight)| each(destination, weight / sum))
        };
        match self {
            Destinations::Same(chances) => weighted(chances),
            Destinations::Rows(rows) => weighted(&rows[source as usize]),
            Destinations::Fixed(to) => each(to[source as usize], 1.0),
            Destinations::Everyone(count) => {
                (0..*count).try_for_each(|to| each(to, 1.0 / f64::from(*count)))
            }
            Destinations::Others(count) => (0..*count)
                .filter(|to| *to != source)
                .try_for_each(|to| each(to, 1.0 / f64::from(*count - 1))),
        }
    }
}

fn positive(weights: &[f64]) -> u64 {
    weights.iter().filter(|weight| **weight > 0.0).count() as u64
}

/// By source: the destination of a packet of it, drawn as the engine does. For patterns that have
/// one for each source.
fn drawn(spec: &FabricSpec) -> Result<Vec<u32>, &'static str> {
    let mut same = spec.clone();
    same.sources = Sources::One;
    for class in &mut same.classes {
        class.injection = Injection::Saturation;
    }
    let mut generator = Generator::new(&same).map_err(|_| "no traffic")?;
    (0..same.graph.inject.len() as u32)
        .map(|source| generator.pull(source).map(|born| born.destination))
        .collect::<Option<_>>()
        .ok_or("no traffic")
}

/// Follows packets and adds up what crosses each channel.
struct Walker<'a> {
    graph: &'a Graph,
    routing: &'a Routing,
    group: u8,
    /// By router: its first channel; one more at the end.
    first: Vec<u32>,
    /// By channel: the part of the source at hand; and where that is not 0.
    parts: Vec<f64>,
    touched: Vec<u32>,
    steps: u64,
}

impl<'a> Walker<'a> {
    fn new(graph: &'a Graph, routing: &'a Routing, group: u8) -> Walker<'a> {
        let mut first = vec![0; graph.routers as usize + 1];
        for channel in &graph.channels {
            first[channel.from as usize + 1] += 1;
        }
        for router in 0..graph.routers as usize {
            first[router + 1] += first[router];
        }
        let channels = graph.channels.len() + graph.inject.len() + graph.eject.len();
        Walker {
            graph,
            routing,
            group,
            first,
            parts: vec![0.0; channels],
            touched: Vec::new(),
            steps: 0,
        }
    }

    /// Adds `chance` to all channels on the way, evenly over what may be drawn at departure.
    fn follow(&mut self, source: u32, destination: u32, chance: f64) -> Result<(), &'static str> {
        let departures = self.routing.departures();
        let part = chance / departures as f64;
        let injection = self.graph.channels.len() as u32;
        let ejection = injection + self.graph.inject.len() as u32;
        for nth in 0..departures {
            let mut way = Way {
                destination,
                group: self.group,
                ..Way::default()
            };
            self.routing.depart_nth(&mut way, nth);
            self.add(injection + source, part)?;
            let mut router = self.graph.inject[source as usize];
            loop {
                let choice = self.routing.only_way(router, &mut way);
                let channel = self.first[router as usize] + u32::from(choice.port);
                if channel >= self.first[router as usize + 1] {
                    break;
                }
                self.add(channel, part)?;
                router = self.graph.channels[channel as usize].to;
            }
            self.add(ejection + destination, part)?;
        }
        Ok(())
    }

    fn add(&mut self, channel: u32, part: f64) -> Result<(), &'static str> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(TOO_MANY);
        }
        let sum = &mut self.parts[channel as usize];
        if *sum == 0.0 {
            self.touched.push(channel);
        }
        *sum += part;
        Ok(())
    }

    /// What was added, to begin the next source with nothing.
    fn take(&mut self) -> Parts {
        self.touched.sort_unstable();
        let parts = &mut self.parts;
        self.touched
            .drain(..)
            .map(|channel| (channel, core::mem::take(&mut parts[channel as usize])))
            .collect()
    }
}
