//! Time, units, the event queue, random streams and accumulators.
//!
//! No I/O, no clock, no environment, no threads: everything a simulation decides
//! follows from its scenario and its seed.
//!
//! Times are whole picoseconds, rates bits per second, and random numbers come from a stream for
//! each seed, entity and purpose:
//!
//! ```
//! use backwater_kernel::stream::{Purpose, Stream};
//! use backwater_kernel::{Duration, Rate, Time};
//!
//! // A cell of 53 bytes at 155.52 Mbps, rounded half up to 1 ps.
//! let cell = Rate(155_520_000).serialization(53);
//! assert_eq!(cell, Duration(2_726_337));
//! assert_eq!(Time(1_000_000) + cell * 2, Time(6_452_674));
//!
//! let draw = |seed, entity| Stream::new(seed, entity, Purpose::Traffic).below(1_000);
//! assert_eq!(draw(1, 0), draw(1, 0));
//! ```
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod balance;
pub mod bits;
mod build_error;
mod common;
pub mod decimal;
mod drops;
pub mod due;
pub mod event;
pub mod hash;
mod instants;
pub mod link;
pub mod series;
mod standstill;
pub mod stats;
mod stop;
pub mod stream;
mod survey;
pub mod time;
pub mod units;
mod violations;
pub mod words;

pub use balance::Balance;
pub use bits::BitSet;
pub use build_error::BuildError;
pub use common::{Common, Commons};
pub use decimal::Decimal;
pub use drops::{Cause, Drops};
pub use due::DueSet;
pub use event::{Event, EventQueue, Heap, InOrder, Phase, Rings, Taken, Wheel};
pub use hash::{TraceHash, TraceSum};
pub use instants::{Instants, Repeat};
pub use link::{Channels, Link, channel_name};
pub use series::Series;
pub use standstill::Standstill;
pub use stats::{
    BatchMeans, Collected, DelayOutcome, Delays, Distribution, Histogram, Sampled, Samples,
    TimeWeighted,
};
pub use stop::Stop;
pub use stream::{Probability, Purpose, Stream};
pub use survey::Survey;
pub use time::{Duration, Rate, Time};
pub use violations::{Place, Violation, Violations};
