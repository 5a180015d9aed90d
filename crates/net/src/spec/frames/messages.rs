//! Messages that wait for others: can they, and do they ever begin?

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_ends::spec::messages::{Happened, MOST_IN_LIST, MessagesSpec, Waiter, Waiters};
use backwater_kernel::BuildError;

use super::EthernetSpec;
use super::check::err;

/// What a message waits for exists, is seen at the host that sends it, and does not wait for it.
pub(super) fn check(spec: &EthernetSpec) -> Result<(), BuildError> {
    let none = MessagesSpec::default();
    let traffic = spec.flows.iter().map(|flow| flow.traffic.messages());
    let lists: Vec<&MessagesSpec> = traffic.map(|list| list.unwrap_or(&none)).collect();
    for (id, list) in lists.iter().enumerate() {
        if let Some(number) = list.messages.iter().position(|own| own.bytes == 0) {
            return err(format!("flow {id}: message {number} has no bytes"));
        }
        check_rounds(id, list)?;
        for (waiter, after) in list.waiters() {
            for what in after {
                check_wait(spec, &lists, (id, waiter), *what)?;
            }
        }
    }
    match circle(&lists) {
        None => Ok(()),
        Some((flow, waiter)) => err(format!(
            "flow {flow}: {} waits for itself, by what it waits for",
            name(waiter)
        )),
    }
}

/// What is done again stands in the list, and can be numbered and counted.
fn check_rounds(id: usize, list: &MessagesSpec) -> Result<(), BuildError> {
    let again = list.again;
    let is_listed = again.messages as usize <= list.messages.len()
        && again.computes as usize <= list.computes.len();
    if !is_listed {
        return err(format!("flow {id}: a round is longer than its list"));
    }
    let most = list.message_count().max(list.compute_count());
    if most > MOST_IN_LIST {
        return err(format!(
            "flow {id}: {most} messages, at most {MOST_IN_LIST}"
        ));
    }
    match list.bytes() {
        Some(_) => Ok(()),
        None => err(format!("flow {id}: more bytes than can be counted")),
    }
}

/// What is done again waits for what is done again as often, of its round or the one before.
fn check_again(
    lists: &[&MessagesSpec],
    (id, waiter): (usize, Waiter),
    (flow, cause): (u32, Waiter),
) -> Result<(), BuildError> {
    let (list, other) = (lists[id], lists[flow as usize]);
    let (messages, computes) = list.round_from();
    let is_again = list.again.times > 0
        && match waiter {
            Waiter::Message(number) => number as usize >= messages,
            Waiter::Compute(number) => number as usize >= computes,
        };
    let (messages, computes) = other.round_from();
    let is_near = match cause {
        Waiter::Message(number) => number as usize + other.again.messages as usize >= messages,
        Waiter::Compute(number) => number as usize + other.again.computes as usize >= computes,
    };
    if is_again && !(is_near && other.again.times == list.again.times) {
        let (waiter, cause) = (name(waiter), name(cause));
        return err(format!(
            "flow {id}: {waiter} is done again, and {cause} of flow {flow}, for which it waits, is \
             not done as often or too long before"
        ));
    }
    Ok(())
}

fn name(waiter: Waiter) -> String {
    match waiter {
        Waiter::Message(number) => format!("message {number}"),
        Waiter::Compute(number) => format!("computing {number}"),
    }
}

/// What has to be over for it, and where that is seen.
fn cause(spec: &EthernetSpec, what: Happened) -> (Waiter, Option<u32>) {
    let flow = spec.flows.get(what.flow() as usize);
    match what {
        Happened::Received { message, .. } => {
            let at = flow.map(|flow| flow.destination);
            (Waiter::Message(message), at)
        }
        Happened::Sent { message, .. } => (Waiter::Message(message), flow.map(|flow| flow.source)),
        Happened::Computed { compute, .. } => {
            (Waiter::Compute(compute), flow.map(|flow| flow.source))
        }
    }
}

