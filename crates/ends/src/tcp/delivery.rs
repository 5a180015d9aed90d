//! Delivery-rate estimation: how fast does the network deliver what is sent?
//!
//! Cheng, Cardwell, Hassas Yeganeh and Jacobson, draft-cheng-iccrg-delivery-rate-estimation-02.
//!
//! | Draft | Here |
//! |---|---|
//! | C.delivered, C.delivered_time, C.first_sent_time | `delivered`, `delivered_at`, `first_sent` |
//! | C.app_limited | `limited_until` |
//! | C.lost (draft-ietf-ccwg-bbr) | `lost` |
//! | P.* | [`Record`] |
//! | RS.* | [`Sample`] |
//!
//! Each segment in flight has a record of how much was delivered when it was (last) sent. As it
//! is delivered, the bytes delivered since, over the time since, is a sample of the rate; the time
//! is the longer of that in which they were sent and that in which they were acknowledged, so that
//! acknowledgements which come in a bunch do not pretend a rate that nobody sent at. A sample over
//! less than the least round trip is none.
//!
//! Positions are those of the sender: `una` and its scoreboard say what is delivered, and what
//! leaves the pipe without that is lost; where losses go by time, the sender says what it took for
//! lost. So this counts no losses by a rule of its own.

use alloc::collections::VecDeque;

use backwater_kernel::hash::TraceHash;
use backwater_kernel::{Duration, Time};

use super::outstanding::Losses;
use crate::control::{Delivered, Sample};

/// A segment in flight.
#[derive(Clone, Copy, Debug)]
struct Record {
    start: u64,
    end: u64,
    sent_at: Time,
    first_sent: Time,
    delivered: u64,
    delivered_at: Time,
    /// Bytes in flight with it.
    flight: u64,
    lost: u64,
    is_app_limited: bool,
    is_again: bool,
    is_delivered: bool,
}

/// Where a sender stands: what an acknowledgement changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Standing {
    /// Bytes acknowledged, selectively or not.
    pub(crate) acked: u64,
    /// Bytes in flight.
    pub(crate) flight: u64,
    /// What was taken for lost so far, if the sender counts that.
    pub(crate) losses: Option<Losses>,
}

impl Standing {
    /// Bytes that are lost from here to `after`, in which so many were acknowledged.
    fn lost_until(&self, after: &Standing, acked_bytes: u64) -> u64 {
        match (self.losses, after.losses) {
            (Some(before), Some(after)) => after.bytes - before.bytes,
            (None, None) | (Some(_), None) | (None, Some(_)) => {
                let left = self.flight.saturating_sub(acked_bytes);
                left.saturating_sub(after.flight)
            }
        }
    }
}

/// The estimator of one sender.
#[derive(Clone, Debug)]
pub(crate) struct Deliveries {
    records: VecDeque<Record>,
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    limited_until: u64,
    lost: u64,
    least_rtt: Duration,
    key: u64,
}

impl Default for Deliveries {
    fn default() -> Deliveries {
        Deliveries {
            records: VecDeque::new(),
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            limited_until: 0,
            lost: 0,
            least_rtt: Duration::MAX,
            key: 0,
        }
    }
}

impl Deliveries {
    /// What is drawn in this connection follows from `key`.
    pub(crate) fn draw_from(&mut self, key: u64) {
        self.key = key;
    }

    /// The least round trip so far; [`Duration::MAX`] before the first.
    pub(crate) fn least_rtt(&self) -> Duration {
        self.least_rtt
    }

    /// A new connection: what was in flight is nobody's.
    pub(crate) fn forget(&mut self) {
        let key = self.key;
        *self = Deliveries::default();
        self.key = key;
    }

    /// Nothing to send, with room in the window; so many bytes are in flight.
    pub(crate) fn on_limited(&mut self, flight: u64) {
        self.limited_until = (self.delivered + flight).max(1);
    }

    /// Bytes `start` to `end` go; `flight` were in flight without them.
    pub(crate) fn on_sent(&mut self, now: Time, (start, end): (u64, u64), flight: u64) {
        if flight == 0 {
            self.first_sent = now;
            self.delivered_at = now;
        }
        let mut record = Record {
            start,
            end,
            sent_at: now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            flight: flight + (end - start),
            lost: self.lost,
            is_app_limited: self.limited_until > 0,
            is_again: false,
            is_delivered: false,
        };
        let known = self
            .records
            .back()
            .map_or(start, |last| last.end)
            .max(start);
        record.is_again = known > start;
        let from = self.records.partition_point(|old| old.end <= start);
        for old in self.records.range_mut(from..) {
            if old.start >= end {
                break;
            }
            *old = Record {
                start: old.start,
                end: old.end,
                is_delivered: old.is_delivered,
                ..record
            };
        }
        if end > known {
            record.is_again = false;
            self.records.push_back(Record {
                start: known,
                ..record
            });
        }
    }

