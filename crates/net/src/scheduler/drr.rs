//! Deficit round robin: M. Shreedhar, G. Varghese, "Efficient fair queueing using deficit round
//! robin", SIGCOMM 1995; IEEE/ACM Trans. Networking 4(3), 1996.
//!
//! | Paper | Here |
//! |---|---|
//! | Quantum_i | `DrrFlow::quantum`, in bytes |
//! | DeficitCounter_i | `DrrFlow::deficit`, in bytes |
//! | ActiveList | `Ring`, and `newcomers` that join it at the next choice |
//!
//! The quantum of a flow is that of the smallest reservation of the group times its own
//! reservation over the smallest, rounded down, at least a byte. A flow looks at its unit; it may
//! send it if its deficit covers the bytes, and stays first while the next unit is covered too.
//! Else it moves to the end. A queue that flow control stops leaves the list as an empty one
//! does, and its deficit is lost.
//!
//! Queues that become busy in one instant join in the order of seats. A unit far larger than the
//! quantum takes many rounds, in which nothing may be sent: these are computed, not played.

use alloc::vec::Vec;

use backwater_kernel::Time;

use super::stamp_tree::StampTree;
use super::{Admitted, Choice, DATAGRAM, Discipline, LAST_STAMP, Packet, Port, Share};

/// No seat.
const NOBODY: u32 = u32::MAX;

/// Rounds of the busy queues.
pub(super) struct Drr {
    flows: Vec<DrrFlow>,
    ring: Ring,
    /// Became busy since the last choice; those of earlier instants have joined.
    newcomers: Vec<u32>,
    newcomers_at: Time,
    /// Queues that are busy.
    ready: u32,
    /// First units without a reservation, in order of arrival.
    datagrams: StampTree,
}

struct DrrFlow {
    /// 0 for a flow of datagrams.
    quantum: u64,
    deficit: u64,
    /// Size of the first unit.
    bytes: u32,
    place: ListPlace,
    /// It has got its quantum of this round.
    has_quantum: bool,
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ListPlace {
    Out,
    Newcomer,
    Listed,
}

/// The active list, threaded through the flows.
struct Ring {
    first: u32,
    last: u32,
    len: u32,
}

impl Ring {
    #[inline]
    fn push(&mut self, flows: &mut [DrrFlow], seat: u32) {
        let flow = &mut flows[seat as usize];
        flow.before = self.last;
        flow.after = NOBODY;
        match self.last {
            NOBODY => self.first = seat,
            last => flows[last as usize].after = seat,
        }
        self.last = seat;
        self.len += 1;
    }

    #[inline]
    fn remove(&mut self, flows: &mut [DrrFlow], seat: u32) {
        let DrrFlow { before, after, .. } = flows[seat as usize];
        match before {
            NOBODY => self.first = after,
            before => flows[before as usize].after = after,
        }
        match after {
            NOBODY => self.last = before,
            after => flows[after as usize].before = before,
        }
        self.len -= 1;
    }
}

impl Drr {
    /// The flow with the smallest reservation may send `quantum_bytes` a round.
    pub fn new(quantum_bytes: u32, shares: &[Share]) -> Drr {
        let rates = shares.iter().map(|share| share.rate.0);
        let smallest = rates.filter(|&rate| rate > 0).min().unwrap_or(1);
        let flow = |share: &Share| DrrFlow {
            quantum: quantum(quantum_bytes, share.rate.0, smallest),
            deficit: 0,
            bytes: 0,
            place: ListPlace::Out,
            has_quantum: false,
            before: NOBODY,
            after: NOBODY,
        };
        let has_datagrams = shares.iter().any(|share| share.rate.0 == 0);
        Drr {
            flows: shares.iter().map(flow).collect(),
            ring: Ring {
                first: NOBODY,
                last: NOBODY,
                len: 0,
            },
            newcomers: Vec::new(),
            newcomers_at: Time::ZERO,
            ready: 0,
            datagrams: StampTree::new(if has_datagrams { shares.len() } else { 0 }),
        }
    }

