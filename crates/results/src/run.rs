//! What only circuits have: their tables, figures and sentences, and what they say of themselves.

mod abr;
mod bounds;
mod bursts;
mod cell_tcp;
mod fair;
mod loads;
mod losses;
mod network;
mod port_plots;
mod ports;
mod promises;
mod recovery;
mod responses;
mod sessions;
mod shown;
mod standstill;
mod starved;
mod tables;
mod trace;

use backwater_net::spec::NetworkSpec;

use crate::events::Findings;
pub use trace::CellTrace;

/// A run of circuits and what it found.
type Circuits<'a> = Findings<'a, NetworkSpec>;
