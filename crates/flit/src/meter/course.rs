//! The course of a run in stretches of equal length.

use alloc::vec::Vec;

use crate::outcome::CoursePoint;

/// Cycles of a stretch, at first.
const SHORTEST: u64 = 20;
/// With so many stretches, neighbours are joined.
const STRETCHES_MAX: usize = 400;

/// Counts since the start of the run, or in a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sums {
    /// Flits of packets born.
    pub(crate) created: u64,
    /// Flits of packets delivered.
    pub(crate) delivered: u64,
    /// Packets delivered.
    pub(crate) packets: u64,
    /// Sum of their latencies, cycles.
    pub(crate) latency: u128,
}

impl Sums {
    pub(crate) fn since(self, before: Sums) -> Sums {
        Sums {
            created: self.created - before.created,
            delivered: self.delivered - before.delivered,
            packets: self.packets - before.packets,
            latency: self.latency - before.latency,
        }
    }

    fn and(self, other: Sums) -> Sums {
        Sums {
            created: self.created + other.created,
            delivered: self.delivered + other.delivered,
            packets: self.packets + other.packets,
            latency: self.latency + other.latency,
        }
    }

    /// Mean latency of its packets, cycles.
    pub(crate) fn mean_latency(self) -> Option<f64> {
        (self.packets > 0).then(|| self.latency as f64 / self.packets as f64)
    }
}

/// Counts of each stretch.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    stretches: Vec<Sums>,
    /// Cycles of a stretch.
    length: u64,
    /// First cycle after the one that is being filled.
    next: u64,
    /// Counts at the end of the last full one.
    before: Sums,
}

impl Course {
    pub(crate) fn new() -> Course {
        Course {
            stretches: Vec::new(),
            length: SHORTEST,
            next: SHORTEST,
            before: Sums::default(),
        }
    }

    /// First cycle after the stretch that is being filled.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    pub(crate) fn stretches(&self) -> &[Sums] {
        &self.stretches
    }

    /// Closes stretches that end at `now` or before; was there one?
    pub(crate) fn advance(&mut self, now: u64, sums: &Sums) -> bool {
        let mut closed = false;
        while self.next <= now && self.next < u64::MAX {
            self.stretches.push(sums.since(self.before));
            self.before = *sums;
            closed = true;
            if self.stretches.len() == STRETCHES_MAX {
                let joined = self.stretches.chunks_exact(2).map(|two| two[0].and(two[1]));
                self.stretches = joined.collect();
                self.length = self.length.saturating_mul(2);
            }
            self.next = self.next.saturating_add(self.length);
        }
        closed
    }

    /// The course up to `end`, the stretch under way included.
    pub(crate) fn points(&self, end: u64, sums: &Sums, terminals: u32) -> Vec<CoursePoint> {
        let start = self.next.saturating_sub(self.length);
        let full = (1..).zip(&self.stretches);
        let full = full.map(|(i, stretch)| (i * self.length, self.length, *stretch));
        let rest = (end > start).then(|| (end, end - start, sums.since(self.before)));
        let point = |(end, cycles, sums): (u64, u64, Sums)| {
            let places = cycles as f64 * f64::from(terminals);
            CoursePoint {
                cycle: end - 1,
                offered: sums.created as f64 / places,
                accepted: sums.delivered as f64 / places,
                latency: sums.mean_latency().unwrap_or(0.0),
            }
        };
        full.chain(rest).map(point).collect()
    }
}
