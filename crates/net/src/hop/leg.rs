//! One flow on one channel (the paper's VC link): the sender's queue, the receiver's buffer.
//!
//! Each end is one cache line. What a switch does with a unit touches the receiver's line of one
//! leg and the sender's line of the next, which lie side by side for a flow without branches.

use backwater_kernel::stats::Level;

use crate::flow_control::{self, StartLog};
use crate::hop::unit::{Fifo, NONE};
use crate::scheduler::Seat;

/// Both ends of a leg.
#[repr(C, align(64))]
pub(crate) struct Leg {
    pub sender: Sender,
    pub receiver: Receiver,
}

/// The end where units wait for the channel.
#[repr(align(64))]
pub(crate) struct Sender {
    /// Units that wait for the channel.
    pub queue: Fifo,
    pub channel: u32,
    /// Units the sender may still start; stays positive without flow control.
    pub credit: i32,
    /// What a start costs: 1 under credit control, 0 without.
    pub credit_per_unit: u8,
    /// Starts are noted for E.
    pub counts_starts: bool,
    /// A start concerns others: it may set a timer, provoke a statement, shorten the queue of a
    /// pool, let a tear-down follow or lead into another part of the run.
    pub is_watched: bool,
    /// Who at the port sees each unit of the queue.
    pub seen_by: Watchers,
    /// Seat in the port's scheduler.
    pub place: Seat,
    /// The leg whose receiver holds what waits here; `NONE` at the source.
    pub parent: u32,
    pub flow: u32,
    /// Index of the credit state; `NONE` without control.
    pub control: u32,
    /// Starts since the beginning.
    pub sent: u64,
    /// Starts within the last control loop, where the scheme counts them.
    pub starts: StartLog,
}

/// The end where units are stored.
#[repr(align(64))]
pub(crate) struct Receiver {
    /// Units in the buffer; one that several branches share counts once.
    pub fill: Level,
    pub limit: u32,
    /// The only child, or the first entry in the table of children; the sink of a leaf.
    pub first_child: u32,
    /// Units freed since the last credit unit started.
    pub unreported: u32,
    /// Freed units that provoke a credit unit; `u32::MAX` without control.
    pub report_every: u32,
    /// The node it is in.
    pub node: u32,
    pub children: u16,
    /// A credit unit waits for the reverse channel.
    pub credit_waits: bool,
    /// Past the limit units are kept, not dropped.
    pub keep_overflow: bool,
    /// Units that arrived since the beginning.
    pub arrived: u64,
}

/// Who at a port sees each unit of a queue: nobody for most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Watchers(u8);

impl Watchers {
    pub const NOBODY: Watchers = Watchers(0);

    /// The scheduler ranks.
    #[inline]
    pub fn ranks(self) -> bool {
        self.0 & 1 != 0
    }

    /// The port tells rates.
    #[inline]
    pub fn rates(self) -> bool {
        self.0 & 2 != 0
    }

    /// The scheduler keeps a line.
    #[inline]
    pub fn lines(self) -> bool {
        self.0 & 4 != 0
    }

    /// The scheduler is told of each unit: a source may not put one into the queue by itself.
    #[inline]
    pub fn schedules(self) -> bool {
        self.0 & 5 != 0
    }

    /// The scheduler keeps a line from now on.
    pub fn set_lines(&mut self) {
        self.0 |= 4;
    }

    /// The scheduler ranks from now on.
    pub fn set_ranks(&mut self) {
        self.0 |= 1;
    }

    /// The port tells rates from now on.
    pub fn set_rates(&mut self) {
        self.0 |= 2;
    }
}

impl Leg {
    /// Nothing has crossed it, nothing is promised, and it holds whatever comes.
    pub fn idle(channel: u32, node: u32, flow: u32, parent: u32) -> Leg {
        Leg {
            sender: Sender {
                queue: Fifo::EMPTY,
                channel,
                credit: i32::MAX,
                credit_per_unit: 0,
                counts_starts: false,
                is_watched: false,
                seen_by: Watchers::NOBODY,
                place: Seat::default(),
                parent,
                flow,
                control: NONE,
                sent: 0,
                starts: StartLog::default(),
            },
            receiver: Receiver {
                fill: Level::default(),
                limit: u32::MAX,
                first_child: NONE,
                unreported: 0,
                report_every: u32::MAX,
                node,
                children: 0,
                credit_waits: false,
                keep_overflow: false,
                arrived: 0,
            },
        }
    }
}

impl Sender {
    #[inline]
    pub fn is_root(&self) -> bool {
        self.parent == NONE
    }
}

impl Receiver {
    /// What a lane of a port tells its sender by, where so many units are known to be lost.
    #[inline]
    pub fn view(&self, known_lost: u64) -> flow_control::Receiver {
        let fill = self.fill.value();
        flow_control::Receiver {
            fill,
            unreported: self.unreported,
            freed: self.arrived - u64::from(fill) + known_lost,
        }
    }

    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }
}

/// What is counted of a leg less than once a unit.
#[derive(Clone, Copy, Default)]
pub(crate) struct LegCounts {
    pub sent_before_warm_up: u64,
    pub arrived_before_warm_up: u64,
    pub lost: u64,
    /// At the receiver, as they arrived.
    pub dropped: u64,
    /// Checks that found the flow too far ahead of what it reserves.
    pub alarms: u64,
    /// In the queue at the sender.
    pub dropped_waiting: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_is_one_cache_line() {
        assert_eq!(size_of::<Sender>(), 64);
        assert_eq!(size_of::<Receiver>(), 64);
    }
}
