//! What hosts do above the network. No network, no clock: time is a parameter, what comes in is a
//! call, what goes out is returned, so the same code runs over frames and over cells.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod application;
pub mod control;
pub mod outcome;
pub mod outside;
pub mod shape;
pub mod sink;
pub mod spec;
pub mod stations;
pub mod tcp;
mod turns;

pub use spec::TcpSpec;
pub use tcp::{Endpoint, Segment};
