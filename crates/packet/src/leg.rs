//! One flow on one channel (the paper's VC link): the sender's queue, the receiver's buffer.

use kernel::Time;
use kernel::stats::TimeWeighted;

use crate::scheduler::Place;
use crate::unit::{Fifo, NONE};

/// What the hot loop touches for every unit.
pub(crate) struct Leg {
    // the sender's end
    /// Units that wait for the channel.
    pub queue: Fifo,
    pub channel: u32,
    /// Units the sender may still start; stays positive without flow control.
    pub credit: i32,
    /// What a start costs: 1 under credit control, 0 without.
    pub credit_per_unit: i32,
    /// Seat in the port's scheduler.
    pub place: Place,
    /// The leg whose receiver holds what waits here; `NONE` at the source.
    pub parent: u32,
    pub flow: u32,
    // the receiver's end
    /// Units in the receiver's buffer; one that several branches share counts once.
    pub fill: u32,
    pub limit: u32,
    /// The only child, or the first entry in the table of children.
    pub first_child: u32,
    pub children: u32,
    /// Units freed since the last credit unit started.
    pub unreported: u32,
    /// Freed units that provoke a credit unit; `u32::MAX` without control.
    pub report_every: u32,
    /// Index of the credit state; `NONE` without control.
    pub control: u32,
    /// A credit unit waits for the reverse channel.
    pub credit_waits: bool,
    /// Past the limit units are kept, not dropped.
    pub keep_overflow: bool,
}

impl Leg {
    /// May the first unit of the queue cross now?
    #[inline]
    pub fn is_eligible(&self) -> bool {
        self.queue.len != 0 && self.credit > 0
    }

    /// Units wait and only credit is missing.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.queue.len != 0 && self.credit <= 0
    }

    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }

    #[inline]
    pub fn is_root(&self) -> bool {
        self.parent == NONE
    }
}

/// What is counted of a leg.
pub(crate) struct LegCounts {
    pub fill: TimeWeighted,
    pub sent: u64,
    pub sent_before_warm_up: u64,
    pub arrived: u64,
    pub lost: u64,
    pub dropped: u64,
    pub waits: u64,
    pub wait_ps: u128,
}

impl LegCounts {
    pub fn new() -> LegCounts {
        LegCounts {
            fill: TimeWeighted::new(Time::ZERO, 0),
            sent: 0,
            sent_before_warm_up: 0,
            arrived: 0,
            lost: 0,
            dropped: 0,
            waits: 0,
            wait_ps: 0,
        }
    }

    /// Data units on the wire.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.sent - self.arrived - self.lost
    }
}
