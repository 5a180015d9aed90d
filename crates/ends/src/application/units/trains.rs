//! Packet trains: Jain and Routhier, "Packet trains: measurements and a new model for computer
//! network traffic", IEEE J. Selected Areas Commun. SAC-4(6), 1986, as Zhang 1991 (section 4.1.2)
//! takes them: a geometric number of packets, a constant gap between them, an exponential gap
//! between trains.
//!
//! Here the constant gap follows every packet, the last of a train too, and the pause comes on
//! top, so that no two packets are closer than the gap. The mean interval between packets is
//! gap + mean pause / mean length. Not modelled: trains that run both ways between two stations.
//!
//! | Paper | Here |
//! |---|---|
//! | train length | `mean_units`, geometric on 1, 2, ... |
//! | interpacket gap, 1/(2 AR) | `gap` |
//! | intertrain gap | `gap` + a pause, exponential with `mean_pause` |

use backwater_kernel::stream::Stream;
use backwater_kernel::{Duration, Time};

use super::{ENDLESS, Emission};

/// State of one source of trains.
pub struct Trains {
    mean_units: f64,
    gap: Duration,
    mean_pause: Duration,
    /// Units left of this train.
    in_train: u64,
    /// Units left in all.
    left: u64,
    start: Time,
    stream: Stream,
}

impl Trains {
    pub fn new(
        start: Time,
        mean_units: f64,
        gap: Duration,
        mean_pause: Duration,
        total: Option<u64>,
        stream: Stream,
    ) -> Trains {
        let mut trains = Trains {
            mean_units,
            gap,
            mean_pause,
            in_train: 0,
            left: total.unwrap_or(ENDLESS),
            start,
            stream,
        };
        trains.start = trains.next(start);
        trains
    }

    /// The first unit.
    pub fn start(&self) -> Option<Time> {
        (self.left > 0).then_some(self.start)
    }

    /// Everything happens so much later. Before the first unit only.
    pub fn postpone(&mut self, by: Duration) {
        self.start += by;
    }

    /// When the next unit comes, after a unit (or the start) at `now`.
    fn next(&mut self, now: Time) -> Time {
        let next = now + self.gap;
        if self.in_train > 0 {
            return next;
        }
        self.in_train = self.stream.geometric(self.mean_units);
        next + self.stream.exponential(self.mean_pause)
    }

    pub fn on_timer(&mut self, now: Time) -> Emission {
        self.in_train -= 1;
        if self.left != ENDLESS {
            self.left -= 1;
        }
        let next = (self.left > 0).then(|| self.next(now));
        Emission { units: 1, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use backwater_kernel::stream::Purpose;

    fn trains(mean_units: f64, total: Option<u64>) -> Trains {
        let stream = Stream::new(1, 1, Purpose::Traffic);
        let (gap, pause) = (Duration(1000), Duration(3000));
        Trains::new(Time(500), mean_units, gap, pause, total, stream)
    }

    fn times(mut trains: Trains) -> Vec<u64> {
        let mut times = Vec::new();
        let mut next = trains.start();
        while let Some(now) = next {
            times.push(now.ps());
            next = trains.on_timer(now).next;
        }
        times
    }

    /// Trains of 2.5: a pause after 40 % of the units, 1000 + 0.4 x 3000 between units.
    #[test]
    fn lengths_gaps_and_pauses_are_as_asked() {
        const UNITS: u64 = 100_000;
        let times = times(trains(2.5, Some(UNITS)));
        assert_eq!(times.len() as u64, UNITS);
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|&gap| gap >= 1000));
        let pauses: Vec<u64> = gaps
            .iter()
            .filter(|&&gap| gap > 1000)
            .map(|gap| gap - 1000)
            .collect();
        let near = |found: f64, expected: f64, tolerance: f64| {
            assert!(
                (found - expected).abs() < tolerance,
                "{found}, not {expected}"
            );
        };
        let count = pauses.len() as f64;
        // Four deviations: sqrt(0.4 x 0.6 / 100000); of a pause 1 in sqrt(40000).
        near(count / UNITS as f64, 0.4, 0.0062);
        near(
            pauses.iter().sum::<u64>() as f64 / count / 3000.0,
            1.0,
            0.02,
        );
        for (multiple, share) in [(1, 0.3679), (2, 0.1353)] {
            let longer = pauses.iter().filter(|&&pause| pause > multiple * 3000);
            near(longer.count() as f64 / count, share, 0.01);
        }
        let mean = times[times.len() - 1] as f64 / UNITS as f64;
        near(mean / 2200.0, 1.0, 0.02);
        // A train of n units has n - 1 bare gaps: one of length 1 is a pause behind a pause.
        let alone = gaps.windows(2).filter(|p| p[0] > 1000 && p[1] > 1000);
        near(alone.count() as f64 / count, 0.4, 0.01);
    }

    #[test]
    fn trains_of_one_are_spaced_by_gap_and_pause() {
        let times = times(trains(1.0, Some(2000)));
        assert!(times[0] > 1500);
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] > 1000));
    }

    #[test]
    fn a_total_ends_it_within_a_train() {
        assert_eq!(times(trains(50.0, Some(7))).len(), 7);
        assert_eq!(times(trains(50.0, Some(0))).len(), 0);
    }
}
