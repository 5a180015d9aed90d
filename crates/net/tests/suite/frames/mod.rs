//! Frames by class: exact cases, endings, standstills, the audit, and that nothing depends on how
//! a run is cut.

mod alone;
mod audit;
mod bounds;
mod bounds_random;
mod bounds_rings;
mod bounds_shares;
mod collectives;
mod collectives_udp;
mod common;
mod counters;
mod credits;
mod endings;
mod exact;
mod forward;
mod identity;
mod inspect;
mod losses;
mod members;
mod multicast;
mod rocc;
mod roce;
mod schedulers;
mod spread;
mod standstill;
mod stops;
mod trimming;
