//! The cycle engine: wormhole networks with virtual channels, flit by flit.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found. A mesh of 4 x 4
//! routers with 2 virtual channels of 4 flits, at a third of its terminals' rate:
//!
//! ```
//! use backwater_flit::spec::{ClassSpec, FabricSpec, MeasureSpec, RouterSpec};
//! use backwater_flit::{Simulation, topology};
//!
//! let mesh = topology::mesh(&[4, 4], 1, 1)?;
//! let mut fabric = FabricSpec::new(mesh, RouterSpec::new(2, 4));
//! fabric.classes.push(ClassSpec::uniform("all", 0.3, 5));
//! fabric.measure = MeasureSpec::cycles(500, 2_000);
//!
//! let mut simulation = Simulation::new(&fabric)?;
//! simulation.run();
//! assert!((simulation.outcome().accepted - 0.3).abs() < 0.02);
//! # Ok::<(), backwater_kernel::BuildError>(())
//! ```
//!
//! `examples/mesh.rs` takes it to saturation; `docs/library.md` is the guide.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod arbiter;
mod border;
pub mod credit;
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
mod plain;
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
