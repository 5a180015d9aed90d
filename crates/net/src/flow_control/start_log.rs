//! When a sender started units within the last control loop: what E is counted from.
//!
//! One ring of instants per leg, all rings in one arena. An idle leg owns no memory there; a
//! ring grows to what its circuit has ever had within a window.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

/// A leg's ring in the arena.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StartLog {
    /// Where the ring begins.
    at: u32,
    /// First entry, counted from the beginning of the ring.
    head: u32,
    len: u32,
    /// Places in the ring; a power of two, or zero.
    places: u32,
}

/// Memory of all rings.
#[derive(Default)]
pub(crate) struct StartArena {
    times: Vec<Time>,
    /// Rings given up, by size (as a power of two).
    free: [Vec<u32>; 32],
}

/// Places of a first ring.
const FIRST_PLACES: u32 = 8;

impl StartArena {
    /// Notes a start.
    #[inline]
    pub fn push(&mut self, log: &mut StartLog, now: Time) {
        if log.len == log.places {
            self.grow(log);
        }
        let place = (log.head + log.len) & (log.places - 1);
        self.times[(log.at + place) as usize] = now;
        log.len += 1;
    }

    /// Starts `s` with `now - window < s`. A unit started exactly a window ago was seen.
    #[inline]
    pub fn count(&self, log: &mut StartLog, now: Time, window: Duration) -> u32 {
        while log.len > 0 && self.times[(log.at + log.head) as usize] + window <= now {
            log.head = (log.head + 1) & (log.places - 1);
            log.len -= 1;
        }
        log.len
    }

    /// The last start; `None` before the first. It stays in its place when it is too old to
    /// count.
    pub fn last(&self, log: &StartLog) -> Option<Time> {
        let place = log.head.wrapping_add(log.len).wrapping_sub(1) & log.places.checked_sub(1)?;
        Some(self.times[(log.at + place) as usize])
    }

    #[cold]
    fn grow(&mut self, log: &mut StartLog) {
        let places = (log.places * 2).max(FIRST_PLACES);
        let at = match self.free[places.ilog2() as usize].pop() {
            Some(at) => at,
            None => {
                let at = self.times.len();
                self.times.resize(at + places as usize, Time::ZERO);
                u32::try_from(at).expect("fewer than 2^32 starts are remembered")
            }
        };
        for index in 0..log.len {
            let old = log.at + ((log.head + index) & (log.places - 1));
            self.times[(at + index) as usize] = self.times[old as usize];
        }
        if log.places > 0 {
            self.free[log.places.ilog2() as usize].push(log.at);
        }
        *log = StartLog {
            at,
            head: 0,
            len: log.len,
            places,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;

    #[test]
    fn a_start_exactly_one_window_ago_is_left_out() {
        let (mut arena, mut log) = (StartArena::default(), StartLog::default());
        for start in [0, 50, 99, 100] {
            arena.push(&mut log, Time(start));
        }
        let window = Duration(100);
        assert_eq!(arena.count(&mut log, Time(100), window), 3);
        assert_eq!(arena.count(&mut log, Time(150), window), 2);
        assert_eq!(arena.count(&mut log, Time(199), window), 1);
        assert_eq!(arena.count(&mut log, Time(200), window), 0);
    }

    #[test]
    fn the_last_start_is_known_when_no_start_counts_any_more() {
        let (mut arena, mut log) = (StartArena::default(), StartLog::default());
        assert_eq!(arena.last(&log), None);
        for start in 0..21 {
            arena.push(&mut log, Time(start));
            assert_eq!(arena.last(&log), Some(Time(start)));
        }
        assert_eq!(arena.count(&mut log, Time(500), Duration(100)), 0);
        assert_eq!(arena.last(&log), Some(Time(20)));
    }

    #[test]
    fn rings_that_grow_side_by_side_keep_their_entries() {
        let mut arena = StartArena::default();
        let mut logs = [StartLog::default(); 3];
        let mut plain: [VecDeque<u64>; 3] = Default::default();
        for now in 0..2000u64 {
            let which = (now * 7 / 5 % 3) as usize;
            arena.push(&mut logs[which], Time(now));
            plain[which].push_back(now);
            let window = 20 + now % 300;
            plain[which].retain(|&start| start + window > now);
            let count = arena.count(&mut logs[which], Time(now), Duration(window));
            assert_eq!(count as usize, plain[which].len());
        }
    }
}
