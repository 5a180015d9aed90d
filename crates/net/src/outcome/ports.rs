//! What was measured of ports: queues, waiting, utilization in windows, bursts.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Samples, Time};

/// What a [`Ports`](crate::probe::Ports) probe found after the warm-up.
#[derive(Clone, Debug, Default)]
pub struct PortsOutcome {
    /// How far the run got.
    pub ended_at: Time,
    /// Time measured: from the end of the warm-up to `ended_at`.
    pub span: Duration,
    /// Windows over which utilization is averaged.
    pub window: Duration,
    /// The sending port of each channel, by channel.
    pub channels: Vec<PortOutcome>,
    /// By leg: what its units waited at its port, in ps, from joining the queue to the start of
    /// the transmission; of units that started after the warm-up.
    pub legs: Vec<Samples>,
    /// Each flow to each of its destinations, in the order of flows and their legs.
    pub paths: Vec<PathOutcome>,
    /// By flow.
    pub flows: Vec<FlowPorts>,
}

/// One sending port. Only data counts; control units are not in the queue.
#[derive(Clone, Debug, Default)]
pub struct PortOutcome {
    /// Queue length that arrivals found, in units: those that waited, the one in transmission
    /// and the newcomer itself.
    pub queue: Samples,
    /// Time average of the same length, in units.
    pub queue_mean: f64,
    /// Its maximum.
    pub queue_max: u64,
    /// Sum over the units that waited of the time they did, in ps: the integral over time of the
    /// queue without the unit in transmission.
    pub waiting_unit_ps: u128,
    /// Time spent sending data.
    pub busy: Duration,
    /// Windows that have passed.
    pub windows: u64,
    /// Mean over the windows of the share of time spent sending data.
    pub utilization_mean: f64,
    /// Standard deviation of the same.
    pub utilization_deviation: f64,
}

/// One flow to one destination.
#[derive(Clone, Debug, Default)]
pub struct PathOutcome {
    /// Flow (index).
    pub flow: u32,
    /// Its last leg (index in [`Outcome::legs`](super::Outcome::legs)).
    pub leg: u32,
    /// Switches on the way.
    pub switches: u32,
    /// Bytes delivered after the warm-up.
    pub bytes: u64,
    /// Waiting end to end, in ps, of units delivered after the warm-up: the sum of what a unit
    /// waited at all ports (and for its sink). It is the delay without what the unit would have
    /// taken on empty links.
    pub wait: Samples,
}

/// Paths taken together.
#[derive(Clone, Debug, Default)]
pub struct PathGroup {
    /// How many: a flow counts once for each destination in the group.
    pub paths: u64,
    /// Bytes delivered after the warm-up, over all of them.
    pub bytes: u64,
    /// Waiting end to end, in ps, of all their units.
    pub wait: Samples,
}

/// What a flow asked of its first port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FlowPorts {
    /// Flows with a reservation: the largest burst that joined the queue of the first port, as
    /// the time it takes at the reserved rate, the unit that completes it included. The largest
    /// over units k of GRC(k) - arrival(k), with GRC(k) = max(arrival(k), GRC(k - 1)) +
    /// bytes(k) / rate. Of the whole run: a unit delivered after the warm-up may have come
    /// behind a burst before it.
    pub burst_seen: Option<Duration>,
    /// The same in bytes, to the nearest.
    pub burst_seen_bytes: Option<u64>,
}

impl PortsOutcome {
    /// Paths with the same `key` taken together, in the order of keys.
    pub fn groups<K: Ord>(&self, key: impl Fn(&PathOutcome) -> K) -> BTreeMap<K, PathGroup> {
        let mut groups = BTreeMap::new();
        for path in &self.paths {
            let group: &mut PathGroup = groups.entry(key(path)).or_default();
            group.paths += 1;
            group.bytes += path.bytes;
            group.wait.merge(&path.wait);
        }
        groups
    }

    /// Paths by the number of switches on the way.
    pub fn by_switches(&self) -> BTreeMap<u32, PathGroup> {
        self.groups(|path| path.switches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(flow: u32, switches: u32, waits: &[u64]) -> PathOutcome {
        let mut wait = Samples::default();
        waits.iter().for_each(|&ps| wait.record(ps));
        PathOutcome {
            flow,
            switches,
            bytes: 10 * waits.len() as u64,
            wait,
            ..PathOutcome::default()
        }
    }

    #[test]
    fn groups_weigh_units_not_flows() {
        let outcome = PortsOutcome {
            paths: [
                path(0, 2, &[1, 1, 1]),
                path(1, 3, &[9]),
                path(2, 2, &[5]),
                path(3, 3, &[]),
            ]
            .into(),
            ..PortsOutcome::default()
        };
        let groups = outcome.by_switches();
        let found = |switches: u32| {
            let group = &groups[&switches];
            (group.paths, group.bytes, group.wait.mean())
        };
        assert_eq!((found(2), found(3)), ((2, 40, 2.0), (2, 10, 9.0)));
        assert_eq!(groups[&2].wait.deviation(), 2.0);
        assert_ne!(found(2).2, (1.0 + 5.0) / 2.0, "a mean of means");
        let by_flow = outcome.groups(|path| path.flow / 3);
        assert_eq!(by_flow.values().map(|group| group.paths).sum::<u64>(), 4);
        assert_eq!(by_flow[&0].wait.count(), 5);
    }
}
