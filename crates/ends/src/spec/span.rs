//! Times between things.

use backwater_kernel::{Duration, Stream};

/// A length of time, fixed or random.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// Always the same.
    Fixed(Duration),
    /// Evenly between 0 and twice this mean.
    Uniform(Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}

impl Span {
    /// One such time. A fixed one draws nothing from the stream, the others one number each.
    #[inline]
    pub fn draw(self, stream: &mut Stream) -> Duration {
        match self {
            Span::Fixed(length) => length,
            Span::Uniform(mean) => Duration(stream.below(mean.ps().saturating_mul(2))),
            Span::Exponential(mean) => stream.exponential(mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use backwater_kernel::stream::Purpose;

    /// Mean, least and largest of many draws with a mean of 1000.
    fn drawn(span: fn(Duration) -> Span) -> (f64, u64, u64) {
        const DRAWS: u32 = 20_000;
        let mut stream = Stream::new(1, 0, Purpose::Traffic);
        let all: Vec<u64> = (0..DRAWS)
            .map(|_| span(Duration(1_000)).draw(&mut stream).ps())
            .collect();
        let sum: u64 = all.iter().sum();
        let least = all.iter().min().copied().unwrap_or_default();
        let largest = all.iter().max().copied().unwrap_or_default();
        (sum as f64 / f64::from(DRAWS), least, largest)
    }

    #[test]
    fn spans_are_drawn_by_their_law() {
        assert_eq!(drawn(Span::Fixed), (1_000.0, 1_000, 1_000));
        let (mean, least, largest) = drawn(Span::Uniform);
        assert!((mean - 1_000.0).abs() < 15.0, "{mean}");
        assert!(
            least < 5 && (1_990..2_000).contains(&largest),
            "{least} {largest}"
        );
        let (mean, least, largest) = drawn(Span::Exponential);
        assert!((mean - 1_000.0).abs() < 30.0, "{mean}");
        assert!(least < 5 && largest > 6_000, "{least} {largest}");
        let mut stream = Stream::new(1, 0, Purpose::Traffic);
        assert_eq!(Span::Uniform(Duration(0)).draw(&mut stream), Duration(0));
    }
}
