//! What hosts do above the network. No network, no clock: time is a parameter, what comes in is a
//! call, what goes out is returned, so the same code runs over frames and over cells.
//!
//! Two ends of a TCP connection, by hand:
//!
//! ```
//! use backwater_ends::tcp::{Endpoint, HostClock};
//! use backwater_ends::{Segment, TcpSpec};
//! use backwater_kernel::Time;
//!
//! let spec = TcpSpec::bsd();
//! let mut source = Endpoint::new(&spec, HostClock::of_host(1, 0, &spec), true);
//! source.send(Time(0), &spec, 4_096);
//! let first: Segment = source.poll(Time(0), &spec).expect("it has data");
//! assert_eq!((first.seq, first.bytes), (0, 1_024));
//! // The first window is one segment: the next one waits for the acknowledgement.
//! assert_eq!(source.poll(Time(0), &spec), None);
//! ```
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod application;
pub mod control;
pub mod outcome;
pub mod outside;
pub mod queue_pair;
pub mod shape;
pub mod sink;
pub mod spec;
pub mod stations;
pub mod tcp;
mod turns;

pub use spec::TcpSpec;
pub use tcp::{Endpoint, Segment};
