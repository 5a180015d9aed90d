//! Messages in datagrams that lost some, which nobody sends again.

use backwater_kernel::words::counted;

use super::times::{Message, Times};
use crate::ethernet::Frames;
use crate::number::grouped;

/// Names the first message that can't come, if there is one, and says how many have not.
pub fn warning(run: &Frames<'_>) -> Option<String> {
    let stuck = || all(run);
    let (message, lost) = stuck().min_by_key(|(message, _)| (message.begun, message.flow))?;
    let flow = &run.network.flows[message.flow as usize];
    let [from, to] = [flow.source, flow.destination].map(|host| who(run, message.flow, host));
    let others = match stuck().count() - 1 {
        0 => String::new(),
        others => format!(" (and on {})", counted(others as u64, "other flow")),
    };
    let (mut messages, mut missing) = (0, 0);
    for (told, seen) in run.network.flows.iter().zip(&run.outcome.flows) {
        let (Some(list), Some(seen)) = (told.traffic.messages(), &seen.ends.messages) else {
            continue;
        };
        messages += list.message_count();
        missing += list.message_count() - seen.received.len();
    }
    Some(format!(
        "stuck: message {} of {} from {from} to {to} never comes{others}: {} lost, and nobody \
         sends datagrams again; {} of {} messages have not come",
        message.number + 1,
        flow.name,
        counted(lost, "datagram"),
        grouped(missing),
        grouped(messages),
    ))
}

/// Of each flow of datagrams that lost some the message that is not complete, and how many were
/// lost.
fn all<'a>(run: &'a Frames<'_>) -> impl Iterator<Item = (Message<'a>, u64)> {
    let times = Times::of(run);
    let flows = (0..).zip(run.network.flows.iter().zip(&run.outcome.flows));
    flows.filter_map(move |(flow, (told, found))| {
        let is_lossy = found.lost_total > 0 && !told.transport.is_connection();
        let messages = found.ends.messages.as_ref().filter(|_| is_lossy)?;
        let next = times.message(flow, messages.received.len() as u32)?;
        next.begun.map(|_| (next, found.lost_total))
    })
}

/// A host at an end of a flow, with its rank in the job or the operation to which that belongs.
fn who(run: &Frames<'_>, flow: u32, host: u32) -> String {
    let rules = &run.network.rules;
    let jobs = rules.jobs.iter().map(|own| (&own.flows, &own.hosts, 0));
    let operations = rules.collectives.iter();
    let operations = operations.map(|own| (&own.flows, &own.hosts, own.ranks));
    let rank = jobs.chain(operations).find_map(|(flows, hosts, group)| {
        let at = hosts.iter().position(|known| *known == host)?;
        let rank = at.checked_rem(group as usize).unwrap_or(at);
        flows.contains(&flow).then_some(rank)
    });
    let name = run.node(host);
    rank.map_or_else(|| name.to_string(), |rank| format!("rank {rank} ({name})"))
}
