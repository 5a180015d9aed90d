//! Flows that do the same round after round, of which a run may have leapt over some: what is
//! found of a round is then that of another one, so much later.

use std::ops::Range;

use backwater_kernel::{Duration, Instants};
use backwater_net::frames::spec::{LISTED, MessagesSpec};

use super::times::Times;
use crate::events::ranks::Each;

/// Of some flows.
pub struct Rounds {
    /// How many there are; one, of flows that do not go on in rounds.
    pub count: u32,
    likes: Vec<Like>,
}

/// Each of these rounds is the one so many before it, so much later.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Like {
    rounds: Range<u32>,
    back: u32,
    later: Duration,
}

impl Rounds {
    pub fn of(times: Times<'_>, flows: Range<u32>) -> Rounds {
        let lists = || flows.clone().filter_map(|flow| times.list(flow));
        let mut counts = lists().map(|list| list.rounds().unwrap_or(1));
        let first = counts.next().unwrap_or(1);
        let count = if counts.all(|own| own == first) {
            first
        } else {
            1
        };
        let mut rounds = Rounds {
            count: u32::try_from(count).unwrap_or(1),
            likes: Vec::new(),
        };
        if rounds.count > 1 {
            rounds.likes = likes(times, flows.clone()).unwrap_or_default();
            // Of those that nobody has reached one is like the other.
            let from = reached(times, flows).max(u64::from(LISTED)) + 1;
            let from = u32::try_from(from).unwrap_or(u32::MAX);
            rounds.likes.push(Like {
                rounds: from.min(rounds.count)..rounds.count,
                back: 1,
                later: Duration::ZERO,
            });
        }
        rounds
    }

    /// Numbers of messages that a list has in a round.
    pub fn messages(&self, list: &MessagesSpec, round: u32) -> Range<u32> {
        self.numbers((list.message_count(), list.again.messages), round)
    }

    /// The same of computing.
    pub fn computes(&self, list: &MessagesSpec, round: u32) -> Range<u32> {
        self.numbers((list.compute_count(), list.again.computes), round)
    }

    fn numbers(&self, (all, each): (u64, u32), round: u32) -> Range<u32> {
        match self.count {
            1 => 0..all as u32,
            _ => round * each..(round + 1) * each,
        }
    }

    /// What there is of each round: looked for in those of which it is not known.
    pub fn each<T>(&self, mut look: impl FnMut(u32) -> T) -> Each<T> {
        let mut all = Each::default();
        for round in 0..self.count {
            let like = self.likes.iter().find(|like| like.rounds.contains(&round));
            match like {
                Some(like) => all.push_like(like.back, like.later),
                None => all.push(look(round)),
            }
        }
        all
    }
}

/// Rounds that any of these flows has begun.
fn reached(times: Times<'_>, flows: Range<u32>) -> u64 {
    let rounds = flows.filter_map(|flow| {
        let (again, found) = (times.list(flow)?.again, times.found(flow)?);
        let of = |done: &Instants, each: u32| done.len().div_ceil(u64::from(each.max(1)));
        let begun = of(&found.begun, again.messages);
        Some(begun.max(of(&found.computed, again.computes)))
    });
    rounds.max().unwrap_or(0)
}

/// Rounds that are like others of all these flows, in all that is told of them; nothing where that
/// is not one thing of all of them.
fn likes(times: Times<'_>, flows: Range<u32>) -> Option<Vec<Like>> {
    let mut all: Option<Vec<Like>> = None;
    for flow in flows {
        let (Some(list), Some(found)) = (times.list(flow), times.found(flow)) else {
            continue;
        };
        let again = list.again;
        for (instants, each) in [
            (&found.begun, again.messages),
            (&found.sent, again.messages),
            (&found.received, again.messages),
            (&found.computed, again.computes),
        ] {
            if each == 0 {
                continue;
            }
            let alike = likes_of(instants, each)?;
            all = Some(match all {
                None => alike,
                Some(all) => both(all, &alike)?,
            });
        }
    }
    all
}

/// Of one list, in which a round has so many.
fn likes_of(instants: &Instants, each: u32) -> Option<Vec<Like>> {
    let each = u64::from(each);
    let likes = instants.repeats().iter().map(|own| {
        let back = own.back.is_multiple_of(each).then_some(own.back / each)?;
        let (from, until) = (own.from.div_ceil(each), own.until / each);
        Some(Like {
            rounds: u32::try_from(from).ok()?..u32::try_from(until).ok()?,
            back: u32::try_from(back).ok()?,
            later: own.later,
        })
    });
    likes.collect()
}

/// Where both are like others.
fn both(mut all: Vec<Like>, own: &[Like]) -> Option<Vec<Like>> {
    if all.len() != own.len() {
        return None;
    }
    for (one, other) in all.iter_mut().zip(own) {
        if (one.back, one.later) != (other.back, other.later) {
            return None;
        }
        let from = one.rounds.start.max(other.rounds.start);
        one.rounds = from..one.rounds.end.min(other.rounds.end);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use backwater_kernel::Time;

    use super::*;

    /// Two instants a round, of which so many rounds are leapt over from an instant within one on.
    fn leapt(before: u64, back: u64, times: u64) -> Instants {
        let mut all: Instants = (0..before).map(|at| Time(10 * at)).collect();
        all.repeat(2 * back, times, Duration(20 * back));
        all
    }

    #[test]
    fn rounds_that_lie_within_are_alike() {
        let like = |instants: &Instants| likes_of(instants, 2).expect("whole rounds");
        assert_eq!(
            like(&leapt(7, 1, 5)),
            [Like {
                rounds: 4..8,
                back: 1,
                later: Duration(20)
            }]
        );
        let [one, other] = [leapt(8, 2, 3), leapt(11, 2, 3)].map(|own| like(&own));
        assert_eq!(
            both(one.clone(), &other).expect("as often")[0].rounds,
            6..10
        );
        // Negative controls: another period, and none.
        assert_eq!(both(one.clone(), &like(&leapt(8, 1, 6))), None);
        assert_eq!(both(one, &[]), None);
        assert_eq!(likes_of(&leapt(8, 1, 3), 3), None);
    }
}
