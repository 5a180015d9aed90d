//! The event-driven engine: cells by circuit, and (in `frames`) frames by class, on links with
//! delay.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found. A `probe` looks
//! on: what it does not listen to costs nothing.
//!
//! A switch with a link in and one out, and a flow that fills the second:
//!
//! ```
//! use backwater_kernel::{Duration, Rate, Rings, Time};
//! use backwater_net::Simulation;
//! use backwater_net::spec::{ChannelSpec, FlowControlSpec, FlowSpec, NetworkSpec, NodeKind};
//!
//! let mut network = NetworkSpec::new(Time(1_000_000_000));
//! let a = network.node("A", NodeKind::Host);
//! let switch = network.node("S", NodeKind::Switch);
//! let b = network.node("B", NodeKind::Host);
//! let channel = ChannelSpec::new(Rate(622_080_000), Duration(1_000_000));
//! let into = network.link([a, switch], channel.clone());
//! let out = network.link([switch, b], channel);
//! let path = [into, out].map(|channel| (channel, FlowControlSpec::None));
//! network.flows.push(FlowSpec::new("VC", a, &path));
//!
//! let mut simulation = Simulation::<Rings>::new(&network)?;
//! simulation.run();
//! assert!(simulation.outcome().flows[0].delivered > 1_400);
//! # Ok::<(), backwater_kernel::BuildError>(())
//! ```
//!
//! `examples/two_hosts.rs` adds credit and a probe; `docs/library.md` is the guide.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod bound;
mod circuits;
mod classes;
mod flow;
mod flow_control;
pub mod frames;
mod hop;
pub mod inspect;
mod marking;
mod memory;
mod network;
pub mod outcome;
pub mod parts;
pub mod probe;
mod scheduler;
mod simulation;
pub mod spec;

pub use circuits::alone;
pub use circuits::build::verify;
pub use inspect::snapshot::ChannelState;
pub use inspect::watched::{Watched, watched};
pub use network::Network;
pub use scheduler::bench;
pub use simulation::Simulation;
pub use simulation::forward::{Forward, Leapt};
pub use simulation::plan::{Plan, Specification};
