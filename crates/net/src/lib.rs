//! The event-driven engine: cells by circuit, and (in `frames`) frames by class, on links with
//! delay.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod alarm;
pub mod bench;
pub mod bound;
mod build;
mod cell_tcp;
mod classes;
mod conversation;
mod finish;
mod flow;
mod flow_control;
pub mod frames;
mod hop;
mod marking;
mod memory;
mod network;
pub mod outcome;
mod plan;
pub mod probe;
mod rm_cells;
mod scheduler;
mod session;
mod shaping;
mod simulation;
mod sink;
mod source;
pub mod spec;
mod standstill;
mod timer;

pub use build::verify;
pub use network::Network;
pub use plan::{Plan, Specification};
pub use simulation::Simulation;
