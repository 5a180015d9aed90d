//! Bisection.

use crate::lab::LabError;

/// The least of 2^`steps` numbers from `low` on for which it holds, if it does so for all larger
/// ones; the last of them if it holds for none before. Asks `steps` times.
pub fn least(
    low: u64,
    steps: u32,
    holds: impl Fn(u64) -> Result<bool, LabError>,
) -> Result<u64, LabError> {
    let (mut low, mut high) = (low, low + (1 << steps) - 1);
    for _ in 0..steps {
        let middle = low.midpoint(high);
        match holds(middle)? {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_found_in_so_many_steps() {
        for wanted in 5..=12 {
            let asked = std::cell::Cell::new(0);
            let answer = least(5, 3, |number| {
                asked.set(asked.get() + 1);
                Ok(number >= wanted)
            });
            assert_eq!((answer.ok(), asked.get()), (Some(wanted), 3));
        }
        assert_eq!(least(5, 3, |_| Ok(false)).ok(), Some(12));
    }
}
