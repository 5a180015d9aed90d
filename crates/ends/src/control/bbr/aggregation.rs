//! Acknowledgements that come in bunches: how much more than the rate says they deliver at once.
//!
//! While some of them wait together, a window of twice the product runs empty. So the window has
//! room for the most that was seen beyond the rate, of the last five to ten round trips, and no
//! more than 100 ms of the rate.

use backwater_kernel::{Duration, Rate, Time};

use super::product;
use crate::control::sample::Sample;

/// Round trips of one of two windows.
const ROUNDS: u32 = 5;
/// No more is allowed for.
const MOST: Duration = Duration(100_000_000_000);

/// State of the estimate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    /// The most beyond the rate, in this window of round trips and the one before.
    most: [u64; 2],
    rounds: u32,
    /// Acknowledged since `since`, which began when all was as the rate says.
    acked: u64,
    since: Time,
}

impl Aggregation {
    /// Takes a sample.
    pub(super) fn on_sample(
        &mut self,
        now: Time,
        rate: Rate,
        is_start: bool,
        sample: &Sample,
        cwnd: u64,
    ) {
        if sample.acked_bytes == 0 || sample.rate.is_none() {
            return;
        }
        if is_start {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.most = [0, self.most[0]];
            }
        }
        let mut expected = product(rate, now.since(self.since), 1_000);
        if self.acked <= expected {
            self.acked = 0;
            self.since = now;
            expected = 0;
        }
        self.acked += sample.acked_bytes;
        let extra = (self.acked - expected.min(self.acked)).min(cwnd);
        self.most[0] = self.most[0].max(extra);
    }

    /// What the window is to have room for.
    pub(super) fn extra(&self, rate: Rate) -> u64 {
        self.most[0]
            .max(self.most[1])
            .min(product(rate, MOST, 1_000))
    }
}
