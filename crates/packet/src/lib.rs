//! The event-driven engine: cells, frames and packets on links with delay.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found.
#![no_std]

extern crate alloc;

pub mod outcome;
pub mod spec;