    /// Newcomers join the list, in the order of seats.
    #[inline]
    fn join(&mut self) {
        match *self.newcomers.as_slice() {
            [] => return,
            [seat] => self.join_one(seat),
            _ => {
                let mut newcomers = core::mem::take(&mut self.newcomers);
                newcomers.sort_unstable();
                for &seat in &newcomers {
                    self.join_one(seat);
                }
                self.newcomers = newcomers;
            }
        }
        self.newcomers.clear();
    }

    /// Unless it left again, or stands twice among newcomers because it came back.
    #[inline]
    fn join_one(&mut self, seat: u32) {
        let flow = &mut self.flows[seat as usize];
        if flow.place == ListPlace::Newcomer {
            flow.place = ListPlace::Listed;
            flow.deficit = 0;
            flow.has_quantum = false;
            self.ring.push(&mut self.flows, seat);
        }
    }

    /// Passes over as many whole rounds as no queue has enough for. Every queue has been passed
    /// in this round.
    #[cold]
    fn skip_rounds(&mut self) {
        let rounds_of = |flow: &DrrFlow| (flow.bytes as u64 - flow.deficit).div_ceil(flow.quantum);
        let mut rounds = u64::MAX;
        let mut seat = self.ring.first;
        while seat != NOBODY {
            let flow = &self.flows[seat as usize];
            rounds = rounds.min(rounds_of(flow));
            seat = flow.after;
        }
        let mut seat = self.ring.first;
        while seat != NOBODY {
            let flow = &mut self.flows[seat as usize];
            flow.deficit += (rounds - 1) * flow.quantum;
            seat = flow.after;
        }
    }
}

/// `base` times `rate` over `smallest`, rounded down, at least 1; 0 for datagrams. The upper end
/// is out of reach of any queue, and keeps sums within 64 bits.
fn quantum(base: u32, rate: u64, smallest: u64) -> u64 {
    if rate == 0 {
        return 0;
    }
    let bytes = base as u128 * rate as u128 / smallest as u128;
    bytes.clamp(1, 1 << 62) as u64
}

impl Discipline for Drr {
    #[inline]
    fn on_arrival(&mut self, port: &Port, seat: u32, _bytes: u32) -> Option<Admitted> {
        if self.flows[seat as usize].quantum == 0 {
            return Admitted::datagram(port.now);
        }
        // Nothing asks for it.
        Admitted::ranked(port.now.ps().min(LAST_STAMP))
    }

    #[inline]
    fn ready(&mut self, now: Time, seat: u32, head: Packet) {
        if head.rank >= DATAGRAM {
            return self.datagrams.insert(seat, head.rank);
        }
        let flow = &mut self.flows[seat as usize];
        flow.bytes = head.bytes;
        if flow.place != ListPlace::Out {
            return;
        }
        if self.newcomers_at != now {
            self.join();
            self.newcomers_at = now;
        }
        self.flows[seat as usize].place = ListPlace::Newcomer;
        self.newcomers.push(seat);
        self.ready += 1;
    }

    #[inline]
    fn not_ready(&mut self, seat: u32) {
        let flow = &mut self.flows[seat as usize];
        match flow.place {
            ListPlace::Out if flow.quantum == 0 => return self.datagrams.remove(seat),
            ListPlace::Out => return,
            ListPlace::Newcomer => {}
            ListPlace::Listed => self.ring.remove(&mut self.flows, seat),
        }
        self.flows[seat as usize].place = ListPlace::Out;
        self.ready -= 1;
    }

    #[inline]
    fn choose(&mut self, _now: Time) -> Choice {
        self.join();
        let mut passed = 0;
        while self.ring.first != NOBODY {
            let seat = self.ring.first;
            let flow = &mut self.flows[seat as usize];
            if !flow.has_quantum {
                flow.has_quantum = true;
                flow.deficit += flow.quantum;
            }
            if flow.deficit >= flow.bytes as u64 {
                return Choice::Leg(seat);
            }
            flow.has_quantum = false;
            self.ring.remove(&mut self.flows, seat);
            self.ring.push(&mut self.flows, seat);
            passed += 1;
            if passed == self.ring.len {
                passed = 0;
                self.skip_rounds();
            }
        }
        let first = self.datagrams.first();
        first.map_or(Choice::Nothing, |(seat, _)| Choice::Leg(seat))
    }

