//! What tests of disciplines share: a port by itself, replayed on lists of arrivals.

use alloc::vec::Vec;

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Rate, Time};

use crate::scheduler::bench::{Departure, LonePort};
use crate::spec::SchedulerSpec;

/// A byte takes 1 ps.
pub(super) const FULL: Rate = Rate(8_000_000_000_000);

/// A unit comes: instant in ps, flow, bytes.
pub(super) type Arrival = (u64, u32, u32);

/// Reservations of 1/n of the port.
pub(super) fn parts(parts: &[u64]) -> Vec<Rate> {
    parts.iter().map(|n| Rate(FULL.0 / n)).collect()
}

/// What a port did: ranks in order of arrival, departures in order of service.
pub(super) struct Course {
    pub ranks: Vec<u64>,
    pub departures: Vec<Departure>,
}

impl Course {
    /// Flows in order of service.
    pub fn flows(&self) -> Vec<u32> {
        self.departures.iter().map(|unit| unit.flow).collect()
    }
}

/// Replays arrivals, sorted by time, until every unit has left.
pub(super) fn replay(spec: &SchedulerSpec, reserved: &[Rate], arrivals: &[Arrival]) -> Course {
    let mut port = LonePort::new(spec, FULL, reserved, 100);
    let mut course = Course {
        ranks: Vec::new(),
        departures: Vec::new(),
    };
    let mut left = arrivals;
    while course.departures.len() < arrivals.len() {
        let next = left.first().map_or(u64::MAX, |arrival| arrival.0);
        let is_free_at = port.free_at().ps();
        let is_busy = course.departures.len() + left.len() < arrivals.len();
        let now = Time(if is_busy { next.min(is_free_at) } else { next });
        while let Some((&(at, flow, bytes), rest)) = left.split_first()
            && at <= now.ps()
        {
            course.ranks.push(port.arrive(now, flow, bytes).unwrap());
            left = rest;
        }
        course.departures.extend(port.serve(now));
    }
    course
}

/// Units of random sizes that all come at the start, `count` for each flow.
pub(super) fn backlog(stream: &mut Stream, flows: u32, count: u32, largest: u64) -> Vec<Arrival> {
    let mut arrivals = Vec::new();
    for flow in 0..flows {
        arrivals.extend((0..count).map(|_| (0, flow, 1 + stream.below(largest) as u32)));
    }
    arrivals
}

/// Units of random sizes that come at random, several at once, so that the port is busy for part
/// of the time.
pub(super) fn bursts(stream: &mut Stream, flows: u32, count: u32) -> Vec<Arrival> {
    let mut now = 0;
    let mut arrivals = Vec::new();
    for _ in 0..count {
        // One in ten after a pause; half of the others in the instant of the one before.
        now += match stream.below(20) {
            0 | 1 => stream.below(2000),
            2..=10 => 0,
            _ => stream.below(60),
        };
        // Few sizes, so that many ranks are equal.
        let bytes = 20 * (1 + stream.below(5)) as u32;
        arrivals.push((now, stream.below(flows as u64) as u32, bytes));
    }
    arrivals
}

/// The widest that W_i/r_i - W_j/r_j moves while both flows have units left, over all pairs, as
/// (seen, what `bound` allows) of the worst pair. `parts[i]` is C/r_i, so it is exact.
pub(super) fn unfairness(
    course: &Course,
    parts: &[u64],
    bound: impl Fn(usize, usize) -> i64,
) -> (i64, i64) {
    let mut worst = (i64::MIN, 0);
    for i in 0..parts.len() {
        for j in 0..i {
            let (seen, allowed) = (spread(course, parts, i, j), bound(i, j));
            if seen - allowed > worst.0 - worst.1 || worst.0 == i64::MIN {
                worst = (seen, allowed);
            }
        }
    }
    worst
}

fn spread(course: &Course, parts: &[u64], i: usize, j: usize) -> i64 {
    let last = |flow: usize| {
        let of = |unit: &Departure| unit.flow as usize == flow;
        course.departures.iter().rposition(of).unwrap()
    };
    let (mut ahead, mut least, mut most) = (0i64, 0, 0);
    for unit in &course.departures[..last(i).min(last(j))] {
        if unit.flow as usize == i {
            ahead += unit.bytes as i64 * parts[i] as i64;
        } else if unit.flow as usize == j {
            ahead -= unit.bytes as i64 * parts[j] as i64;
        }
        (least, most) = (least.min(ahead), most.max(ahead));
    }
    most - least
}

/// Largest unit of each flow.
pub(super) fn largest_units(arrivals: &[Arrival], flows: usize) -> Vec<u64> {
    let of = |flow: usize| arrivals.iter().filter(move |unit| unit.1 as usize == flow);
    let largest = |flow: usize| of(flow).map(|unit| unit.2 as u64).max().unwrap_or(0);
    (0..flows).map(largest).collect()
}

mod tests {
    use super::*;
    use crate::spec::{Resync, Stamp, VirtualClockSpec};

