//! Sets of small integers whose next member is found without looking at each.

use alloc::boxed::Box;
use alloc::vec;

/// Members of one word.
const WORD: usize = u64::BITS as usize;
/// Levels below the root that a `usize` can need.
const LEVELS: usize = 11;

/// A subset of `0..n`.
///
/// One word (the root) holds up to 64 members. Larger sets keep their members in words, with
/// levels of summary words above them: bit `i` of a level says whether word `i` of the level
/// below has a member. Every operation costs one step per level: two levels reach 4,096.
#[derive(Clone, Debug)]
pub struct BitSet {
    root: u64,
    len: usize,
    /// Levels below the root, members first.
    words: Box<[u64]>,
}

impl BitSet {
    /// The empty subset of `0..n`.
    pub fn new(n: usize) -> BitSet {
        let mut total = 0;
        let mut level = n.div_ceil(WORD);
        while level > 1 {
            total += level;
            level = level.div_ceil(WORD);
        }
        BitSet {
            root: 0,
            len: n,
            words: vec![0; total].into_boxed_slice(),
        }
    }

    /// `n`: members lie below it.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.len
    }

    /// Makes `i` a member. Stops loudly when `i` is not below `n`.
    #[inline]
    pub fn insert(&mut self, i: usize) {
        assert!(i < self.len, "a member must lie below the set's size");
        if self.len <= WORD {
            self.root |= 1 << i;
        } else {
            let word = &mut self.words[i / WORD];
            let before = *word;
            *word = before | 1 << (i % WORD);
            if before == 0 {
                self.mark(i / WORD);
            }
        }
    }

    /// Makes `i` no member.
    #[inline]
    pub fn remove(&mut self, i: usize) {
        if i >= self.len {
            return;
        }
        if self.len <= WORD {
            self.root &= !(1 << i);
        } else {
            let word = &mut self.words[i / WORD];
            *word &= !(1 << (i % WORD));
            if *word == 0 {
                self.unmark(i / WORD);
            }
        }
    }

    /// Is `i` a member?
    #[inline]
    pub fn contains(&self, i: usize) -> bool {
        if i >= self.len {
            return false;
        }
        let word = if self.len <= WORD {
            self.root
        } else {
            self.words[i / WORD]
        };
        word >> (i % WORD) & 1 == 1
    }

    /// The members of the 64 places in a row that `i` is one of, from a multiple of 64 on: a bit
    /// each.
    #[inline]
    pub fn word_of(&self, i: usize) -> u64 {
        match self.len <= WORD {
            true => self.root,
            false => self.words[i / WORD],
        }
    }

    /// The smallest member not below `i`.
    #[inline]
    pub fn next_from(&self, i: usize) -> Option<usize> {
        if i >= self.len {
            return None;
        }
        if self.len <= WORD {
            return lowest(self.root & (u64::MAX << i));
        }
        let rest = self.words[i / WORD] & (u64::MAX << (i % WORD));
        if rest != 0 {
            return Some(i / WORD * WORD + rest.trailing_zeros() as usize);
        }
        self.next_after(i / WORD)
    }

    /// The smallest member not below `i`, else the smallest of all.
    #[inline]
    pub fn next_cyclic(&self, i: usize) -> Option<usize> {
        self.next_from(i).or_else(|| self.next_from(0))
    }

    /// Takes the smallest member out.
    #[inline]
    pub fn pop_first(&mut self) -> Option<usize> {
        let first = self.next_from(0)?;
        self.remove(first);
        Some(first)
    }

    /// Has it no member?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.root == 0
    }

    /// Takes all members out.
    pub fn clear(&mut self) {
        self.root = 0;
        self.words.fill(0);
    }

    /// Notes in the levels above that member word `at` has a member.
    fn mark(&mut self, mut at: usize) {
        let mut size = self.len.div_ceil(WORD);
        let mut offset = size;
        while size > WORD {
            let word = &mut self.words[offset + at / WORD];
            let before = *word;
            *word = before | 1 << (at % WORD);
            if before != 0 {
                return;
            }
            size = size.div_ceil(WORD);
            offset += size;
            at /= WORD;
        }
        self.root |= 1 << at;
    }

    /// Notes in the levels above that member word `at` has no member.
    fn unmark(&mut self, mut at: usize) {
        let mut size = self.len.div_ceil(WORD);
        let mut offset = size;
        while size > WORD {
            let word = &mut self.words[offset + at / WORD];
            *word &= !(1 << (at % WORD));
            if *word != 0 {
                return;
            }
            size = size.div_ceil(WORD);
            offset += size;
            at /= WORD;
        }
        self.root &= !(1 << at);
    }

    /// The smallest member beyond member word `at`: climbs until a level has a word with a member
    /// further on, then descends to the lowest one below it.
    fn next_after(&self, mut at: usize) -> Option<usize> {
        let mut offsets = [0; LEVELS];
        let mut depth = 0;
        let mut size = self.len.div_ceil(WORD);
        let mut member = loop {
            at += 1;
            if at >= size {
                return None;
            }
            let below = offsets[depth];
            let (word, is_root) = if size > WORD {
                (self.words[below + size + at / WORD], false)
            } else {
                (self.root, true)
            };
            if let Some(bit) = lowest(word & (u64::MAX << (at % WORD))) {
                break at / WORD * WORD + bit;
            }
            if is_root {
                return None;
            }
            depth += 1;
            offsets[depth] = below + size;
            size = size.div_ceil(WORD);
            at /= WORD;
        };
        for offset in offsets[..=depth].iter().rev() {
            member = member * WORD + lowest(self.words[offset + member])?;
        }
        Some(member)
    }
}

