//! Points and windows of a series, of which there are never more than a bound.
//!
//! A series that outgrows it is thinned: that depends on what was recorded alone, so results are
//! the same on any machine.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

/// Points of a series without windows.
///
/// Once thinned, each pair of points stands for a group of points in a row: the one with the
/// least value and the one with the largest, in their order. So no extreme is ever lost.
#[derive(Clone, Debug)]
pub(super) struct Points {
    x_ps: Vec<u64>,
    y: Vec<f64>,
    most: usize,
    /// Points in a group; 1 as long as all are kept.
    group: u64,
    /// The group that is not full yet.
    open: Group,
    /// The newest point, which may still be replaced.
    last: Option<(u64, f64)>,
}

/// Points in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    count: u64,
    /// The first with the least value, the last with the largest.
    least: (u64, f64),
    largest: (u64, f64),
}

impl Group {
    fn add(&mut self, point: (u64, f64)) {
        if self.count == 0 || point.1 < self.least.1 {
            self.least = point;
        }
        if self.count == 0 || point.1 >= self.largest.1 {
            self.largest = point;
        }
        self.count += 1;
    }

    /// In the order in which they came; one point is one.
    fn points(&self) -> impl Iterator<Item = (u64, f64)> {
        let mut two = [self.least, self.largest];
        two.sort_by_key(|point| point.0);
        let keep = self.count.min(2) as usize;
        two.into_iter().take(keep)
    }
}

impl Points {
    pub fn new(most: usize) -> Points {
        Points {
            x_ps: Vec::new(),
            y: Vec::new(),
            most: most.max(4),
            group: 1,
            open: Group::default(),
            last: None,
        }
    }

    /// The newest point.
    #[inline]
    pub fn last(&self) -> Option<(u64, f64)> {
        self.last
    }

    /// Takes the place of the newest point; the first if there is none.
    #[inline]
    pub fn replace(&mut self, x_ps: u64, y: f64) {
        self.last = Some((x_ps, y));
    }

    /// A new point.
    pub fn push(&mut self, x_ps: u64, y: f64) {
        if let Some(before) = self.last.replace((x_ps, y)) {
            self.close(before);
        }
    }

    /// This point can't be replaced any more.
    fn close(&mut self, point: (u64, f64)) {
        if self.group == 1 {
            self.x_ps.push(point.0);
            self.y.push(point.1);
            // The newest is one of those that are kept.
            if self.x_ps.len() + 1 >= self.most {
                self.thin();
            }
            return;
        }
        self.open.add(point);
        if self.open.count == self.group {
            self.store();
            if self.x_ps.len() >= self.most {
                self.thin();
            }
        }
    }

    fn store(&mut self) {
        for (x_ps, y) in mem::take(&mut self.open).points() {
            self.x_ps.push(x_ps);
            self.y.push(y);
        }
    }

    /// Of four stored points two stay. What is left over belongs to the open group.
    fn thin(&mut self) {
        let old = (mem::take(&mut self.x_ps), mem::take(&mut self.y));
        // The pairs stored stand for a group each, and two groups become one.
        let each = (self.group / 2).max(1);
        self.group = 4 * each;
        for point in old.0.into_iter().zip(old.1) {
            self.open.add(point);
            self.open.count += each - 1;
            if self.open.count == self.group {
                self.store();
            }
        }
    }

    /// So many points of the run stand in two of the series; 1 if all are there.
    pub fn group(&self) -> u64 {
        self.group
    }

    /// Points that are stored.
    pub fn len(&self) -> usize {
        self.x_ps.len() + usize::from(self.last.is_some())
    }

    /// All points, ascending.
    pub fn all(&self) -> (Vec<u64>, Vec<f64>) {
        let more: Vec<(u64, f64)> = self.open.points().chain(self.last).collect();
        let mut x_ps = Vec::with_capacity(self.x_ps.len() + more.len());
        let mut y = Vec::with_capacity(x_ps.capacity());
        x_ps.extend_from_slice(&self.x_ps);
        y.extend_from_slice(&self.y);
        for (one_x, one_y) in more {
            x_ps.push(one_x);
            y.push(one_y);
        }
        (x_ps, y)
    }
}

