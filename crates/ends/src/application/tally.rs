//! What is counted of a flow, most of it after the warm-up.

use backwater_kernel::{Collected, DelayOutcome, Delays, Survey, Time};

use crate::outcome::EndsOutcome;
use crate::tcp::TcpCounts;

/// Transfers of all flows whose times are kept one by one.
const KEPT: usize = 1 << 20;
/// Of one flow, at most and at least, however many flows there are.
const KEPT_OF_FLOW: (usize, usize) = (4_096, 64);

/// Counters of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Payload the destination got.
    pub goodput_bytes: u64,
    /// Payload the source got.
    pub returned_bytes: u64,
    /// Handed over, whole run.
    pub offered_bytes: u64,
    /// Frames, either way.
    delivered: u64,
    /// Of frames that reached the destination.
    delay: Delays,
    /// Files to their last byte at the receiver, requests, pictures.
    transfer_time: Collected,
    /// Files to their last acknowledgement.
    acknowledged_time: Collected,
    /// Transfers, whole run, the start of the first and the end of the last.
    transfers_total: u64,
    /// Those begun, and when the latest was.
    begun: u64,
    latest_start: Option<Time>,
    first_start: Time,
    last_transfer: Time,
}

impl Tally {
    /// Nothing counted, of one of so many flows.
    pub fn new(flows: usize) -> Tally {
        let (most, least) = KEPT_OF_FLOW;
        let kept = (KEPT / flows.max(1)).clamp(least, most);
        Tally {
            goodput_bytes: 0,
            returned_bytes: 0,
            offered_bytes: 0,
            delivered: 0,
            delay: Delays::default(),
            transfer_time: Collected::new(kept),
            acknowledged_time: Collected::new(kept),
            transfers_total: 0,
            begun: 0,
            latest_start: None,
            first_start: Time::MAX,
            last_transfer: Time::ZERO,
        }
    }

    /// A frame reached its station.
    #[inline]
    pub fn count_frame(&mut self, now: Time, is_forward: bool, born: Time) {
        self.delivered += 1;
        if is_forward {
            self.delay.record(now.since(born).ps());
        }
    }

    /// So many transfers begin.
    #[inline]
    pub const fn begin(&mut self, at: Time, count: u64) {
        self.begun += count;
        self.latest_start = Some(at);
    }

    /// A transfer that began then is complete.
    #[inline]
    pub fn count_transfer(&mut self, now: Time, began: Time, is_measured: bool) {
        self.transfers_total += 1;
        self.first_start = self.first_start.min(began);
        self.last_transfer = now;
        if is_measured {
            self.transfer_time.record(now.since(began).ps());
        }
    }

    /// The last acknowledgement of a file that began then is in.
    #[inline]
    pub fn count_acknowledged(&mut self, now: Time, began: Time) {
        self.acknowledged_time.record(now.since(began).ps());
    }

    /// What was counted, for a run that repeats itself.
    pub fn survey_tally(&mut self, survey: &mut Survey) {
        let Tally {
            goodput_bytes,
            returned_bytes,
            offered_bytes,
            delivered,
            delay,
            transfer_time,
            acknowledged_time,
            transfers_total,
            begun,
            latest_start,
            first_start: _,
            last_transfer,
        } = self;
        for count in [
            goodput_bytes,
            returned_bytes,
            offered_bytes,
            delivered,
            transfers_total,
            begun,
        ] {
            survey.adds(count);
        }
        delay.survey_delays(survey);
        transfer_time.survey_collected(survey);
        acknowledged_time.survey_collected(survey);
        survey.noted_if(latest_start);
        survey.noted(last_transfer);
    }

    /// Counts what another flow did.
    fn add(&mut self, other: &Tally) {
        self.goodput_bytes += other.goodput_bytes;
        self.returned_bytes += other.returned_bytes;
        self.offered_bytes += other.offered_bytes;
        self.delivered += other.delivered;
        self.delay.merge(&other.delay);
        self.transfer_time.merge(&other.transfer_time);
        self.acknowledged_time.merge(&other.acknowledged_time);
        self.transfers_total += other.transfers_total;
        self.begun += other.begun;
        self.latest_start = self.latest_start.max(other.latest_start);
        self.first_start = self.first_start.min(other.first_start);
        self.last_transfer = self.last_transfer.max(other.last_transfer);
    }

