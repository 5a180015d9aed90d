//! The segments that were sent and not acknowledged, each with the time when it last went out.
//!
//! They stand by position, as they were cut when they first went: what goes again goes as it was.
//! A second list has the sendings by time, as RFC 8985 asks for, so that what is overdue is at its
//! head: an acknowledgement costs what it newly tells of, however large the window is. An entry
//! there whose segment has arrived or gone again since is stale, and falls away at the head.
//!
//! | Where a segment is | Counted in |
//! |---|---|
//! | in flight | `flight_bytes` |
//! | taken for lost, to go again | `lost_bytes` |
//! | arrived, beyond a gap | neither |

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

/// One segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sent {
    /// Position of its first byte.
    pub(crate) start: u64,
    /// When it last went out.
    pub(crate) at: Time,
    /// When it was expected, the first time that it went again.
    pub(crate) due_at: Time,
    /// Payload.
    pub(crate) bytes: u32,
    /// It went more than once.
    pub(crate) is_again: bool,
    place: SentPlace,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SentPlace {
    InFlight,
    Lost,
    Arrived,
}

impl Sent {
    /// Position after its last byte.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.start + u64::from(self.bytes)
    }
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outstanding {
    segments: VecDeque<Sent>,
    /// Number of the first; they are numbered as they first went.
    first: u64,
    /// Numbers and times of what went, oldest first, some of them stale.
    order: VecDeque<(u64, Time)>,
    flight_bytes: u64,
    lost_bytes: u64,
    /// Segments that arrived beyond a gap.
    beyond: usize,
    /// None with a lower number waits to go again.
    lost_from: u64,
    losses: Losses,
}

/// What was taken for lost since the connection began, whatever became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Losses {
    /// Bytes.
    pub(crate) bytes: u64,
    /// Where the segment begins that was taken for lost last.
    pub(crate) last: u64,
}

impl Outstanding {
    /// Bytes thought to be in the network.
    #[inline]
    pub(crate) fn flight_bytes(&self) -> u64 {
        self.flight_bytes
    }

