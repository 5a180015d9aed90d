//! Frames between stations and switches, output queues by class, back-pressure, TCP and UDP.
//!
//! `spec` says what to simulate, `Simulation` runs it, `outcome` is what it found.

mod arrive;
mod back_pressure;
mod build;
mod channel;
mod finish;
pub(crate) mod frame;
mod gates;
mod inputs;
mod lanes;
mod network;
pub mod outcome;
pub mod probe;
mod requests;
pub mod routes;
mod shared;
mod simulation;
mod sizes;
pub mod spec;
mod standstill;
#[cfg(test)]
mod testing;
mod timer;
mod transmit;

pub use build::verify;
pub use network::Network;
pub use simulation::Simulation;
pub use sizes::frame_bytes;
