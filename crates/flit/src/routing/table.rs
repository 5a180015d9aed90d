//! Shortest paths from a table: Dijkstra, "A Note on Two Problems in Connexion with Graphs", 1959.
//!
//! A path is as long as the latencies of its channels together. Among equally short ones a router
//! takes the lowest port.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use super::Hop;
use crate::route::Way;
use crate::spec::Graph;

/// Most entries: routers times routers with terminals.
const ENTRIES_MAX: u64 = 1 << 26;
/// The port where there is none: at the destination, and where no path leads there.
const NONE: u16 = u16::MAX;
const FAR: u64 = u64::MAX;

#[derive(Clone, Debug)]
pub(super) struct Table {
    /// By terminal: where the part of its router starts in `ports`.
    starts: Vec<u32>,
    /// By router with terminals, then by router: output port.
    ports: Vec<u16>,
}

impl Table {
    pub(super) fn new(graph: &Graph) -> Result<Table, BuildError> {
        let mut homes = graph.eject.clone();
        homes.sort_unstable();
        homes.dedup();
        let entries = homes.len() as u64 * u64::from(graph.routers);
        if entries > ENTRIES_MAX {
            return Err(BuildError(format!(
                "a table for {} routers, {} of them with terminals, has {entries} entries: \
                 allowed are {ENTRIES_MAX}",
                graph.routers,
                homes.len()
            )));
        }
        let inbound = Inbound::new(graph);
        let mut ports = Vec::with_capacity(entries as usize);
        for home in &homes {
            let distances = inbound.distances(*home);
            if let Some(router) = graph.inject.iter().find(|r| distances[**r as usize] == FAR) {
                return Err(BuildError(format!(
                    "no path from router {} to {}: all terminals must reach each other",
                    name(graph, *router),
                    name(graph, *home)
                )));
            }
            push_ports(graph, &distances, &mut ports);
        }
        let start = |router: &u32| {
            let index = homes.partition_point(|home| home < router) as u32;
            index * graph.routers
        };
        let starts = graph.eject.iter().map(start).collect();
        Ok(Table { starts, ports })
    }

    #[inline]
    pub(super) fn next(&self, router: u32, way: &Way) -> Option<Hop> {
        let start = self.starts[way.destination as usize];
        let port = self.ports[(start + router) as usize];
        (port != NONE).then_some(Hop { port, class: 0 })
    }
}

fn name(graph: &Graph, router: u32) -> alloc::string::String {
    match graph.names.get(router as usize) {
        Some(name) => name.clone(),
        None => format!("{router}"),
    }
}

/// Appends the port that each router takes, given all distances.
fn push_ports(graph: &Graph, distances: &[u64], ports: &mut Vec<u16>) {
    let start = ports.len();
    ports.resize(start + distances.len(), NONE);
    let mut port = 0;
    let mut before = 0;
    for channel in &graph.channels {
        port = if channel.from == before { port } else { 0 };
        before = channel.from;
        let (here, there) = (
            distances[channel.from as usize],
            distances[channel.to as usize],
        );
        let entry = &mut ports[start + channel.from as usize];
        let nearer = there != FAR && here == there + u64::from(channel.latency);
        if *entry == NONE && nearer {
            *entry = port;
        }
        // A sound graph has at most 65,535 ports at a router.
        port += 1;
    }
}

/// The channels into each router.
struct Inbound {
    /// By router: where its channels start in `channels`; one more at the end.
    starts: Vec<u32>,
    /// Sender and latency.
    channels: Vec<(u32, u16)>,
    latency_most: u16,
}

impl Inbound {
    fn new(graph: &Graph) -> Inbound {
        let mut starts = vec![0u32; graph.routers as usize + 1];
        for channel in &graph.channels {
            starts[channel.to as usize + 1] += 1;
        }
        for router in 0..graph.routers as usize {
            starts[router + 1] += starts[router];
        }
        let mut next = starts.clone();
        let mut channels = vec![(0, 0); graph.channels.len()];
        for channel in &graph.channels {
            let slot = &mut next[channel.to as usize];
            channels[*slot as usize] = (channel.from, channel.latency);
            *slot += 1;
        }
        let latency_most = graph.channels.iter().map(|c| c.latency).max().unwrap_or(1);
        Inbound {
            starts,
            channels,
            latency_most,
        }
    }

    /// Cycles from every router to `home`; [`FAR`] where no path leads there.
    ///
    /// Routers wait in a ring of lists, by distance. No channel is as long as the ring, so all
    /// that is in a list has the same distance, but for what was found a shorter way since.
    fn distances(&self, home: u32) -> Vec<u64> {
        let mut distances = vec![FAR; self.starts.len() - 1];
        let length = u64::from(self.latency_most) + 1;
        let mut ring: Vec<Vec<u32>> = vec![Vec::new(); length as usize];
        distances[home as usize] = 0;
        ring[0].push(home);
        let mut waiting = 1u64;
        let mut now = 0u64;
        while waiting > 0 {
            while let Some(router) = ring[(now % length) as usize].pop() {
                waiting -= 1;
                if distances[router as usize] != now {
                    continue;
                }
                let start = self.starts[router as usize] as usize;
                let end = self.starts[router as usize + 1] as usize;
                for (from, latency) in &self.channels[start..end] {
                    let distance = now + u64::from(*latency);
                    if distance < distances[*from as usize] {
                        distances[*from as usize] = distance;
                        ring[(distance % length) as usize].push(*from);
                        waiting += 1;
                    }
                }
            }
            now += 1;
        }
        distances
    }
}
