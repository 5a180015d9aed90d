//! How far a run by cycles is, whose end is known late.

use backwater_flit::meter::Phase;
use backwater_flit::spec::{MeasureSpec, WarmUp};

use super::super::part;

/// Where a run is, and how far at least.
#[derive(Clone, Debug)]
pub struct Progress {
    measure: MeasureSpec,
    phase: Phase,
    /// Cycle in which the phase was first seen.
    since: u64,
}

impl Progress {
    /// Nothing has been seen yet.
    pub fn new(measure: &MeasureSpec) -> Progress {
        Progress {
            measure: *measure,
            phase: Phase::Warming,
            since: 0,
        }
    }

    /// Takes note of the phase at this cycle, and tells how far the run is, of `STEPS`.
    pub fn look(&mut self, cycle: u64, phase: Phase) -> u64 {
        if phase != self.phase {
            (self.phase, self.since) = (phase, cycle);
        }
        part(cycle, self.end())
    }

    /// The cycle in which the run ends at the latest.
    fn end(&self) -> u64 {
        let (window, drain) = (self.measure.window, self.measure.drain);
        let left = match (self.phase, self.measure.warm_up) {
            (Phase::Warming, WarmUp::Cycles(most) | WarmUp::Auto { most }) => {
                most.saturating_add(window).saturating_add(drain)
            }
            (Phase::Measuring, _) => window.saturating_add(drain),
            (Phase::Draining, _) => drain,
            (Phase::Done(_), _) => 0,
        };
        self.since.saturating_add(left)
    }

    /// The phase, for people.
    pub fn word(&self) -> &'static str {
        match self.phase {
            Phase::Warming => "warm-up",
            Phase::Measuring => "window",
            Phase::Draining => "drain",
            Phase::Done(_) => "done",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_never_goes_back_and_ends_at_the_end() {
        let mut progress = Progress::new(&MeasureSpec {
            warm_up: WarmUp::Auto { most: 5_000 },
            window: 4_000,
            drain: 1_000,
            stall: 100,
        });
        let seen = [
            (1_000, Phase::Warming, 100),
            (2_000, Phase::Measuring, 285),
            (6_000, Phase::Draining, 857),
            (7_000, Phase::Draining, 1_000),
            (u64::MAX, Phase::Draining, 1_000),
        ];
        for (cycle, phase, position) in seen {
            assert_eq!(progress.look(cycle, phase), position, "{cycle}");
        }
        assert_eq!(progress.word(), "drain");
    }
}
