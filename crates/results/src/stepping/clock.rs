//! How instants are told: exactly, in one unit.

use backwater_kernel::words::{counted, grouped};

/// How a run tells instants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// In time; so many picoseconds are a cell, 0 where there are none.
    Time {
        /// A cell, ps.
        cell_ps: u64,
    },
    /// In cycles.
    Cycles,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::Time { cell_ps: 0 }
    }
}

/// Picoseconds of a microsecond.
const US: u64 = 1_000_000;

impl Clock {
    /// `12.512 us`, to the picosecond, or `cycle 120`.
    pub fn at(self, at: u64) -> String {
        match self {
            Clock::Time { .. } => format!("{} us", micro(at)),
            Clock::Cycles => format!("cycle {}", grouped(at)),
        }
    }

    /// A span: `0.4 us`, or `3 cycles`.
    pub fn span(self, span: u64) -> String {
        match self {
            Clock::Time { .. } => format!("{} us", micro(span)),
            Clock::Cycles => counted(span, "cycle"),
        }
    }

    /// What everything up to `at` is told as: `12.5 us, after all that happens then`.
    pub fn head(self, at: u64) -> String {
        match self {
            Clock::Time { cell_ps: 0 } => format!("at {}", self.at(at)),
            Clock::Time { cell_ps } => {
                let cells = crate::number::significant(at as f64 / cell_ps as f64, 6);
                format!("at {} ({cells} cell times)", self.at(at))
            }
            Clock::Cycles => format!("before {}", self.at(at)),
        }
    }

    /// The end of keys that hold instants.
    pub fn key(self) -> &'static str {
        match self {
            Clock::Time { .. } => "ps",
            Clock::Cycles => "cycle",
        }
    }
}

/// Microseconds, exact.
fn micro(ps: u64) -> String {
    let (whole, rest) = (grouped(ps / US), ps % US);
    if rest == 0 {
        return whole;
    }
    let digits = format!("{rest:06}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_exact() {
        let clock = Clock::default();
        assert_eq!(clock.at(12_512_000), "12.512 us");
        assert_eq!(clock.at(1), "0.000001 us");
        assert_eq!(clock.at(1_234_000_000), "1,234 us");
        assert_eq!(Clock::Cycles.at(1_234), "cycle 1,234");
        assert_eq!(Clock::Cycles.span(1), "1 cycle");
        let cells = Clock::Time { cell_ps: 1_000_000 };
        assert_eq!(cells.head(2_500_000), "at 2.5 us (2.5 cell times)");
    }
}
