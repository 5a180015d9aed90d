//! Worst-case fair weighted fair queueing plus: J. C. R. Bennett, H. Zhang, "Hierarchical packet
//! fair queueing algorithms", IEEE/ACM Trans. Networking 5(5), 1997 (WF2Q+, section 3.4).
//!
//! Among the units that the fluid server would have started (*eligible*: S <= V), the one with
//! the least finish leaves; of equal ones the one that came first. Virtual time is a function of
//! the port alone; no fluid server is followed.
//!
//! | Paper | Here |
//! |---|---|
//! | r_i | [`Pace`]: reserved rate in bps |
//! | S_i, F_i of the first unit of queue i | `Wf2qFlow::start`, `Wf2qFlow::finish` |
//! | V(t) | `Wf2qPlus::now_virtual`, at `Wf2qPlus::at` |
//! | eligible: S_i <= V(t) | in `eligible`, by F; the others in `early`, by S |
//!
//! V(t + tau) = max(V(t) + tau, least S_i of busy queues), tau in real time. When a unit becomes
//! first, S_i = F_i if the queue was busy just before, else max(F_i, V); F_i = S_i + l / r_i. A
//! unit that is first, but withdrawn by flow control before it starts, costs nothing: F_i is
//! that of the last unit that started.
//!
//! The least S_i is looked up when the port chooses; in between V runs with real time. That is the
//! paper's function, where the unit in service stays first of its queue until it has left: no S_i
//! can be the least before the next choice but one that is below V. So V does not depend on the
//! order in which several queues become busy in one instant, nor on who asks for it.
//!
//! Not modelled: the hierarchy.

use alloc::vec::Vec;

use backwater_kernel::Time;

use super::pace::Pace;
use super::stamp_tree::StampTree;
use super::{Admitted, Choice, DATAGRAM, Discipline, LAST_STAMP, Packet, Port, Share, Turn, turn};

/// Two trees: first units that may leave, and those that come too early.
pub(super) struct Wf2qPlus {
    flows: Vec<Wf2qFlow>,
    now_virtual: u64,
    at: Time,
    early: StampTree,
    eligible: StampTree<Turn>,
    /// First units without a reservation, in order of arrival.
    datagrams: StampTree,
}

/// One cache line.
#[repr(align(64))]
struct Wf2qFlow {
    pace: Pace,
    /// S and F of the first unit.
    start: u64,
    finish: u64,
    /// F of the last unit that started.
    done: u64,
    /// When the first unit came.
    came: Time,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not busy.
    Idle,
    /// The first unit is in `early`.
    Early,
    /// The first unit is in `eligible`.
    Eligible,
    /// The first unit has started, and stands in `eligible` until the next takes its place.
    Started,
}

impl Wf2qPlus {
    pub fn new(shares: &[Share]) -> Wf2qPlus {
        let flow = |share: &Share| Wf2qFlow {
            pace: Pace::new(share),
            start: 0,
            finish: 0,
            done: 0,
            came: Time::ZERO,
            state: State::Idle,
        };
        let has_datagrams = shares.iter().any(|share| share.rate.0 == 0);
        Wf2qPlus {
            flows: shares.iter().map(flow).collect(),
            now_virtual: 0,
            at: Time::ZERO,
            early: StampTree::new(shares.len()),
            eligible: StampTree::new(shares.len()),
            datagrams: StampTree::new(if has_datagrams { shares.len() } else { 0 }),
        }
    }

    /// V runs to `now`.
    #[inline]
    fn advance(&mut self, now: Time) {
        let tau = now.since(self.at).ps();
        self.now_virtual = self.now_virtual.saturating_add(tau).min(LAST_STAMP);
        self.at = now;
    }

    /// V reaches the least start of busy queues. One that is eligible is below V already.
    #[inline]
    fn catch_up(&mut self) {
        if self.eligible.is_empty()
            && let Some(start) = self.early.least()
        {
            self.now_virtual = self.now_virtual.max(start);
        }
    }

    /// First units whose start V has reached may leave.
    #[inline]
    fn promote(&mut self) {
        let reached = |start: &u64| *start <= self.now_virtual;
        while self.early.least().filter(reached).is_some()
            && let Some((seat, _)) = self.early.first()
        {
            self.early.remove(seat);
            let flow = &mut self.flows[seat as usize];
            flow.state = State::Eligible;
            self.eligible.insert(seat, flow.turn());
        }
    }
}

impl Wf2qFlow {
    /// The turn of the first unit among those that may leave.
    #[inline]
    fn turn(&self) -> Turn {
        turn(self.finish, self.came)
    }
}

