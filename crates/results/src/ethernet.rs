//! What only frames have: their tables, figures and sentences, a trace, a capture, and what they
//! say of themselves.

mod bounds;
mod capture;
mod collectives;
mod completion;
mod fair;
mod fct;
mod group_table;
mod groups;
mod jobs;
mod network;
mod pauses;
mod plots;
mod ports;
mod promises;
mod shown;
mod standstill;
mod starved;
mod tables;
mod trace;
mod training;
mod transfers;
mod windows;

use backwater_net::frames::spec::EthernetSpec;

use crate::events::Findings;
pub use capture::{Capture, SNAP_BYTES};
pub use completion::Completion;
pub use fct::{FctFile, MemberNames};
pub use groups::{fairness, goodputs, lasting, members_goodput};
pub use trace::EthernetTrace;
pub(crate) use trace::kind;
pub use training::Training;

/// A run of frames and what it found.
type Frames<'a> = Findings<'a, EthernetSpec>;
