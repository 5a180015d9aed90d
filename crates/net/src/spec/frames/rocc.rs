//! RoCC's congestion point: a queue that computes a fair rate and states it to sources.

use backwater_ends::control::Ratio;
use backwater_kernel::{Duration, Rate};

/// Rates are whole numbers of this, with bits behind.
const UNIT: Rate = Rate(10_000_000);
/// Most bits of a fair rate behind its unit.
pub const RATE_BITS_MAX: u8 = 16;

/// A queue that states a fair rate (Taheri and others, CoNEXT 2020, Algorithm 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoccPointSpec {
    /// T: it computes and states its rate so often.
    pub interval: Duration,
    /// F never is below,
    pub least: Rate,
    /// nor above. Both in whole units of 10 Mb/s.
    pub most: Rate,
    /// Qref: what the queue is to hold.
    pub reference_bytes: u64,
    /// Qmid: growth within an interval that halves the rate.
    pub growth_bytes: u64,
    /// Qmax: from here on the rate is cut.
    pub most_bytes: u64,
    /// a0: units of rate for each 600 bytes beyond the reference.
    pub offset_gain: Ratio,
    /// b0: units of rate for each 600 bytes of growth.
    pub growth_gain: Ratio,
    /// Bits of the rate behind its unit of 10 Mb/s, in the switch and in messages.
    pub rate_bits: u8,
    /// What a queue of `most_bytes` does to the rate.
    pub max_cut: MaxCut,
}

/// What the largest queue does to the rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MaxCut {
    /// It becomes the least, as printed.
    #[default]
    Least,
    /// It is halved.
    Half,
}

impl RoccPointSpec {
    /// The published set for a port of this rate: the largest of those for 10, 40 and 100 Gb/s
    /// that is not for more. Thresholds of faster ports grow with their rate.
    pub fn of(port: Rate) -> RoccPointSpec {
        let gbps = |gbps: u64| Rate(gbps * 1_000_000_000);
        let (interval_us, reference, growth, most, offset_gain, growth_gain) = match port {
            port if port < gbps(40) => (100, 75, 150, 210, 0.3, 1.5),
            port if port < gbps(100) => (40, 150, 300, 360, 0.3, 1.5),
            _ => (40, 300, 600, 660, 0.45, 2.25),
        };
        let times = port.0.max(gbps(100).0);
        let kilobytes =
            |own: u64| (u128::from(own) * 1_000 * u128::from(times) / 100_000_000_000) as u64;
        let unit = UNIT.0;
        let most_rate = (port.0 / unit).max(1) * unit;
        RoccPointSpec {
            interval: Duration(interval_us * 1_000_000),
            least: Rate((most_rate / 100 / unit * unit).clamp(unit, 10 * unit)),
            most: Rate(most_rate),
            reference_bytes: kilobytes(reference),
            growth_bytes: kilobytes(growth),
            most_bytes: kilobytes(most),
            offset_gain: Ratio::new(offset_gain),
            growth_gain: Ratio::new(growth_gain),
            rate_bits: 8,
            max_cut: MaxCut::Least,
        }
    }

    /// What of it contradicts itself.
    ///
    /// # Errors
    /// The sentence that says so.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.interval.0 == 0 {
            return Err("a congestion point that states its rate every 0 s");
        }
        if self.least.0 < UNIT.0 || self.least > self.most {
            return Err("the least rate of a congestion point is above the most, or 0");
        }
        if self.rate_bits > RATE_BITS_MAX {
            return Err("a rate has at most 16 bits behind its unit");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_by_rate() {
        // Gb/s of the port -> T us, least Mb/s, Qref, Qmid, Qmax kB.
        let table = [
            (1, 100, 10, 75, 150, 210),
            (10, 100, 100, 75, 150, 210),
            (25, 100, 100, 75, 150, 210),
            (40, 40, 100, 150, 300, 360),
            (50, 40, 100, 150, 300, 360),
            (100, 40, 100, 300, 600, 660),
            (400, 40, 100, 1_200, 2_400, 2_640),
        ];
        for (gbps, us, least, reference, growth, most) in table {
            let spec = RoccPointSpec::of(Rate(gbps * 1_000_000_000));
            assert_eq!(spec.interval, Duration(us * 1_000_000));
            assert_eq!(spec.most, Rate(gbps * 1_000_000_000));
            assert_eq!(spec.least, Rate(least * 1_000_000), "{gbps} Gb/s");
            let found = [spec.reference_bytes, spec.growth_bytes, spec.most_bytes];
            assert_eq!(found, [reference, growth, most].map(|kb| kb * 1_000));
        }
    }
}
