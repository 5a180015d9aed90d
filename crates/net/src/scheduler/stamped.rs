//! Disciplines that serve by a rank given at arrival: the least goes first, of equal ones the unit
//! that came first.
//!
//! Ranks of a queue do not fall, so only its first unit can be next: the tree of ready queues has
//! one key for each. (A rule that lets them fall says so, and its queues are kept by rank.)

use backwater_kernel::Time;

use super::stamp_tree::StampTree;
use super::{Admitted, Choice, Discipline, Packet, Port, Turn};

/// How units get their rank.
pub(super) trait Rule {
    /// The rank of a unit of the queue at `seat`; `None` refuses it.
    fn rank(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted>;
    /// See [`Discipline::on_busy_period`].
    #[inline]
    fn on_busy_period(&mut self) {}
    /// A unit starts.
    #[inline]
    fn on_start(&mut self, _seat: u32, _unit: Packet) {}
    /// See [`Discipline::reorders`].
    fn reorders(&self) -> bool {
        false
    }
}

/// Serves by the ranks of a rule.
pub(super) struct Stamped<R> {
    rule: R,
    ready: StampTree<Turn>,
}

impl<R: Rule> Stamped<R> {
    pub fn new(rule: R, seats: usize) -> Stamped<R> {
        Stamped {
            rule,
            ready: StampTree::new(seats),
        }
    }
}

impl<R: Rule> Discipline for Stamped<R> {
    #[inline]
    fn on_busy_period(&mut self) {
        self.rule.on_busy_period();
    }

    #[inline]
    fn on_arrival(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        self.rule.rank(port, seat, bytes)
    }

    #[inline]
    fn ready(&mut self, _now: Time, seat: u32, head: Packet) {
        self.ready.insert(seat, head.turn());
    }

    #[inline]
    fn not_ready(&mut self, seat: u32) {
        self.ready.remove(seat);
    }

    #[inline]
    fn choose(&mut self, _now: Time) -> Choice {
        let first = self.ready.first();
        first.map_or(Choice::Nothing, |(seat, _)| Choice::Leg(seat))
    }

    #[inline]
    fn on_start(&mut self, seat: u32, unit: Packet) {
        self.rule.on_start(seat, unit);
    }

    #[inline]
    fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    #[inline]
    fn reorders(&self) -> bool {
        self.rule.reorders()
    }
}