/// One averaging window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bin {
    pub sum: f64,
    pub weight: f64,
}

impl Bin {
    /// A value has held for so long.
    #[inline]
    pub fn add(&mut self, value: f64, span_ps: u64) {
        let span = span_ps as f64;
        self.sum += value * span;
        self.weight += span;
    }
}

/// Averaging windows; where there are too many, each becomes twice as long.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    /// One at least.
    bins: Vec<Bin>,
    most: usize,
    /// Length of a window, ps.
    pub window_ps: u64,
    /// The window that was asked for last, and where it begins: mostly it is the next too.
    open: usize,
    open_from_ps: u64,
}

impl Bins {
    pub fn new(window_ps: u64, most: usize) -> Bins {
        Bins {
            bins: vec![Bin::default()],
            most: most.max(2),
            window_ps: window_ps.max(1),
            open: 0,
            open_from_ps: 0,
        }
    }

    /// The window that holds what is so far into the series, and where it ends.
    #[inline]
    pub fn at(&mut self, into_ps: u64) -> (u64, &mut Bin) {
        if into_ps.wrapping_sub(self.open_from_ps) >= self.window_ps {
            self.turn_to(into_ps);
        }
        let over = self.open_from_ps.saturating_add(self.window_ps);
        (over, &mut self.bins[self.open])
    }

    /// The window that is open, if it holds all from `begin_ps` to `end_ps`, which is not before.
    #[inline]
    pub fn open_over(&mut self, begin_ps: u64, end_ps: u64) -> Option<&mut Bin> {
        let [begin_ps, end_ps] = [begin_ps, end_ps].map(|ps| ps.wrapping_sub(self.open_from_ps));
        match begin_ps <= end_ps && end_ps <= self.window_ps {
            true => self.bins.get_mut(self.open),
            false => None,
        }
    }

    /// Opens the window that holds what is so far into the series.
    #[inline(never)]
    fn turn_to(&mut self, into_ps: u64) {
        self.fit(into_ps);
        let index = into_ps / self.window_ps;
        self.open = index as usize;
        self.open_from_ps = index * self.window_ps;
        if self.bins.len() <= self.open {
            self.bins.resize(self.open + 1, Bin::default());
        }
    }

    /// Makes windows so long that they are few enough up to there.
    pub fn fit(&mut self, into_ps: u64) {
        while into_ps / self.window_ps >= self.most as u64 {
            self.merge();
        }
    }

    /// Two windows become one.
    fn merge(&mut self) {
        let merged = |pair: &[Bin]| Bin {
            sum: pair.iter().map(|bin| bin.sum).sum(),
            weight: pair.iter().map(|bin| bin.weight).sum(),
        };
        self.bins = self.bins.chunks(2).map(merged).collect();
        self.window_ps = self.window_ps.saturating_mul(2);
        (self.open, self.open_from_ps) = (0, 0);
    }

    /// Adds windows of the same series that hold other things.
    pub fn add(&mut self, other: &Bins) {
        let mut other = other.clone();
        while self.window_ps < other.window_ps {
            self.merge();
        }
        while other.window_ps < self.window_ps {
            other.merge();
        }
        let windows = self.bins.len().max(other.bins.len());
        self.bins.resize(windows, Bin::default());
        for (own, more) in self.bins.iter_mut().zip(other.bins) {
            own.sum += more.sum;
            own.weight += more.weight;
        }
    }

    pub fn get(&self, index: u64) -> Bin {
        let bin = self.bins.get(index as usize);
        bin.copied().unwrap_or_default()
    }

