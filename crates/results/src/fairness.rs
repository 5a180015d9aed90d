//! Max-min fair shares by water filling, and Jain's index.
//!
//! All flows rise together from 0. A flow stops when it has what it wants, or when a channel on
//! its way is full; then the others rise on (Bertsekas and Gallager, Data Networks, section
//! 6.5.2). In the end nobody can get more without taking from one that has no more than he.
//!
//! Two things go beyond the textbook:
//!
//! - *Groups.* Flows of a lower group fill the network first; the next group gets what is left.
//! - *Echoes.* Some of what a flow sends comes back on other channels: backward RM cells, credit
//!   units. They are not the flow's own load there and do not stop it, they make these channels
//!   smaller for all who cross them. How much depends on the rates, so the filling is repeated
//!   with the echoes of the rates before, until these stand still. Were they part of the flow's
//!   load instead, a channel full of others would stop a flow that only has answers there.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

mod shown;
#[cfg(test)]
pub(crate) mod tests;

pub use shown::{FairRow, FairShares, Rates};

/// What limits a flow that sends no more than its window per round trip.
pub(crate) const WINDOW: &str = "its window";
/// What was assumed of it.
pub(crate) const WINDOW_NOTE: &str =
    "a window counts once a round trip without queues: behind queues less gets through";
/// Echoes that change by less than this share of the largest capacity stand still.
const SETTLED: f64 = 1e-9;
/// Fillings at most.
const ROUNDS: u32 = 500;

/// What a flow wants of the network.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Claim {
    /// Channels it crosses (all those of its tree), and what its rate is multiplied by there.
    pub loads: Vec<(u32, f64)>,
    /// Most that it can use, bps; infinite without limit.
    pub demand: f64,
    /// The rate of another claim (by index), times a factor, adds to its demand.
    pub carries: Option<(usize, f64)>,
    /// Groups fill the network in ascending order.
    pub group: u32,
    /// Other channels, and what part of its rate comes back there.
    pub echoes: Vec<(u32, f64)>,
}

/// What stops a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Limit {
    /// It has what it wants.
    #[default]
    Demand,
    /// This channel is full.
    Channel(u32),
}

/// Max-min fair rates.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Allocation {
    /// By claim, bps.
    pub rates: Vec<f64>,
    /// By claim.
    pub limits: Vec<Limit>,
    /// By channel: echoes, bps.
    pub background: Vec<f64>,
    /// The echoes stand still; else the last of many fillings is given.
    pub is_settled: bool,
}

impl Allocation {
    /// What stops a claim, in words; channels have these names.
    pub fn limit(&self, claim: usize, name: impl Fn(u32) -> String) -> String {
        match self.limits[claim] {
            Limit::Demand => "its demand".into(),
            Limit::Channel(channel) => name(channel),
        }
    }
}

/// The max-min fair allocation of `capacity` (bps, by channel) to `claims`. Channels that are not
/// there are passed over.
pub fn max_min(capacity: &[f64], claims: &[Claim]) -> Allocation {
    let scale = capacity.iter().copied().fold(1.0, f64::max);
    let mut background = vec![0.0; capacity.len()];
    let mut demands: Vec<f64> = claims.iter().map(|claim| claim.demand).collect();
    // A step below 1 calms echoes that swing: as large as what provokes them.
    let (mut step, mut change_before) = (1.0, f64::INFINITY);
    for round in 1.. {
        let (rates, limits) = fill(capacity, claims, &demands, &background);
        let echoes = echoes(capacity.len(), claims, &rates);
        let mut change = 0.0_f64;
        for (old, new) in background.iter_mut().zip(&echoes) {
            change = change.max((new - *old).abs());
            *old += step * (new - *old);
        }
        for (index, claim) in claims.iter().enumerate() {
            let carried = claim.carries.map_or(0.0, |(of, part)| {
                rates.get(of).copied().unwrap_or(0.0) * part
            });
            let new = claim.demand + carried;
            if new.is_finite() {
                change = change.max((new - demands[index]).abs());
                demands[index] += step * (new - demands[index]);
            }
        }
        let is_settled = change < SETTLED * scale;
        if is_settled || round >= ROUNDS {
            return Allocation {
                rates,
                limits,
                background: echoes,
                is_settled,
            };
        }
        if change > 0.5 * change_before {
            step = f64::max(step * 0.5, 0.125);
        }
        change_before = change;
    }
    unreachable!("the loop ends after ROUNDS")
}

/// What comes back on each channel at these rates.
fn echoes(channels: usize, claims: &[Claim], rates: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; channels];
    for (claim, rate) in claims.iter().zip(rates) {
        for (channel, part) in &claim.echoes {
            if let Some(sum) = sum.get_mut(*channel as usize) {
                *sum += rate * part;
            }
        }
    }
    sum
}

