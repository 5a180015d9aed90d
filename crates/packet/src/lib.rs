//! The event-driven engine: cells, frames and packets on links with delay.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod bound;
mod build;
mod channel;
mod deliver;
mod due;
mod finish;
mod flow;
mod flow_control;
mod leg;
pub mod outcome;
pub mod probe;
mod scheduler;
mod service;
mod simulation;
mod sink;
mod source;
mod source_control;
pub mod spec;
mod timers;
mod traffic;
mod transmit;
mod unit;

pub use build::BuildError;
pub use simulation::{Network, Simulation};
