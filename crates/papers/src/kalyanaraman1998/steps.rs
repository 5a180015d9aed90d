//! What figures and claims take from a rate that holds until it changes.

use backwater_kernel::Series;
use backwater_results::{Curve, Style};

const PS_PER_MS: f64 = 1e9;
const BPS_PER_MBPS: f64 = 1e6;

/// A rate in Mbps over time in ms.
pub struct Steps {
    /// Instants of change, ascending.
    at_ms: Vec<f64>,
    /// From that instant to the next.
    mbps: Vec<f64>,
}

impl Steps {
    pub fn new(series: &Series) -> Steps {
        Steps {
            at_ms: series.x.iter().map(|at| *at as f64 / PS_PER_MS).collect(),
            mbps: series.y.iter().map(|bps| bps / BPS_PER_MBPS).collect(),
        }
    }

    /// Values that hold somewhere between two instants, with the first instant there.
    fn between(&self, from_ms: f64, to_ms: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
        let ends = self.at_ms.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(f64::INFINITY));
        let all = self.at_ms.iter().zip(&self.mbps).zip(ends);
        all.filter(move |((begin, _), end)| **begin <= to_ms && *end > from_ms)
            .map(move |((begin, mbps), _)| (begin.max(from_ms), *mbps))
    }

    /// Least and most between two instants.
    pub fn range(&self, from_ms: f64, to_ms: f64) -> (f64, f64) {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let values = self.between(from_ms, to_ms);
        values.fold(start, |(least, most), (_, mbps)| {
            (least.min(mbps), most.max(mbps))
        })
    }

    /// First instant before `until_ms` at which it is within a tenth of `goal`.
    pub fn reached_ms(&self, goal: f64, until_ms: f64) -> Option<f64> {
        let mut values = self.between(0.0, until_ms);
        values
            .find(|(_, mbps)| is_near(*mbps, goal))
            .map(|(at, _)| at)
    }

    /// The instant from which it is within a tenth of `goal` until `until_ms`.
    pub fn settled_ms(&self, goal: f64, until_ms: f64) -> Option<f64> {
        let mut since = None;
        for (at, mbps) in self.between(0.0, until_ms) {
            match (is_near(mbps, goal), since) {
                (true, None) => since = Some(at),
                (false, _) => since = None,
                _ => {}
            }
        }
        since
    }

    /// How often it rises above `level` between two instants.
    pub fn excursions(&self, level: f64, from_ms: f64, to_ms: f64) -> u32 {
        let mut count = 0;
        let mut is_above = true;
        for (_, mbps) in self.between(from_ms, to_ms) {
            count += u32::from(mbps > level && !is_above);
            is_above = mbps > level;
        }
        count
    }

    /// The same within `spans` (begin and end, ascending and apart), 0 between them.
    pub fn within(&self, spans: &[(f64, f64)]) -> Steps {
        let mut cut = Steps {
            at_ms: Vec::new(),
            mbps: Vec::new(),
        };
        for &(begin, end) in spans {
            let inside = self.between(begin, end).filter(|(at, _)| *at < end);
            for (at, mbps) in inside.chain([(end, 0.0)]) {
                cut.at_ms.push(at);
                cut.mbps.push(mbps);
            }
        }
        cut
    }

    /// The same with 0 at `start_ms`.
    pub fn shifted(mut self, start_ms: f64) -> Steps {
        self.at_ms.iter_mut().for_each(|at| *at -= start_ms);
        self
    }

    /// From instants in ms and values in Mbps.
    #[cfg(test)]
    pub fn by_hand(steps: &[(f64, f64)]) -> Steps {
        let (at_ms, mbps) = steps.iter().copied().unzip();
        Steps { at_ms, mbps }
    }

    /// For a plot over time in ms.
    pub fn curve(&self, name: &str) -> Curve {
        Curve::new(name, Style::Step, self.at_ms.clone(), self.mbps.clone())
    }
}

fn is_near(mbps: f64, goal: f64) -> bool {
    (mbps - goal).abs() <= goal / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 from 0 ms, 28 from 10 ms, 11 from 20 ms, 28 from 30 ms, 12 from 40 ms.
    fn steps() -> Steps {
        Steps::by_hand(&[
            (0.0, 1.0),
            (10.0, 28.0),
            (20.0, 11.0),
            (30.0, 28.0),
            (40.0, 12.0),
        ])
    }

    #[test]
    fn ranges_hold_what_began_before() {
        assert_eq!(steps().range(5.0, 15.0), (1.0, 28.0));
        assert_eq!(steps().range(41.0, 99.0), (12.0, 12.0));
        assert_eq!(steps().range(10.0, 12.0), (28.0, 28.0));
    }

    #[test]
    fn goals_are_reached_and_left() {
        assert_eq!(steps().reached_ms(11.0, 99.0), Some(20.0));
        assert_eq!(steps().reached_ms(11.0, 19.0), None);
        assert_eq!(steps().settled_ms(11.0, 99.0), Some(40.0));
        assert_eq!(steps().settled_ms(11.0, 35.0), None);
    }

    #[test]
    fn excursions_are_rises() {
        assert_eq!(steps().excursions(16.5, 0.0, 99.0), 2);
        assert_eq!(steps().excursions(16.5, 10.0, 99.0), 1);
        assert_eq!(steps().excursions(99.0, 0.0, 99.0), 0);
    }
}
