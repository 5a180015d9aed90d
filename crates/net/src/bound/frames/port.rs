//! The longest that a frame waits at a port before its first bit leaves.
//!
//! The worst case of a class begins as its queue, and those of all that go before it, have been
//! empty. From then on no more comes in `t` than its curve permits, and a frame of another class
//! that has just started is in the way: it leaves a picosecond later than if it had to wait. A
//! frame that comes at `t`, the last of `A(t)`, starts at the least `x` with
//!
//! ```text
//! strict priority        x = B - 1 + A(t) - w + H(x)
//! deficit round robin    x = O(ceil(a(t) / Q)) + A(t) - w
//! ```
//!
//! w is its own time on the wire, B that of the largest frame of lower classes, H(x) what comes in
//! `x` of higher ones (what comes at that instant goes first), a(t) is A(t) in bytes and Q its
//! quantum. O(k) is the most that the other classes send before the k-th turn of this one: in k
//! turns each sends at most k quanta and what was left of the turn before, less than a frame. The
//! frame in the way counts among these, unless it was the last of its queue: then it may be a
//! whole frame more. The wait is `x - t`; the longest one begins where `A` steps up.

use alloc::vec::Vec;

use backwater_kernel::Rate;

use super::NoBound;
use super::curve::{Curve, wire_ps};
use super::share::Share;

/// Terms that may be looked at for one class of a port: a busy period that takes more is too
/// long.
const TERMS_MAX: usize = 2_000_000;

/// A class that shares a port in turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Other {
    pub quantum_bytes: u64,
    /// Its smallest frame,
    pub least_bytes: u64,
    /// and its largest.
    pub most_bytes: u64,
}

impl Other {
    /// Most time that its frames take before the k-th turn of another class; `is_in_the_way`
    /// if one of them was the last of its queue, and on the wire, as that class began to wait.
    fn sends(&self, turns: u128, rate: Rate, is_in_the_way: bool) -> u128 {
        let left_bytes = u128::from(self.most_bytes) - u128::from(!is_in_the_way);
        let bytes = turns * u128::from(self.quantum_bytes) + left_bytes;
        let frames = bytes / u128::from(self.least_bytes);
        if self.least_bytes == self.most_bytes {
            return frames * u128::from(wire_ps(rate, self.most_bytes));
        }
        // Each may be rounded up by half a picosecond.
        let bits = (bytes + frames * 20) * 8;
        (bits * 1_000_000_000_000).div_ceil(u128::from(rate.0)) + frames
    }
}

/// Most time that other classes take before the k-th turn of a class; one of them may have a
/// frame in the way, unless the class itself has.
pub(super) fn others_send(others: &[Other], turns: u128, rate: Rate, is_own_way: bool) -> u128 {
    let less = |other: &Other| other.sends(turns, rate, false);
    let more = |other: &Other| other.sends(turns, rate, true) - less(other);
    let in_the_way = match is_own_way {
        true => 0,
        false => others.iter().map(more).max().unwrap_or(0),
    };
    others.iter().map(less).sum::<u128>() + in_the_way
}

/// What else wants the port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rivals {
    /// Strict priority.
    Priority {
        /// What comes of higher classes.
        higher: Curve,
        /// Time of the largest frame of lower ones.
        lower_ps: u64,
    },
    /// Deficit round robin.
    Turns {
        rate: Rate,
        quantum_bytes: u64,
        /// The class itself, in bytes.
        bytes: Curve,
        others: Vec<Other>,
        /// Time of its own largest frame.
        own_ps: u64,
    },
    /// Schedulers that go by reservations.
    Share(Share),
}

/// Longest waits for a class of port `channel`, for frames of each time on the wire in `own_ps`.
pub(super) fn waits(
    channel: u32,
    curve: &Curve,
    rivals: &Rivals,
    own_ps: &[u64],
) -> Result<Vec<u64>, NoBound> {
    let found = match rivals {
        Rivals::Priority { higher, lower_ps } => {
            let start = |work: u128, _: u64| by_priority(work, higher, *lower_ps);
            longest(curve, own_ps, higher.terms(), start)
        }
        Rivals::Share(share) => {
            let terms = share.bytes.terms() + curve.terms();
            let own = |work: u128, at: u64| curve.at(at).saturating_sub(work);
            longest(curve, own_ps, terms, |work, at| {
                Some(share.start(own(work, at), at))
            })
        }
        Rivals::Turns {
            rate,
            quantum_bytes,
            bytes,
            others,
            own_ps: largest_ps,
        } => {
            let start = |in_the_way: u64| {
                move |work: u128, at: u64| {
                    let turns = bytes.at(at).div_ceil(u128::from(*quantum_bytes));
                    let sent = others_send(others, turns, *rate, in_the_way > 0);
                    Some(sent + work + u128::from(in_the_way))
                }
            };
            let terms = bytes.terms() + others.len();
            let first = longest(curve, own_ps, terms, start(0));
            match first {
                Some(waits) if may_follow(curve, own_ps, &waits) => {
                    // A queue that was empty may find a frame of its own on the wire.
                    let own = longest(curve, own_ps, terms, start(largest_ps - 1));
                    let both = |own: Vec<u64>| own.into_iter().zip(waits);
                    own.map(|own| both(own).map(|(own, other)| own.max(other)).collect())
                }
                first => first,
            }
        }
    };
    found.ok_or(NoBound::TooLong { channel })
}