    /// An acknowledgement was taken that moved the sender from one standing to another: `una` is
    /// acknowledged now, and beyond it `blocks`. What it tells, if it delivers or loses anything.
    pub(crate) fn on_ack(
        &mut self,
        now: Time,
        (before, after): (Standing, Standing),
        una: u64,
        blocks: &[(u64, u64)],
    ) -> Option<Sample> {
        let acked_bytes = after.acked.saturating_sub(before.acked);
        let lost_bytes = before.lost_until(&after, acked_bytes);
        if acked_bytes == 0 && lost_bytes == 0 {
            return None;
        }
        self.lost += lost_bytes;
        if acked_bytes > 0 {
            self.delivered += acked_bytes;
            self.delivered_at = now;
        }
        if self.limited_until > 0 && self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let mut sample = Sample {
            delivered: self.delivered,
            acked_bytes,
            lost_bytes,
            lost: self.lost,
            prior_flight_bytes: before.flight,
            flight_bytes: after.flight,
            draw: self.draw(),
            ..Sample::default()
        };
        if let Some(newest) = self.newest(una, blocks) {
            self.fill(now, &newest, &mut sample);
        }
        if lost_bytes > 0 {
            sample.lost_segment = match after.losses {
                Some(losses) => self.at(losses.last),
                None => self.last_gap(blocks),
            };
        }
        Some(sample)
    }

    /// A word that differs from connection to connection, and from one moment to another.
    fn draw(&self) -> u64 {
        let mut word = TraceHash::new();
        word.add(self.key);
        word.add(self.delivered);
        word.value()
    }

    /// So many bytes in flight are taken for lost, without any acknowledgement.
    pub(crate) fn on_given_up(&mut self, bytes: u64) {
        self.lost += bytes;
    }

    /// Of the segments that are delivered now and were not before, the one that was sent last.
    fn newest(&mut self, una: u64, blocks: &[(u64, u64)]) -> Option<Record> {
        let mut newest: Option<Record> = None;
        let mut note = |record: &Record| {
            if newest.is_none_or(|last| (last.sent_at, last.end) <= (record.sent_at, record.end)) {
                newest = Some(*record);
            }
        };
        while let Some(first) = self.records.front()
            && first.end <= una
        {
            if !first.is_delivered {
                note(first);
            }
            self.records.pop_front();
        }
        for &(first, end) in blocks {
            let from = self.records.partition_point(|record| record.start < first);
            let inside = self.records.range_mut(from..);
            for record in inside.take_while(|record| record.end <= end) {
                if !record.is_delivered {
                    record.is_delivered = true;
                    note(record);
                }
            }
        }
        newest
    }

    /// The segment that begins there.
    fn at(&self, start: u64) -> Option<(u64, u64)> {
        let below = self.records.partition_point(|record| record.start < start);
        let record = self.records.get(below)?;
        (record.start == start).then_some((record.flight, record.lost))
    }

    /// The last segment below all that is known to have arrived which has not itself.
    fn last_gap(&self, blocks: &[(u64, u64)]) -> Option<(u64, u64)> {
        let high = blocks.iter().map(|block| block.1).max()?;
        let below = self.records.partition_point(|record| record.end <= high);
        let mut below = self.records.range(..below).rev();
        let gap = below.find(|record| !record.is_delivered)?;
        Some((gap.flight, gap.lost))
    }

    /// What the delivery of a segment says.
    fn fill(&mut self, now: Time, segment: &Record, sample: &mut Sample) {
        self.first_sent = segment.sent_at;
        sample.prior_delivered = segment.delivered;
        sample.sent_at = segment.sent_at;
        sample.is_app_limited = segment.is_app_limited;
        sample.sent_flight_bytes = segment.flight;
        sample.prior_lost = segment.lost;
        if !segment.is_again {
            let rtt = now.since(segment.sent_at);
            self.least_rtt = self.least_rtt.min(rtt);
            sample.rtt = Some(rtt);
        }
        let sending = segment.sent_at.since(segment.first_sent);
        let acking = now.since(segment.delivered_at);
        let over = sending.max(acking);
        let is_long = over.ps() > 0 && (self.least_rtt == Duration::MAX || over >= self.least_rtt);
        sample.rate = is_long.then_some(Delivered {
            bytes: self.delivered - segment.delivered,
            over,
        });
    }
}

#[cfg(test)]
mod tests;
