//! How channels went over time: loads, stops and queues in bins of equal width.
//!
//! A run is looked at from time to time; each look adds what happened since the one before. The
//! end of a run may not be known: when there are too many bins, pairs of them become one.

use backwater_net::frames::spec::CLASSES_MAX;

/// Looks that make a bin.
const LOOKS: u32 = 4;
/// Values of each kind that are kept at most.
const VALUES: usize = 400_000;
/// Bins kept at most, and at least so many for large networks.
const BINS: (usize, usize) = (256, 32);

/// Channels of the largest network that is recorded without being asked to.
pub const CHANNELS_MOST: usize = VALUES / BINS.1;

/// What is seen of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Time spent sending since the start.
    pub busy: u64,
    /// By class: time stopped since the start.
    pub stopped: [u64; CLASSES_MAX],
    /// Something waits here that may not cross: counts as a stop since the last look.
    pub is_blocked: bool,
    /// What waits here.
    pub queued: u64,
}

/// A channel in a bin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slot {
    /// Time spent sending.
    pub busy: u64,
    /// Time stopped; of several classes, of the one that was stopped longest.
    pub stopped: u64,
    /// The largest queue that was seen.
    pub queued: u64,
}

/// Bins from the start of a run on.
#[derive(Clone, Debug)]
pub struct Bins {
    channels: usize,
    most: usize,
    /// Between two looks.
    step: u64,
    at: u64,
    looks: u32,
    last: Vec<Seen>,
    now: Vec<Slot>,
    rows: Vec<Vec<Slot>>,
}

impl Bins {
    /// Of so many channels, looked at after steps of this length at first.
    pub fn new(channels: usize, step: u64) -> Bins {
        let most = (VALUES / channels.max(1)).clamp(BINS.1, BINS.0);
        Bins {
            channels,
            most: most & !1,
            step: step.max(1),
            at: 0,
            looks: 0,
            last: vec![Seen::default(); channels],
            now: vec![Slot::default(); channels],
            rows: Vec::new(),
        }
    }

    /// When to look next.
    pub fn next(&self) -> u64 {
        self.at.saturating_add(self.step)
    }

    /// How far it has been looked at.
    pub fn end(&self) -> u64 {
        self.at
    }

    /// Width of a bin; the last may be shorter.
    pub fn width(&self) -> u64 {
        self.step * u64::from(LOOKS)
    }

    /// Bins that are closed, by channel.
    pub fn rows(&self) -> &[Vec<Slot>] {
        &self.rows
    }

    /// Where a bin ends.
    pub fn row_end(&self, row: usize) -> u64 {
        ((row as u64 + 1) * self.width()).min(self.at)
    }

    /// What is seen of all channels at `at`, at the next look or before.
    pub fn look(&mut self, at: u64, seen: impl Iterator<Item = Seen>) {
        let passed = at.saturating_sub(self.at);
        if passed == 0 {
            return;
        }
        for ((seen, last), now) in seen.zip(&mut self.last).zip(&mut self.now) {
            now.busy += seen.busy.saturating_sub(last.busy);
            if seen.stopped != last.stopped {
                let stops = seen.stopped.iter().zip(&last.stopped);
                let stopped = stops.map(|(seen, last)| seen.saturating_sub(*last)).max();
                now.stopped += stopped.unwrap_or(0);
            } else if seen.is_blocked && seen.stopped == [0; CLASSES_MAX] {
                now.stopped += passed;
            }
            now.queued = now.queued.max(seen.queued);
            *last = seen;
        }
        self.at = at;
        self.looks += 1;
        if self.looks == LOOKS {
            self.close_bin();
        }
        if self.rows.len() >= self.most {
            self.merge();
        }
    }

    /// Are there only whole pairs of bins, so that they can become wider?
    pub fn is_even(&self) -> bool {
        self.looks == 0 && self.rows.len().is_multiple_of(2)
    }

    /// Bins twice as wide from now on, where [`Self::is_even`], with half as many looks.
    pub fn widen(&mut self) {
        if self.is_even() {
            self.merge();
        }
    }

    /// Between two looks.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The bins with the one that is open as the last.
    pub fn closed(&self) -> Bins {
        let mut bins = self.clone();
        if bins.looks > 0 {
            bins.close_bin();
        }
        bins
    }

