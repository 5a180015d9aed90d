//! What happens to frames between hosts and switches: arrival, choice, start, stops.
//! A line here may touch `classes`, `network`, `hop` and the run itself, and nothing of circuits.
//! The next is a file named for one thing that happens; what a network *has* goes to `classes`.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found.

mod alone;
mod arrive;
mod back_pressure;
mod build;
mod counters;
mod credits;
mod drain;
pub(crate) mod finish;
mod gates;
mod inputs;
mod instant;
mod lanes;
mod leaving;
mod members;
mod multicast;
mod notify;
mod rates;
mod schedulers;
mod spread;
mod standstill;
mod start;
#[cfg(test)]
pub(crate) mod testing;
mod transmit;
mod trimming;
mod view;

pub use crate::classes::lanes::{count as lane_counts, hashed as hashed_lane};
pub use crate::classes::routes;
pub use crate::hop::sizes::frame_bytes;
pub use crate::network::Network;
pub use crate::probe::frames as probe;
pub use crate::simulation::Simulation;
pub use crate::spec::frames as spec;
pub use crate::spec::frames::verify;
