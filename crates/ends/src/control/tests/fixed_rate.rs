//! A scheme of twenty lines: one rate for ever.

use backwater_kernel::{Rate, Time};

use super::run;
use crate::control::{Control, Item, Next};

struct FixedRate {
    rate: Rate,
    bytes: u64,
    free_at: Time,
}

impl Control for FixedRate {
    fn next(&mut self, now: Time, has_data: bool) -> Next {
        match has_data {
            true if self.free_at <= now => Next::Now(Item::Data),
            true => Next::At(self.free_at),
            false => Next::Wait,
        }
    }

    fn on_sent(&mut self, now: Time, _is_last: bool) {
        self.free_at = now + self.rate.tick(self.bytes);
    }

    fn pacing(&self) -> Option<Rate> {
        Some(self.rate)
    }
}

/// 1,000 bits at 1 Gb/s take a microsecond.
#[test]
fn a_fixed_rate_sends_at_its_rate_whatever_is_lost() {
    for lost in [&[][..], &[0, 3]] {
        let mut control = FixedRate {
            rate: Rate(1_000_000_000),
            bytes: 125,
            free_at: Time(500),
        };
        assert_eq!(control.next(Time::ZERO, false), Next::Wait);
        assert_eq!(control.next(Time::ZERO, true), Next::At(Time(500)));
        let sent = run(&mut control, Time(4_000_000), lost);
        let expected = [0, 1, 2, 3].map(|n| (Time(500 + 1_000_000 * u64::from(n)), n));
        assert_eq!(sent, expected);
        assert_eq!(control.window(), u64::MAX, "nothing else holds it back");
    }
}
