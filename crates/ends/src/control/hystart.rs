//! HyStart: slow start ends when acknowledgements or delays say that the path is full.
//!
//! Ha and Rhee, *Taming the elephants: new TCP slow start* (2011), with the constants of Linux's
//! `tcp_cubic`; HyStart++ (RFC 9406; Balasubramanian, Huang and Olson 2023).
//!
//! | Symbol | Here |
//! |---|---|
//! | round_start, end_seq (windowEnd) | `began`, `end` |
//! | last_ack | `last` |
//! | delay_min | `least`, of the connection's whole life |
//! | curr_rtt (currentRoundMinRTT), sample_cnt (rttSampleCount) | `found`, `samples` |
//! | lastRoundMinRTT, cssBaselineMinRtt | `before`, `baseline` |
//!
//! **HyStart** looks from a window of 16 segments on. The train: acknowledgements that follow each
//! other within 2 ms have come for more than half of the least round trip and half of what bursts
//! of offload take at twice the window a round trip, 1 ms at most; where segments are spaced, for
//! all of both. The delay: the least of a round,
//! after 8 samples, is above the least of all by an eighth of that, 4 to 16 ms. In the second after
//! a loss it takes no samples.
//!
//! **HyStart++** compares with the round before instead; then the window grows by a quarter for
//! five rounds, and slow start goes on if a round's delay falls below where it was found.

use backwater_kernel::{Duration, Time};

use super::hooks::Ack;
use crate::spec::SlowStart;

const MS: u64 = 1_000_000_000;
/// Windows from which HyStart looks, segments.
const LOW_WINDOW: u64 = 16;
/// Acknowledgements of one train are no further apart.
const TRAIN_GAP: Duration = Duration(2 * MS);
/// Samples of a round.
const SAMPLES: u32 = 8;
/// What offload may hold back of a window, bytes.
const OFFLOAD_BYTES: u64 = 4 * 65_536;
/// Growth is divided so in the rounds after.
const CSS_DIVISOR: u64 = 4;
/// So many rounds.
const CSS_ROUNDS: u32 = 5;
/// Segments that one acknowledgement may add.
const BURST: u64 = 8;

/// What is known of the round that goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HyStart {
    rule: SlowStart,
    end: u64,
    began: Time,
    last: Time,
    least: Option<Duration>,
    found: Option<Duration>,
    before: Option<Duration>,
    baseline: Option<Duration>,
    samples: u32,
    /// Rounds of slower growth that are left.
    rounds: u32,
    /// Bytes that were not worth one.
    rest: u64,
    blind_until: Time,
    /// Segments are spaced.
    is_paced: bool,
}

/// What slow start does with an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// The window grows by so much.
    Grow(u64),
    /// It is over, at the window as it is.
    Over,
}

impl HyStart {
    /// As a connection begins.
    pub(crate) fn new(rule: SlowStart, is_paced: bool) -> HyStart {
        HyStart {
            rule,
            end: 0,
            began: Time::ZERO,
            last: Time::ZERO,
            least: None,
            found: None,
            before: None,
            baseline: None,
            samples: 0,
            rounds: 0,
            rest: 0,
            blind_until: Time::ZERO,
            is_paced,
        }
    }

    /// A loss: for a second delays are those of its repair.
    pub(crate) fn on_loss(&mut self, now: Time) {
        self.baseline = None;
        self.blind_until = Time(now.0.saturating_add(1_000 * MS));
    }

    /// An acknowledgement in slow start.
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack, window: u64, mss: u64) -> Start {
        let bytes = ack.news_bytes;
        match self.rule {
            SlowStart::Loss => Start::Grow(bytes.min(mss)),
            SlowStart::HyStart => match self.is_full(now, ack, window, mss) {
                true => Start::Over,
                false => Start::Grow(bytes),
            },
            SlowStart::HyStartPlusPlus => self.plus_plus(now, ack, bytes.min(BURST * mss)),
        }
    }

    /// Begins a round when what was sent in the last one is acknowledged; whether it did.
    fn turn(&mut self, now: Time, ack: &Ack) -> bool {
        let is_new = ack.expected > self.end;
        if is_new {
            (self.end, self.began, self.last) = (ack.sent_end, now, now);
            (self.before, self.found, self.samples) = (self.found, None, 0);
        }
        is_new
    }

    fn is_full(&mut self, now: Time, ack: &Ack, window: u64, mss: u64) -> bool {
        let Some(rtt) = ack.rtt.filter(|_| now >= self.blind_until) else {
            return false;
        };
        let least = self.least.map_or(rtt, |least| least.min(rtt));
        self.least = Some(least);
        self.turn(now, ack);
        if window < LOW_WINDOW * mss {
            return false;
        }
        if now.since(self.last) <= TRAIN_GAP {
            self.last = now;
            let offload = offload(window, ack.rtt_seconds);
            // Twice what the path holds is sent at once, or over a whole round trip if spaced.
            let parts = if self.is_paced { 1 } else { 2 };
            if now.since(self.began).0 > (least.0 + offload.0) / parts {
                return true;
            }
        }
        let of_round = self.found.map_or(rtt, |shortest| shortest.min(rtt));
        self.found = Some(of_round);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        of_round > least + eighth(least)
    }

    fn plus_plus(&mut self, now: Time, ack: &Ack, bytes: u64) -> Start {
        let is_new = self.turn(now, ack);
        if is_new && self.baseline.is_some() {
            self.rounds = self.rounds.saturating_sub(1);
            if self.rounds == 0 {
                return Start::Over;
            }
        }
        if let Some(rtt) = ack.rtt {
            self.found = Some(self.found.map_or(rtt, |found| found.min(rtt)));
            self.samples += 1;
        }
        let enough = self.found.filter(|_| self.samples >= SAMPLES);
        match (self.baseline, enough, self.before) {
            (Some(baseline), Some(found), _) if found < baseline => self.baseline = None,
            (None, Some(found), Some(before)) if found >= before + eighth(before) => {
                (self.baseline, self.rounds) = (Some(found), CSS_ROUNDS);
            }
            (Some(_) | None, Some(_) | None, Some(_) | None) => {}
        }
        if self.baseline.is_none() {
            return Start::Grow(bytes);
        }
        let all = self.rest + bytes;
        self.rest = all % CSS_DIVISOR;
        Start::Grow(all / CSS_DIVISOR)
    }
}

