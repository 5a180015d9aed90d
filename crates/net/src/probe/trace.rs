//! The paper's own output: a time-stamped trace of the units that enter and leave every node.

use alloc::vec::Vec;

use crate::outcome::LossCause;

use super::{Crossing, Probe};

/// One line of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceEntry {
    /// The unit, its channel and its instant.
    pub crossing: Crossing,
    /// What happened to it.
    pub what: Passage,
}

/// What happened to a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passage {
    /// It left the node at the start of its channel.
    Out,
    /// It entered the node at the end of its channel.
    In,
    /// It was lost on its way, or refused at the end of it.
    Lost,
}

/// Collects the trace; the caller drains it between slices of the run.
#[derive(Default)]
pub struct TraceProbe {
    entries: Vec<TraceEntry>,
}

impl TraceProbe {
    /// What has happened since the last call.
    pub fn take(&mut self) -> Vec<TraceEntry> {
        core::mem::take(&mut self.entries)
    }
}

impl Probe for TraceProbe {
    fn on_start(&mut self, crossing: Crossing) {
        self.entries.push(TraceEntry {
            crossing,
            what: Passage::Out,
        });
    }

    fn on_arrival(&mut self, crossing: Crossing) {
        self.entries.push(TraceEntry {
            crossing,
            what: Passage::In,
        });
    }

    fn on_loss(&mut self, crossing: Crossing, _cause: LossCause) {
        self.entries.push(TraceEntry {
            crossing,
            what: Passage::Lost,
        });
    }
}
