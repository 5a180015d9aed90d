//! Relative-rate marking (ATM Forum TM 4.0): a switch with a long queue sets CI (fall) or NI (do
//! not rise) in RM cells, backward ones as they pass or forward ones as they join. It may also
//! send backward RM cells of its own (BN = 1), so that a source hears of congestion though its RM
//! cells are far away: one per circuit and `backward_notice_every`, when a data cell of the
//! circuit joins while the queue is long.
//!
//! Notices carry CI = 1 and the NI of the moment. No explicit rate is given.

use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::control::RmCell;
use backwater_kernel::{Duration, Time};

use super::marks::Marks;
use super::{BACKGROUND, PortView, RateInterval, Rule};
use crate::spec::RelativeRateSpec;

/// Relative-rate marking at one port.
pub(crate) struct RelativeRate {
    congestion: Marks,
    no_increase: Marks,
    marks_backward: bool,
    notice_every: Duration,
    /// By seat: no notice before this. Empty if the switch sends none.
    notice_from: Vec<Time>,
}

impl RelativeRate {
    pub fn new(spec: &RelativeRateSpec, circuits: u32) -> RelativeRate {
        let noticed = spec.backward_notice_every.map_or(0, |_| circuits as usize);
        RelativeRate {
            congestion: Marks::new(&spec.congestion),
            no_increase: Marks::new(&spec.no_increase),
            marks_backward: spec.marks_backward,
            notice_every: spec.backward_notice_every.unwrap_or(Duration::ZERO),
            notice_from: vec![Time::ZERO; noticed],
        }
    }

    /// A data cell of the circuit has joined: CI and NI of a backward RM cell the switch is to
    /// send to its source now, if one is due.
    pub fn notice(&mut self, port: &PortView, seat: u32) -> Option<(bool, bool)> {
        self.look(port);
        if !self.congestion.is_long() {
            return None;
        }
        let from = self.notice_from.get_mut(seat as usize)?;
        if port.now < *from {
            return None;
        }
        *from = port.now.checked_add(self.notice_every).unwrap_or(Time::MAX);
        Some((true, self.no_increase.is_long()))
    }

    #[inline]
    fn look(&mut self, port: &PortView) {
        self.congestion.look(port.queue_cells);
        self.no_increase.look(port.queue_cells);
    }

    fn mark(&mut self, port: &PortView, cell: &mut RmCell) {
        self.look(port);
        cell.ci |= self.congestion.is_long();
        cell.ni |= self.no_increase.is_long();
    }
}

impl Rule for RelativeRate {
    #[inline]
    fn on_cell(&mut self, port: &PortView, seat: u32, _bits: u32) -> Option<RateInterval> {
        if seat != BACKGROUND {
            self.look(port);
        }
        None
    }

    fn on_forward(&mut self, port: &PortView, _seat: u32, cell: &mut RmCell) {
        if !self.marks_backward {
            self.mark(port, cell);
        }
    }

    fn on_backward(&mut self, port: &PortView, _seat: u32, cell: &mut RmCell) {
        if self.marks_backward {
            self.mark(port, cell);
        } else {
            self.look(port);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marking::testing::port;
    use crate::spec::MarkSpec;

    const SPEC: RelativeRateSpec = RelativeRateSpec {
        congestion: MarkSpec {
            high_cells: 10,
            low_cells: 6,
        },
        no_increase: MarkSpec {
            high_cells: 4,
            low_cells: 2,
        },
        marks_backward: true,
        backward_notice_every: Some(Duration(1_000)),
    };

    fn backward(rule: &mut RelativeRate, queue_cells: u32) -> (bool, bool) {
        let mut cell = RmCell::default();
        rule.on_backward(&port(0, queue_cells), 0, &mut cell);
        (cell.ci, cell.ni)
    }

    #[test]
    fn ni_comes_before_ci_and_leaves_after_it() {
        let mut rule = RelativeRate::new(&SPEC, 1);
        let found = [4, 5, 11, 7, 6, 3, 2, 3].map(|queue| backward(&mut rule, queue));
        let (none, ni, both) = ((false, false), (false, true), (true, true));
        assert_eq!(found, [none, ni, both, both, ni, ni, none, none]);
    }

    #[test]
    fn marks_go_into_the_cells_of_one_direction() {
        for marks_backward in [true, false] {
            let spec = RelativeRateSpec {
                marks_backward,
                ..SPEC
            };
            let mut rule = RelativeRate::new(&spec, 1);
            let mut forward = RmCell::default();
            rule.on_cell(&port(0, 20), 0, 424);
            rule.on_forward(&port(0, 20), 0, &mut forward);
            assert_eq!(forward.ci, !marks_backward);
            assert_eq!(backward(&mut rule, 20).0, marks_backward);
        }
    }

    #[test]
    fn a_mark_of_another_switch_stays() {
        let mut rule = RelativeRate::new(&SPEC, 1);
        let mut cell = RmCell {
            ci: true,
            ..RmCell::default()
        };
        rule.on_backward(&port(0, 0), 0, &mut cell);
        assert!(cell.ci);
    }

    #[test]
    fn a_circuit_gets_a_notice_now_and_then() {
        let mut rule = RelativeRate::new(&SPEC, 2);
        assert_eq!(rule.notice(&port(0, 10), 0), None);
        assert_eq!(rule.notice(&port(5, 11), 0), Some((true, true)));
        assert_eq!(rule.notice(&port(5, 11), 1), Some((true, true)));
        assert_eq!(rule.notice(&port(1_004, 11), 0), None);
        assert_eq!(rule.notice(&port(1_005, 7), 0), Some((true, true)));
        // No longer congested, and then again.
        assert_eq!(rule.notice(&port(9_000, 6), 0), None);
        assert_eq!(rule.notice(&port(9_001, 11), 0), Some((true, true)));
    }

    #[test]
    fn a_switch_that_sends_no_notices_sends_none() {
        let spec = RelativeRateSpec {
            backward_notice_every: None,
            ..SPEC
        };
        let mut rule = RelativeRate::new(&spec, 2);
        assert_eq!(rule.notice(&port(0, 100), 1), None);
    }
}
