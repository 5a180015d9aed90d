//! Time series, and how long they may get.
//!
//! A series that outgrows its bound is thinned. The bound depends on the scenario alone, so what
//! is recorded is the same on any machine.

use alloc::string::String;
use alloc::vec::Vec;

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
    pub name: String,
    /// Of so many points in a row two are kept, the least and the largest; with a window, it is
    /// so many times as long.
    pub group: u64,
    /// It has windows.
    pub windowed: bool,
}

/// A recorded time series.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Unit of `y`, for axes: "fraction of the link", "cells", "bytes", "flits/cycle".
    pub unit: &'static str,
    /// Values hold until the next point (a step function); else they are means over windows, at
    /// the middle of each, or single values.
    pub step: bool,
    /// What `x` counts.
    pub clock: Clock,
    /// Instants, ascending.
    pub x: Vec<u64>,
    /// Values.
    pub y: Vec<f64>,
}

/// What an engine's instants count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Clock {
    /// Picoseconds.
    #[default]
    Picoseconds,
    /// Cycles.
    Cycles,
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
