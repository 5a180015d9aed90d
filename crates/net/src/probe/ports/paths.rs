//! Waiting from end to end, by destination.

use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration, Rate, Samples, Time};

use crate::network::owners::{Divided, Own};
use crate::outcome::PathOutcome;
use crate::probe::Probe;
use crate::spec::{ChannelSpec, FlowSpec, NetworkSpec, NodeKind, Timing};

/// Measures what units waited from end to end, after the warm-up: the delay without what the same
/// unit would have taken on empty links.
#[derive(Clone)]
pub struct PathWaits {
    warm_up: Time,
    paths: Vec<Path>,
    /// Path that ends with each leg; `NO_PATH` for legs that others follow.
    by_leg: Vec<u32>,
}

const NO_PATH: u32 = u32::MAX;

/// The way of a flow to one destination.
#[derive(Clone)]
struct Path {
    found: PathOutcome,
    /// Propagation and handling over all channels.
    latency: Duration,
    /// Of the channels that store a unit before they hand it on.
    rates: Vec<Rate>,
    last_bytes: u32,
    last_empty: Duration,
}

impl PathWaits {
    /// A probe of `network`.
    pub fn new(network: &NetworkSpec) -> PathWaits {
        let mut waits = PathWaits {
            warm_up: network.warm_up,
            paths: Vec::new(),
            by_leg: Vec::new(),
        };
        for (id, flow) in network.flows.iter().enumerate() {
            for leg in 0..flow.legs.len() {
                let goes_on = flow.legs.iter().any(|one| one.parent == Some(leg as u32));
                let path = if goes_on {
                    NO_PATH
                } else {
                    waits.paths.len() as u32
                };
                if !goes_on {
                    let leg_id = waits.by_leg.len() as u32;
                    let path = Path::new(network, flow, leg, (id as u32, leg_id));
                    waits.paths.push(path);
                }
                waits.by_leg.push(path);
            }
        }
        waits
    }

    /// What was found so far.
    pub fn outcome(&self) -> Vec<PathOutcome> {
        self.paths.iter().map(|path| path.found.clone()).collect()
    }

    /// Waiting of all units delivered so far, in ps.
    pub fn total(&self) -> Samples {
        let mut total = Samples::default();
        for path in &self.paths {
            total.merge(&path.found.wait);
        }
        total
    }
}

impl Probe for PathWaits {
    const IN_ALL_FORMS: bool = true;

    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, bytes: u32) {
        let path = self.by_leg[leg as usize];
        if at >= self.warm_up && path != NO_PATH {
            let path = &mut self.paths[path as usize];
            let wait_ps = at.since(born).ps().saturating_sub(path.empty(bytes).ps());
            path.found.bytes += u64::from(bytes);
            path.found.wait.record(wait_ps);
        }
    }
}

impl Divided for PathWaits {
    fn join(&mut self, other: &PathWaits, own: Own<'_>) {
        let paths = self.paths.iter_mut().zip(&other.paths);
        for (path, other) in paths.filter(|(path, _)| own.has_receiver(path.found.leg as usize)) {
            path.found.clone_from(&other.found);
        }
    }
}

impl Path {
    /// The way that ends with leg `last` of `flow`; `ids` are those of the flow and that leg.
    fn new(network: &NetworkSpec, flow: &FlowSpec, last: usize, ids: (u32, u32)) -> Path {
        let is_switch = |node: u32| network.nodes[node as usize].kind == NodeKind::Switch;
        let mut path = Path {
            found: PathOutcome {
                flow: ids.0,
                leg: ids.1,
                switches: u32::from(is_switch(flow.source)),
                ..PathOutcome::default()
            },
            latency: Duration::ZERO,
            rates: Vec::new(),
            last_bytes: 0,
            last_empty: Duration::ZERO,
        };
        let mut next = Some(last as u32);
        while let Some(leg) = next {
            let leg = &flow.legs[leg as usize];
            let (channel, to) = channel(network, leg.channel);
            path.found.switches += u32::from(is_switch(to));
            path.latency = path.latency + channel.delay + channel.handling;
            if channel.timing == Timing::StoreAndForward {
                path.rates.push(channel.rate);
            }
            next = leg.parent;
        }
        path.last_empty = path.latency;
        path
    }

    /// What a unit takes on empty links.
    fn empty(&mut self, bytes: u32) -> Duration {
        if bytes != self.last_bytes {
            let rates = self.rates.iter();
            let stored = rates.map(|rate| rate.serialization(u64::from(bytes)));
            self.last_empty = stored.fold(self.latency, |sum, one| sum + one);
            self.last_bytes = bytes;
        }
        self.last_empty
    }
}

/// A channel and the node it ends at.
pub fn channel(network: &NetworkSpec, channel: u32) -> (&ChannelSpec, u32) {
    (
        network.links.channel(channel),
        network.links.ends(channel).1,
    )
}
