//! The cycle engine: wormhole networks with virtual channels, flit by flit.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod arbiter;
mod border;
mod crossbar;
mod cut;
mod deadlock;
pub mod dependency;
mod fabric;
mod finish;
mod heads;
pub mod inspect;
mod lane;
mod layout;
mod lists;
pub mod meter;
mod multiplexed;
pub mod outcome;
mod output_queue;
mod packet;
mod passage;
pub mod probe;
pub mod route;
pub mod routing;
pub mod series;
pub mod shard;
mod simulation;
mod snapshot;
mod source;
pub mod spec;
mod tally;
pub mod topology;
pub mod traffic;
mod watch;

pub use simulation::{Simulation, verify};
pub use snapshot::ChannelState;
