//! How the flows that crossed a cut link come back.
//!
//! For an outage from `a` to `b` of length L (at least 1 ms) the rate before is what was delivered
//! in `[a - L, a)`. A window of W = L / 10 (at least 1 ms) slides behind the repair: the first
//! instant `t` at which `(t - W, t]` brought at least 90 % of that rate ends the recovery. `t` is
//! not before `b` + s, where s is propagation and handling of the cut channel and of all behind
//! it: what comes sooner was sent before the outage, and tells nothing of it. Units that wait
//! behind the cut may still fill a window after that, if there are many of them.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration, Time};

use super::Probe;
use crate::network::owners::{Divided, Own, take_over};
use crate::outcome::{FlowRecovery, OutageOutcome, RecoveryOutcome};
use crate::spec::{FlowSpec, NetworkSpec, OutageSpec};

/// Shortest window, ps.
const LEAST_PS: u64 = 1_000_000_000;

/// Watches the flows that cross links which are cut.
#[derive(Clone)]
pub struct Recovery {
    outages: Vec<OutageOutcome>,
    watches: Vec<Watch>,
    /// Indices of watches, by leg; of last legs only.
    by_leg: Vec<Vec<u32>>,
}

/// One flow around one outage.
#[derive(Clone)]
struct Watch {
    outage: usize,
    flow: u32,
    /// Measured before the outage, from and until.
    before: (Time, Time),
    before_bytes: u64,
    /// The window behind the repair ends here or later.
    from: Time,
    window: Duration,
    /// What came within the window.
    recent: VecDeque<(Time, u32)>,
    recent_bytes: u64,
    has_looked: bool,
    back_at: Option<Time>,
}

impl Recovery {
    /// A probe of `network`.
    pub fn new(network: &NetworkSpec) -> Recovery {
        let legs = network.flows.iter().map(|flow| flow.legs.len()).sum();
        let mut recovery = Recovery {
            outages: outages(&network.outages),
            watches: Vec::new(),
            by_leg: vec![Vec::new(); legs],
        };
        for index in 0..recovery.outages.len() {
            let mut base = 0;
            for (id, flow) in network.flows.iter().enumerate() {
                recovery.watch(network, index, (id as u32, flow), base);
                base += flow.legs.len();
            }
        }
        recovery
    }

    /// Watches a flow whose first leg is `base` around an outage, if it crosses what is cut.
    fn watch(
        &mut self,
        network: &NetworkSpec,
        index: usize,
        (id, flow): (u32, &FlowSpec),
        base: usize,
    ) {
        let outage = &self.outages[index];
        let behind = behind(network, flow, outage);
        let Some(way) = behind.iter().map(|&(_, way)| way).min() else {
            return;
        };
        let length_ps = outage.until.since(outage.from).ps().max(LEAST_PS);
        let before = Time(outage.from.ps().saturating_sub(length_ps));
        for &(leg, _) in &behind {
            self.by_leg[base + leg].push(self.watches.len() as u32);
        }
        self.watches.push(Watch {
            outage: index,
            flow: id,
            before: (before, outage.from),
            before_bytes: 0,
            from: outage.until + way,
            window: Duration((length_ps / 10).max(LEAST_PS)),
            recent: VecDeque::new(),
            recent_bytes: 0,
            has_looked: false,
            back_at: None,
        });
    }

    /// What was found until `ended_at`.
    pub fn outcome(&self, ended_at: Time) -> RecoveryOutcome {
        let mut outages = self.outages.clone();
        for watch in &self.watches {
            let outage = &mut outages[watch.outage];
            let back_at = watch.back_at.or_else(|| {
                let is_back = ended_at >= watch.from && watch.is_back(watch.at_first_look());
                (is_back && !watch.has_looked).then_some(watch.from)
            });
            outage.flows.push(FlowRecovery {
                flow: watch.flow,
                before_bps: watch.before_bps(),
                recovered_after: back_at.map(|at| at.since(outage.until)),
            });
        }
        RecoveryOutcome { outages }
    }
}