/// One filling, group after group.
fn fill(
    capacity: &[f64],
    claims: &[Claim],
    demands: &[f64],
    background: &[f64],
) -> (Vec<f64>, Vec<Limit>) {
    let mut water = Water {
        claims,
        demands,
        left: capacity
            .iter()
            .zip(background)
            .map(|(all, taken)| (all - taken).max(0.0))
            .collect(),
        weight: vec![0.0; capacity.len()],
        members: vec![Vec::new(); capacity.len()],
        open: vec![0; capacity.len()],
        rates: vec![None; claims.len()],
        limits: vec![Limit::Demand; claims.len()],
    };
    let groups: BTreeSet<u32> = claims.iter().map(|claim| claim.group).collect();
    for group in groups {
        water.fill_group(group);
    }
    let rates = water.rates.iter().map(|rate| rate.unwrap_or(0.0)).collect();
    (rates, water.limits)
}

/// A level of the water at which something happens; ordered, so that ties repeat.
#[derive(Clone, Copy, PartialEq)]
struct Level(f64);

impl Eq for Level {}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Level) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Level {
    fn cmp(&self, other: &Level) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// What happens there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// This claim has what it wants.
    Content(usize),
    /// This channel is full.
    Full(usize),
}

type Events = BinaryHeap<Reverse<(Level, Event)>>;

struct Water<'a> {
    claims: &'a [Claim],
    demands: &'a [f64],
    /// By channel: what is left.
    left: Vec<f64>,
    /// By channel: the weights of claims that still rise, how many, and all of the group.
    weight: Vec<f64>,
    open: Vec<u32>,
    members: Vec<Vec<usize>>,
    rates: Vec<Option<f64>>,
    limits: Vec<Limit>,
}

impl Water<'_> {
    fn fill_group(&mut self, group: u32) {
        let mut events = Events::new();
        let mut channels = Vec::new();
        for (index, claim) in self.claims.iter().enumerate() {
            if claim.group != group {
                continue;
            }
            if self.demands[index].is_finite() || claim.loads.is_empty() {
                let level = Level(self.demands[index].max(0.0));
                events.push(Reverse((level, Event::Content(index))));
            }
            for (channel, weight) in &claim.loads {
                let channel = *channel as usize;
                if *weight > 0.0 && channel < self.left.len() {
                    self.weight[channel] += weight;
                    self.open[channel] += 1;
                    self.members[channel].push(index);
                    channels.push(channel);
                }
            }
        }
        channels.sort_unstable();
        channels.dedup();
        for &channel in &channels {
            events.push(Reverse((self.level(channel), Event::Full(channel))));
        }
        let mut reached = 0.0;
        while let Some(Reverse((Level(level), event))) = events.pop() {
            match event {
                Event::Content(index) => self.stop(index, level, Limit::Demand),
                Event::Full(channel) if self.open[channel] > 0 => {
                    // Others have stopped since it was noted: it may hold more.
                    let now = self.level(channel);
                    if now > Level(level) {
                        events.push(Reverse((now, event)));
                        continue;
                    }
                    reached = f64::max(reached, level);
                    for index in std::mem::take(&mut self.members[channel]) {
                        self.stop(index, reached, Limit::Channel(channel as u32));
                    }
                    // What rounding leaves is no share of the next group's.
                    self.left[channel] = 0.0;
                }
                Event::Full(_) => {}
            }
            reached = f64::max(reached, level);
        }
        for channel in channels {
            self.members[channel].clear();
            (self.weight[channel], self.open[channel]) = (0.0, 0);
        }
    }

    /// Where `channel` is full if nobody on it stops before.
    fn level(&self, channel: usize) -> Level {
        match self.open[channel] {
            0 => Level(f64::INFINITY),
            _ => Level(self.left[channel].max(0.0) / self.weight[channel]),
        }
    }

    fn stop(&mut self, index: usize, level: f64, limit: Limit) {
        if self.rates[index].is_some() || !level.is_finite() {
            return;
        }
        self.rates[index] = Some(level);
        self.limits[index] = limit;
        for (channel, weight) in &self.claims[index].loads {
            let channel = *channel as usize;
            if *weight > 0.0 && channel < self.left.len() {
                self.left[channel] -= weight * level;
                self.weight[channel] -= weight;
                self.open[channel] -= 1;
            }
        }
    }
}

/// Jain's index (Jain, Chiu and Hawe 1984), (sum x)^2 / (n sum x^2): 1 where all are equal, 1/n
/// where one has all. Nothing of nothing is even.
pub fn jain(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    if squares > 0.0 {
        sum * sum / (squares * rates.len() as f64)
    } else {
        1.0
    }
}
