//! The tests of this crate, in one program: what they share is compiled once.

mod abr;
mod applications;
mod ats;
mod bounds;
mod broken_rules;
mod cell_tcp;
mod common;
mod end_to_end;
mod endings;
mod envelopes;
mod exact_laws;
mod frames;
mod held_flows;
mod inspect;
mod outages;
mod papers_small_cases;
mod pools;
mod series;
mod service_order;
mod sessions;
mod sources;
mod standstill;
mod symmetry;
mod trace_hashes;
mod virtual_clock;