    #[inline]
    fn on_start(&mut self, seat: u32, unit: Packet) {
        let flow = &mut self.flows[seat as usize];
        // Datagrams have no deficit.
        flow.deficit = flow.deficit.saturating_sub(unit.bytes as u64);
    }

    #[inline]
    fn has_ready(&self) -> bool {
        self.ready > 0 || !self.datagrams.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Arrival, FULL, backlog, parts, replay, unfairness};
    use super::*;
    use crate::spec::SchedulerSpec;
    use alloc::collections::VecDeque;
    use alloc::vec;
    use backwater_kernel::stream::{Purpose, Stream};
    use backwater_kernel::{Duration, Rate};

    fn drr(quantum_bytes: u32) -> SchedulerSpec {
        SchedulerSpec::Drr { quantum_bytes }
    }

    fn at_once(queues: &[&[u32]]) -> Vec<Arrival> {
        let units = |(flow, queue): (u32, &&[u32])| -> Vec<Arrival> {
            queue.iter().map(|&bytes| (0, flow, bytes)).collect()
        };
        (0..).zip(queues).flat_map(units).collect()
    }

    #[test]
    fn the_queues_of_the_paper() {
        // Figures 2 and 3 of the paper, quantum 500. Deficits after round 1: 300, 0, 300, 450.
        let queues: [&[u32]; 4] = [
            &[200, 750, 20],
            &[500, 500],
            &[200, 600, 100],
            &[50, 700, 180],
        ];
        let flows = replay(&drr(500), &parts(&[4; 4]), &at_once(&queues)).flows();
        assert_eq!(flows, [0, 1, 2, 3, 0, 0, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn quanta_are_as_reservations() {
        let arrivals = at_once(&[&[100; 6], &[100; 6]]);
        let flows = replay(&drr(100), &parts(&[2, 6]), &arrivals).flows();
        assert_eq!(flows, [0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1]);
        // 100 * 5/3 = 166: one unit, then two, then two, two, one...
        let rates = [Rate(5_000), Rate(3_000)];
        let flows = replay(&drr(100), &rates, &arrivals).flows();
        assert_eq!(flows, [0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1]);
        assert_eq!(super::quantum(1, u64::MAX, 1), 1 << 62);
        assert_eq!(super::quantum(0, 1, 1), 1);
    }

    #[test]
    fn an_empty_queue_loses_its_deficit_and_joins_at_the_end() {
        // Flow 0 leaves with 400 bytes to spare at 0 and comes back at 100.
        let arrivals = [(0, 0, 100), (0, 1, 500), (0, 1, 500), (100, 0, 600)];
        let flows = replay(&drr(500), &parts(&[2, 2]), &arrivals).flows();
        assert_eq!(flows, [0, 1, 1, 0]);
    }

    #[test]
    fn queues_of_one_instant_join_in_the_order_of_seats() {
        let arrivals = [
            (0, 3, 100),
            (10, 2, 10),
            (20, 1, 10),
            (20, 0, 10),
            (30, 3, 10),
        ];
        let flows = replay(&drr(500), &parts(&[4; 4]), &arrivals).flows();
        assert_eq!(flows, [3, 2, 0, 1, 3]);
    }

    #[test]
    fn rounds_in_which_nothing_fits_cost_nothing() {
        // Four thousand million rounds of one byte, or three.
        let arrivals = at_once(&[&[u32::MAX, 7], &[u32::MAX - 2, u32::MAX]]);
        let flows = replay(&drr(1), &parts(&[2, 2]), &arrivals).flows();
        assert_eq!(flows, [1, 0, 0, 1]);
        let rates = [FULL, Rate(FULL.0 / 3)];
        let flows = replay(&drr(1), &rates, &arrivals).flows();
        assert_eq!(flows, [0, 0, 1, 1]);
    }

    #[test]
    fn a_queue_that_is_stopped_leaves_the_list() {
        let share = |_| Share {
            rate: FULL,
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
        let mut list = Drr::new(150, &[0, 1, 2].map(share));
        for seat in [2, 0, 1] {
            list.ready(Time(0), seat, head(100));
        }
        // Before it has joined, and back in the same instant; told of the same unit twice.
        list.not_ready(1);
        list.ready(Time(0), 1, head(100));
        list.ready(Time(0), 1, head(100));
        assert_eq!(list.choose(Time(0)), Choice::Leg(0));
        list.on_start(0, head(100));
        // The next unit comes within the start: flow 0 stays first, without a second quantum.
        list.ready(Time(0), 0, head(100));
        assert_eq!(list.choose(Time(100)), Choice::Leg(1));
        list.on_start(1, head(100));
        // Flow 1 has 50 left and loses them, and its place: it stands behind flow 0.
        list.not_ready(1);
        list.ready(Time(150), 1, head(200));
        list.not_ready(2);
        assert_eq!(list.choose(Time(200)), Choice::Leg(0));
        list.on_start(0, head(100));
        list.not_ready(0);
        assert_eq!(list.choose(Time(300)), Choice::Leg(1));
        assert_eq!(list.flows[1].deficit, 300);
        list.on_start(1, head(200));
        list.not_ready(1);
        assert_eq!(list.choose(Time(400)), Choice::Nothing);
        assert!(!list.has_ready());
    }

    /// The paper's program, round by round.
    fn by_rounds(quanta: &[u64], arrivals: &[Arrival]) -> Vec<u32> {
        let mut queues: Vec<VecDeque<u64>> = vec![VecDeque::new(); quanta.len()];
        for unit in arrivals {
            queues[unit.1 as usize].push_back(unit.2 as u64);
        }
        let mut deficits = vec![0; quanta.len()];
        let mut flows = Vec::new();
        while flows.len() < arrivals.len() {
            for (flow, queue) in queues.iter_mut().enumerate() {
                deficits[flow] += quanta[flow];
                while queue.front().is_some_and(|&bytes| bytes <= deficits[flow]) {
                    deficits[flow] -= queue.pop_front().unwrap();
                    flows.push(flow as u32);
                }
            }
        }
        flows
    }

    #[test]
    fn skipping_rounds_gives_the_same_order_as_playing_them() {
        let mut stream = Stream::new(5, 1, Purpose::Pattern);
        for quantum in [1, 2, 3, 10, 50, 200, 1000] {
            let arrivals = backlog(&mut stream, 4, 30, 300);
            let quanta = [4, 2, 1, 1].map(|part| quantum as u64 * part);
            let flows = replay(&drr(quantum), &parts(&[2, 4, 8, 8]), &arrivals).flows();
            assert_eq!(flows, by_rounds(&quanta, &arrivals), "quantum {quantum}");
        }
    }

    /// The paper's theorem: W_i/f_i and W_j/f_j differ by 2 Max + Quantum at most, where f_i is
    /// the quantum over the smallest.
    #[test]
    fn shares_of_busy_flows_differ_by_a_quantum_and_two_units() {
        let shares = [2, 4, 8, 8];
        let mut stream = Stream::new(5, 1, Purpose::Pattern);
        for quantum in [20, 300, 900] {
            let arrivals = backlog(&mut stream, 4, 200, 300);
            // Bytes of the flow with 1/8 count eight times.
            let bound = |_, _| 8 * (2 * 300 + quantum as i64);
            let course = |spec| replay(&spec, &parts(&shares), &arrivals);
            let (seen, allowed) = unfairness(&course(drr(quantum)), &shares, bound);
            assert!(seen <= allowed, "quantum {quantum}: {seen} > {allowed}");
            let (seen, _) = unfairness(&course(SchedulerSpec::Fifo), &shares, bound);
            assert!(seen > allowed);
        }
    }
}