    const EVERY: [SchedulerSpec; 8] = [
        SchedulerSpec::Fifo,
        SchedulerSpec::VirtualClock(VirtualClockSpec {
            stamp: Stamp::AuxVc,
            resync: Resync::None,
            threshold: None,
            alarm_bytes: None,
        }),
        SchedulerSpec::Edf,
        SchedulerSpec::Wfq,
        SchedulerSpec::Wf2qPlus,
        SchedulerSpec::Scfq,
        SchedulerSpec::Sfq,
        SchedulerSpec::Drr { quantum_bytes: 30 },
    ];

    /// The same arrivals in another order: by instant, then from the last flow to the first.
    fn told_otherwise(arrivals: &[Arrival]) -> Vec<Arrival> {
        let mut other = arrivals.to_vec();
        other.sort_by_key(|&(at, flow, _)| (at, core::cmp::Reverse(flow)));
        other
    }

    /// What came in one instant comes one after another, while the first byte is sent.
    fn drawn_apart(arrivals: &[Arrival]) -> Vec<Arrival> {
        let (mut instant, mut nth) = (u64::MAX, 0);
        let apart = |&(at, flow, bytes): &Arrival| {
            nth = if at == instant { nth + 1 } else { 0 };
            instant = at;
            (at * 64 + nth, flow, bytes * 64)
        };
        arrivals.iter().map(apart).collect()
    }

    /// Courses that the order of arrivals changes, for each discipline.
    fn changed(prepare: impl Fn(&[Arrival]) -> Vec<Arrival>) -> [usize; EVERY.len()] {
        let mut stream = Stream::new(7, 1, Purpose::Pattern);
        let reserved = parts(&[2, 5, 8, 8, 20]);
        let mut changed = [0; EVERY.len()];
        for _ in 0..40 {
            let arrivals = bursts(&mut stream, 5, 150);
            let (one, two) = (prepare(&arrivals), prepare(&told_otherwise(&arrivals)));
            for (spec, changed) in EVERY.iter().zip(&mut changed) {
                let flows = |arrivals: &[Arrival]| replay(spec, &reserved, arrivals).flows();
                *changed += usize::from(flows(&one) != flows(&two));
            }
        }
        changed
    }

    #[test]
    fn the_order_of_arrivals_in_one_instant_decides_nothing() {
        assert_eq!(changed(<[Arrival]>::to_vec), [0; EVERY.len()]);
    }

    #[test]
    fn the_order_of_arrivals_in_different_instants_does() {
        let changed = changed(drawn_apart);
        assert!(changed.iter().all(|&count| count > 0), "{changed:?}");
    }

    /// Courses, of 40 for each discipline, in which it matters which flow is the first and which
    /// the last.
    fn named_otherwise(prepare: impl Fn(&[Arrival]) -> Vec<Arrival>) -> [usize; EVERY.len()] {
        let mut stream = Stream::new(8, 1, Purpose::Pattern);
        let shares = [2, 5, 8, 8, 20];
        let other = |&(at, flow, bytes): &Arrival| (at, 4 - flow, bytes);
        let others = [20, 8, 8, 5, 2];
        let mut changed = [0; EVERY.len()];
        for _ in 0..40 {
            let arrivals = prepare(&bursts(&mut stream, 5, 150));
            let renamed: Vec<Arrival> = arrivals.iter().map(other).collect();
            for (spec, changed) in EVERY.iter().zip(&mut changed) {
                let one = replay(spec, &parts(&shares), &arrivals).flows();
                let two = replay(spec, &parts(&others), &renamed).flows();
                let same = one.iter().zip(two).all(|(one, two)| *one == 4 - two);
                *changed += usize::from(!same);
            }
        }
        changed
    }

    #[test]
    fn the_order_of_flows_decides_nothing_but_what_came_in_one_instant() {
        assert_eq!(named_otherwise(drawn_apart), [0; EVERY.len()]);
        let at_once = named_otherwise(<[Arrival]>::to_vec);
        assert!(at_once.iter().all(|&count| count > 10), "{at_once:?}");
    }

    #[test]
    fn units_without_a_reservation_wait_for_all_others() {
        let mut arrivals = Vec::from([(0, 0, 100), (0, 1, 100), (10, 2, 50), (10, 0, 50)]);
        arrivals.extend([(20, 1, 100), (20, 1, 100), (20, 2, 10)]);
        let reserved = [Rate(0), Rate(FULL.0 / 2), Rate(0)];
        for spec in &EVERY[1..] {
            let course = replay(spec, &reserved, &arrivals);
            assert_eq!(course.flows(), [1, 1, 1, 0, 0, 2, 2], "{spec:?}");
        }
    }

    #[test]
    fn a_port_never_rests_while_units_wait() {
        let mut stream = Stream::new(9, 1, Purpose::Pattern);
        let arrivals = bursts(&mut stream, 4, 2000);
        let ends = |spec: &SchedulerSpec| -> Vec<Time> {
            let course = replay(spec, &parts(&[2, 4, 8, 8]), &arrivals);
            let mut idle: Vec<Time> = Vec::new();
            for pair in course.departures.windows(2) {
                if pair[1].start > pair[0].end {
                    idle.push(pair[0].end);
                }
            }
            idle
        };
        for spec in &EVERY[1..] {
            assert_eq!(ends(spec), ends(&SchedulerSpec::Fifo), "{spec:?}");
        }
        assert!(ends(&SchedulerSpec::Fifo).len() > 10);
    }
}
