//! The topology: ways, round trips, and the room that stops need.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::{Duration, Rate};

use super::unit::{self, CONTROL_BYTES};
use crate::frames::headroom::{Sizes, Stop, wire_time};

/// Largest frame, bytes.
pub(super) const FRAME_BYTES: u32 = unit::FRAME_BYTES as u32;

/// Hosts first, then switches; links by the numbers of their nodes.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub nodes: Vec<String>,
    /// How many of the nodes are hosts.
    pub hosts: usize,
    pub links: Vec<Link>,
}

/// A link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub a: usize,
    pub b: usize,
    pub rate: Rate,
    pub delay: Duration,
}

impl Network {
    /// The channels of the way with the fewest links; ties go to the first link.
    pub fn path(&self, from: usize, to: usize) -> Option<Vec<u32>> {
        self.path_in(&self.ways_from(from), (from, to))
    }

    /// By node: the last channel of the way to it from a host.
    pub fn ways_from(&self, from: usize) -> Vec<Option<u32>> {
        let mut came: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut front = vec![from];
        let mut next = Vec::new();
        while !front.is_empty() {
            for &node in &front {
                if node < self.hosts && node != from {
                    continue;
                }
                for (channel, other) in self.leaving(node) {
                    if other != from && came[other].is_none() {
                        came[other] = Some(channel);
                        next.push(other);
                    }
                }
            }
            front = std::mem::take(&mut next);
        }
        came
    }

    /// [`Network::path`] by what [`Network::ways_from`] its first node found.
    pub fn path_in(&self, ways: &[Option<u32>], (from, to): (usize, usize)) -> Option<Vec<u32>> {
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let channel = ways[node]?;
            path.push(channel);
            node = self.sender(channel);
        }
        path.reverse();
        Some(path)
    }

    /// Channels that leave a node, and where they lead.
    fn leaving(&self, node: usize) -> impl Iterator<Item = (u32, usize)> + '_ {
        let links = (0u32..).zip(&self.links);
        links.flat_map(move |(index, link)| {
            let forward = (link.a == node).then_some((2 * index, link.b));
            let backward = (link.b == node).then_some((2 * index + 1, link.a));
            forward.into_iter().chain(backward)
        })
    }

    pub fn sender(&self, channel: u32) -> usize {
        let link = self.link(channel);
        if channel.is_multiple_of(2) {
            link.a
        } else {
            link.b
        }
    }

    /// The node that a channel leads to.
    pub fn receiver(&self, channel: u32) -> usize {
        self.sender(channel ^ 1)
    }

    pub fn link(&self, channel: u32) -> &Link {
        &self.links[channel as usize / 2]
    }

    /// From the first bit of a full frame to its answer's last, on an empty way.
    pub fn round_trip(&self, path: &[u32]) -> Duration {
        let links = path.iter().map(|channel| self.link(*channel));
        let one = links.map(|link| {
            let frame = wire_time(link.rate, FRAME_BYTES);
            link.delay + frame
        });
        one.fold(Duration::ZERO, |sum, own| sum + own) * 2
    }

    /// What the way holds in one round trip, bytes.
    pub fn held(&self, path: &[u32]) -> u64 {
        let rates = path.iter().map(|channel| self.link(*channel).rate);
        let least = rates.min().unwrap_or(Rate(1));
        u64::try_from(least.bits_in(self.round_trip(path)) / 8).unwrap_or(u64::MAX)
    }

    /// Time of so many bytes on the slowest link.
    pub fn slowest(&self, bytes: u64) -> Duration {
        let slowest = self.links.iter().map(|link| link.rate).min();
        slowest.unwrap_or(Rate(1)).serialization(bytes)
    }

    /// Room above the XOFF threshold of an input, by the link it comes over.
    pub fn input_room(&self, link: &Link) -> u64 {
        self.input_room_behind(link, 0)
    }

    /// The same where the stop may wait for so many control frames.
    fn input_room_behind(&self, link: &Link, frames: u64) -> u64 {
        let control = link.rate.serialization(CONTROL_BYTES);
        let stop = Stop {
            rate: link.rate,
            sizes: Sizes::any(FRAME_BYTES, unit::FRAME_LEAST_BYTES as u32),
            ahead: wire_time(link.rate, FRAME_BYTES),
            control,
            queued: Duration(control.0.saturating_mul(frames)),
            away: link.delay * 2,
            response: Duration::ZERO,
            cell_bytes: 1,
        };
        stop.bytes()
    }

    /// The same of the input that needs most.
    pub fn largest_input_room(&self) -> u64 {
        let rooms = self.links.iter().map(|link| self.input_room(link));
        rooms.max().unwrap_or(0)
    }

    /// Room above the XOFF threshold of the output queue that needs most: what all other links of
    /// its switch may bring.
    pub fn largest_output_room(&self) -> u64 {
        let mut most = 0;
        for switch in self.hosts..self.nodes.len() {
            let rooms: Vec<u64> = self
                .leaving(switch)
                .map(|(channel, _)| self.input_room(self.link(channel)))
                .collect();
            let least = rooms.iter().min().copied().unwrap_or(0);
            let all = rooms
                .iter()
                .fold(0, |sum: u64, room| sum.saturating_add(*room));
            most = most.max(all - least);
        }
        most
    }

    /// The same where a stop holds up the frames to one host, and one is sent for each: `ways`
    /// are channels one after another and the host they lead to.
    pub fn largest_output_room_by_host<'a>(
        &self,
        ways: impl Iterator<Item = (&'a [u32], usize)>,
    ) -> u64 {
        let mut hosts = BTreeSet::new();
        for (path, to) in ways {
            let turns = path.windows(2).map(|turn| (turn[1], turn[0], to));
            hosts.extend(turns);
        }
        // A switch has a stop for each of these.
        let mut stops: BTreeMap<usize, BTreeSet<(u32, usize)>> = BTreeMap::new();
        for (output, _, to) in &hosts {
            let own = stops.entry(self.sender(*output)).or_default();
            own.insert((*output, *to));
        }
        let mut rooms = BTreeMap::new();
        for (output, input, _) in hosts {
            let others = stops[&self.sender(output)].len() as u64 - 1;
            let room = self.input_room_behind(self.link(input), others);
            let sum: &mut u64 = rooms.entry(output).or_insert(0);
            *sum = sum.saturating_add(room);
        }
        rooms.into_values().max().unwrap_or(0)
    }

    /// Ports of a node.
    pub fn ports(&self, node: usize) -> u64 {
        self.leaving(node).count() as u64
    }

    /// Names of the nodes along channels, first and last included.
    pub fn names(&self, path: &[u32]) -> Vec<String> {
        let first = path.first().map(|channel| self.sender(*channel));
        let rest = path.iter().map(|channel| self.receiver(*channel));
        let nodes = first.into_iter().chain(rest);
        nodes.map(|node| self.nodes[node].clone()).collect()
    }
}