/// An eighth, 4 to 16 ms.
fn eighth(of: Duration) -> Duration {
    Duration((of.0 / 8).clamp(4 * MS, 16 * MS))
}

/// How long bursts of offload take at two windows a round trip, 1 ms at most.
fn offload(window: u64, rtt_seconds: f64) -> Duration {
    let seconds = OFFLOAD_BYTES as f64 * rtt_seconds / (2 * window).max(1) as f64;
    Duration(((seconds * 1_000.0).min(1.0) * MS as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1_000;

    fn ack(segment: u64, sent_end: u64, rtt: Duration) -> Ack {
        Ack {
            expected: segment * MSS,
            news_bytes: MSS,
            sent_end: sent_end * MSS,
            rtt_seconds: 0.01,
            rtt: Some(rtt),
            may_grow: true,
            ..Ack::default()
        }
    }

    fn ms(count: u64) -> Duration {
        Duration(count * MS)
    }

    /// A round trip of 10 ms: an acknowledgement a tenth of a ms ends slow start 5.5 ms after the
    /// round began (10 ms and 1 ms for offload, halved); one every 3 ms is no train.
    #[test]
    fn a_train_of_half_a_round_trip_ends_it() {
        let over = |gap: u64, window: u64, is_paced| {
            let mut hystart = HyStart::new(SlowStart::HyStart, is_paced);
            let mut now = Time(100 * MS);
            for nth in 1..=200 {
                let news = ack(nth, 300, ms(10));
                if hystart.on_ack(now, &news, window, MSS) == Start::Over {
                    return Some(nth - 1);
                }
                now += Duration(gap);
            }
            None
        };
        assert_eq!(over(MS / 10, 64 * MSS, false), Some(56));
        assert_eq!(
            over(MS / 10, 15 * MSS, false),
            None,
            "the window is too small"
        );
        assert_eq!(over(3 * MS, 64 * MSS, false), None);
        // Spaced: all of both, 11 ms.
        assert_eq!(over(MS / 10, 64 * MSS, true), Some(111));
    }

    /// After eight samples of a round, an eighth more than the least is 4 ms of 10.
    #[test]
    fn a_round_that_is_slower_ends_it() {
        let over = |rtt: Duration| {
            let mut hystart = HyStart::new(SlowStart::HyStart, false);
            let mut now = Time(100 * MS);
            hystart.on_ack(now, &ack(1, 1, ms(10)), 20 * MSS, MSS);
            for nth in 2..=40 {
                now += ms(3);
                let news = ack(nth, 100, rtt);
                if hystart.on_ack(now, &news, 20 * MSS, MSS) == Start::Over {
                    return Some(nth - 1);
                }
            }
            None
        };
        assert_eq!(over(ms(14)), None);
        assert_eq!(over(Duration(14 * MS + 1)), Some(9));
    }

    /// RFC 9406: a slower round makes growth a quarter; five rounds later it is over, or it goes on
    /// as before when a round is faster.
    #[test]
    fn conservative_rounds() {
        let grown = |later: u64| {
            let mut hystart = HyStart::new(SlowStart::HyStartPlusPlus, false);
            let (mut nth, mut grown) = (0, std::vec::Vec::new());
            for round in 0..12 {
                let rtt = match round {
                    0 => ms(10),
                    1 => ms(15),
                    _ => ms(later),
                };
                let end = nth + 10;
                let mut sum = 0;
                while nth < end {
                    nth += 1;
                    match hystart.on_ack(Time(nth * MS), &ack(nth, end, rtt), 20 * MSS, MSS) {
                        Start::Grow(bytes) => sum += bytes,
                        Start::Over => return (grown, true),
                    }
                }
                grown.push(sum);
            }
            (grown, false)
        };
        let (found, is_over) = grown(15);
        assert!(is_over, "{found:?}");
        assert_eq!(found, [10_000, 7_750, 2_500, 2_500, 2_500, 2_500]);
        let (found, is_over) = grown(14);
        assert!(!is_over, "{found:?}");
        assert_eq!(found[2..4], [4_750, 10_000]);
    }
}