impl Discipline for Wf2qPlus {
    #[inline]
    fn on_arrival(&mut self, port: &Port, seat: u32, _bytes: u32) -> Option<Admitted> {
        if self.flows[seat as usize].pace.is_datagram() {
            return Admitted::datagram(port.now);
        }
        // Nothing asks for it; S and F come when the unit is first.
        Admitted::ranked(port.now.ps().min(LAST_STAMP))
    }

    #[inline]
    fn ready(&mut self, now: Time, seat: u32, head: Packet) {
        if head.rank >= DATAGRAM {
            return self.datagrams.insert(seat, head.rank);
        }
        self.advance(now);
        let now_virtual = self.now_virtual;
        let flow = &mut self.flows[seat as usize];
        let was = flow.state;
        match was {
            State::Idle => flow.start = flow.done.max(now_virtual),
            State::Started => flow.start = flow.done,
            // Another unit, or the same, in the place of one that has not started.
            State::Early | State::Eligible => {}
        }
        flow.finish = flow.pace.finish(flow.start, head.bytes);
        flow.came = head.came;
        if flow.start <= now_virtual {
            flow.state = State::Eligible;
            self.eligible.insert(seat, flow.turn());
            if was == State::Early {
                self.early.remove(seat);
            }
        } else {
            flow.state = State::Early;
            self.early.insert(seat, flow.start);
            if was == State::Started {
                self.eligible.remove(seat);
            }
        }
    }

    #[inline]
    fn not_ready(&mut self, seat: u32) {
        let flow = &mut self.flows[seat as usize];
        match flow.state {
            State::Idle if flow.pace.is_datagram() => self.datagrams.remove(seat),
            State::Idle => {}
            State::Early => self.early.remove(seat),
            State::Eligible | State::Started => self.eligible.remove(seat),
        }
        flow.state = State::Idle;
    }

    #[inline]
    fn choose(&mut self, now: Time) -> Choice {
        self.advance(now);
        self.catch_up();
        self.promote();
        let first = self.eligible.first().map(|(seat, _)| seat);
        let first = first.or_else(|| self.datagrams.first().map(|(seat, _)| seat));
        first.map_or(Choice::Nothing, Choice::Leg)
    }

    #[inline]
    fn on_start(&mut self, seat: u32, _unit: Packet) {
        let flow = &mut self.flows[seat as usize];
        if !flow.pace.is_datagram() {
            flow.done = flow.finish;
            flow.state = State::Started;
        }
    }

