//! What an experiment measured for a claim.

use backwater_kernel::stats::interval_of_means;

/// Low and high end of what is accepted; infinite where that side is open.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// Smallest accepted.
    pub low: f64,
    /// Largest accepted.
    pub high: f64,
}

/// The 95 % interval of a mean over seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One measured number.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name; `value` if there is only one.
    pub name: String,
    /// The number, a mean over seeds where chance is involved; not a number where one of the seeds
    /// gave none.
    pub value: f64,
    /// Its 95 % interval over seeds; none with a single seed or where chance has no part.
    pub interval: Option<Interval>,
    /// Seeds behind it; none where chance has no part.
    pub seeds: Option<usize>,
    /// Bounds the experiment gives, where the claims file states a check in words.
    pub bounds: Option<Bounds>,
}

impl Measured {
    /// A number in which chance has no part.
    pub fn new(name: &str, value: f64) -> Measured {
        Measured {
            name: name.into(),
            value,
            interval: None,
            seeds: None,
            bounds: None,
        }
    }

    /// With bounds of its own.
    pub fn within(mut self, low: f64, high: f64) -> Measured {
        self.bounds = Some(Bounds { low, high });
        self
    }

    /// With a lower bound of its own.
    pub fn at_least(self, low: f64) -> Measured {
        self.within(low, f64::INFINITY)
    }

    /// With an upper bound of its own.
    pub fn at_most(self, high: f64) -> Measured {
        self.within(f64::NEG_INFINITY, high)
    }

    /// The mean over seeds with its interval. A value that is not finite in one seed is not a
    /// number for all of them.
    pub fn over_seeds(name: &str, values: &[f64]) -> Measured {
        let mut measured = Measured::new(name, mean(values));
        measured.seeds = Some(values.len());
        measured.interval = interval_of_means(values).map(|(mean, half_width)| Interval {
            low: mean - half_width,
            high: mean + half_width,
        });
        measured
    }

    /// The same for what can't be negative: the interval ends at 0.
    pub fn rate_over_seeds(name: &str, values: &[f64]) -> Measured {
        Measured::over_seeds(name, values).clipped(0.0, f64::INFINITY)
    }

    /// The same for a share: the interval ends at 0 and 1.
    pub fn share_over_seeds(name: &str, values: &[f64]) -> Measured {
        Measured::over_seeds(name, values).clipped(0.0, 1.0)
    }

    fn clipped(mut self, least: f64, most: f64) -> Measured {
        self.interval = self.interval.map(|interval| Interval {
            low: interval.low.max(least),
            high: interval.high.min(most),
        });
        self
    }

    /// `0.368 ± 0.001`; `0.98 [0.91, 1]` where the interval is cut at the end of its range.
    pub fn text(&self) -> String {
        let value = number(self.value);
        let Some(Interval { low, high }) = self.interval else {
            return value;
        };
        if low == high {
            return value;
        }
        let (below, above) = (self.value - low, high - self.value);
        if (below - above).abs() <= 1e-9 * below.max(above) {
            return format!("{value} ± {}", number(above));
        }
        format!("{value} [{}, {}]", number(low), number(high))
    }
}

/// What an experiment found about one claim.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim's id.
    pub claim: &'static str,
    /// The shipped scenario a reader can open.
    pub scenario: &'static str,
    /// Numbers.
    pub measured: Vec<Measured>,
}

/// The mean; not a number if there is none, or one of the values is not finite.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return f64::NAN;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// A number with as many digits as it deserves.
pub fn number(value: f64) -> String {
    let size = value.abs();
    let digits = match size {
        _ if value == value.trunc() && size < 1e9 => 0,
        _ if size >= 100.0 => 1,
        _ if size >= 1.0 => 3,
        _ => 4,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_without_a_number_leaves_none_for_all() {
        for values in [&[0.5, f64::NAN, 0.5][..], &[f64::INFINITY, 1.0], &[]] {
            let measured = Measured::over_seeds("x", values);
            assert!(measured.value.is_nan(), "{values:?}");
            assert_eq!(measured.interval, None);
            assert_eq!(measured.seeds, Some(values.len()));
        }
        assert_eq!(Measured::over_seeds("x", &[0.5, 1.5]).value, 1.0);
    }

    #[test]
    fn one_seed_has_no_interval() {
        let one = Measured::over_seeds("x", &[4.0]);
        assert_eq!((one.value, one.interval), (4.0, None));
        assert_eq!(one.text(), "4");
    }

    #[test]
    fn intervals_stay_in_their_range() {
        // Mean 0.9, half width 12.706 * 0.1 with one degree of freedom.
        let values = [0.8, 1.0];
        let free = Measured::over_seeds("x", &values);
        assert_eq!(free.text(), "0.9000 ± 1.271");
        let share = Measured::share_over_seeds("x", &values);
        assert_eq!(share.text(), "0.9000 [0, 1]");
        let rate = Measured::rate_over_seeds("x", &values);
        assert_eq!(rate.text(), "0.9000 [0, 2.171]");
        assert_eq!(Measured::share_over_seeds("x", &[0.5; 3]).text(), "0.5000");
    }
}