    fn close_bin(&mut self) {
        let empty = vec![Slot::default(); self.channels];
        self.rows.push(std::mem::replace(&mut self.now, empty));
        self.looks = 0;
    }

    fn merge(&mut self) {
        let pairs = self.rows.chunks(2).map(|pair| match pair {
            [one, two] => one.iter().zip(two).map(Slot::with).collect(),
            rest => rest.concat(),
        });
        self.rows = pairs.collect();
        self.step *= 2;
    }
}

impl Slot {
    fn with((one, two): (&Slot, &Slot)) -> Slot {
        Slot {
            busy: one.busy + two.busy,
            stopped: one.stopped + two.stopped,
            queued: one.queued.max(two.queued),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(busy: u64, stopped: u64, queued: u64) -> Seen {
        Seen {
            busy,
            stopped: {
                let mut all = [0; CLASSES_MAX];
                all[1] = stopped;
                all
            },
            queued,
            ..Seen::default()
        }
    }

    #[test]
    fn a_channel_half_busy_shows_half_in_each_bin() {
        let mut bins = Bins::new(1, 10);
        for look in 1..=8 {
            assert_eq!(bins.next(), look * 10);
            bins.look(look * 10, std::iter::once(seen(look * 5, 0, look)));
        }
        assert_eq!((bins.width(), bins.rows().len()), (40, 2));
        let shown: Vec<(u64, u64)> = bins
            .rows()
            .iter()
            .map(|r| (r[0].busy, r[0].queued))
            .collect();
        assert_eq!(shown, [(20, 4), (20, 8)]);
    }

    #[test]
    fn a_stop_lies_in_the_bins_in_which_it_holds() {
        let mut bins = Bins::new(1, 10);
        // Stopped from 35 to 62.
        for at in (10..=120).step_by(10) {
            let stopped = u64::clamp(at, 35, 62) - 35;
            bins.look(at, std::iter::once(seen(0, stopped, 0)));
        }
        let stopped: Vec<u64> = bins.rows().iter().map(|row| row[0].stopped).collect();
        assert_eq!(stopped, [5, 22, 0]);
    }

    #[test]
    fn bins_are_widened_two_by_two() {
        let mut bins = Bins::new(1, 10);
        for at in (10..=80).step_by(10) {
            bins.look(at, std::iter::once(seen(at / 2, 0, 0)));
            if at == 40 || at == 50 {
                bins.widen();
                assert_eq!(bins.step(), 10, "an odd bin, an open one");
            }
        }
        bins.widen();
        assert_eq!((bins.step(), bins.width(), bins.rows().len()), (20, 80, 1));
        assert_eq!((bins.next(), bins.rows()[0][0].busy), (100, 40));
    }

    /// Sums over bins are the totals, however often bins were merged.
    #[test]
    fn nothing_is_lost_where_bins_are_merged() {
        let mut bins = Bins::new(2, 1);
        let mut at = 0;
        while at < 100_000 {
            at = bins.next();
            let two = [seen(at / 3, at / 7, at % 11), seen(at, 0, 1)];
            bins.look(at, two.into_iter());
        }
        bins.look(at + 1, [seen(at, at, 0), seen(at + 1, 0, 0)].into_iter());
        let bins = bins.closed();
        assert!((128..=256).contains(&bins.rows().len()));
        let sum = |channel: usize, of: fn(&Slot) -> u64| -> u64 {
            bins.rows().iter().map(|row| of(&row[channel])).sum()
        };
        assert_eq!(sum(0, |slot| slot.busy), at);
        assert_eq!(sum(0, |slot| slot.stopped), at);
        assert_eq!(sum(1, |slot| slot.busy), at + 1);
        assert_eq!(bins.row_end(bins.rows().len() - 1), at + 1);
        let last = bins.rows().len() as u64 - 1;
        assert!(
            last * bins.width() < at + 1,
            "the last bin begins before the end"
        );
    }

    #[test]
    fn what_is_kept_is_bounded() {
        for channels in [1, 100, 5_000, CHANNELS_MOST] {
            assert!(
                Bins::new(channels, 1).most * channels <= VALUES,
                "{channels}"
            );
        }
    }
}
