//! Which data frames are inside: a bit for each number of a flow, in a window that moves on.

use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec;
use alloc::vec::Vec;

/// Numbers of a flow are given in turn; one that leaps further ahead is kept by itself.
const LEAP: u64 = 1 << 16;

/// A set of frames, by flow and number.
#[derive(Clone, Debug)]
pub struct Inside {
    flows: Vec<Window>,
    /// Frames of no flow there is, or far ahead of the others of theirs.
    strays: BTreeSet<(u32, u64)>,
    /// Frames for several stations: flow, number, and the place of a station that has yet to get
    /// it.
    copies: BTreeSet<(u32, u64, u32)>,
    len: usize,
}

/// The frames of one flow.
#[derive(Clone, Debug, Default)]
struct Window {
    /// All numbers below have been inside and have left. A multiple of 64.
    base: u64,
    /// A bit for each number from `base` on.
    words: VecDeque<u64>,
}

impl Inside {
    /// None, of so many flows.
    pub fn new(flows: usize) -> Inside {
        Inside {
            flows: vec![Window::default(); flows],
            strays: BTreeSet::new(),
            copies: BTreeSet::new(),
            len: 0,
        }
    }

    /// Frames inside.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// A frame comes in; was it neither inside nor among those that have all left?
    #[inline]
    pub fn insert(&mut self, flow: u32, number: u64) -> bool {
        let window = self.flows.get_mut(flow as usize);
        let is_new = match window {
            Some(window) if number < window.end() + LEAP => window.insert(number),
            _ => self.strays.insert((flow, number)),
        };
        self.len += usize::from(is_new);
        is_new
    }

    /// A frame leaves; was it inside?
    #[inline]
    pub fn remove(&mut self, flow: u32, number: u64) -> bool {
        let window = self.flows.get_mut(flow as usize);
        let was_inside = window.is_some_and(|window| window.remove(number))
            || self.strays.remove(&(flow, number));
        self.len -= usize::from(was_inside);
        was_inside
    }
}

/// Frames for several stations.
impl Inside {
    /// A frame comes in for the stations at these places; was none of them to get it?
    pub fn insert_copies(&mut self, flow: u32, number: u64, (first, count): (u32, u32)) -> bool {
        let mut is_new = true;
        for place in first..first + count {
            is_new &= self.copies.insert((flow, number, place));
        }
        self.len += usize::from(is_new);
        is_new
    }

    /// A copy is gone, for the stations at these places; were all of them to get it?
    pub fn remove_copies(&mut self, flow: u32, number: u64, (first, count): (u32, u32)) -> bool {
        let mut was_inside = true;
        for place in first..first + count {
            was_inside &= self.copies.remove(&(flow, number, place));
        }
        let mut others = self
            .copies
            .range((flow, number, 0)..=(flow, number, u32::MAX));
        self.len -= usize::from(was_inside && others.next().is_none());
        was_inside
    }
}

impl Window {
    /// The number after the last with a bit.
    #[inline]
    fn end(&self) -> u64 {
        self.base + 64 * self.words.len() as u64
    }

    #[inline]
    fn insert(&mut self, number: u64) -> bool {
        let Some(at) = number.checked_sub(self.base) else {
            return false;
        };
        let (word, bit) = ((at / 64) as usize, 1 << (at % 64));
        while self.words.len() <= word {
            self.words.push_back(0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    #[inline]
    fn remove(&mut self, number: u64) -> bool {
        let Some(at) = number.checked_sub(self.base) else {
            return false;
        };
        let (place, bit) = ((at / 64) as usize, 1 << (at % 64));
        let Some(word) = self.words.get_mut(place) else {
            return false;
        };
        let was_inside = *word & bit != 0;
        *word &= !bit;
        // The last word may still get numbers.
        while self.words.len() > 1 && self.words.front() == Some(&0) {
            self.words.pop_front();
            self.base += 64;
        }
        was_inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a set that keeps every number.
    #[test]
    fn frames_are_inside_from_birth_to_end_in_any_order() {
        let mut inside = Inside::new(3);
        let mut known = BTreeSet::new();
        let mut born = [0_u64; 3];
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let flow = (state >> 33) % 3;
            if state >> 62 != 0 {
                let frame = (flow as u32, born[flow as usize]);
                born[flow as usize] += 1;
                assert_eq!(inside.insert(frame.0, frame.1), known.insert(frame));
                assert!(!inside.insert(frame.0, frame.1), "made twice");
            } else {
                let last = known.range((flow as u32, 0)..(flow as u32 + 1, 0));
                let count = last.clone().count();
                let Some(&frame) = last.clone().nth(count * (state >> 40 & 3) as usize / 4) else {
                    continue;
                };
                assert_eq!(inside.remove(frame.0, frame.1), known.remove(&frame));
                assert!(!inside.remove(frame.0, frame.1), "gone twice");
            }
            assert_eq!(inside.len(), known.len());
        }
        for (flow, number) in known {
            assert!(inside.remove(flow, number));
        }
        assert_eq!(inside.len(), 0);
    }

    #[test]
    fn strays_are_kept_and_cost_no_window() {
        let mut inside = Inside::new(1);
        for frame in [(0, u64::MAX), (0, 1 << 40), (9, 3), (u32::MAX, 0)] {
            assert!(!inside.remove(frame.0, frame.1));
            assert!(inside.insert(frame.0, frame.1));
            assert!(!inside.insert(frame.0, frame.1));
        }
        assert!(inside.flows[0].words.is_empty());
        assert!(inside.remove(0, 1 << 40));
        assert_eq!(inside.len(), 3);
    }

    #[test]
    fn a_window_moves_on() {
        let mut inside = Inside::new(1);
        for number in 0..100_000 {
            assert!(inside.insert(0, number));
            assert!(number < 10 || inside.remove(0, number - 10));
        }
        assert!(inside.flows[0].words.len() <= 2);
        assert!(!inside.insert(0, 5), "a number used again");
    }
}
