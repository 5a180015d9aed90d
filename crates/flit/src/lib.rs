//! The cycle engine: wormhole networks with virtual channels, flit by flit.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod dependency;
mod error;
pub mod meter;
pub mod outcome;
pub mod route;
pub mod routing;
pub mod spec;
pub mod topology;
pub mod traffic;

pub use error::BuildError;
