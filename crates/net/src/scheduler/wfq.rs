//! Weighted fair queueing: A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair
//! queueing algorithm", SIGCOMM 1989; with weights and exact tracking of the fluid as PGPS:
//! A. Parekh, R. Gallager, "A generalized processor sharing approach to flow control in
//! integrated services networks: the single-node case", IEEE/ACM Trans. Networking 1(3), 1993.
//!
//! Modelled: the fluid server (GPS) beside the port, served at the channel's rate whatever flow
//! control does; units leave by the virtual time at which the fluid server ends them. Not
//! modelled: Demers' bid with a head start for flows that were silent (delta is 0).
//!
//! | Paper | Here |
//! |---|---|
//! | r, the rate of the server | `Gps::rate_bps` |
//! | phi_i, the weight of a session | [`Pace`]: its reserved rate in bps |
//! | V(t) | `Gps::now_virtual` |
//! | B_j, sessions busy since event j | seats in `Gps::last` |
//! | sum of phi_i over B_j | `Gps::backlogged_bps` |
//! | F_i^k | rank of the unit; that of the last unit of a session is its key in `Gps::last` |
//!
//! Between two events V(t_j + tau) = V(t_j) + tau r / sum of phi_i. Events are arrivals, and
//! sessions that the fluid server has emptied: these happen when V reaches their last F.

use alloc::vec::Vec;

use backwater_kernel::{Rate, Time};

use super::pace::Pace;
use super::stamp_tree::StampTree;
use super::stamped::Rule;
use super::{Admitted, Port, Share};

/// Stamps units with their finish in the fluid server.
pub(super) struct Wfq {
    flows: Vec<Pace>,
    gps: Gps,
}

/// The fluid server. It serves only flows with a reservation.
struct Gps {
    rate_bps: u64,
    /// V when the set of busy flows changed last, in ps.
    changed_virtual: u64,
    /// What the server did since, but for flows that it emptied: rate times ps.
    work: u128,
    /// `work` is counted up to here.
    at: Time,
    backlogged_bps: u128,
    /// The last finish of each busy flow.
    last: StampTree,
}

impl Wfq {
    /// A port of this rate.
    pub fn new(rate: Rate, shares: &[Share]) -> Wfq {
        Wfq {
            flows: shares.iter().map(Pace::new).collect(),
            gps: Gps {
                rate_bps: rate.0,
                changed_virtual: 0,
                work: 0,
                at: Time::ZERO,
                backlogged_bps: 0,
                last: StampTree::new(shares.len()),
            },
        }
    }
}

impl Rule for Wfq {
    #[inline]
    fn rank(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        if self.flows[seat as usize].is_datagram() {
            return Admitted::datagram(port.now);
        }
        self.gps.advance(port, &self.flows);
        let finish = self.gps.arrive(seat, &self.flows[seat as usize], bytes);
        Admitted::ranked(finish)
    }
}

impl Gps {
    /// Serves the fluid until now.
    #[inline]
    fn advance(&mut self, port: &Port, flows: &[Pace]) {
        let now = port.now;
        self.work += now.since(self.at).ps() as u128 * self.rate_bps as u128;
        self.at = now;
        while let Some(last) = self.last.least() {
            let left = (last - self.changed_virtual) as u128 * self.backlogged_bps;
            if left > self.work {
                return;
            }
            let Some((seat, _)) = self.last.first() else {
                return;
            };
            self.work -= left;
            self.changed_virtual = last;
            self.backlogged_bps -= flows[seat as usize].rate_bps() as u128;
            self.last.remove(seat);
        }
        // The fluid server is empty: its time stands still. It starts anew when the port is idle
        // too; before, units that a datagram or credit held up still wait by the old time.
        self.work = 0;
        if port.is_idle {
            self.changed_virtual = 0;
        }
    }

    /// V, rounded down to the ps.
    #[inline]
    fn now_virtual(&self) -> u64 {
        if self.work == 0 {
            return self.changed_virtual;
        }
        // No flow is busy beyond its last F, so this is below one.
        self.changed_virtual + (self.work / self.backlogged_bps) as u64
    }

    /// A unit comes to a server that was advanced to now; when the server ends it, in virtual
    /// time.
    #[inline]
    fn arrive(&mut self, seat: u32, flow: &Pace, bytes: u32) -> u64 {
        let start = match self.last.get(seat) {
            // V has not reached F of the unit before, or the flow would not be busy.
            Some(before) => before,
            // V has reached it.
            None => self.join(flow),
        };
        let finish = flow.finish(start, bytes);
        self.last.insert(seat, finish);
        finish
    }

    /// Another flow is busy from now on; V.
    #[inline]
    fn join(&mut self, flow: &Pace) -> u64 {
        self.changed_virtual = self.now_virtual();
        self.work = 0;
        self.backlogged_bps += flow.rate_bps() as u128;
        self.changed_virtual
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Arrival, FULL, bursts, largest_units, parts, replay};
    use crate::spec::SchedulerSpec;
    use alloc::vec;
    use alloc::vec::Vec;
    use backwater_kernel::Rate;
    use backwater_kernel::stream::{Purpose, Stream};

