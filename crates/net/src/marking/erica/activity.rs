//! Counting circuits that sent a moment ago: an active circuit counts 1, and `decay` times as much
//! in each interval without a cell (ATM Forum 98-0408). Below 1/64 it no longer counts, so that
//! the end of an interval looks at circuits that were seen lately, not at all.

use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::control::Ratio;

/// Less than this is nothing.
const LEAST: u64 = Ratio::ONE.0 / 64;

pub(super) struct Activity {
    decay: Ratio,
    /// By seat; 0: not in `alive`.
    weights: Vec<u64>,
    alive: Vec<u32>,
}

impl Activity {
    pub fn new(decay: f64, circuits: u32) -> Activity {
        Activity {
            decay: Ratio(Ratio::new(decay).0.min(Ratio::ONE.0)),
            weights: vec![0; circuits as usize],
            alive: Vec::new(),
        }
    }

    /// An interval ends in which the circuits in `seen` had cells: the sum of all weights.
    pub fn count(&mut self, seen: &[u32]) -> Ratio {
        let mut sum = 0;
        for &seat in seen {
            let weight = &mut self.weights[seat as usize];
            if *weight == 0 {
                self.alive.push(seat);
            }
            // Above 1: seen now.
            *weight = 2 * Ratio::ONE.0;
        }
        let Activity {
            decay,
            weights,
            alive,
        } = self;
        alive.retain(|&seat| {
            let weight = &mut weights[seat as usize];
            *weight = if *weight > Ratio::ONE.0 {
                Ratio::ONE.0
            } else {
                ((*weight as u128 * decay.0 as u128) >> 32) as u64
            };
            if *weight < LEAST {
                *weight = 0;
            }
            sum += *weight;
            *weight > 0
        });
        Ratio(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_circuit_fades_and_is_forgotten() {
        let mut activity = Activity::new(0.5, 1000);
        assert_eq!(activity.count(&[3, 7]).value(), 2.0);
        assert_eq!(activity.count(&[3]).value(), 1.5);
        assert_eq!(activity.count(&[3]).value(), 1.25);
        assert_eq!(activity.count(&[7]).value(), 1.5);
        for _ in 0..6 {
            activity.count(&[]);
        }
        // 7 is at 1/64, 3 below it.
        assert_eq!(activity.alive, [7]);
        assert_eq!(activity.count(&[]), Ratio(0));
        assert!(activity.alive.is_empty());
    }

    #[test]
    fn what_an_interval_looks_at_is_what_was_seen_lately() {
        let mut activity = Activity::new(0.9, 1_000_000);
        for start in 0..100 {
            let seen: Vec<u32> = (start * 10..start * 10 + 10).collect();
            activity.count(&seen);
            // 0.9^39 is the last power above 1/64.
            assert!(activity.alive.len() <= 400);
        }
        assert_eq!(activity.alive.len(), 400);
    }
}
