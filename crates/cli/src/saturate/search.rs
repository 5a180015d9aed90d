//! One search for the load at which a network saturates.
//!
//! First by bisection, with the scenario's own window. Close to the edge a short window sees
//! queues that swing, and takes one load for saturated that a longer one carries, or the reverse.
//! So the edge found is looked at again with longer windows: both its sides are tried, and where
//! they answer otherwise the search goes on from there, in steps that double. What is found at
//! last is the lowest load that saturates in the longest window, with a few below it that are
//! carried: wherever the search began.

use std::collections::BTreeMap;

/// In the longest window, so many loads below the edge are to be carried.
const CONFIRMED: usize = 3;

/// What is known of the load at which a network saturates.
pub(super) struct Search {
    /// Values of the axes; that of the load is replaced.
    pub values: Vec<usize>,
    /// Which window the loads are tried with now; 0 is the scenario's own.
    pub window: usize,
    /// What was found with the one before.
    hint: Vec<usize>,
    /// Loads that were tried with this one: do they saturate?
    tried: BTreeMap<usize, bool>,
    /// How far to go from the loads tried to the next.
    step: usize,
}

impl Search {
    pub(super) fn new(values: Vec<usize>) -> Self {
        Self {
            values,
            window: 0,
            hint: Vec::new(),
            tried: BTreeMap::new(),
            step: 1,
        }
    }

    /// The lowest load that saturates, of those tried with this window.
    pub(super) fn saturated(&self) -> Option<usize> {
        let mut all = self.tried.iter();
        all.find(|(_, is_saturated)| **is_saturated)
            .map(|(load, _)| *load)
    }

    /// The highest load below it that is carried.
    pub(super) fn carried(&self) -> Option<usize> {
        let end = self.saturated().unwrap_or(usize::MAX);
        self.tried.range(..end).next_back().map(|(load, _)| *load)
    }

    /// Loads to try next, of so many; nothing when all is known. `windows`: how many there are.
    pub(super) fn next(&mut self, loads: usize, windows: usize) -> Vec<usize> {
        loop {
            let next = self.wanted(loads, self.window + 1 == windows);
            if !next.is_empty() || self.window + 1 >= windows {
                return next;
            }
            self.hint = self.carried().into_iter().chain(self.saturated()).collect();
            self.tried.clear();
            self.step = 1;
            self.window += 1;
        }
    }

    fn wanted(&mut self, loads: usize, is_last: bool) -> Vec<usize> {
        let last = loads - 1;
        match (self.carried(), self.saturated()) {
            (None, None) if !self.hint.is_empty() => self.hint.clone(),
            (None, None) if last > 0 => vec![0, last],
            (None, None) => vec![0],
            (Some(low), Some(high)) if low + 1 < high => vec![low + (high - low) / 2],
            (Some(low), None) if low < last => vec![(low + self.wider()).min(last)],
            (None, Some(high)) if high > 0 => vec![high.saturating_sub(self.wider())],
            (Some(low), Some(_)) if is_last && self.window > 0 => {
                let below = low.saturating_sub(CONFIRMED)..low;
                below
                    .filter(|load| !self.tried.contains_key(load))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn wider(&mut self) -> usize {
        let step = self.step;
        self.step *= 2;
        step
    }

    /// A load was tried with this window.
    pub(super) fn learn(&mut self, load: usize, is_saturated: bool) {
        self.tried.insert(load, is_saturated);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found from `low` to `high`, where `answer` says for a window and a load whether it
    /// saturates.
    fn found(
        (low, high): (usize, usize),
        windows: usize,
        answer: impl Fn(usize, usize) -> bool,
    ) -> (Option<usize>, Option<usize>) {
        let mut search = Search::new(Vec::new());
        loop {
            let next = search.next(high - low + 1, windows);
            if next.is_empty() {
                let place = |load: Option<usize>| load.map(|load| load + low);
                return (place(search.carried()), place(search.saturated()));
            }
            for load in next {
                search.learn(load, answer(search.window, load + low));
            }
        }
    }

    /// With the shortest window loads of 155 to 165 answer at random, of 158 to 160 with the next.
    fn uncertain(window: usize, load: usize) -> bool {
        let around = [5, 1, 0][window];
        let coin = (load * 7 + window * 3) % 5 < 2;
        if load.abs_diff(160) <= around {
            coin
        } else {
            load >= 160
        }
    }

    #[test]
    fn the_edge_does_not_depend_on_the_ends() {
        for low in (0..=150).step_by(10) {
            for high in 165..200 {
                let edge = found((low, high), 3, uncertain);
                assert_eq!(edge, (Some(159), Some(160)), "from {low} to {high}");
            }
        }
        // Negative control: with one window it does.
        let mut edges: Vec<_> = (165..200)
            .map(|high| found((0, high), 1, uncertain))
            .collect();
        edges.sort();
        edges.dedup();
        assert!(edges.len() > 1, "{edges:?}");
    }

    #[test]
    fn a_longer_window_may_move_the_edge_to_the_ends() {
        let edge = |answer: fn(usize, usize) -> bool| found((0, 20), 3, answer);
        assert_eq!(edge(|_, _| false), (Some(20), None));
        assert_eq!(edge(|_, _| true), (None, Some(0)));
        assert_eq!(
            edge(|window, load| window == 0 && load > 3),
            (Some(20), None)
        );
        assert_eq!(edge(|window, load| window > 0 || load > 3), (None, Some(0)));
        assert_eq!(
            edge(|window, load| load > [3, 9, 15][window]),
            (Some(15), Some(16))
        );
        assert_eq!(
            edge(|window, load| load > [15, 9, 3][window]),
            (Some(3), Some(4))
        );
        assert_eq!(found((0, 0), 3, |_, _| false), (Some(0), None));
    }
}