    #[test]
    fn stamps_follow_the_fluid_server() {
        // Flow 0 is alone: V runs at 2. At 50, V = 100: flow 1 joins, V runs at 4/3. At 125,
        // V = 200: flow 0 is served, V runs at 4. At 150, V = 300: flow 2 joins, V runs at 2. At
        // 190, V = 380: flow 2 is served, V runs at 4. At 220, V = 500: all is served.
        let arrivals = [(0, 0, 100), (50, 1, 100), (150, 2, 20), (220, 1, 10)];
        let course = replay(&SchedulerSpec::Wfq, &parts(&[2, 4, 4]), &arrivals);
        assert_eq!(course.ranks, [200, 500, 380, 40]);
        // A ps earlier, V = 496 still counts.
        let arrivals = [(0, 0, 100), (50, 1, 100), (150, 2, 20), (219, 0, 10)];
        let course = replay(&SchedulerSpec::Wfq, &parts(&[2, 4, 4]), &arrivals);
        assert_eq!(course.ranks[3], 496 + 20);
    }

    #[test]
    fn virtual_time_is_rounded_down_whenever_a_flow_joins() {
        // V runs at 1.6. At 1 it is 1.6 and becomes 1; then it runs at 4/3. At 3 it is 3.67 and
        // becomes 3. Without the first rounding it would be 4.27.
        let eighths = [5, 1, 1].map(|part| Rate(FULL.0 / 8 * part));
        let arrivals = [(0, 0, 100), (1, 1, 100), (3, 2, 100)];
        let course = replay(&SchedulerSpec::Wfq, &eighths, &arrivals);
        assert_eq!(course.ranks, [160, 801, 803]);
    }

    #[test]
    fn a_unit_behind_others_of_its_flow_does_not_move_virtual_time() {
        let arrivals = [(0, 0, 100), (1, 0, 100), (2, 0, 50), (260, 0, 10)];
        let course = replay(&SchedulerSpec::Wfq, &parts(&[2]), &arrivals);
        assert_eq!(course.ranks, [200, 400, 500, 20]);
    }

    #[test]
    fn one_flow_sends_ten_in_a_row() {
        // Bennett and Zhang 1997, figure 2. The tenth ties with the first of all others.
        let mut arrivals: Vec<Arrival> = vec![(0, 0, 100); 11];
        arrivals.extend((1..=10).map(|flow| (0, flow, 100)));
        let mut shares = vec![2];
        shares.resize(11, 20);
        let flows = replay(&SchedulerSpec::Wfq, &parts(&shares), &arrivals).flows();
        assert_eq!(flows[..10], [0; 10]);
        assert_eq!(flows[10..], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]);
    }

    /// When a fluid server ends each unit of arrivals, in ps: from one event to the next.
    fn fluid(shares: &[u64], arrivals: &[Arrival]) -> Vec<f64> {
        let mut ends = vec![0.0; arrivals.len()];
        let mut queues: Vec<Vec<(usize, f64)>> = vec![Vec::new(); shares.len()];
        let (mut now, mut next) = (0.0f64, 0);
        loop {
            let busy = |flow: &usize| !queues[*flow].is_empty();
            let weight = |flow: usize| 1.0 / shares[flow] as f64;
            let sum: f64 = (0..shares.len()).filter(busy).map(weight).sum();
            let left = |flow: usize| queues[flow][0].1 * sum / weight(flow);
            let firsts = (0..shares.len()).filter(busy).map(left);
            let mut span = firsts.fold(f64::INFINITY, f64::min);
            let arrival = arrivals
                .get(next)
                .map_or(f64::INFINITY, |unit| unit.0 as f64);
            if span.is_infinite() && arrival.is_infinite() {
                return ends;
            }
            span = span.min(arrival - now);
            now += span;
            for (flow, queue) in queues.iter_mut().enumerate().filter(|(_, q)| !q.is_empty()) {
                queue[0].1 -= span / shares[flow] as f64 / sum;
                if queue[0].1 < 1e-7 {
                    ends[queue.remove(0).0] = now;
                }
            }
            while next < arrivals.len() && arrivals[next].0 as f64 <= now {
                let (_, flow, bytes) = arrivals[next];
                queues[flow as usize].push((next, bytes as f64));
                next += 1;
            }
        }
    }

    /// Units that end later than the fluid server's end plus Lmax/C.
    fn late(spec: &SchedulerSpec) -> usize {
        let shares = [2, 4, 8, 16, 16];
        let mut stream = Stream::new(3, 1, Purpose::Pattern);
        let mut late = 0;
        for _ in 0..30 {
            let arrivals = bursts(&mut stream, 5, 300);
            let ends = fluid(&shares, &arrivals);
            let longest = *largest_units(&arrivals, 5).iter().max().unwrap() as f64;
            let mut waiting: Vec<Vec<f64>> = vec![Vec::new(); 5];
            for (unit, end) in arrivals.iter().zip(ends).rev() {
                waiting[unit.1 as usize].push(end);
            }
            for unit in replay(spec, &parts(&shares), &arrivals).departures {
                let end = waiting[unit.flow as usize].pop().unwrap();
                // Virtual time is rounded to the ps.
                late += usize::from(unit.end.ps() as f64 > end + longest + 2.0);
            }
        }
        late
    }

    #[test]
    fn a_unit_ends_at_most_a_longest_unit_after_the_fluid_server_ends_it() {
        assert_eq!(late(&SchedulerSpec::Wfq), 0);
        assert!(late(&SchedulerSpec::Fifo) > 0);
        assert!(late(&SchedulerSpec::Scfq) > 0);
    }
}
