//! The measured part of a run.

use alloc::vec::Vec;
use backwater_kernel::stats::interval_of_batches;

use super::course::Sums;

/// Parts of a window whose throughputs are compared.
const PARTS: u64 = 40;
/// Shorter parts say nothing about deliveries that depend on each other, cycles.
const SHORTEST_PART: u64 = 16;
/// With fewer parts there is no interval.
const PARTS_LEAST: usize = 20;

/// Cycles `start..end` and what happened in them.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    start: u64,
    end: u64,
    /// Packets born in it.
    pub(crate) births: u64,
    /// Where its second to fourth quarters begin.
    marks: [u64; 3],
    /// By quarter of birth: packets that arrived, and the sum of their latencies.
    quarters: [(u64, u128); 4],
    part_length: u64,
    /// First cycle after the part that is being filled.
    next: u64,
    /// Counts at the start, and at the ends of full parts.
    ends: Vec<Sums>,
    /// Counts at the end of the window, when it is over.
    last: Option<Sums>,
    /// Flits that waited at the start and at the latest checkpoint.
    queued: (u64, u64),
}

impl Default for Window {
    /// Not begun.
    fn default() -> Window {
        Window::new(u64::MAX, u64::MAX, Sums::default(), 0)
    }
}

impl Window {
    pub(crate) fn new(start: u64, end: u64, sums: Sums, queued: u64) -> Window {
        let length = end - start;
        let quarter = |i: u64| start + (u128::from(length) * u128::from(i) / 4) as u64;
        let part_length = (length / PARTS).max(SHORTEST_PART);
        Window {
            start,
            end,
            births: 0,
            marks: [quarter(1), quarter(2), quarter(3)],
            quarters: [(0, 0); 4],
            part_length,
            next: start.saturating_add(part_length),
            ends: alloc::vec![sums],
            last: None,
            queued: (queued, queued),
        }
    }

    #[inline]
    pub(crate) fn holds(&self, cycle: u64) -> bool {
        self.start <= cycle && cycle < self.end
    }

    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Next cycle to look at it.
    pub(crate) fn next(&self) -> u64 {
        self.next.min(self.end)
    }

    /// A packet born in it at `birth` has arrived.
    #[inline]
    pub(crate) fn arrived(&mut self, birth: u64, latency: u64) {
        let [a, b, c] = self.marks;
        let quarter = usize::from(birth >= a) + usize::from(birth >= b) + usize::from(birth >= c);
        let (packets, sum) = &mut self.quarters[quarter];
        *packets += 1;
        *sum += u128::from(latency);
    }

    /// Notes the counts at `now` where a part or the window ends.
    pub(crate) fn advance(&mut self, now: u64, sums: &Sums, queued: u64) {
        while self.next <= now.min(self.end) && self.next < u64::MAX {
            self.ends.push(*sums);
            self.next = self.next.saturating_add(self.part_length);
        }
        self.queued.1 = queued;
        if now >= self.end {
            self.last = Some(*sums);
        }
    }

    /// It ends at `now`, if it has begun and not ended.
    pub(crate) fn cut(&mut self, now: u64, sums: &Sums, queued: u64) {
        if self.holds(now) {
            self.end = now;
            self.last = Some(*sums);
            self.queued.1 = queued;
        }
    }

    /// Its cycles before `now`.
    pub(crate) fn cycles(&self, now: u64) -> u64 {
        self.end.min(now).saturating_sub(self.start)
    }

    /// What happened in it before `now`, `sums` being the counts at `now`.
    pub(crate) fn seen(&self, now: u64, sums: &Sums) -> Sums {
        match self.cycles(now) {
            0 => Sums::default(),
            _ => self.last.unwrap_or(*sums).since(self.ends[0]),
        }
    }

    /// Flits born and delivered in each full part, in order.
    pub(crate) fn parts(&self) -> Vec<(u64, u64)> {
        if self.ends.len() <= PARTS_LEAST {
            return Vec::new();
        }
        let part = |two: &[Sums]| two[1].since(two[0]);
        let parts = self.ends.windows(2).map(part);
        parts.map(|sums| (sums.created, sums.delivered)).collect()
    }

    /// Half width of the 95 % interval of the flits delivered per cycle and terminal; `None` where
    /// the parts are few or depend on each other.
    pub(crate) fn accepted_half_width(&self, terminals: f64) -> Option<f64> {
        let places = self.part_length as f64 * terminals;
        let parts = self.parts();
        let accepted = parts.iter().map(|(_, got)| *got as f64 / places);
        interval_of_batches(&accepted.collect::<Vec<f64>>()).map(|(_, half_width)| half_width)
    }

    /// By quarter of birth: packets that arrived and their mean latency.
    pub(crate) fn quarters(&self) -> [(u64, f64); 4] {
        let mean = |(packets, sum): (u64, u128)| (packets, sum as f64 / packets.max(1) as f64);
        self.quarters.map(mean)
    }

    /// Flits that waited at its start and at its end.
    pub(crate) fn queued(&self) -> (u64, u64) {
        self.queued
    }
}
