//! How much work can come in any time: step functions of the length of a closed window, exact in
//! picoseconds.
//!
//! A source at a constant pace sends its frames `k` gaps apart: `floor(k n / d)` picoseconds. If
//! its frames take between `a` and `a + jitter` to a port, those that come in a window of `t`
//! were sent in one of `t + jitter`: at most `1 + max {k: floor(k n / d) <= t + jitter}` of them.
//!
//! What comes over one link can't come faster than the link brings it: but for one frame, no more
//! than took `t` on the link. Of frames that are all stored that is the first one, of which nothing
//! needs to be on the link in this time; of frames that are all cut through it is the last. Where
//! some are stored and others cut through, a frame that is stored may be followed, right behind its
//! last bit, by the header of one that is not: then it is both, two frames of the largest size.
//! (The way of a multicast is stored where one of its branches is faster than the link.) The curve
//! of a port is the sum, over links, of the lesser of both.

use alloc::vec::Vec;

use backwater_kernel::Rate;

use crate::spec::frames::WIRE_OVERHEAD_BYTES;

/// Time of a frame on the wire, with preamble and gap.
pub(super) fn wire_ps(rate: Rate, bytes: u64) -> u64 {
    rate.serialization(bytes + u64::from(WIRE_OVERHEAD_BYTES))
        .ps()
}

/// Frames of one size at a pace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pace {
    /// Sources of this pace, each for itself.
    pub sources: u64,
    /// A gap is n / d picoseconds.
    pub numerator: u128,
    /// d.
    pub divisor: u128,
}

impl Pace {
    /// Most frames in a window of `span_ps`.
    pub fn frames(&self, span_ps: u64) -> u128 {
        let gaps = ((u128::from(span_ps) + 1) * self.divisor - 1) / self.numerator;
        (1 + gaps) * u128::from(self.sources)
    }

    /// The shortest longer window with more frames.
    fn next(&self, span_ps: u64) -> u64 {
        let gaps = ((u128::from(span_ps) + 1) * self.divisor - 1) / self.numerator;
        let next = (gaps + 1) * self.numerator / self.divisor;
        u64::try_from(next).unwrap_or(u64::MAX)
    }
}

/// Frames of a flow as they come to a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stairs {
    pub pace: Pace,
    /// What the time from the source to here can vary, ps.
    pub jitter_ps: u64,
    /// Of one frame: time on the port's wire, or bytes.
    pub work: u64,
}

impl Stairs {
    fn at(&self, span_ps: u64) -> u128 {
        let sent_in_ps = span_ps.saturating_add(self.jitter_ps);
        self.pace.frames(sent_in_ps) * u128::from(self.work)
    }

    fn next(&self, span_ps: u64) -> u64 {
        let next = self.pace.next(span_ps.saturating_add(self.jitter_ps));
        next.saturating_sub(self.jitter_ps)
    }
}

/// The limit that a link before the port sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line {
    /// Work of the largest frame.
    first: u64,
    /// So many of them may come at once.
    at_once: u64,
    /// Time on the link of the smallest: the limit is looked at in steps of it.
    step_ps: u64,
    /// Most work for each picosecond on the link, as a fraction; it is that of every frame if all
    /// are of one size.
    work: u64,
    wire_ps: u64,
    is_uniform: bool,
}

impl Line {
    /// Of frames with so much work and time on the link each; `is_mixed` if some of them are
    /// stored and others cut through. `None` without frames.
    pub fn new(frames: impl Iterator<Item = (u64, u64)> + Clone, is_mixed: bool) -> Option<Line> {
        let first = frames.clone().map(|(work, _)| work).max()?;
        let step_ps = frames.clone().map(|(_, wire_ps)| wire_ps).min()?;
        let more = |a: &(u64, u64), b: &(u64, u64)| {
            let left = u128::from(a.0) * u128::from(b.1);
            left.cmp(&(u128::from(b.0) * u128::from(a.1)))
        };
        let (work, wire_ps) = frames.clone().max_by(more)?;
        let mut sizes = frames;
        let first_size = sizes.next()?;
        Some(Line {
            first,
            at_once: if is_mixed { 2 } else { 1 },
            step_ps: step_ps.max(1),
            work,
            wire_ps: wire_ps.max(1),
            is_uniform: sizes.all(|size| size == first_size),
        })
    }

