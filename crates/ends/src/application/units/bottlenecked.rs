//! A source that is not faster than something before the network: Kalyanaraman, Jain, Goyal,
//! Fahmy, Samudra, "Use-it-or-lose-it policies for the available bit rate (ABR) service in ATM
//! networks", Computer Networks and ISDN Systems 30 (1998), sections 2 and 7.1 ("MaxSrcRate").
//!
//! It always has a unit to send. Under ABR the limit is one on the pace of the source's in-rate
//! cells, so the whole backlog is offered at once and the source asks for the limit. Without ABR
//! the application itself spaces its units: at the limit or, without one, at the rate of the
//! first link. A change counts from the last unit on: the next comes a new gap after it, but not
//! before the change. A limit of 0 is a pause.
//!
//! Not modelled: a limit that is felt as a full buffer, with bursts.

use alloc::boxed::Box;

use backwater_kernel::{Duration, Rate, Time};

use super::{ENDLESS, Emission};
use crate::spec::units::LimitSpec;

/// Longer than any run, and yet an instant can be so far off.
const NEVER: Duration = Duration(u64::MAX / 4);

/// State of one limited source.
pub struct Bottlenecked {
    start: Time,
    limits: Box<[LimitSpec]>,
    /// Limits that hold or have held.
    begun: usize,
    /// How it offers units.
    pace: Pace,
}

/// How a limited source offers units.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// All at once: source control reads the limit.
    Offered { is_done: bool },
    /// One by one.
    Spaced {
        unit_bytes: u32,
        /// Of the first link.
        link: Rate,
        last: Option<Time>,
    },
}

impl Bottlenecked {
    /// Under ABR: source control reads the limit.
    pub fn offered(start: Time, limits: &[LimitSpec]) -> Bottlenecked {
        Bottlenecked::new(start, limits, Pace::Offered { is_done: false })
    }

    /// Spaces its units by itself, `link` being the rate of the first link.
    pub fn spaced(start: Time, limits: &[LimitSpec], unit_bytes: u32, link: Rate) -> Bottlenecked {
        let pace = Pace::Spaced {
            unit_bytes,
            link,
            last: None,
        };
        Bottlenecked::new(start, limits, pace)
    }

    fn new(start: Time, limits: &[LimitSpec], pace: Pace) -> Bottlenecked {
        Bottlenecked {
            start,
            limits: limits.into(),
            begun: 0,
            pace,
        }
    }

    /// The first unit.
    pub fn start(&self) -> Time {
        self.start
    }

    /// Everything happens so much later. Before the first unit only.
    pub fn postpone(&mut self, by: Duration) {
        self.start += by;
        for limit in &mut self.limits {
            limit.from += by;
        }
    }

    /// The limit as of the last timer; `None` is without limit.
    pub fn limit(&self) -> Option<Rate> {
        let last = self.begun.checked_sub(1)?;
        self.limits[last].rate
    }

