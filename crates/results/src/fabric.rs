//! What one run of the cycle engine found, as tables, a page and a summary for the terminal.

mod credit;
mod deadlock;
mod fair;
mod findings;
mod groups;
mod names;
pub(crate) mod network;
mod plots;
mod report;
mod reported;
mod starved;
mod tables;
mod terminal;
mod trace;
mod vcd;
mod words;
mod zero_load;

pub use findings::FabricFindings;
pub(crate) use names::coordinates;
pub use names::{ChannelKind, End, FabricNames};
pub use tables::class_names;
pub use trace::FabricTrace;
pub use vcd::FabricVcd;
pub use zero_load::zero_load;
