//! The event-driven engine: cells, frames and packets on links with delay.
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
mod channel;
mod conversation;
mod deliver;
mod due;
mod envelope;
mod explicit_rate;
mod finish;
mod flow;
mod flow_control;
mod leg;
pub mod outcome;
mod pool;
pub mod probe;
mod rate_ports;
mod rm_cells;
mod scheduler;
mod service;
mod session;
mod shaping;
mod signal;
mod simulation;
mod sink;
mod sizes;
mod source;
mod source_control;
pub mod spec;
mod standstill;
mod timer;
mod timers;
mod traffic;
mod transmit;
mod uili;
mod unit;

pub use build::verify;
pub use simulation::{Network, Simulation};
