//! What a queue keeps that states rates.

use backwater_kernel::{Rate, Time};
use backwater_net::frames::spec::{MaxCut, RoccPointSpec};

/// What a queue keeps for its rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stating {
    spec: RoccPointSpec,
    pub next: Time,
    /// In units of 10 Mb/s and 2^-`rate_bits`.
    fair: i128,
    /// What it held an interval ago, in 600 bytes.
    before: i128,
}

impl Stating {
    pub fn new(spec: RoccPointSpec) -> Stating {
        let mut stating = Stating {
            spec,
            next: Time::ZERO + spec.interval,
            fair: 0,
            before: 0,
        };
        stating.fair = stating.units(spec.most);
        stating
    }

    fn units(&self, rate: Rate) -> i128 {
        i128::from(rate.0) * (1 << self.spec.rate_bits) / 10_000_000
    }

    /// An interval is over, and the queue holds so much: the rate until the next one is.
    pub fn state(&mut self, bytes: u64) -> Rate {
        self.next += self.spec.interval;
        let in_600 = |bytes: u64| i128::from(bytes / 600);
        let (least, most) = (self.units(self.spec.least), self.units(self.spec.most));
        let holds = in_600(bytes);
        let grown = holds - self.before;
        let is_full = holds >= in_600(self.spec.most_bytes);
        let grows = grown >= in_600(self.spec.growth_bytes);
        let next = match (self.fair * 8 > most, is_full, grows) {
            (true, true, _) if self.spec.max_cut == MaxCut::Least => least,
            (true, true, _) | (true, false, true) => self.fair / 2,
            _ => self.fair - self.less(holds - in_600(self.spec.reference_bytes), grown),
        };
        self.fair = next.max(least).min(most);
        self.before = holds;
        Rate((self.fair * 10_000_000 / (1 << self.spec.rate_bits)) as u64)
    }

    /// Rounded up, as the rate is rounded down.
    fn less(&self, beyond: i128, grown: i128) -> i128 {
        // Six regions: each next one has half the gains.
        let region = (1..6).find(|k| self.fair << k >= self.units(self.spec.most));
        let divisor = i128::from(1_u64 << 32) << (region.unwrap_or(6) - 1);
        let a = i128::from(self.spec.offset_gain.0) << self.spec.rate_bits;
        let b = i128::from(self.spec.growth_gain.0) << self.spec.rate_bits;
        -(-(a * beyond + b * grown)).div_euclid(divisor)
    }
}
