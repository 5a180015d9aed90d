//! The allowed rate over time, for statistics.

use backwater_kernel::{Rate, Time};

/// ACR over time.
#[derive(Clone, Copy)]
pub(super) struct RateLevel {
    since: Time,
    from: Time,
    bit_ps: u128,
    pub(super) least: Rate,
    pub(super) most: Rate,
}

impl RateLevel {
    pub(super) fn new(acr: Rate, from: Time) -> RateLevel {
        let (least, most) = (acr, acr);
        RateLevel {
            since: from,
            from,
            bit_ps: 0,
            least,
            most,
        }
    }

    /// The rate was `old` until `now`.
    pub(super) fn change(&mut self, now: Time, old: Rate, new: Rate) {
        self.bit_ps += old.0 as u128 * now.since(self.since).ps() as u128;
        self.since = now;
        (self.least, self.most) = (self.least.min(new), self.most.max(new));
    }

    /// As it is at `now`, the rate having been `acr` since the last change.
    pub(super) fn until(mut self, now: Time, acr: Rate) -> RateLevel {
        self.change(now.max(self.since), acr, acr);
        self
    }

    /// The mean up to the last change, in bps; `acr` if no time has passed.
    pub(super) fn mean_bps(&self, acr: Rate) -> f64 {
        match self.since.since(self.from).ps() {
            0 => acr.0 as f64,
            span => self.bit_ps as f64 / span as f64,
        }
    }
}