/// Outages, those of both channels of a link at the same time as one.
fn outages(specs: &[OutageSpec]) -> Vec<OutageOutcome> {
    let mut outages: Vec<OutageOutcome> = Vec::new();
    for spec in specs {
        let twin = outages.iter_mut().find(|outage| {
            let is_same_time = outage.from == spec.from && outage.until == spec.until;
            is_same_time && outage.channel == spec.channel ^ 1
        });
        match twin {
            Some(twin) => twin.is_both_ways = true,
            None => outages.push(OutageOutcome {
                channel: spec.channel,
                is_both_ways: false,
                from: spec.from,
                until: spec.until,
                flows: Vec::new(),
            }),
        }
    }
    outages
}

/// Last legs of a flow behind what is cut, and the least time from the start of a bit on the cut
/// channel to its destination there.
fn behind(
    network: &NetworkSpec,
    flow: &FlowSpec,
    outage: &OutageOutcome,
) -> Vec<(usize, Duration)> {
    let is_cut = |channel: u32| {
        channel == outage.channel || outage.is_both_ways && channel == outage.channel ^ 1
    };
    let latency = |channel: u32| {
        let channel = network.links.channel(channel);
        channel.delay + channel.handling
    };
    let is_parent = |leg: usize| flow.legs.iter().any(|one| one.parent == Some(leg as u32));
    let mut found = Vec::new();
    for last in (0..flow.legs.len()).filter(|&leg| !is_parent(leg)) {
        let (mut way, mut next) = (Duration::ZERO, Some(last as u32));
        while let Some(leg) = next {
            let leg = &flow.legs[leg as usize];
            way = way + latency(leg.channel);
            if is_cut(leg.channel) {
                found.push((last, way));
                break;
            }
            next = leg.parent;
        }
    }
    found
}

impl Watch {
    fn on_delivered(&mut self, at: Time, bytes: u32) {
        if at >= self.before.0 && at < self.before.1 {
            self.before_bytes += bytes as u64;
        }
        if self.back_at.is_some() || at + self.window <= self.from {
            return;
        }
        if at > self.from && !self.has_looked {
            self.has_looked = true;
            if self.is_back(self.at_first_look()) {
                self.back_at = Some(self.from);
                return;
            }
        }
        self.recent.push_back((at, bytes));
        self.recent_bytes += bytes as u64;
        while let Some(&(old, bytes)) = self.recent.front()
            && old + self.window <= at
        {
            self.recent.pop_front();
            self.recent_bytes -= bytes as u64;
        }
        if at >= self.from && self.is_back(self.recent_bytes) {
            self.back_at = Some(at);
        }
    }

    /// What came within the first window that is looked at.
    fn at_first_look(&self) -> u64 {
        let within = self.recent.iter();
        within
            .filter(|(at, _)| *at + self.window > self.from)
            .map(|&(_, bytes)| bytes as u64)
            .sum()
    }

    /// So many bytes within a window are at least 90 % of the rate before.
    fn is_back(&self, bytes: u64) -> bool {
        let long_ps = self.before.1.since(self.before.0).ps() as u128;
        let least = 9 * self.before_bytes as u128 * self.window.ps() as u128;
        self.before_bytes > 0 && 10 * bytes as u128 * long_ps >= least
    }

    fn before_bps(&self) -> f64 {
        let span = self.before.1.since(self.before.0).ps().max(1) as f64;
        self.before_bytes as f64 * 8e12 / span
    }
}

impl Probe for Recovery {
    const IN_ALL_FORMS: bool = true;

    fn on_delivered(&mut self, at: Time, leg: u32, _born: Time, bytes: u32) {
        for &watch in &self.by_leg[leg as usize] {
            self.watches[watch as usize].on_delivered(at, bytes);
        }
    }
}

/// A flow's destinations are in one part.
impl Divided for Recovery {
    fn join(&mut self, other: &Recovery, own: Own<'_>) {
        let flows: Vec<u32> = self.watches.iter().map(|watch| watch.flow).collect();
        take_over(&mut self.watches, &other.watches, |at| {
            own.has_destination(flows[at] as usize)
        });
    }
}

#[cfg(test)]
mod tests;
