//! What one run found, as tables, a page and a summary for the terminal.

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
mod report;
mod responses;
mod sessions;
mod standstill;
mod starved;
mod tables;
mod terminal;
pub(crate) mod words;

use backwater_net::outcome::{PortsOutcome, RecoveryOutcome};

pub use bounds::note_broken_bounds;
pub use report::run_report;
pub use standstill::standstill_sentence;
pub use tables::{flow_tables, run_tables};
pub use terminal::terminal_summary;

/// What probes measured beside the outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured<'a> {
    /// Of ports.
    pub ports: Option<&'a PortsOutcome>,
    /// Of outages.
    pub recovery: Option<&'a RecoveryOutcome>,
}

impl<'a> From<Option<&'a PortsOutcome>> for Measured<'a> {
    fn from(ports: Option<&'a PortsOutcome>) -> Measured<'a> {
        Measured {
            ports,
            recovery: None,
        }
    }
}
