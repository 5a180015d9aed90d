//! Earliest deadline first (Liu and Layland 1973; for packets Ferrari and Verma 1990): the rank of
//! a unit is the instant by which it should have started its way on.
//!
//! | Paper | Here |
//! |---|---|
//! | deadline of a packet at a node | arrival + `deadline` |
//! | d, the local delay bound | [`ReserveSpec::deadline`](crate::spec::ReserveSpec::deadline) |
//!
//! Not modelled: the test whether all deadlines can be met, regulators at later nodes (a unit
//! that comes early is ranked early), dropping of late units.

use alloc::vec::Vec;

use super::stamped::Rule;
use super::{Admitted, LAST_STAMP, Port, Share};

/// Deadlines of the queues, relative to arrival; `None` for datagrams.
pub(super) struct Edf {
    deadlines_ps: Vec<Option<u64>>,
}

impl Edf {
    pub fn new(shares: &[Share]) -> Edf {
        let deadline = |share: &Share| (share.rate.0 != 0).then_some(share.deadline.ps());
        Edf {
            deadlines_ps: shares.iter().map(deadline).collect(),
        }
    }
}

impl Rule for Edf {
    #[inline]
    fn rank(&mut self, port: &Port, seat: u32, _bytes: u32) -> Option<Admitted> {
        let Some(deadline_ps) = self.deadlines_ps[seat as usize] else {
            return Admitted::datagram(port.now);
        };
        let by = port.now.ps().saturating_add(deadline_ps);
        Admitted::ranked(by.min(LAST_STAMP))
    }
}

#[cfg(test)]
mod tests {
    use backwater_kernel::Duration;

    use super::*;
    use crate::scheduler::stamped::Stamped;
    use crate::scheduler::testing::{Bench, share};

    fn bench(deadlines_ps: &[Option<u64>]) -> Bench<Stamped<Edf>> {
        let shares: Vec<Share> = deadlines_ps
            .iter()
            .map(|deadline| Share {
                deadline: Duration(deadline.unwrap_or(0)),
                ..share(deadline.map_or(0, |_| 1))
            })
            .collect();
        Bench::new(Stamped::new(Edf::new(&shares), shares.len()))
    }

    #[test]
    fn the_earliest_deadline_goes_first() {
        let mut bench = bench(&[Some(100), Some(30), Some(70)]);
        // Deadlines 100 and 101, 40, 75; then 99 from the first that came.
        assert_eq!(bench.arrive(0, 0, 1), Some(100));
        assert_eq!(bench.arrive(1, 0, 1), Some(101));
        assert_eq!(bench.arrive(5, 2, 1), Some(75));
        assert_eq!(bench.arrive(10, 1, 1), Some(40));
        assert_eq!(bench.arrive(29, 2, 1), Some(99));
        assert_eq!(bench.serve_all(30), [1, 2, 2, 0, 0]);
    }

    #[test]
    fn equal_deadlines_go_in_order_of_arrival_then_of_flows() {
        let mut bench = bench(&[Some(10), Some(20), Some(10)]);
        bench.arrive(0, 1, 1);
        bench.arrive(10, 2, 1);
        bench.arrive(10, 0, 1);
        assert_eq!(bench.serve_all(10), [1, 0, 2]);
    }

    #[test]
    fn datagrams_go_last_and_in_order_of_arrival() {
        let mut bench = bench(&[None, Some(1_000_000), None]);
        bench.arrive(0, 2, 1);
        bench.arrive(1, 0, 1);
        bench.arrive(2, 1, 1);
        assert_eq!(bench.serve_all(3), [1, 2, 0]);
    }

    #[test]
    fn a_deadline_past_the_end_of_the_clock_is_before_datagrams() {
        let mut bench = bench(&[Some(u64::MAX), None]);
        assert_eq!(bench.arrive(5, 0, 1), Some(LAST_STAMP));
        assert!(bench.arrive(0, 1, 1) > Some(LAST_STAMP));
    }
}
