//! A second, slow and obvious implementation of the cycle engine, to check `flit` against. For
//! tests only.
//!
//! One object per flit, queues, linear scans, one loop per cycle: deliveries, births, lane
//! allocation, moves, arrivals. Every cycle ends with the laws that must hold (see `check`).
//! [`run`] gives every delivery, [`run_logged`] every flit on every channel too,
//! [`first_difference`] says where two runs part, [`random_spec`] makes networks to compare on.
//!
//! # Shared with the engine
//!
//! Topologies, routing (`backwater_flit::routing`) and the generator of traffic
//! (`backwater_flit::traffic`): a mistake there is one in both engines, and tests of its own have
//! to find it.
//!
//! # Choices
//!
//! Where the rules leave something open, this module decides:
//!
//! 1. **Random ways.** The n-th packet born at source `s` (terminal times sources per terminal
//!    plus its index) gets the n-th number of the stream (seed, `s`, routing), whether its
//!    routing draws or not.
//! 2. **Births** in cycle t: after the deliveries of t (by destination) come the processes due, by
//!    number, one that is due again at t at once; then the answers to deliveries, in the order
//!    of these; then vacant source lanes are filled, by terminal and lane.
//! 3. **The end.** A run of n cycles reports what is delivered in cycles below n.
//! 4. **Output buffers**: a credit is taken, and a lane released by its tail, when the switch puts
//!    the flit into the buffer. Flits count as crossing, and an ejection lane drains, from
//!    leaving the buffer. A lane whose output buffer is full makes no request in that pass.
//! 5. **Earliest in a switch**: inputs and outputs compare ports by the smallest key among the
//!    lanes in question; among equals the lowest port, then the lowest lane.
//! 6. **Matching**: output-first is iSLIP with one iteration. All three pointers (of the output,
//!    of the input over outputs, of the input over lanes) move only with what the first
//!    iteration of a pass matches.
//! 7. **Cut-through** counts credits that a flit leaving in this cycle could use.
//! 8. **Credit delay 0** needs an acyclic graph of routers.
//! 9. **Random arbiters** draw from one stream of their own: compare distributions, not runs.

mod allocate;
mod arbiter;
mod births;
mod check;
mod compare;
mod matching;
mod moves;
mod network;
mod order;
mod random;
#[cfg(test)]
mod tests;

pub use crate::compare::first_difference;
pub use random::random_spec;

use backwater_flit::spec::FabricSpec;
use backwater_kernel::{BuildError, TraceHash};

/// A packet that reached its destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Terminal it comes from.
    pub source: u32,
    /// Terminal it went to.
    pub destination: u32,
    /// Index of its class.
    pub class: u8,
    /// Flits.
    pub length: u16,
    /// Cycle of its birth.
    pub birth: u64,
    /// Cycle in which its header left the source.
    pub entered: u64,
    /// Cycle in which its tail was delivered.
    pub delivered: u64,
    /// Channels crossed, injection and ejection included.
    pub hops: u32,
}

impl Delivery {
    /// The sum of these over all deliveries, modulo 2^64, is the engine's
    /// [`trace_hash`](backwater_flit::outcome::FabricOutcome::trace_hash).
    pub fn fingerprint(&self) -> u64 {
        let mut hash = TraceHash::new();
        hash.add(u64::from(self.source) << 32 | u64::from(self.destination));
        let kind = u64::from(self.class) << 32 | u64::from(self.length) << 16;
        hash.add(kind | u64::from(self.hops));
        hash.add(self.birth);
        hash.add(self.entered);
        hash.add(self.delivered);
        hash.value()
    }
}

/// A flit that left on a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// In this cycle.
    pub cycle: u64,
    /// On this channel: those between routers, then injection, then ejection, by terminal.
    pub channel: u32,
    /// For this lane.
    pub lane: u8,
    /// Terminal its packet comes from.
    pub source: u32,
    /// Terminal its packet goes to.
    pub destination: u32,
    /// Cycle in which its packet was born.
    pub birth: u64,
    /// Number of the flit in its packet, the header 0.
    pub flit: u16,
}

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fabric {
    /// By cycle of delivery, then destination.
    pub deliveries: Vec<Delivery>,
    /// Cycles in which packets were born, in order; also of those that have not arrived.
    pub births: Vec<u64>,
    /// By cycle, then channel; empty unless asked for.
    pub moves: Vec<Move>,
    /// Flits that left on a channel, injection and ejection included.
    pub flit_hops: u64,
    /// Flits of packets born.
    pub created: u64,
    /// Flits delivered.
    pub delivered: u64,
    /// Flits at sources at the end.
    pub queued: u64,
    /// Flits in the network at the end.
    pub inside: u64,
    /// Last cycle in which a flit left on a channel.
    pub last_move: Option<u64>,
}

/// Runs cycles `0..cycles`. The error says what is wrong with the spec, or which law of the
/// network broke and when.
pub fn run(spec: &FabricSpec, cycles: u64) -> Result<Fabric, BuildError> {
    finished(network::Network::new(spec)?, cycles)
}

/// [`run`] with every flit on every channel.
pub fn run_logged(spec: &FabricSpec, cycles: u64) -> Result<Fabric, BuildError> {
    let mut network = network::Network::new(spec)?;
    network.log = Some(Vec::new());
    finished(network, cycles)
}

fn finished(mut network: network::Network, cycles: u64) -> Result<Fabric, BuildError> {
    for now in 0..cycles {
        network.cycle(now)?;
    }
    let mut moves = network.log.take().unwrap_or_default();
    moves.sort_by_key(|entry| (entry.cycle, entry.channel));
    Ok(Fabric {
        moves,
        flit_hops: network.flit_hops,
        created: network.created,
        delivered: network.delivered,
        queued: network.queued(),
        inside: network.inside(),
        births: network.packets.iter().map(|packet| packet.birth).collect(),
        last_move: network.last_move,
        deliveries: network.deliveries,
    })
}
