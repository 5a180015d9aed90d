//! Who goes first.

use backwater_flit::spec::Arbiter;
use backwater_kernel::Stream;

/// 255 - priority, then birth plus deadline: the smallest goes first.
pub(super) type Key = (u8, u64);

/// One of the `candidates` (index and key, in any order, no index twice).
pub(super) fn pick(
    arbiter: Arbiter,
    pointer: usize,
    candidates: &[(usize, Key)],
    stream: &mut Stream,
) -> Option<usize> {
    match arbiter {
        Arbiter::Random => {
            let mut indices: Vec<usize> = candidates.iter().map(|entry| entry.0).collect();
            indices.sort_unstable();
            match indices.len() {
                0 => None,
                1 => Some(indices[0]),
                count => Some(indices[stream.below(count as u64) as usize]),
            }
        }
        Arbiter::RoundRobin => {
            let indices = candidates.iter().map(|entry| entry.0);
            indices.min_by_key(|index| (*index < pointer, *index))
        }
        Arbiter::Earliest => {
            let first = candidates.iter().min_by_key(|entry| (entry.1, entry.0));
            first.map(|entry| entry.0)
        }
    }
}
