//! What one run of the Ethernet engine found, as tables, a page, a summary for the terminal, a
//! trace and a capture.

mod bounds;
mod capture;
mod completion;
mod fair;
mod group_table;
mod groups;
mod network;
mod pauses;
mod plots;
mod ports;
mod promises;
mod report;
mod standstill;
mod starved;
mod tables;
mod terminal;
mod trace;
mod transfers;
mod words;

pub use bounds::note_late_frames;
pub use capture::{Capture, SNAP_BYTES};
pub use completion::Completion;
pub use groups::{fairness, goodputs};
pub use report::ethernet_report;
pub use tables::{ethernet_tables, flow_tables};
pub use terminal::ethernet_terminal_summary;
pub use trace::EthernetTrace;
pub(crate) use trace::kind;
