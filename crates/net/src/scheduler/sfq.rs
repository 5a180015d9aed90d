//! Start-time fair queueing: P. Goyal, H. M. Vin, H. Cheng, "Start-time fair queueing: a scheduling
//! algorithm for integrated services packet switching networks", SIGCOMM 1996.
//!
//! Units leave by start tags, so virtual time needs no rate of the server, which may vary.
//!
//! | Paper | Here |
//! |---|---|
//! | r_f, the weight of flow f | [`Pace`]: its reserved rate in bps |
//! | S(p) = max(v(A(p)), F(p before)), equation (4) | rank of the unit |
//! | F(p) = S(p) + l / r_f, equation (5) | the last in `SfqFlow::finish` |
//! | v(t), start tag of the unit in service | `Sfq::now_virtual` |
//! | maximum of finish tags, v at the end of a busy period | `Sfq::largest` |
//!
//! Not modelled: rates that differ from unit to unit of one flow (section 2.3). A busy period is
//! one of the port: it ends when the wire is free and no unit waits. A unit of a flow without a
//! reservation leaves v as it is.

use alloc::vec::Vec;

use super::pace::Pace;
use super::stamped::Rule;
use super::{Admitted, LAST_STAMP, Packet, Port, Share};

/// Stamps units with their start tag.
pub(super) struct Sfq {
    flows: Vec<SfqFlow>,
    now_virtual: u64,
    largest: u64,
}

struct SfqFlow {
    pace: Pace,
    /// F of its last unit that came.
    finish: u64,
}

impl Sfq {
    pub fn new(shares: &[Share]) -> Sfq {
        let flow = |share: &Share| SfqFlow {
            pace: Pace::new(share),
            finish: 0,
        };
        Sfq {
            flows: shares.iter().map(flow).collect(),
            now_virtual: 0,
            largest: 0,
        }
    }
}

impl Rule for Sfq {
    #[inline]
    fn on_busy_period(&mut self) {
        self.now_virtual = self.largest;
    }

    #[inline]
    fn rank(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        let flow = &mut self.flows[seat as usize];
        if flow.pace.is_datagram() {
            return Admitted::datagram(port.now);
        }
        let start = flow.finish.max(self.now_virtual);
        flow.finish = flow.pace.finish(start, bytes);
        self.largest = self.largest.max(flow.finish);
        Admitted::ranked(start)
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
    use super::super::trial::{parts, replay};
    use crate::spec::SchedulerSpec;

    #[test]
    fn the_least_start_leaves_first() {
        // Flow 1 comes while the first unit of flow 0 is on the wire, whose start tag is 0. At
        // 300 the port is free; the largest finish tag is 400.
        let arrivals = [(0, 0, 100), (0, 0, 100), (50, 1, 100), (300, 1, 50)];
        let course = replay(&SchedulerSpec::Sfq, &parts(&[2, 2]), &arrivals);
        assert_eq!(course.ranks, [0, 200, 0, 400]);
        assert_eq!(course.flows(), [0, 1, 0, 1]);
    }

    #[test]
    fn virtual_time_is_the_start_tag_in_service() {
        // At 150 the second unit of flow 0 is on the wire, whose start tag is 200.
        let arrivals = [(0, 0, 100), (0, 0, 100), (150, 1, 100)];
        let course = replay(&SchedulerSpec::Sfq, &parts(&[2, 2]), &arrivals);
        assert_eq!(course.ranks, [0, 200, 200]);
    }

    #[test]
    fn a_busy_period_begins_at_the_largest_finish_tag() {
        // Flow 0 was given 1000 by its slow rate. Those of one instant begin together.
        let arrivals = [(0, 0, 100), (500, 1, 10), (500, 0, 10), (500, 1, 10)];
        let course = replay(&SchedulerSpec::Sfq, &parts(&[10, 2]), &arrivals);
        assert_eq!(course.ranks, [0, 1000, 1000, 1020]);
    }

    #[test]
    fn equal_starts_go_in_order_of_arrival() {
        // Start tags 0, then 0 for all that find the first unit of flow 1 on the wire, but for
        // flow 1 itself.
        let arrivals = [(0, 1, 100), (10, 2, 100), (20, 1, 100), (30, 0, 100)];
        let course = replay(&SchedulerSpec::Sfq, &parts(&[4, 4, 4]), &arrivals);
        assert_eq!(course.ranks, [0, 0, 400, 0]);
        assert_eq!(course.flows(), [1, 2, 0, 1]);
    }

    #[test]
    fn a_slow_flow_does_not_wait_for_its_own_rate() {
        // 1/100 of the port: WFQ holds its only unit back, by finish; here it is second.
        let mut arrivals = alloc::vec![(0, 0, 100); 20];
        arrivals.push((0, 1, 100));
        let second = |spec| replay(&spec, &parts(&[2, 100]), &arrivals).flows()[1];
        assert_eq!(second(SchedulerSpec::Sfq), 1);
        assert_eq!(second(SchedulerSpec::Wfq), 0);
    }
}
