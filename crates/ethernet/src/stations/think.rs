//! Times between things.

use backwater_kernel::{Duration, Stream};

use crate::spec::ThinkSpec;

/// One such time.
pub(super) fn draw(think: ThinkSpec, stream: &mut Stream) -> Duration {
    match think {
        ThinkSpec::Fixed(span) => span,
        ThinkSpec::Uniform(mean) => Duration(stream.below(mean.ps().saturating_mul(2))),
        ThinkSpec::Exponential(mean) => stream.exponential(mean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_kernel::stream::Purpose;

    /// Mean, least and largest of 20,000 times, as shares of 10 ms.
    fn found(think: fn(Duration) -> ThinkSpec) -> (f64, f64, f64) {
        let mean = Duration(10_000_000_000);
        let mut stream = Stream::new(3, 0, Purpose::Think);
        let (mut sum, mut least, mut most) = (0.0, f64::MAX, 0.0_f64);
        for _ in 0..20_000 {
            let share = draw(think(mean), &mut stream).in_units_of(mean);
            sum += share / 20_000.0;
            least = least.min(share);
            most = most.max(share);
        }
        (sum, least, most)
    }

    #[test]
    fn means_and_ranges() {
        let (mean, least, most) = found(ThinkSpec::Uniform);
        assert!((mean - 1.0).abs() < 0.02 && least < 0.01 && (1.99..2.0).contains(&most));
        let (mean, _, most) = found(ThinkSpec::Exponential);
        assert!((mean - 1.0).abs() < 0.03 && most > 6.0);
        let fixed = draw(
            ThinkSpec::Fixed(Duration(7)),
            &mut Stream::new(1, 1, Purpose::Think),
        );
        assert_eq!(fixed, Duration(7));
    }
}
