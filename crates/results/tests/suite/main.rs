//! The tests of this crate, in one program: what they share is compiled once.

mod abr;
mod bounds;
mod collectives;
mod compare;
mod ethernet;
mod fabric;
mod fabric_names;
mod fairness;
mod files;
mod frame_bounds;
mod page;
mod perfetto;
mod ports;
mod responses;
mod run;
mod sample;
mod sharing;
mod standstill;
mod starved;
mod sweep;
mod vcd;
mod zero_load;