/// Can a frame come to the empty queue while one of its class is on the wire? Not if only one
/// comes until that is gone.
fn may_follow(curve: &Curve, own_ps: &[u64], waits: &[u64]) -> bool {
    let gone_ps = waits.iter().zip(own_ps).map(|(wait, own)| wait + own).max();
    let least_ps = own_ps.iter().min().copied().unwrap_or(0);
    gone_ps.is_none_or(|gone| curve.at(gone.saturating_sub(1)) >= 2 * u128::from(least_ps))
}

/// The least `x` with `x = work + H(x)`, with the frame of a lower class.
fn by_priority(work: u128, higher: &Curve, lower_ps: u64) -> Option<u128> {
    let before = u128::from(lower_ps.saturating_sub(1)) + work;
    let mut start = before;
    for _ in 0..TERMS_MAX / (1 + higher.terms()) {
        let next = before + higher.at(u64::try_from(start).ok()?);
        if next == start {
            return Some(start);
        }
        start = next;
    }
    None
}

/// Follows a busy period. `start` tells when, after so much work of the class, all of it that has
/// come by an instant, the next frame starts.
fn longest(
    curve: &Curve,
    own_ps: &[u64],
    terms: usize,
    start: impl Fn(u128, u64) -> Option<u128>,
) -> Option<Vec<u64>> {
    let mut waits = alloc::vec![0; own_ps.len()];
    let terms = 1 + curve.terms() + terms;
    let mut at = 0;
    for _ in 0..TERMS_MAX.div_ceil(terms) {
        let come = curve.at(at);
        for (wait, own) in waits.iter_mut().zip(own_ps) {
            let starts = start(come.saturating_sub(u128::from(*own)), at)?;
            let waited = starts.saturating_sub(u128::from(at));
            *wait = u64::try_from(waited).ok()?.max(*wait);
        }
        let idle_at = start(come, at)?;
        let next = curve.next(at);
        if u128::from(next) > idle_at {
            return Some(waits);
        }
        at = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::curve::{Group, Pace, Stairs};
    use super::*;
    use alloc::vec;

    /// A frame of so much work every 1,000 ps.
    fn every_1000(work: u64) -> Curve {
        let pace = Pace {
            sources: 1,
            numerator: 1000,
            divisor: 1,
        };
        let stairs = Stairs {
            pace,
            jitter_ps: 0,
            work,
        };
        Curve {
            groups: vec![Group {
                stairs: vec![stairs],
                line: None,
            }],
        }
    }

    #[test]
    fn a_frame_of_a_lower_class_is_in_the_way() {
        let rivals = |higher| Rivals::Priority {
            higher,
            lower_ps: 500,
        };
        let alone = rivals(Curve::default());
        assert_eq!(waits(0, &every_1000(100), &alone, &[100]), Ok(vec![499]));
        // 499 + 300 of the higher class; its next comes after that.
        let two = rivals(every_1000(300));
        assert_eq!(waits(0, &every_1000(100), &two, &[100]), Ok(vec![799]));
        // 499 + 600, and at 1,000 the higher class goes first again.
        let two = rivals(every_1000(600));
        assert_eq!(waits(0, &every_1000(100), &two, &[100]), Ok(vec![1699]));
    }

    #[test]
    fn turns_by_hand() {
        // 1 byte a picosecond: frames of 64 bytes take 84 ps.
        let rate = Rate(8_000_000_000_000);
        let other = Other {
            quantum_bytes: 128,
            least_bytes: 64,
            most_bytes: 64,
        };
        // In a turn at most 128 + 63 bytes, two frames, and three with what two turns leave.
        assert_eq!(other.sends(1, rate, false), 2 * 84);
        assert_eq!(other.sends(2, rate, false), 4 * 84);
        // The last of its queue has just started, and two more have come.
        assert_eq!(other.sends(1, rate, true), 3 * 84);
        assert_eq!(others_send(&[other, other], 1, rate, false), 5 * 84);
        assert_eq!(others_send(&[other, other], 1, rate, true), 4 * 84);
        let rivals = Rivals::Turns {
            rate,
            quantum_bytes: 64,
            bytes: every_1000(64),
            others: vec![other],
            own_ps: 84,
        };
        assert_eq!(waits(0, &every_1000(84), &rivals, &[84]), Ok(vec![252]));
    }
}
