//! The scoreboard of selective acknowledgements, RFC 6675 (blocks: RFC 2018).
//!
//! | RFC 6675 | Here |
//! |---|---|
//! | HighACK, HighData, HighRxt | `una`, `max`, `high_rxt`, positions of the byte after |
//! | DupThresh | `threshold` |
//! | IsLost(S) | `S < lost_below`: that many ranges, or more than (DupThresh - 1) MSS, above |
//! | SetPipe | `pipe`: not lost and not acknowledged, and what was sent again |
//!
//! Ranges are whole: what a receiver has it keeps (it does not renege). Not modelled: the rescue
//! retransmission (rule 4 of NextSeg), D-SACK, proportional rate reduction.

use alloc::vec::Vec;

use backwater_kernel::Survey;

use super::Segment;

/// Ranges beyond `una` that the receiver has, ascending, apart from each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    ranges: Vec<(u64, u64)>,
    /// Bytes in all of them.
    bytes: u64,
}

impl Scoreboard {
    /// Nothing is known to have arrived beyond `una`.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Every range, for a run that repeats itself.
    pub(crate) fn survey_scoreboard(&mut self, survey: &mut Survey) {
        let Scoreboard { ranges, bytes } = self;
        survey.fixed(*bytes);
        survey.fixed(ranges.len() as u64);
        for (first, end) in ranges {
            survey.position(first);
            survey.position(end);
        }
    }

    /// Bytes in all ranges.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.bytes = 0;
    }

    /// Takes the blocks of a segment; whether they tell anything new between `una` and `max`.
    pub(crate) fn on_blocks(&mut self, segment: &Segment, una: u64, max: u64) -> bool {
        let blocks = usize::from(segment.sack_blocks).min(segment.sack.len());
        let mut is_news = false;
        for &(first, end) in &segment.sack[..blocks] {
            if first.max(una) < end && end <= max {
                is_news |= self.insert(first.max(una), end);
            }
        }
        is_news
    }

    /// Adds a range; whether any of it is new.
    pub(crate) fn insert(&mut self, first: u64, end: u64) -> bool {
        let from = self.ranges.partition_point(|r| r.1 < first);
        let mut to = from;
        let (mut low, mut high) = (first, end);
        while to < self.ranges.len() && self.ranges[to].0 <= end {
            let (f, e) = self.ranges[to];
            if f <= first && end <= e {
                return false;
            }
            (low, high) = (low.min(f), high.max(e));
            self.bytes -= e - f;
            to += 1;
        }
        self.bytes += high - low;
        if from == to {
            self.ranges.insert(from, (low, high));
        } else {
            self.ranges[from] = (low, high);
            self.ranges.drain(from + 1..to);
        }
        true
    }

    /// Everything below `una` is acknowledged.
    pub(crate) fn forget_below(&mut self, una: u64) {
        self.bytes -= self.bytes_below(una);
        let gone = self.ranges.partition_point(|r| r.1 <= una);
        self.ranges.drain(..gone);
        if let Some(first) = self.ranges.first_mut() {
            first.0 = first.0.max(una);
        }
    }

    /// `at`, or the end of the range that holds it.
    pub(crate) fn skip(&self, at: u64) -> u64 {
        let next = self.ranges.partition_point(|r| r.1 <= at);
        match self.ranges.get(next) {
            Some(&(first, end)) if first <= at => end,
            _ => at,
        }
    }

    /// First position after `at` that has arrived.
    pub(crate) fn next_start(&self, at: u64) -> Option<u64> {
        let next = self.ranges.partition_point(|r| r.0 <= at);
        self.ranges.get(next).map(|r| r.0)
    }

    /// Bytes below `at` that have arrived.
    pub(crate) fn bytes_below(&self, at: u64) -> u64 {
        let below = self.ranges.iter().take_while(|r| r.0 < at);
        below.map(|r| r.1.min(at) - r.0).sum()
    }

    /// What has not arrived below here is lost; 0 if nothing is.
    pub(crate) fn lost_below(&self, threshold: u32, mss: u64) -> u64 {
        let most = u64::from(threshold.saturating_sub(1)) * mss;
        let (mut ranges, mut bytes) = (0, 0);
        for &(first, end) in self.ranges.iter().rev() {
            ranges += 1;
            bytes += end - first;
            if ranges >= threshold.max(1) || bytes > most {
                return first;
            }
        }
        0
    }

    /// Bytes thought to be in the network; nothing has arrived beyond `max`.
    pub(crate) fn pipe(&self, una: u64, max: u64, high_rxt: u64, threshold: u32, mss: u64) -> u64 {
        let not_lost_from = self.lost_below(threshold, mss).max(una);
        let arrived = self.bytes - self.bytes_below(not_lost_from);
        let first_time = max - not_lost_from - arrived;
        let again_below = high_rxt.clamp(una, max);
        first_time + (again_below - una) - self.bytes_below(again_below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn ranges_merge_and_are_forgotten() {
        let mut board = Scoreboard::default();
        assert!(board.insert(20, 30));
        assert!(board.insert(50, 60));
        assert!(board.insert(40, 45));
        assert!(!board.insert(41, 44));
        assert!(board.insert(30, 42));
        assert_eq!(board.ranges, vec![(20, 45), (50, 60)]);
        assert_eq!(
            (board.skip(19), board.skip(20), board.skip(45)),
            (19, 45, 45)
        );
        assert_eq!(
            (board.next_start(20), board.next_start(60)),
            (Some(50), None)
        );
        assert_eq!((board.bytes_below(55), board.bytes_below(99)), (30, 35));
        board.forget_below(25);
        assert_eq!(board.ranges, vec![(25, 45), (50, 60)]);
        assert_eq!((board.bytes, board.bytes_below(99)), (30, 30));
        board.forget_below(45);
        assert_eq!(board.ranges, vec![(50, 60)]);
    }

    /// Ten segments of 10 bytes, 1, 4, 6 and 7 lost (numbered from 0), the last under way.
    #[test]
    fn pipe_and_losses() {
        let mut board = Scoreboard::default();
        for (first, end) in [(20, 40), (50, 60), (80, 90)] {
            board.insert(first, end);
        }
        // Three ranges above 10..20, two (20 bytes) above 40..50: only the first is lost.
        assert_eq!(board.lost_below(3, 10), 20);
        // 40..50, 60..80, 90..100.
        assert_eq!(board.pipe(10, 100, 10, 3, 10), 40);
        // The first again.
        assert_eq!(board.pipe(10, 100, 20, 3, 10), 50);
        // Two ranges suffice.
        assert_eq!(board.lost_below(2, 10), 50);
        assert_eq!(board.pipe(10, 100, 10, 2, 10), 30);
        // One range of more than two segments also does.
        assert!(board.insert(50, 90));
        assert_eq!(board.lost_below(3, 10), 50);
    }

    /// Whatever comes and is forgotten, in whatever order.
    #[test]
    fn the_sum_is_that_of_all_ranges() {
        let mut board = Scoreboard::default();
        let mut una = 0;
        for step in 1..2_000_u64 {
            let word = step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let first = una + (word >> 40) % 500;
            board.insert(first, first + 1 + (word >> 20) % 60);
            if word.is_multiple_of(5) {
                una += (word >> 50) % 40;
                board.forget_below(una);
            }
            let sum: u64 = board.ranges.iter().map(|range| range.1 - range.0).sum();
            assert_eq!(board.bytes, sum, "step {step}");
            assert!(board.ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
        assert!(una > 1_000 && board.bytes > 0);
    }
}