    /// When the transfer of a flow that has one began; what it took, if it is complete.
    pub fn only(&self) -> (Option<Time>, Option<u64>) {
        let took = (self.transfers_total > 0).then(|| self.last_transfer.since(self.first_start));
        (self.latest_start, took.map(|took| took.ps()))
    }

    /// One has begun and is not complete.
    pub const fn is_unfinished(&self) -> bool {
        self.begun > self.transfers_total
    }

    /// Transfers complete after the warm-up.
    pub const fn measured(&self) -> u64 {
        self.transfer_time.count()
    }

    /// Frames that reached their station, and what those to the destination took.
    pub fn delivered(&self) -> (u64, DelayOutcome) {
        (self.delivered, self.delay.outcome())
    }

    /// What else was counted; the rest is empty.
    pub fn outcome(&self) -> EndsOutcome {
        EndsOutcome {
            goodput_bytes: self.goodput_bytes,
            returned_bytes: self.returned_bytes,
            offered_bytes_total: self.offered_bytes,
            transfers: self.transfer_time.count(),
            transfer_time: self.transfer_time.distribution(),
            acknowledged_time: self.acknowledged_time.distribution(),
            transfers_total: self.transfers_total,
            transfers_begun: self.begun,
            latest_start: self.latest_start,
            first_start: (self.transfers_total > 0).then_some(self.first_start),
            last_transfer: self.last_transfer,
            ..EndsOutcome::default()
        }
    }
}

/// What flows that have ended did together.
#[derive(Clone, Debug)]
pub struct EndsSum {
    tally: Tally,
    planned: u64,
    are_acknowledged: bool,
    tcp: TcpCounts,
}

impl Default for EndsSum {
    fn default() -> EndsSum {
        EndsSum {
            tally: Tally::new(1),
            planned: 0,
            are_acknowledged: false,
            tcp: TcpCounts::default(),
        }
    }
}

impl EndsSum {
    /// One more, with so many transfers in all, and what its connection counted.
    pub(crate) fn add(&mut self, tally: &Tally, planned: u64, tcp: Option<TcpCounts>) {
        self.tally.add(tally);
        self.planned += planned;
        self.are_acknowledged |= tcp.is_some();
        self.tcp = self.tcp.plus(tcp.unwrap_or_default());
    }

    /// Data frames of all flows delivered after the warm-up, either way, and birth to delivery of
    /// those that reached the destination, ps.
    pub fn delivered(&self) -> (u64, DelayOutcome) {
        self.tally.delivered()
    }

    /// What they did, as if they were one flow; what is unfinished has no age.
    pub fn outcome(&self) -> EndsOutcome {
        EndsOutcome {
            transfers_planned: Some(self.planned),
            are_acknowledged: self.are_acknowledged,
            tcp: self.tcp,
            ..self.tally.outcome()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_back_have_no_delay() {
        let mut tally = Tally::new(1);
        tally.count_frame(Time(50), true, Time(10));
        tally.count_frame(Time(60), true, Time(40));
        tally.count_frame(Time(99), false, Time(60));
        tally.begin(Time(5), 2);
        tally.count_transfer(Time(90), Time(5), false);
        tally.count_transfer(Time(100), Time(5), true);
        tally.begin(Time(120), 1);
        let mut found = tally.outcome();
        found.end(Time(200));
        assert_eq!((found.unfinished(), found.transfer_time.open()), (1, 1));
        let (delivered, delay) = tally.delivered();
        assert_eq!((delivered, delay.count, delay.mean), (3, 2, 30.0));
        assert_eq!((delay.min, delay.max), (20, 40));
        assert_eq!(
            (found.transfers, found.transfer_time.max()),
            (1, Some(95.0))
        );
        assert_eq!(found.transfer_time.oldest(), Some(80.0));
        assert_eq!(found.first_start, Some(Time(5)));
        assert_eq!((found.transfers_total, found.last_transfer), (2, Time(100)));
        assert_eq!(delay.histogram.percentile(100.0), 40);
    }
}
