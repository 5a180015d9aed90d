//! The Ethernet engine: frames between stations and switches, output queues by class,
//! back-pressure, TCP and UDP.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod outcome;
pub mod probe;
pub mod spec;
pub mod stations;

/// Everything there is in a network in motion. Probes may read it.
pub struct Network {}
