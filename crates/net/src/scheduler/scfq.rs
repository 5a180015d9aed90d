//! Self-clocked fair queueing: S. J. Golestani, "A self-clocked fair queueing scheme for broadband
//! applications", INFOCOM 1994.
//!
//! Virtual time is read off the unit in service, so no fluid server has to be followed.
//!
//! | Paper | Here |
//! |---|---|
//! | r_k, the share of session k | [`Pace`]: its reserved rate in bps |
//! | F_k^i = L_k^i / r_k + max(F_k^(i-1), v(a_k^i)) | rank of a unit; last: `ScfqFlow::finish` |
//! | v(t), service tag of the unit in service | `Scfq::now_virtual` |
//! | busy period of the server | `Scfq::period` |
//!
//! When the server becomes free, v and all F start at 0 again (section 3, step 3). The server is
//! the port: it is free when the wire is and no unit waits. A unit of a flow without a
//! reservation leaves v as it is.

use alloc::vec::Vec;

use super::pace::Pace;
use super::stamped::Rule;
use super::{Admitted, LAST_STAMP, Packet, Port, Share};

/// Stamps units with their service tag.
pub(super) struct Scfq {
    flows: Vec<ScfqFlow>,
    now_virtual: u64,
    /// Number of the busy period.
    period: u32,
}

struct ScfqFlow {
    pace: Pace,
    /// F of its last unit that came, in busy period `period`.
    finish: u64,
    period: u32,
}

impl Scfq {
    pub fn new(shares: &[Share]) -> Scfq {
        let flow = |share: &Share| ScfqFlow {
            pace: Pace::new(share),
            finish: 0,
            period: 0,
        };
        Scfq {
            flows: shares.iter().map(flow).collect(),
            now_virtual: 0,
            period: 0,
        }
    }
}

impl Rule for Scfq {
    #[inline]
    fn on_busy_period(&mut self) {
        self.now_virtual = 0;
        self.period = self.period.wrapping_add(1);
    }

    #[inline]
    fn rank(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        let flow = &mut self.flows[seat as usize];
        if flow.pace.is_datagram() {
            return Admitted::datagram(port.now);
        }
        let before = if flow.period == self.period {
            flow.finish
        } else {
            0
        };
        flow.period = self.period;
        flow.finish = flow.pace.finish(before.max(self.now_virtual), bytes);
        Admitted::ranked(flow.finish)
    }

    #[inline]
    fn on_start(&mut self, _seat: u32, unit: Packet) {
        if unit.rank <= LAST_STAMP {
            self.now_virtual = unit.rank;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Course, backlog, largest_units, parts, replay, unfairness};
    use crate::spec::SchedulerSpec;
    use backwater_kernel::stream::{Purpose, Stream};

    #[test]
    fn virtual_time_is_the_tag_in_service() {
        // Flow 1 comes while the first unit of flow 0 is on the wire, whose tag is 200: so its
        // own is 400, like that of the second unit of flow 0. The fluid server would have
        // ended it at 300. After 300 ps the port is free, and tags start anew.
        let arrivals = [(0, 0, 100), (0, 0, 100), (50, 1, 100), (300, 1, 50)];
        let course = replay(&SchedulerSpec::Scfq, &parts(&[2, 2]), &arrivals);
        assert_eq!(course.ranks, [200, 400, 400, 100]);
        assert_eq!(course.flows(), [0, 0, 1, 1]);
        let course = replay(&SchedulerSpec::Wfq, &parts(&[2, 2]), &arrivals);
        assert_eq!(course.flows(), [0, 1, 0, 1]);
    }

    #[test]
    fn tags_go_on_while_a_unit_waits() {
        // At 200 the wire is free, but the unit of flow 1 waits since 150.
        let arrivals = [(0, 0, 200), (150, 1, 10), (200, 0, 50)];
        let course = replay(&SchedulerSpec::Scfq, &parts(&[2, 2]), &arrivals);
        assert_eq!(course.ranks, [400, 420, 500]);
    }

    #[test]
    fn several_units_may_begin_a_busy_period() {
        let arrivals = [(0, 0, 10), (10, 0, 10), (10, 1, 30), (10, 0, 10)];
        let course = replay(&SchedulerSpec::Scfq, &parts(&[2, 2]), &arrivals);
        assert_eq!(course.ranks, [20, 20, 60, 40]);
    }

    #[test]
    fn equal_tags_go_in_order_of_arrival() {
        // While the first unit of flow 1 is on the wire, whose tag is 400, the others come, from
        // the last flow to the first. All have tag 800; flow 1 is second.
        let arrivals = [(0, 1, 100), (10, 2, 100), (20, 1, 100), (30, 0, 100)];
        let course = replay(&SchedulerSpec::Scfq, &parts(&[4, 4, 4]), &arrivals);
        assert_eq!(course.ranks, [400, 800, 800, 800]);
        assert_eq!(course.flows(), [1, 2, 1, 0]);
        // At one instant in the order of flows.
        let arrivals = [(0, 1, 100), (10, 2, 100), (10, 0, 100), (20, 1, 100)];
        let course = replay(&SchedulerSpec::Scfq, &parts(&[4, 4, 4]), &arrivals);
        assert_eq!(course.flows(), [1, 0, 2, 1]);
    }

    #[test]
    fn of_two_units_that_find_the_port_idle_in_one_instant_one_begins_the_busy_period() {
        // The tags of the first busy period are forgotten once: the second unit of flow 0 goes on
        // from the first, at 100 as at 0, and so does that of flow 1.
        let both = |at| [(at, 0, 10), (at, 0, 10), (at, 1, 10), (at, 1, 10)];
        let arrivals = [both(0), both(100)].concat();
        let course = replay(&SchedulerSpec::Scfq, &parts(&[2, 4]), &arrivals);
        assert_eq!(course.ranks, [20, 40, 40, 80, 20, 40, 40, 80]);
        let course = replay(&SchedulerSpec::Sfq, &parts(&[2, 4]), &arrivals);
        assert_eq!(course.ranks, [0, 20, 0, 40, 80, 100, 80, 120]);
    }

    /// Golestani's theorem 2: |W_i/r_i - W_j/r_j| is within l_i/r_i + l_j/r_j.
    #[test]
    fn shares_of_busy_flows_differ_by_two_units_at_most() {
        let shares = [2, 4, 8, 16, 16];
        let mut stream = Stream::new(5, 1, Purpose::Pattern);
        for _ in 0..20 {
            let arrivals = backlog(&mut stream, 5, 100, 300);
            let units = largest_units(&arrivals, 5);
            let bound = |i: usize, j: usize| (units[i] * shares[i] + units[j] * shares[j]) as i64;
            let check = |course: &Course| unfairness(course, &shares, bound);
            for spec in [SchedulerSpec::Scfq, SchedulerSpec::Sfq] {
                let (seen, allowed) = check(&replay(&spec, &parts(&shares), &arrivals));
                assert!(seen <= allowed, "{spec:?}: {seen} > {allowed}");
            }
            let (seen, allowed) = check(&replay(&SchedulerSpec::Fifo, &parts(&shares), &arrivals));
            assert!(seen > allowed, "fifo is fair: {seen} <= {allowed}");
        }
    }
}
