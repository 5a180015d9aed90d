//! How long units of a flow take at the rate it reserves.

use kernel::Rate;

/// A reserved rate. Units of one size follow each other, so the last answer usually holds.
pub(super) struct Pace {
    rate: Rate,
    last_bytes: u32,
    last_tick_ps: u64,
}

impl Pace {
    pub fn new(rate: Rate) -> Pace {
        Pace {
            rate,
            last_bytes: 0,
            last_tick_ps: 0,
        }
    }

    /// The flow reserves nothing: its units are datagrams.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.rate.0 == 0
    }

    /// Time for `bytes`, rounded up to the picosecond.
    #[inline]
    pub fn tick_ps(&mut self, bytes: u32) -> u64 {
        if bytes != self.last_bytes {
            self.last_tick_ps = self.rate.tick(bytes as u64).ps();
            self.last_bytes = bytes;
        }
        self.last_tick_ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_that_of_the_size_asked_for() {
        // 3 bits a second: a byte takes 2 2/3 s.
        let mut pace = Pace::new(Rate(3));
        for (bytes, tick_ps) in [(1, 2_666_666_666_667), (3, 8_000_000_000_000)] {
            assert_eq!(pace.tick_ps(bytes), tick_ps);
            assert_eq!(pace.tick_ps(bytes), tick_ps);
        }
        assert_eq!(pace.tick_ps(0), 0);
        assert!(Pace::new(Rate(0)).is_zero() && !pace.is_zero());
    }
}