    /// Bytes taken for lost that have not gone again.
    #[inline]
    pub(crate) fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }

    /// What was taken for lost so far.
    #[inline]
    pub(crate) fn losses(&self) -> Losses {
        self.losses
    }

    /// Segments that arrived beyond a gap.
    #[inline]
    pub(crate) fn beyond(&self) -> usize {
        self.beyond
    }

    /// How many segments, whatever became of them.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.segments.len()
    }

    /// The last of them.
    pub(crate) fn last(&self) -> Option<&Sent> {
        self.segments.back()
    }

    /// New data goes out.
    pub(crate) fn push(&mut self, now: Time, start: u64, bytes: u32) {
        let number = self.first + self.segments.len() as u64;
        self.segments.push_back(Sent {
            start,
            at: now,
            due_at: now,
            bytes,
            is_again: false,
            place: SentPlace::InFlight,
        });
        self.order.push_back((number, now));
        self.flight_bytes += u64::from(bytes);
    }

    /// The segment that begins at `start` goes again; others took `rtt`.
    pub(crate) fn again(&mut self, now: Time, start: u64, rtt: Duration) {
        let at = self.at_or_after(start);
        let Some(sent) = self.segments.get_mut(at) else {
            return;
        };
        if sent.place == SentPlace::Lost {
            self.lost_bytes -= u64::from(sent.bytes);
            self.flight_bytes += u64::from(sent.bytes);
        }
        if !sent.is_again {
            sent.due_at = sent.at + rtt;
        }
        (sent.place, sent.at, sent.is_again) = (SentPlace::InFlight, now, true);
        self.order.push_back((self.first + at as u64, now));
    }

    /// The first segment that is to go again.
    pub(crate) fn next_lost(&self) -> Option<&Sent> {
        if self.lost_bytes == 0 {
            return None;
        }
        let from = self.lost_from.saturating_sub(self.first) as usize;
        let mut rest = self.segments.range(from.min(self.segments.len())..);
        rest.find(|sent| sent.place == SentPlace::Lost)
    }

    /// Everything below `una` has arrived; `each` is told of what had not before.
    pub(crate) fn acknowledge(&mut self, una: u64, mut each: impl FnMut(&Sent)) {
        while let Some(sent) = self.segments.front_mut().filter(|sent| sent.start < una) {
            if una < sent.end() {
                // Part of it: no receiver of ours does that.
                let gone = (una - sent.start) as u32;
                (sent.start, sent.bytes) = (una, sent.bytes - gone);
                let place = sent.place;
                self.leave(place, gone);
                return;
            }
            let sent = *sent;
            self.segments.pop_front();
            self.first += 1;
            match sent.place {
                SentPlace::Arrived => self.beyond -= 1,
                SentPlace::InFlight | SentPlace::Lost => each(&sent),
            }
            self.leave(sent.place, sent.bytes);
        }
    }

    /// What lies wholly between these has arrived; `each` is told of what had not before.
    pub(crate) fn arrived(&mut self, first: u64, end: u64, mut each: impl FnMut(&Sent)) {
        let mut at = self.at_or_after(first);
        while let Some(sent) = self.segments.get_mut(at).filter(|sent| sent.end() <= end) {
            if sent.place != SentPlace::Arrived {
                let (place, bytes) = (sent.place, sent.bytes);
                sent.place = SentPlace::Arrived;
                each(sent);
                self.leave(place, bytes);
                self.beyond += 1;
            }
            at += 1;
        }
    }

    /// Takes for lost what is in flight, in order of time, as long as `is_lost` says so; whether
    /// any of it was, and the first that was not.
    pub(crate) fn lose(&mut self, is_lost: impl Fn(&Sent) -> bool) -> (bool, Option<Sent>) {
        let mut has_lost = false;
        while let Some(&(number, at)) = self.order.front() {
            match self.in_flight(number, at) {
                Some(sent) if is_lost(&sent) => {
                    self.mark(number);
                    has_lost = true;
                }
                Some(sent) => return (has_lost, Some(sent)),
                None => {}
            }
            self.order.pop_front();
        }
        (has_lost, None)
    }

    /// The first segment is lost, whenever it went.
    pub(crate) fn lose_first(&mut self) {
        if self
            .segments
            .front()
            .is_some_and(|sent| sent.place == SentPlace::InFlight)
        {
            self.mark(self.first);
        }
    }

    /// Nothing is lost after all: what has not gone again is in flight as it was.
    pub(crate) fn restore(&mut self) {
        let from = self.lost_from.saturating_sub(self.first) as usize;
        let rest = self.segments.iter_mut().enumerate().skip(from);
        let lost = rest.filter(|(_, sent)| sent.place == SentPlace::Lost);
        let mut back: Vec<(Time, u64)> = Vec::new();
        for (at, sent) in lost {
            sent.place = SentPlace::InFlight;
            back.push((sent.at, self.first + at as u64));
        }
        self.flight_bytes += self.lost_bytes;
        self.lost_bytes = 0;
        // They are older than all that was not overdue.
        back.sort_unstable();
        for (at, number) in back.into_iter().rev() {
            self.order.push_front((number, at));
        }
    }

    /// The segment of that number, if it is in flight since then.
    fn in_flight(&self, number: u64, at: Time) -> Option<Sent> {
        let place = number.checked_sub(self.first)?;
        let sent = *self.segments.get(place as usize)?;
        (sent.place == SentPlace::InFlight && sent.at == at).then_some(sent)
    }

    fn mark(&mut self, number: u64) {
        let sent = &mut self.segments[(number - self.first) as usize];
        sent.place = SentPlace::Lost;
        let bytes = u64::from(sent.bytes);
        self.losses.bytes += bytes;
        self.losses.last = sent.start;
        self.flight_bytes -= bytes;
        self.lost_from = match self.lost_bytes {
            0 => number,
            _ => self.lost_from.min(number),
        };
        self.lost_bytes += bytes;
    }

    /// Bytes of that place have arrived.
    fn leave(&mut self, place: SentPlace, bytes: u32) {
        match place {
            SentPlace::InFlight => self.flight_bytes -= u64::from(bytes),
            SentPlace::Lost => self.lost_bytes -= u64::from(bytes),
            SentPlace::Arrived => {}
        }
    }

    /// Where the first segment stands that begins there or later.
    fn at_or_after(&self, position: u64) -> usize {
        self.segments.partition_point(|sent| sent.start < position)
    }
}

#[cfg(test)]
mod tests;
