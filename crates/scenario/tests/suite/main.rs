//! The tests of this crate, in one program: what they share is compiled once.

mod abr;
mod compare;
mod corpus;
mod defaults;
mod diagnostics;
mod ethernet;
mod fabric;
mod generated;
mod helps;
mod language;
mod mutations;
mod network;
mod pairs;
mod runs;
mod same_terms;
mod service;
mod set_aside;
mod sizing;
mod slow_credit;
mod slow_flits;
mod spread;
mod sweep;
mod sweep_axes;
mod tables;
mod variants;
mod wildcards;
