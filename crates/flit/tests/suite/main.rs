//! The tests of this crate, in one program: what they share is compiled once.

mod audit;
mod capacity;
mod common;
mod crossbar_queues;
mod deadlock;
mod inspect;
mod intervals;
mod lane_pace;
mod offered_load;
mod ring_deadlock;
mod series;
mod snapshot;
mod trace_hashes;
mod zero_load;
