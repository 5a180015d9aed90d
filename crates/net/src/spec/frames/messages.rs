//! Messages that wait for others: can they, and do they ever begin?

use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_ends::spec::messages::{Happened, MessageSpec};
use backwater_kernel::BuildError;

use super::EthernetSpec;
use super::check::err;

/// What a message waits for exists, is seen at the host that sends it, and does not wait for it.
pub(super) fn check(spec: &EthernetSpec) -> Result<(), BuildError> {
    let traffic = spec.flows.iter().map(|flow| flow.traffic.messages());
    let lists: Vec<&[MessageSpec]> = traffic
        .map(|list| list.map_or(&[][..], |list| &list.messages))
        .collect();
    for (id, messages) in lists.iter().enumerate() {
        for (number, message) in messages.iter().enumerate() {
            if message.bytes == 0 {
                return err(format!("flow {id}: message {number} has no bytes"));
            }
            for what in &message.after {
                check_wait(spec, &lists, (id, number), *what)?;
            }
        }
    }
    match circle(&lists) {
        None => Ok(()),
        Some((flow, message)) => err(format!(
            "flow {flow}: message {message} waits for itself, by what it waits for"
        )),
    }
}

fn check_wait(
    spec: &EthernetSpec,
    lists: &[&[MessageSpec]],
    (id, number): (usize, usize),
    what: Happened,
) -> Result<(), BuildError> {
    let (flow, message) = (what.flow() as usize, what.message() as usize);
    let exists = lists.get(flow).is_some_and(|list| message < list.len());
    if !exists {
        return err(format!(
            "flow {id}: message {number} waits for message {message} of flow {flow}: there is none"
        ));
    }
    let seen_at = match what {
        Happened::Received { .. } => spec.flows[flow].destination,
        Happened::Sent { .. } => spec.flows[flow].source,
    };
    if seen_at != spec.flows[id].source {
        return err(format!(
            "flow {id}: message {number} waits for message {message} of flow {flow}, which its \
             host does not see"
        ));
    }
    Ok(())
}

/// A message that can never begin, if there is one: some are begun in an order in which each comes
/// after all it waits for and after the one ahead of it; those left wait in a circle, or for it.
fn circle(lists: &[&[MessageSpec]]) -> Option<(usize, usize)> {
    let mut first = Vec::new();
    let mut all = 0;
    for list in lists {
        first.push(all);
        all += list.len();
    }
    let place = |what: Happened| first[what.flow() as usize] + what.message() as usize;
    // What waits for a message, in one list: the first of each, and the next.
    let mut waits = vec![0_u32; all];
    let mut edges = Vec::new();
    for (flow, list) in lists.iter().enumerate() {
        for (number, message) in list.iter().enumerate() {
            let place_of = first[flow] + number;
            let ahead = number.checked_sub(1).map(|before| first[flow] + before);
            let others = message.after.iter().map(|what| place(*what));
            for before in others.chain(ahead) {
                edges.push((before, place_of));
                waits[place_of] += 1;
            }
        }
    }
    edges.sort_unstable();
    let mut ready: Vec<usize> = (0..all).filter(|at| waits[*at] == 0).collect();
    while let Some(begun) = ready.pop() {
        let from = edges.partition_point(|(before, _)| *before < begun);
        for (_, next) in edges[from..].iter().take_while(|edge| edge.0 == begun) {
            waits[*next] -= 1;
            if waits[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    let left = waits.iter().position(|left| *left > 0)?;
    let flow = first.partition_point(|at| *at <= left) - 1;
    Some((flow, left - first[flow]))
}
