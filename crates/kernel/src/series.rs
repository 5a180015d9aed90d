//! How long time series may get.
//!
//! A series that outgrows its bound is thinned. The bound depends on the scenario alone, so what
//! is recorded is the same on any machine.

/// Most points of one series.
pub const MOST_POINTS: usize = 1 << 20;
/// Most points of all series together, where there are many.
const MOST_IN_ALL: usize = 1 << 24;
/// So many points each series may have, however many there are.
const LEAST_POINTS: usize = 1 << 10;

/// Most points of each of so many series: a power of two.
pub fn most_points(series: usize) -> usize {
    let share = MOST_IN_ALL / series.max(1);
    let share = share.clamp(LEAST_POINTS, MOST_POINTS);
    1 << share.ilog2()
}

/// A series that outgrew its bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thinned {
    /// Its name.
    pub name: alloc::string::String,
    /// Of so many points in a row two are kept, the least and the largest; with a window, it is
    /// so many times as long.
    pub group: u64,
    /// It has windows.
    pub windowed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_series_share_what_there_is() {
        assert_eq!(most_points(0), MOST_POINTS);
        assert_eq!(most_points(16), MOST_POINTS);
        assert_eq!(most_points(17), MOST_POINTS / 2);
        assert_eq!(most_points(1_000), 1 << 14);
        assert_eq!(most_points(1_000_000), LEAST_POINTS);
    }
}