#[inline]
fn lowest(word: u64) -> Option<usize> {
    (word != 0).then(|| word.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};
    use alloc::collections::BTreeSet;

    const SIZES: [usize; 10] = [1, 2, 63, 64, 65, 128, 4_096, 4_097, 70_000, 300_000];

    /// Does `next_from`, as `search` answers it, agree with an ordered set on a random program?
    fn agrees(n: usize, search: impl Fn(&BitSet, usize) -> Option<usize>) -> bool {
        let mut stream = Stream::new(3, n as u64, Purpose::Pattern);
        let (mut tested, mut reference) = (BitSet::new(n), BTreeSet::new());
        for step in 0..20_000 {
            let i = stream.below(n as u64) as usize;
            match stream.below(if step < 10_000 { 5 } else { 9 }) {
                0 | 1 => {
                    tested.insert(i);
                    reference.insert(i);
                }
                2 => assert_eq!(tested.pop_first(), reference.pop_first()),
                _ => {
                    let near = search(&tested, i).unwrap_or(i);
                    tested.remove(near);
                    reference.remove(&near);
                }
            }
            let next = reference.range(i..).next().copied();
            let cyclic = next.or_else(|| reference.first().copied());
            assert_eq!(tested.contains(i), reference.contains(&i));
            assert_eq!(tested.is_empty(), reference.is_empty());
            if search(&tested, i) != next || tested.next_cyclic(i) != cyclic {
                return false;
            }
        }
        true
    }

    #[test]
    fn it_is_a_set() {
        for n in SIZES {
            assert!(agrees(n, BitSet::next_from), "a set of {n}");
        }
    }

    /// Negative control.
    #[test]
    fn a_search_that_stays_in_its_word_is_found_out() {
        let short_sighted = |set: &BitSet, i: usize| {
            let found = set.next_from(i)?;
            (found / WORD == i / WORD).then_some(found)
        };
        assert!(agrees(64, short_sighted));
        assert!(!agrees(65, short_sighted));
    }

    #[test]
    fn nothing_lies_outside() {
        for n in [0, 64, 100] {
            let mut set = BitSet::new(n);
            set.remove(n);
            assert!(!set.contains(n));
            assert_eq!(set.next_from(n), None);
            assert_eq!(set.next_cyclic(n + 1), None);
        }
    }

    #[test]
    #[should_panic(expected = "below the set's size")]
    fn a_member_outside_is_refused() {
        BitSet::new(64).insert(64);
    }

    #[test]
    fn clearing_forgets_every_level() {
        let mut set = BitSet::new(300_000);
        for i in [0, 64, 4_096, 299_999] {
            set.insert(i);
        }
        set.clear();
        assert!(set.is_empty());
        assert_eq!(set.next_cyclic(5), None);
        set.insert(70_000);
        assert_eq!(set.next_from(0), Some(70_000));
    }
}
