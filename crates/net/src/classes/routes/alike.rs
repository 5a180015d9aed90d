//! Places of a network that no shortest way tells apart.
//!
//! The aggregation switches of a pod, and all cores of a fat tree, are as far from each host as one
//! another, and lead on to as many switches of each kind. So what is found of one holds for all of
//! them: a search goes from kind to kind, of which a fat tree has as many as switches with hosts
//! and pods, not as many as switches.
//!
//! Kinds are an equitable partition: each place of a kind is joined as often to every other kind as
//! the next. With a kind of its own for each host and each switch with one, all of a kind are as
//! far from any of these (by induction over the distance), and a channel from kind to kind leads
//! nearer where one of them does.

use alloc::vec;
use alloc::vec::Vec;

/// Rounds until kinds must stand: each tells apart what is joined to others than in the last.
const MOST_ROUNDS: usize = 16;

/// Places by kind; kinds are numbered by the first place of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alike {
    /// By place.
    pub kinds: Vec<u32>,
    /// By kind: how many places have it.
    pub counts: Vec<u32>,
}

impl Alike {
    /// Nothing is like anything else.
    pub fn none(places: usize) -> Alike {
        Alike {
            kinds: (0..places as u32).collect(),
            counts: vec![1; places],
        }
    }

    /// The fewest kinds where these places are of their own, each joined to those `around` it.
    pub fn new<I: Iterator<Item = u32>>(
        places: usize,
        is_own: impl Fn(u32) -> bool,
        around: impl Fn(u32) -> I,
    ) -> Alike {
        let all = || 0..places as u32;
        let mut kinds = vec![0; places];
        let others: Vec<u32> = all().filter(|place| !is_own(*place)).collect();
        let first = (places - others.len()) as u32;
        for (kind, place) in (0..first).zip(all().filter(|place| is_own(*place))) {
            kinds[place as usize] = kind;
        }
        others
            .iter()
            .for_each(|place| kinds[*place as usize] = first);
        let mut count = usize::from(!others.is_empty());
        let mut joined: Vec<Vec<u32>> = vec![Vec::new(); others.len()];
        let mut order: Vec<u32> = (0..others.len() as u32).collect();
        for _ in 0..MOST_ROUNDS {
            for (place, joined) in others.iter().zip(&mut joined) {
                joined.clear();
                joined.push(kinds[*place as usize]);
                joined.extend(around(*place).map(|next| kinds[next as usize]));
                joined[1..].sort_unstable();
            }
            order.sort_by(|a, b| joined[*a as usize].cmp(&joined[*b as usize]));
            let (mut next, mut last) = (0, None);
            for at in &order {
                let here = &joined[*at as usize];
                next += u32::from(last.is_some_and(|last| last != here));
                last = Some(here);
                kinds[others[*at as usize] as usize] = first + next;
            }
            let kinds_now = last.map_or(0, |_| next as usize + 1);
            if kinds_now == count {
                return Alike::numbered(kinds, first as usize + count);
            }
            count = kinds_now;
        }
        Alike::none(places)
    }

    /// The same kinds in the order of their first places.
    fn numbered(mut kinds: Vec<u32>, count: usize) -> Alike {
        let mut numbers = vec![u32::MAX; count];
        let mut counts = Vec::with_capacity(count);
        for kind in &mut kinds {
            let number = &mut numbers[*kind as usize];
            if *number == u32::MAX {
                *number = counts.len() as u32;
                counts.push(0);
            }
            *kind = *number;
            counts[*kind as usize] += 1;
        }
        Alike { kinds, counts }
    }
}

#[cfg(test)]
mod tests;
