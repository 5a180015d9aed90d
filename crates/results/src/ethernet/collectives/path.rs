//! The critical path: from the end of an operation back over what each thing waited for longest.
//!
//! A message begins when the last of what it waits for has happened and its think time is over,
//! and not before the one ahead of it; computing likewise. So each thing has one that it began
//! after, and the times along that chain add up to the time of the whole: whatever is on it delays
//! the end by as much as it takes longer, as long as nothing beside it becomes later.

use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::Happened;

use super::times::Times;

/// A thing on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// What is over at the end of it.
    pub what: Happened,
    /// So long it had to wait for nothing but its think time, or its turn.
    pub before: Duration,
    pub begun: Time,
    pub ended: Time,
}

/// The path to this from `since` on, first thing first.
pub fn to(times: Times<'_>, what: Happened, since: Time) -> Vec<Link> {
    let mut path = Vec::new();
    let mut next = Some(what);
    while let Some(what) = next {
        let Some((begun, ended, cause)) = one(times, what) else {
            break;
        };
        let caused = cause.and_then(|cause| times.when(cause));
        let is_first = begun <= since || caused.is_none_or(|caused| caused < since);
        path.push(Link {
            what,
            before: begun.since(caused.map_or(since, |caused| caused.max(since)).min(begun)),
            begun,
            ended,
        });
        next = cause.filter(|_| !is_first);
    }
    path.reverse();
    path
}

/// When it began and ended, and after what it began.
fn one(times: Times<'_>, what: Happened) -> Option<(Time, Time, Option<Happened>)> {
    let ended = times.when(what)?;
    match what {
        Happened::Received { flow, message } | Happened::Sent { flow, message } => {
            // What goes in the wake of the one ahead of it began because of what that waited for.
            let mut number = message;
            loop {
                let message_there = times.message(flow, number)?;
                let cause = latest(times, times.before(&message_there));
                let ready = cause
                    .and_then(|cause| times.when(cause))
                    .unwrap_or_default();
                let (begun, ready) = (message_there.begun?, ready + message_there.spec.think);
                let is_behind = number > 0 && ready < begun;
                let ahead = times.message(flow, number.saturating_sub(1))?;
                if !(is_behind && ahead.begun == Some(begun)) {
                    let first = times.message(flow, message)?.begun?;
                    return Some((first, ended, cause));
                }
                number -= 1;
            }
        }
        Happened::Computed { flow, compute } => {
            let computing = times.compute(flow, compute)?;
            let begun = computing.begun()?;
            let cause = latest(times, times.before_compute(&computing));
            let ahead = compute
                .checked_sub(1)
                .map(|compute| Happened::Computed { flow, compute });
            let ahead = ahead.filter(|ahead| times.when(*ahead) == Some(begun));
            let is_behind = cause.and_then(|cause| times.when(cause)) < Some(begun);
            Some((begun, ended, ahead.filter(|_| is_behind).or(cause)))
        }
    }
}

/// The last of these; of several at one instant the first in the list of what can be.
fn latest(times: Times<'_>, after: impl Iterator<Item = Happened>) -> Option<Happened> {
    let key = |what: &Happened| (times.when(*what), std::cmp::Reverse(*what));
    after.max_by_key(key)
}
