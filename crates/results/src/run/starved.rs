//! Flows of the packet engine that got next to nothing, and what stood in their way.

use packet::outcome::{LossCause, Outcome, SessionAnswer};
use packet::spec::{ChannelSpec, FlowSpec, NetworkSpec, SchedulerSpec};

use super::{losses, names};
use crate::number::grouped;
use crate::starved::{got_nothing, told};

/// A sentence for each of the first of them.
pub fn sentences(spec: &NetworkSpec, outcome: &Outcome) -> Vec<String> {
    let flows = (0_u32..).zip(&outcome.flows);
    let starved: Vec<u32> = flows
        .filter(|(_, found)| got_nothing(found.offered_total, found.delivered_total))
        .map(|(flow, _)| flow)
        .collect();
    told(&starved, |flow| {
        let found = &outcome.flows[flow as usize];
        format!(
            "{}: {} offered, {} delivered: {}",
            names::flow(spec, flow),
            grouped(found.offered_total),
            grouped(found.delivered_total),
            reason(spec, outcome, flow as usize)
        )
    })
}

fn reason(spec: &NetworkSpec, outcome: &Outcome, flow: usize) -> String {
    let found = &outcome.flows[flow];
    if let Some(session) = &found.session
        && let SessionAnswer::Refused { .. } = session.answer
    {
        return "its set-up was refused".into();
    }
    if found.lost_total > found.inside_total {
        let causes = LossCause::ALL.into_iter();
        let most = causes.max_by_key(|cause| found.drops.by(*cause));
        let why = most.map_or("lost", losses::fate);
        return format!("{} {why}", grouped(found.lost_total));
    }
    let waits = format!("{} wait or are on their way", grouped(found.inside_total));
    match spec.flows.get(flow).and_then(|own| before(spec, own)) {
        Some(before) => before,
        None => waits,
    }
}

/// Who is served before it where it passes.
fn before(spec: &NetworkSpec, own: &FlowSpec) -> Option<String> {
    let by_priority = |channel: u32| {
        let port = channel_of(spec, channel);
        port.is_some_and(|port| port.scheduler != SchedulerSpec::Fifo)
    };
    let mut channels: Vec<u32> = own.legs.iter().map(|leg| leg.channel).collect();
    channels.retain(|channel| by_priority(*channel));
    channels.sort_unstable();
    let shares = |other: &&FlowSpec| {
        let mut legs = other.legs.iter();
        legs.any(|leg| channels.binary_search(&leg.channel).is_ok())
    };
    let others = spec
        .flows
        .iter()
        .filter(|other| other.priority < own.priority);
    let priorities: Vec<u8> = others.filter(shares).map(|other| other.priority).collect();
    let (least, most) = (priorities.iter().min()?, priorities.iter().max()?);
    let which = match least == most {
        true => format!("of priority {least}"),
        false => format!("of priorities {least} to {most}"),
    };
    let several = crate::starved::others(priorities.len(), &which, &which);
    Some(format!(
        "ports serve {several} before it, its own is {}; smaller numbers are served first here",
        own.priority
    ))
}

fn channel_of(spec: &NetworkSpec, channel: u32) -> Option<&ChannelSpec> {
    let link = spec.links.get(channel as usize / 2)?;
    Some(match channel % 2 {
        0 => &link.forward,
        _ => &link.backward,
    })
}