    /// A unit may be due, or the limit changes.
    pub fn on_timer(&mut self, now: Time) -> Emission {
        let waiting = self.limits[self.begun..].iter();
        self.begun += waiting.take_while(|limit| limit.from <= now).count();
        let limit = self.limit();
        let change = self.limits.get(self.begun).map(|limit| limit.from);
        match &mut self.pace {
            Pace::Offered { is_done } => {
                let units = if *is_done { 0 } else { ENDLESS };
                *is_done = true;
                Emission {
                    units,
                    next: change,
                }
            }
            Pace::Spaced {
                unit_bytes,
                link,
                last,
            } => {
                let rate = limit.unwrap_or(*link);
                if rate == Rate(0) {
                    return Emission {
                        units: 0,
                        next: change,
                    };
                }
                let gap = rate.tick(*unit_bytes as u64).min(NEVER);
                let is_due = last.is_none_or(|last| last + gap <= now);
                if is_due {
                    *last = Some(now);
                }
                let due = last.map_or(now, |last| last + gap);
                Emission {
                    units: is_due as u64,
                    next: Some(change.map_or(due, |change| due.min(change))),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// 100 bytes at 800 bps take a second, S in picoseconds.
    const S: u64 = 1_000_000_000_000;

    fn limits(limits: &[(u64, Option<u64>)]) -> Vec<LimitSpec> {
        let limit = |&(at, rate): &(u64, Option<u64>)| LimitSpec {
            from: Time(at),
            rate: rate.map(Rate),
        };
        limits.iter().map(limit).collect()
    }

    /// When units come and how many timers fire until `until`, on a link of 8000 bps.
    fn times(changes: &[(u64, Option<u64>)], start: u64, until: u64) -> (Vec<u64>, usize) {
        let mut source = Bottlenecked::spaced(Time(start), &limits(changes), 100, Rate(8000));
        let (mut times, mut timers) = (Vec::new(), 0);
        let mut now = source.start();
        while now <= Time(until) {
            timers += 1;
            let emission = source.on_timer(now);
            times.extend((emission.units > 0).then_some(now.ps()));
            let next = emission.next.expect("it never ends");
            assert!(next > now);
            now = next;
        }
        (times, timers)
    }

    #[test]
    fn units_are_spaced_by_the_limit_or_the_link() {
        let (every_tenth, _) = times(&[], S, 12 * S / 10);
        assert_eq!(every_tenth, [S, 11 * S / 10, 12 * S / 10]);
        assert_eq!(times(&[(0, Some(800))], 0, 2 * S).0, [0, S, 2 * S]);
        // A limit that held before the start.
        let changes = [(0, Some(80)), (S, Some(800))];
        assert_eq!(times(&changes, 2 * S, 3 * S).0, [2 * S, 3 * S]);
    }

    /// At 1.5 s the gap falls from 1 s to 0.25 s: the unit due a gap after 1 s comes at the
    /// change. At 2.6 s it rises to 2 s: the next comes 2 s after the last, at 2.5 s.
    #[test]
    fn a_change_counts_from_the_last_unit_but_not_before_it() {
        let changes = [
            (0, Some(800)),
            (15 * S / 10, Some(3200)),
            (26 * S / 10, Some(400)),
        ];
        let (units, timers) = times(&changes, 0, 5 * S);
        let quarters = [0, 4, 6, 7, 8, 9, 10, 18];
        assert_eq!(units, quarters.map(|quarter| quarter * S / 4));
        // One more timer for the change at 2.6 s.
        assert_eq!(timers, units.len() + 1);
        // A change that pulls the unit to somewhere after it.
        let (units, _) = times(&[(0, Some(400)), (S, Some(600))], 0, 2 * S);
        assert_eq!(units, [0, S + S / 3 + 1]);
    }

    #[test]
    fn a_limit_of_zero_is_a_pause() {
        let changes = [(0, Some(800)), (S + 1, Some(0)), (5 * S, Some(800))];
        assert_eq!(times(&changes, 0, 6 * S).0, [0, S, 5 * S, 6 * S]);
        let changes = [(0, Some(0)), (S, Some(800))];
        assert_eq!(times(&changes, 0, 2 * S).0, [S, 2 * S]);
        let mut source = Bottlenecked::spaced(Time(0), &limits(&[(0, Some(0))]), 100, Rate(1));
        assert_eq!(source.on_timer(Time(0)).next, None);
    }

    #[test]
    fn without_a_limit_again() {
        let (units, _) = times(&[(0, Some(80)), (S, None)], 0, 12 * S / 10);
        assert_eq!(units, [0, S, 11 * S / 10, 12 * S / 10]);
    }

    #[test]
    fn under_source_control_all_is_offered_once_and_timers_are_changes() {
        let changes = limits(&[(0, Some(80)), (S, None), (2 * S, Some(800))]);
        let mut source = Bottlenecked::offered(Time(5), &changes);
        assert_eq!(source.limit(), None);
        let emission = source.on_timer(source.start());
        assert_eq!((emission.units, emission.next), (ENDLESS, Some(Time(S))));
        assert_eq!(source.limit(), Some(Rate(80)));
        let emission = source.on_timer(Time(S));
        assert_eq!((emission.units, emission.next), (0, Some(Time(2 * S))));
        assert_eq!(source.limit(), None);
        let emission = source.on_timer(Time(2 * S));
        assert_eq!((emission.units, emission.next), (0, None));
        assert_eq!(source.limit(), Some(Rate(800)));
    }

    #[test]
    fn what_is_postponed_keeps_its_shape() {
        let mut source = Bottlenecked::offered(Time(5), &limits(&[(S, Some(80))]));
        source.postpone(Duration(10));
        assert_eq!(source.start(), Time(15));
        assert_eq!(source.on_timer(Time(15)).next, Some(Time(S + 10)));
    }
}
