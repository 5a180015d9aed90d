//! What went in has come out, or is still there.

use alloc::format;
use alloc::string::String;
use core::iter::Sum;

/// What was offered, and what became of it, each counted on its own, in one unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Balance {
    /// Offered.
    pub offered: u64,
    /// Arrived.
    pub delivered: u64,
    /// Lost or dropped, whatever the cause.
    pub dropped: u64,
    /// Waiting at sources, where that is told apart.
    pub queued: u64,
    /// In queues and on wires.
    pub inside: u64,
}

impl Balance {
    /// Everything offered is accounted for.
    pub fn holds(&self) -> bool {
        self.difference() == 0
    }

    /// Offered and not accounted for; negative if there is more than was offered.
    pub fn missing(&self) -> i64 {
        self.difference().clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// What is wrong, if anything, in words; `units` says what was counted.
    pub fn complaint(&self, units: &str) -> Option<String> {
        let says = |offered: u64, accounted: u128| {
            format!("{offered} {units} offered, but {accounted} delivered, dropped or inside")
        };
        (!self.holds()).then(|| says(self.offered, self.accounted()))
    }

    fn accounted(&self) -> u128 {
        let parts = [self.delivered, self.dropped, self.queued, self.inside];
        parts.into_iter().map(u128::from).sum()
    }

    fn difference(&self) -> i128 {
        i128::from(self.offered) - self.accounted() as i128
    }
}

impl Sum for Balance {
    fn sum<I: Iterator<Item = Balance>>(all: I) -> Balance {
        all.fold(Balance::default(), |sum, one| Balance {
            offered: sum.offered.saturating_add(one.offered),
            delivered: sum.delivered.saturating_add(one.delivered),
            dropped: sum.dropped.saturating_add(one.dropped),
            queued: sum.queued.saturating_add(one.queued),
            inside: sum.inside.saturating_add(one.inside),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: Balance = Balance {
        offered: 15,
        delivered: 8,
        dropped: 4,
        queued: 2,
        inside: 1,
    };

    #[test]
    fn all_that_is_accounted_for_balances() {
        assert!(SOUND.holds() && Balance::default().holds());
        assert_eq!((SOUND.missing(), SOUND.complaint("cells")), (0, None));
        let both: Balance = [SOUND, SOUND].into_iter().sum();
        assert_eq!((both.offered, both.missing()), (30, 0));
    }

    #[test]
    fn what_is_missing_or_too_much_is_said() {
        let one_missing = Balance {
            dropped: 3,
            ..SOUND
        };
        assert_eq!(one_missing.missing(), 1);
        assert_eq!(
            one_missing.complaint("cells").as_deref(),
            Some("15 cells offered, but 14 delivered, dropped or inside")
        );
        let too_much = Balance { inside: 3, ..SOUND };
        assert_eq!((too_much.missing(), too_much.holds()), (-2, false));
    }

    #[test]
    fn nothing_overflows() {
        let huge = Balance {
            offered: u64::MAX,
            delivered: u64::MAX,
            queued: u64::MAX,
            inside: 1,
            dropped: u64::MAX,
        };
        assert_eq!(huge.missing(), i64::MIN);
        let sum: Balance = [huge, huge].into_iter().sum();
        assert_eq!(sum.inside, 2);
    }
}