fn check_wait(
    spec: &EthernetSpec,
    lists: &[&MessagesSpec],
    (id, waiter): (usize, Waiter),
    what: Happened,
) -> Result<(), BuildError> {
    let flow = what.flow();
    let (cause, seen_at) = cause(spec, what);
    let exists = lists
        .get(flow as usize)
        .is_some_and(|list| is_listed(list, cause));
    let both = (waiter, cause);
    let (waiter, cause) = (name(waiter), name(cause));
    if !exists {
        return err(format!(
            "flow {id}: {waiter} waits for {cause} of flow {flow}: there is none"
        ));
    }
    if seen_at != Some(spec.flows[id].source) {
        return err(format!(
            "flow {id}: {waiter} waits for {cause} of flow {flow}, which its host does not see"
        ));
    }
    check_again(lists, (id, both.0), (flow, both.1))
}

/// Does it stand in the list?
fn is_listed(list: &MessagesSpec, waiter: Waiter) -> bool {
    match waiter {
        Waiter::Message(number) => (number as usize) < list.messages.len(),
        Waiter::Compute(number) => (number as usize) < list.computes.len(),
    }
}

/// What can never begin, if there is such: some are begun in an order in which each comes after
/// all it waits for and after the one ahead of it; those left wait in a circle, or for it. What is
/// done again waits as it does in its list.
fn circle(lists: &[&MessagesSpec]) -> Option<(usize, Waiter)> {
    // Messages of a flow, and then its computing.
    let mut first = Vec::new();
    let mut all = 0;
    for list in lists {
        first.push(all);
        all += list.messages.len() + list.computes.len();
    }
    let place = |flow: usize, of: Waiter| match of {
        Waiter::Message(number) => first[flow] + number as usize,
        Waiter::Compute(number) => first[flow] + lists[flow].messages.len() + number as usize,
    };
    // Of each, how much it waits for; beside that for the one ahead of it.
    let mut waits = vec![0_u32; all];
    let mut ready: Vec<(u32, Waiter)> = Vec::new();
    for (flow, list) in (0_u32..).zip(lists) {
        for (waiter, after) in list.waiters() {
            let is_first = matches!(waiter, Waiter::Message(0) | Waiter::Compute(0));
            let count = after.len() as u32 + u32::from(!is_first);
            waits[place(flow as usize, waiter)] = count;
            if count == 0 {
                ready.push((flow, waiter));
            }
        }
    }
    let numbered: Vec<(u32, &MessagesSpec)> = (0_u32..).zip(lists.iter().copied()).collect();
    let waiters = Waiters::among(&numbered);
    while let Some((flow, begun)) = ready.pop() {
        let list = lists[flow as usize];
        let (happened, next, is_there) = match begun {
            Waiter::Message(message) => (
                [
                    Some(Happened::Received { flow, message }),
                    Some(Happened::Sent { flow, message }),
                ],
                Waiter::Message(message + 1),
                (message as usize + 1) < list.messages.len(),
            ),
            Waiter::Compute(compute) => (
                [Some(Happened::Computed { flow, compute }), None],
                Waiter::Compute(compute + 1),
                (compute as usize + 1) < list.computes.len(),
            ),
        };
        let others = happened.into_iter().flatten();
        let others = others.flat_map(|what| waiters.waiting_for(what));
        let others = others.filter(|(flow, waiter)| is_listed(lists[*flow as usize], *waiter));
        for (flow, waiter) in others.chain(is_there.then_some((flow, next))) {
            let left = &mut waits[place(flow as usize, waiter)];
            *left -= 1;
            if *left == 0 {
                ready.push((flow, waiter));
            }
        }
    }
    let left = waits.iter().position(|left| *left > 0)?;
    let flow = first.partition_point(|at| *at <= left) - 1;
    let (number, messages) = (left - first[flow], lists[flow].messages.len());
    let waiter = match number < messages {
        true => Waiter::Message(number as u32),
        false => Waiter::Compute((number - messages) as u32),
    };
    Some((flow, waiter))
}
