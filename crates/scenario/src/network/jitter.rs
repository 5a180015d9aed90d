//! Sources that start a little later than they are told, by chance.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Time};

/// Each of these starts up to `most` later, drawn evenly; the draw of one does not depend on how
/// many there are.
pub(crate) fn postpone<'a>(
    starts: impl Iterator<Item = &'a mut Time>,
    seed: u64,
    most: Option<Duration>,
) {
    let Some(most) = most else {
        return;
    };
    for (nth, start) in (0..).zip(starts) {
        let later = Stream::new(seed, nth, Purpose::Jitter).below(most.ps().saturating_add(1));
        *start = start.checked_add(Duration(later)).unwrap_or(Time::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_drawn_evenly_by_the_seed() {
        let drawn = |seed, most| {
            let mut starts = vec![Time(50); 2_000];
            postpone(starts.iter_mut(), seed, most);
            starts
        };
        let found = drawn(1, Some(Duration(1_000)));
        assert_eq!(found, drawn(1, Some(Duration(1_000))));
        assert_ne!(found, drawn(2, Some(Duration(1_000))));
        let mean = found.iter().map(|at| at.ps()).sum::<u64>() / 2_000;
        assert!((530..=570).contains(&mean), "{mean}");
        assert!(found.iter().all(|at| (50..=1_050).contains(&at.ps())));
        assert_eq!(drawn(1, None), [Time(50); 2_000]);
    }
}
