//! What waits for what, of all flows, each found at its place: without search, and made in two
//! passes without sorting.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Again, Happened, MessagesSpec, Waiter};

/// What waits for each thing that may happen. Of rounds that are done again and again the one that
/// is listed is kept, with what waits for it in the round after.
#[derive(Clone, Debug, Default)]
pub struct Waiters {
    /// The first flow that is known.
    base: u32,
    /// By flow from there on.
    flows: Vec<Slots>,
    /// By slot: where what waits for it begins. One more at the end.
    first: Vec<u32>,
    all: Vec<(u32, Waiter)>,
}

/// Where a flow's slots are. A message has two, for what is received and what is sent; computing of
/// the flow has one each behind them.
#[derive(Clone, Copy, Debug, Default)]
struct Slots {
    first: usize,
    messages: usize,
    computes: usize,
    again: Again,
}

impl Slots {
    fn count(&self) -> usize {
        2 * self.messages + self.computes
    }

    /// The slot of a thing, and how many rounds before it stands there.
    fn slot(&self, what: Happened) -> Option<(usize, u32)> {
        let again = self.again;
        let message = |number: u32| again.place(number.into(), self.messages, again.messages);
        let (at, later) = match what {
            Happened::Received { message: own, .. } => {
                let (at, later) = message(own)?;
                (2 * at, later)
            }
            Happened::Sent { message: own, .. } => {
                let (at, later) = message(own)?;
                (2 * at + 1, later)
            }
            Happened::Computed { compute, .. } => {
                let (at, later) = again.place(compute.into(), self.computes, again.computes)?;
                (2 * self.messages + at, later)
            }
        };
        (at < self.count()).then_some((self.first + at, later))
    }

    /// Is it one of all that it has, in all rounds?
    fn has(&self, waiter: Waiter) -> bool {
        let Again {
            times,
            messages,
            computes,
            ..
        } = self.again;
        let (number, listed, round) = match waiter {
            Waiter::Message(number) => (number, self.messages, messages),
            Waiter::Compute(number) => (number, self.computes, computes),
        };
        u64::from(number) < listed as u64 + u64::from(times) * u64::from(round)
    }
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
            let none = Slots {
                first: slots,
                ..Slots::default()
            };
            flows.resize((flow - base) as usize, none);
            let listed = Slots {
                first: slots,
                messages: list.messages.len(),
                computes: list.computes.len(),
                again: list.again,
            };
            flows.push(listed);
            slots += listed.count();
        }
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
            let all = list.waiters_and_next();
            all.flat_map(move |(waiter, after, rounds)| {
                let waiter = waiter.later(rounds, list.again);
                after.iter().filter_map(move |what| {
                    let slot = self.slot_of(*what, rounds)?;
                    Some((slot, (*flow, waiter)))
                })
            })
        };
        lists.iter().flat_map(of_list)
    }

    /// The slot of a thing so many rounds later, where it stands in its list.
    fn slot_of(&self, what: Happened, rounds: u32) -> Option<usize> {
        let slots = self.slots(what)?;
        let (slot, later) = slots.slot(what.later(rounds, slots.again))?;
        (later == 0).then_some(slot)
    }

    fn slots(&self, what: Happened) -> Option<&Slots> {
        let at = what.flow().checked_sub(self.base)? as usize;
        self.flows.get(at)
    }

    /// No flow has a list, whose messages may wait or not.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// What waits for this, by number, and so many rounds before.
    pub fn of(&self, what: Happened) -> (Range<usize>, u32) {
        match self.slots(what).and_then(|slots| slots.slot(what)) {
            Some((slot, later)) => {
                let waiting = self.first[slot] as usize..self.first[slot + 1] as usize;
                (waiting, later)
            }
            None => (0..0, 0),
        }
    }

    /// What of a flow waits, by that number, so many rounds later; nothing behind the last round.
    pub fn waiting(&self, at: usize, later: u32) -> Option<(u32, Waiter)> {
        let (flow, waiter) = self.all[at];
        let slots = self.flows[(flow - self.base) as usize];
        let waiter = waiter.later(later, slots.again);
        slots.has(waiter).then_some((flow, waiter))
    }

    /// All that waits for this.
    pub fn waiting_for(&self, what: Happened) -> impl Iterator<Item = (u32, Waiter)> + '_ {
        let (all, later) = self.of(what);
        all.filter_map(move |at| self.waiting(at, later))
    }
}