    #[inline]
    fn has_ready(&self) -> bool {
        !(self.eligible.is_empty() && self.early.is_empty() && self.datagrams.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Arrival, Course, FULL, backlog, parts, replay};
    use super::*;
    use crate::spec::SchedulerSpec;
    use alloc::vec;
    use backwater_kernel::stream::{Purpose, Stream};
    use backwater_kernel::{Duration, Rate};

    #[test]
    fn a_flow_with_half_the_port_alternates_with_the_others() {
        // Bennett and Zhang 1997, figure 2: WFQ sends ten of flow 0 in a row.
        let mut arrivals: Vec<Arrival> = vec![(0, 0, 100); 11];
        arrivals.extend((1..=10).map(|flow| (0, flow, 100)));
        let mut shares = vec![2];
        shares.resize(11, 20);
        let flows = replay(&SchedulerSpec::Wf2qPlus, &parts(&shares), &arrivals).flows();
        let expected: Vec<u32> = (1..=10).flat_map(|flow| [0, flow]).chain([0]).collect();
        assert_eq!(flows, expected);
    }

    #[test]
    fn virtual_time_jumps_to_the_least_start() {
        // Flow 0 has a tenth of the port and is alone: S = 0, 1000, 2000, 3000, and V follows.
        // At 250 V is 2050, so flow 1 gets S = 2050, F = 2550, and leaves at 300. Its second
        // unit has S = 2550: at 310 V would be 2110 and jumps to 2550, so this unit leaves too.
        // The third has S = 3050: at 320 V jumps to 3000 for flow 0. At 420 V is 3100.
        let mut arrivals: Vec<Arrival> = vec![(0, 0, 100); 5];
        arrivals.extend([(250, 1, 10); 3]);
        let course = replay(&SchedulerSpec::Wf2qPlus, &parts(&[10, 50]), &arrivals);
        assert_eq!(course.flows(), [0, 0, 0, 1, 1, 0, 1, 0]);
    }

    #[test]
    fn equal_finishes_go_in_order_of_arrival() {
        // V runs with real time, a byte a ps. At 50 flow 1 comes with S = 50, F = 150, at 100
        // flow 0, whose units take half as long, with S = 100, F = 150.
        let arrivals = [(0, 2, 100), (50, 1, 50), (100, 0, 25)];
        let course = replay(&SchedulerSpec::Wf2qPlus, &parts(&[2, 2, 2]), &arrivals);
        assert_eq!(course.flows(), [2, 1, 0]);
    }

    #[test]
    fn a_flow_that_was_silent_saves_nothing() {
        // Both have half the port. Flow 1 is silent until 1000, while V = 2000 by the starts of
        // flow 0; from then on they alternate.
        let mut arrivals: Vec<Arrival> = vec![(0, 0, 100); 20];
        arrivals.extend(vec![(1000, 1, 100); 5]);
        let flows = replay(&SchedulerSpec::Wf2qPlus, &parts(&[2, 2]), &arrivals).flows();
        let busy = &flows[10..20];
        assert_eq!(busy.iter().filter(|&&flow| flow == 1).count(), 5);
        assert!(busy.windows(2).all(|pair| pair[0] != pair[1]), "{busy:?}");
    }

    #[test]
    fn a_unit_that_is_withdrawn_costs_nothing() {
        let share = |rate: u64| Share {
            rate: Rate(FULL.0 / rate),
            unit_bytes: 100,
            check_every: 0,
            offset: Duration::ZERO,
            deadline: Duration::ZERO,
            tolerance: Duration::ZERO,
            ingress: u32::MAX,
        };
        let head = |bytes| Packet {
            rank: 0,
            came: Time::ZERO,
            bytes,
        };
        let mut port_of_two = Wf2qPlus::new(&[share(2), share(4)]);
        port_of_two.ready(Time(0), 0, head(100));
        port_of_two.ready(Time(0), 1, head(90));
        // F is 200 and 360. Flow 0 is stopped, so flow 1 leaves; then flow 0 gets credit again,
        // at V = 50, and once more while it is busy, for the same unit.
        port_of_two.not_ready(0);
        assert_eq!(port_of_two.choose(Time(0)), Choice::Leg(1));
        port_of_two.on_start(1, head(90));
        port_of_two.not_ready(1);
        assert!(!port_of_two.has_ready());
        port_of_two.ready(Time(50), 0, head(100));
        port_of_two.ready(Time(60), 0, head(100));
        assert_eq!(port_of_two.flows[0].finish, 250);
        // A shorter unit in its place.
        port_of_two.ready(Time(70), 0, head(10));
        assert_eq!(port_of_two.flows[0].finish, 70);
        assert_eq!(port_of_two.choose(Time(90)), Choice::Leg(0));
        port_of_two.on_start(0, head(10));
        port_of_two.not_ready(0);
        assert_eq!(port_of_two.choose(Time(90)), Choice::Nothing);
        // Flow 1 goes on from F = 360, though V is 200.
        port_of_two.ready(Time(200), 1, head(90));
        assert_eq!(port_of_two.flows[1].start, 360);
    }

    /// How far the bytes of busy flows are from the fluid server's, at most.
    fn distance(course: &Course, shares: &[u64]) -> f64 {
        let mut sent = vec![0.0; shares.len()];
        let mut farthest: f64 = 0.0;
        for unit in &course.departures[..course.departures.len() / 2] {
            sent[unit.flow as usize] += unit.bytes as f64;
            for (sent, &share) in sent.iter().zip(shares) {
                let fluid = unit.end.ps() as f64 / share as f64;
                farthest = farthest.max((sent - fluid).abs());
            }
        }
        farthest
    }

    #[test]
    fn busy_flows_stay_within_a_unit_of_the_fluid_server() {
        let shares = [2, 4, 8, 16, 16];
        let mut stream = Stream::new(5, 1, Purpose::Pattern);
        for _ in 0..20 {
            // As many units as their flow's share.
            let mut arrivals = backlog(&mut stream, 5, 400, 300);
            let (mut flow, mut left) = (u32::MAX, 0);
            arrivals.retain(|unit| {
                if unit.1 != flow {
                    (flow, left) = (unit.1, 800 / shares[unit.1 as usize]);
                }
                left = u64::saturating_sub(left, 1);
                left > 0
            });
            let far = |spec| distance(&replay(&spec, &parts(&shares), &arrivals), &shares);
            assert!(far(SchedulerSpec::Wf2qPlus) <= 300.0);
            assert!(far(SchedulerSpec::Fifo) > 300.0);
        }
    }

    #[test]
    fn a_port_that_reserves_less_than_it_has_serves_all_the_same() {
        let slow = [Rate(FULL.0 / 1000), Rate(FULL.0 / 2000)];
        let arrivals = [
            (0, 0, 100),
            (0, 0, 100),
            (0, 1, 100),
            (0, 1, 100),
            (0, 0, 100),
        ];
        let course = replay(&SchedulerSpec::Wf2qPlus, &slow, &arrivals);
        assert_eq!(course.flows(), [0, 1, 0, 0, 1]);
        assert_eq!(course.departures[4].end.ps(), 500);
    }
}