    fn at(&self, span_ps: u64) -> u128 {
        let steps = u128::from(span_ps / self.step_ps);
        if self.is_uniform {
            return (u128::from(self.at_once) + steps) * u128::from(self.first);
        }
        // The limit at the end of this step.
        let until_ps = (steps + 1) * u128::from(self.step_ps) - 1;
        let at_once = u128::from(self.at_once) * u128::from(self.first);
        at_once + until_ps * u128::from(self.work) / u128::from(self.wire_ps)
    }

    fn next(&self, span_ps: u64) -> u64 {
        (span_ps / self.step_ps + 1).saturating_mul(self.step_ps)
    }
}

/// What comes over one link, or from the host itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Group {
    pub stairs: Vec<Stairs>,
    pub line: Option<Line>,
}

impl Group {
    fn at(&self, span_ps: u64) -> u128 {
        let all = self.stairs.iter().map(|stairs| stairs.at(span_ps)).sum();
        self.line.map_or(all, |line| all.min(line.at(span_ps)))
    }

    fn next(&self, span_ps: u64) -> u64 {
        let stairs = self.stairs.iter().map(|stairs| stairs.next(span_ps));
        let line = self.line.map(|line| line.next(span_ps));
        stairs.chain(line).min().unwrap_or(u64::MAX)
    }
}

/// What comes to a port, or the part of it that concerns a class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Curve {
    pub groups: Vec<Group>,
}

impl Curve {
    /// Most work that comes in a closed window of `span_ps`.
    pub fn at(&self, span_ps: u64) -> u128 {
        self.groups.iter().map(|group| group.at(span_ps)).sum()
    }

    /// No window that is longer, but shorter than this, brings more.
    pub fn next(&self, span_ps: u64) -> u64 {
        let groups = self.groups.iter().map(|group| group.next(span_ps));
        groups.min().unwrap_or(u64::MAX)
    }

    /// Terms that a look at it costs.
    pub fn terms(&self) -> usize {
        self.groups.iter().map(|group| group.stairs.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Gaps of 3 1/3 ps: frames 0, 3, 6, 10, 13, .. apart.
    const THIRDS: Pace = Pace {
        sources: 1,
        numerator: 10,
        divisor: 3,
    };

    #[test]
    fn windows_by_hand() {
        let frames: Vec<u128> = (0..=13).map(|span| THIRDS.frames(span)).collect();
        assert_eq!(frames, [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5]);
        let late = Stairs {
            pace: THIRDS,
            jitter_ps: 4,
            work: 7,
        };
        let work: Vec<u128> = (0..=9).map(|span| late.at(span)).collect();
        assert_eq!(work, [14, 14, 21, 21, 21, 21, 28, 28, 28, 35]);
        assert_eq!([late.next(0), late.next(2), late.next(8)], [2, 6, 9]);
    }

    #[test]
    fn a_link_brings_no_more_than_it_carries() {
        let stairs = Stairs {
            pace: Pace {
                sources: 5,
                ..THIRDS
            },
            jitter_ps: 0,
            work: 10,
        };
        let group = |line| Group {
            stairs: vec![stairs],
            line,
        };
        assert_eq!(group(None).at(0), 50);
        let line = Line::new([(10, 4), (10, 4)].into_iter(), false);
        let work: Vec<u128> = (0..9).map(|span| group(line).at(span)).collect();
        assert_eq!(work, [10, 10, 10, 10, 20, 20, 20, 20, 30]);
        // Frames of 4 and 8 ps on the link: 3 ps of the step, of which each brings 10 / 4.
        let mixed = Line::new([(10, 4), (20, 8)].into_iter(), false);
        assert_eq!(group(mixed).at(0), 27);
        assert_eq!(group(mixed).at(4), 37);
        // One that is stored, and right behind it one that is cut through.
        let line = Line::new([(10, 4), (10, 4)].into_iter(), true);
        let work: Vec<u128> = (0..9).map(|span| group(line).at(span)).collect();
        assert_eq!(work, [20, 20, 20, 20, 30, 30, 30, 30, 40]);
        let mixed = Line::new([(10, 4), (20, 8)].into_iter(), true);
        assert_eq!((group(mixed).at(0), group(mixed).at(4)), (47, 57));
    }
}