    pub fn len(&self) -> usize {
        self.bins.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(most: usize, values: impl Iterator<Item = f64>) -> Points {
        let mut points = Points::new(most);
        for (x_ps, y) in (0..).zip(values) {
            points.push(x_ps, y);
        }
        points
    }

    /// Values that jump about, the same each time.
    fn noise(count: u64) -> impl Iterator<Item = f64> + Clone {
        (0..count).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64)
    }

    #[test]
    fn below_the_bound_all_points_stay() {
        let points = pushed(100, noise(99));
        assert_eq!(points.group(), 1);
        assert_eq!(
            points.all(),
            ((0..99).collect::<Vec<u64>>(), noise(99).collect())
        );
    }

    #[test]
    fn pairs_hold_the_least_and_the_largest_of_their_group() {
        let points = pushed(8, [5.0, 1.0, 9.0, 2.0, 4.0, 3.0, 8.0, 7.0, 6.0].into_iter());
        assert_eq!(points.group(), 4);
        // 5 1 9 2: 1 and 9; then 4 3 8 7: 3 and 8; then what is newest.
        assert_eq!(
            points.all(),
            (vec![1, 2, 5, 6, 8], vec![1.0, 9.0, 3.0, 8.0, 6.0])
        );
    }

    #[test]
    fn a_long_series_stays_below_its_bound_and_keeps_every_extreme() {
        for count in [1_000, 4_096, 5_000, 100_000] {
            let points = pushed(256, noise(count));
            let (x_ps, y) = points.all();
            assert!((64..=256 + 3).contains(&y.len()), "{count}: {}", y.len());
            assert!(x_ps.windows(2).all(|pair| pair[0] < pair[1]), "{count}");
            let extremes = |values: &[f64]| {
                let least = values.iter().copied().fold(f64::MAX, f64::min);
                (least, values.iter().copied().fold(f64::MIN, f64::max))
            };
            let all: Vec<f64> = noise(count).collect();
            assert_eq!(extremes(&y), extremes(&all), "{count}");
            assert_eq!(x_ps.last(), Some(&(count - 1)), "the newest is there");
            for (x, y) in x_ps.iter().zip(&y) {
                assert_eq!(all[*x as usize], *y, "every point was recorded");
            }
            // Each group that is whole is there with both its extremes.
            let groups = all.chunks_exact(points.group() as usize);
            for (group, pair) in groups.zip(y.chunks_exact(2)) {
                let (least, largest) = extremes(group);
                assert_eq!(extremes(pair), (least, largest), "{count}");
            }
        }
    }

    /// What comes in one instant replaces what came before, thinned or not.
    #[test]
    fn the_newest_point_can_be_replaced() {
        for count in [5, 50, 51, 52, 53] {
            let mut points = pushed(16, noise(count));
            points.replace(count - 1, 1e9);
            points.replace(count - 1, -1.0);
            assert_eq!(points.last(), Some((count - 1, -1.0)));
            let (_, y) = points.all();
            assert!(y.iter().all(|y| *y != 1e9), "{count}");
            assert_eq!(y.last(), Some(&-1.0), "{count}");
        }
    }

    #[test]
    fn windows_are_merged_and_sums_stay() {
        let mut few = Bins::new(10, 4);
        let mut many = Bins::new(10, 1 << 10);
        for at in 0..1_000 {
            for bins in [&mut few, &mut many] {
                let (_, bin) = bins.at(at);
                bin.sum += at as f64;
                bin.weight += 1.0;
            }
        }
        assert_eq!((few.window_ps, few.len()), (320, 4));
        assert_eq!((many.window_ps, many.len()), (10, 100));
        for wide in 0..4 {
            let narrow = (0..32).map(|index| many.get(wide * 32 + index));
            let sum: f64 = narrow.map(|bin| bin.sum).sum();
            assert_eq!(few.get(wide).sum, sum, "{wide}");
        }
        // A jump far ahead makes no long list.
        few.at(u64::MAX);
        assert!(few.len() <= 4 && few.window_ps > u64::MAX / 8);
    }
}
