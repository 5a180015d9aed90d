//! A leaky bucket, in the form of the generic cell rate algorithm: virtual scheduling, ITU-T
//! I.371 and ATM Forum TM 4.1. With sizes: T is the time the unit's bytes take at the rate.
//!
//! A unit that comes at t conforms if TAT - t <= tau; then TAT = max(t, TAT) + T. One that does
//! not changes nothing. Equivalent: a bucket that leaks at the rate, takes each conforming unit's
//! bits and takes a unit while its level is at most tau times the rate. T is rounded up to the
//! picosecond, so that the bucket is never faster than its rate.
//!
//! | Standard | Here |
//! |---|---|
//! | TAT | `arrival_due` |
//! | T, the increment | `rate.tick(bytes)` |
//! | tau, the limit | `tolerance` |

use backwater_kernel::{Duration, Rate, Time};

/// State of one flow's bucket.
pub struct Bucket {
    rate: Rate,
    tolerance: Duration,
    arrival_due: Time,
}

impl Bucket {
    /// A bucket that is empty.
    pub fn new(rate: Rate, tolerance: Duration) -> Bucket {
        Bucket {
            rate,
            tolerance,
            arrival_due: Time::ZERO,
        }
    }

    /// How fast it leaks.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Another rate for the units to come.
    pub fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// The first instant from `now` on at which the next unit conforms.
    pub fn conforms_at(&self, now: Time) -> Time {
        let earliest = self.arrival_due.ps().saturating_sub(self.tolerance.ps());
        now.max(Time(earliest))
    }

    /// A unit of so many bytes passes.
    pub fn pass(&mut self, now: Time, bytes: u32) {
        self.arrival_due = now.max(self.arrival_due) + self.rate.tick(bytes as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::passed;
    use super::*;

    /// A byte takes 1 ps.
    const RATE: Rate = Rate(8_000_000_000_000);

    fn through(bucket: &mut Bucket, arrivals: &[u64], bytes: u32) -> std::vec::Vec<u64> {
        passed(arrivals, |now| {
            let conforms = bucket.conforms_at(now) == now;
            if conforms {
                bucket.pass(now, bytes);
            }
            conforms
        })
    }

    #[test]
    fn virtual_scheduling_by_hand() {
        // T = 10, tau = 15. TAT after each: 10, 22, 32, 42 (32 - 20 = 12 conforms), then
        // 42 - 24 = 18 does not and changes nothing, 42 - 27 = 15 does.
        let mut bucket = Bucket::new(RATE, Duration(15));
        assert_eq!(
            through(&mut bucket, &[0, 12, 18, 20, 24, 27], 10),
            [0, 12, 18, 20, 27]
        );
        assert_eq!(bucket.conforms_at(Time(27)), Time(37));
    }

    #[test]
    fn a_burst_is_tolerance_times_rate_and_one_unit() {
        for (tolerance, burst) in [(0, 1), (9, 1), (10, 2), (39, 4), (40, 5)] {
            let mut bucket = Bucket::new(RATE, Duration(tolerance));
            let found = through(&mut bucket, &[70; 20], 10);
            assert_eq!(found.len(), burst, "tolerance {tolerance}");
        }
    }

    #[test]
    fn large_units_take_more_of_the_bucket() {
        let mut bucket = Bucket::new(RATE, Duration(100));
        bucket.pass(Time(0), 150);
        assert_eq!(bucket.conforms_at(Time(0)), Time(50));
        bucket.pass(Time(50), 7);
        assert_eq!(bucket.conforms_at(Time(50)), Time(57));
    }
}
