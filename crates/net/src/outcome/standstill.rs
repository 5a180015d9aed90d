//! Units that stand still at the end of a run.

use alloc::vec::Vec;

use backwater_kernel::Time;

/// Circuits that can't move at the end of a run, by flow, its source first, then its legs. Each
/// wait leads to others of the list or to its own cause; they never form a circle.
pub type Standstill = backwater_kernel::Standstill<Wait>;

/// Units that wait at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Flow (index).
    pub flow: u32,
    /// Leg they wait for (index in [`super::Outcome::legs`]); `None`: they are still in the hands
    /// of the source.
    pub leg: Option<u32>,
    /// How many; `u64::MAX` at a source that never runs out.
    pub units: u64,
    /// When the first of them began to wait, with nothing started since, where it is known:
    /// under rules that count starts within a window, and at greedy sources.
    pub since: Option<Time>,
    /// For what.
    pub reason: Reason,
}

/// What units wait for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// No credit: the receiver's buffer holds units that have to cross `legs` first.
    Buffer {
        /// Units in it.
        stored: u32,
        /// The legs behind it that don't send on (indices in [`super::Outcome::legs`]).
        legs: Vec<u32>,
    },
    /// No credit: the destination does not take what its buffer holds.
    Sink {
        /// Units in it.
        stored: u32,
    },
    /// No credit, although the receiver holds nothing, or nothing that stands still.
    Credit(MissingCredit),
    /// The source's window is full.
    Window {
        /// Units sent and not acknowledged.
        unacknowledged: u32,
        /// Legs where units or their acknowledgements stand still.
        legs: Vec<u32>,
        /// Units of the flow lost or dropped: nobody acknowledges them.
        units_lost: u64,
        /// Units of the flow that carries the acknowledgements, lost or dropped.
        answers_lost: u64,
    },
}

/// Why no credit comes for an empty buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MissingCredit {
    /// Control units of the leg lost on the wire, whole run.
    pub control_lost: u64,
    /// When the last of them would have arrived.
    pub last_lost: Option<Time>,
    /// Data units lost on the wire or dropped as they arrived: credit was spent on them, and
    /// nothing is freed for them.
    pub data_lost: u64,
    /// Units freed of which no credit unit has told yet.
    pub untold: u32,
    /// So many of them provoke a credit unit.
    pub told_every: u32,
}
