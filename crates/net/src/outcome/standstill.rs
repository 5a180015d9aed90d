//! Units that stand still at the end of a run.

use alloc::vec::Vec;

use backwater_kernel::Time;

/// What can't move at the end of a run.
///
/// Circuits: by flow, its source first, then its legs. Each wait leads to others of the list or to
/// its own cause; they never form a circle. Queues by class: a circle, or else a chain, the last
/// of which is stopped by a node that does not let go (a storm, a lost resume).
pub type Standstill = backwater_kernel::Standstill<Wait>;

/// Units that wait at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Flow (index); in a queue, of the first of them.
    pub flow: u32,
    /// Where they stand.
    pub place: WaitPlace,
    /// How many; `u64::MAX` at a source that never runs out.
    pub units: u64,
    /// When the first of them began to wait, with nothing started since, where it is known:
    /// under rules that count starts within a window, and at greedy sources. In a queue, when it
    /// was stopped.
    pub since: Option<Time>,
    /// For what.
    pub reason: Reason,
}

impl Wait {
    /// The leg in front of which they stand.
    pub fn leg(&self) -> Option<u32> {
        match self.place {
            WaitPlace::Leg(leg) => Some(leg),
            WaitPlace::Source | WaitPlace::Queue(_) => None,
        }
    }

    /// The shared queue in which they stand.
    pub fn queue(&self) -> Option<StuckQueue> {
        match self.place {
            WaitPlace::Queue(queue) => Some(queue),
            WaitPlace::Source | WaitPlace::Leg(_) => None,
        }
    }
}

/// Where units wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitPlace {
    /// In the hands of the source.
    Source,
    /// In front of this leg (index in [`super::Outcome::legs`]).
    Leg(u32),
    /// In a queue that flows share.
    Queue(StuckQueue),
}

/// A queue of a class that can't move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StuckQueue {
    /// Channel in front of which it stands.
    pub channel: u32,
    /// Its class.
    pub class: u8,
    /// The stop concerns frames to this host only.
    pub destination: Option<u32>,
    /// It is the lane of this number, of those that flows are hashed to.
    pub lane: Option<u32>,
    /// Bytes that wait under the stop.
    pub bytes: u64,
}

/// What units wait for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Its gate is shut by the next of the list, or by the node behind its channel.
    Shut,
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
