//! What waits for what, of all flows, each found at its place: without search, and made in two
//! passes without sorting.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Happened, MessagesSpec, Waiter};

/// What waits for each thing that may happen.
#[derive(Clone, Debug, Default)]
pub struct Waiters {
    /// The first flow that is known.
    base: u32,
    /// By flow from there on: its first slot, and how many messages it has. A message has two
    /// slots, for what is received and what is sent; computing of the flow has one each behind
    /// them. One more at the end.
    flows: Vec<(usize, usize)>,
    /// By slot: where what waits for it begins. One more at the end.
    first: Vec<u32>,
    all: Vec<(u32, Waiter)>,
}

impl Waiters {
    /// Of some flows, by number in ascending order. What waits for a thing stands in the order of
    /// flows, and of a flow messages before computing. What they wait for of other flows never
    /// happens here.
    pub fn among(lists: &[(u32, &MessagesSpec)]) -> Waiters {
        let base = lists.first().map_or(0, |list| list.0);
        let mut flows = Vec::new();
        let mut slots = 0;
        for (flow, list) in lists {
            flows.resize((flow - base) as usize, (slots, 0));
            flows.push((slots, list.messages.len()));
            slots += 2 * list.messages.len() + list.computes.len();
        }
        flows.push((slots, 0));
        let mut made = Waiters {
            base,
            flows,
            first: Vec::new(),
            all: Vec::new(),
        };
        // How many wait for each, and then where those begin.
        let mut first = vec![0_u32; slots + 1];
        for (slot, _) in made.waits(lists) {
            first[slot] += 1;
        }
        let mut behind = 0;
        for place in &mut first {
            behind += core::mem::replace(place, behind);
        }
        let mut next = first.clone();
        let mut all = vec![(0, Waiter::Message(0)); behind as usize];
        for (slot, waiter) in made.waits(lists) {
            all[next[slot] as usize] = waiter;
            next[slot] += 1;
        }
        (made.first, made.all) = (first, all);
        made
    }

    /// Everything that waits, with the slot of what it waits for.
    fn waits<'a>(
        &'a self,
        lists: &'a [(u32, &'a MessagesSpec)],
    ) -> impl Iterator<Item = (usize, (u32, Waiter))> + 'a {
        let of_list = move |(flow, list): &'a (u32, &'a MessagesSpec)| {
            let waiters = list.waiters();
            waiters.flat_map(move |(waiter, after)| {
                let after = after.iter();
                after.filter_map(move |what| Some((self.slot(*what)?, (*flow, waiter))))
            })
        };
        lists.iter().flat_map(of_list)
    }

    fn slot(&self, what: Happened) -> Option<usize> {
        let at = what.flow().checked_sub(self.base)? as usize;
        let (first, messages) = *self.flows.get(at)?;
        let slot = match what {
            Happened::Received { message, .. } => in_list(message, messages)? * 2,
            Happened::Sent { message, .. } => in_list(message, messages)? * 2 + 1,
            Happened::Computed { compute, .. } => 2 * messages + compute as usize,
        };
        let behind = self.flows.get(at + 1)?.0;
        Some(first + slot).filter(|slot| *slot < behind)
    }

    /// No flow has a list, whose messages may wait or not.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.flows.len() <= 1
    }

    /// What waits for this, by number.
    pub fn of(&self, what: Happened) -> Range<usize> {
        match self.slot(what) {
            Some(slot) => self.first[slot] as usize..self.first[slot + 1] as usize,
            None => 0..0,
        }
    }

    /// What of a flow waits, by that number.
    pub fn waiting(&self, at: usize) -> (u32, Waiter) {
        self.all[at]
    }
}

fn in_list(number: u32, messages: usize) -> Option<usize> {
    let number = number as usize;
    (number < messages).then_some(number)
}
