//! Transport protocols: what the two ends of a connection do. No network, no clock: time is a
//! parameter, segments come in and go out, so the same code runs over frames and over cells.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod spec;
pub mod tcp;

pub use spec::TcpSpec;
pub use tcp::{Endpoint, Segment};
