//! Time, units, the event queue, random streams and accumulators.
//!
//! No I/O, no clock, no environment, no threads: everything a simulation decides
//! follows from its scenario and its seed.
#![no_std]

extern crate alloc;

pub mod event;
pub mod time;

pub use event::{Event, EventQueue, Phase};
pub use time::{Duration, Rate, Time};
