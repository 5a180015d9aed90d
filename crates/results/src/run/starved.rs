//! Flows of the packet engine that got next to nothing, and what stood in their way.

use std::collections::BTreeMap;

use backwater_kernel::{Channels, Time};
use backwater_net::outcome::{Outcome, SessionAnswer};
use backwater_net::spec::{
    CellApplication, ChannelSpec, FlowSpec, NetworkSpec, SchedulerSpec, TrafficSpec,
};

use super::fair;
use super::loads::flow_loads;
use crate::events::Network;
use crate::events::drops::fate;
use crate::number::grouped;
use crate::starved::is_far_below;

/// Flows that always have more to send and are far below their share: what they got, and what it
/// is over the time that was measured, bps.
pub fn below_share(spec: &NetworkSpec, outcome: &Outcome) -> BTreeMap<u32, (f64, f64)> {
    let window = outcome.ended_at.since(spec.warm_up).seconds();
    let links = spec.links.iter();
    let rates = links.flat_map(|link| [link.channels[0].rate.0, link.channels[1].rate.0]);
    let fastest = rates.max().unwrap_or(0) as f64;
    let loads = flow_loads(spec, outcome);
    let endless = spec.flows.iter().zip(&loads).enumerate();
    let endless = endless.filter_map(|(flow, (own, load))| {
        let active = outcome.ended_at.since(spec.warm_up.max(endless_from(own)?));
        let got = load.bits_per_second;
        let may_be = window > 0.0 && is_far_below(got, fastest);
        may_be.then_some((flow as u32, got, active.seconds() / window))
    });
    let endless: Vec<(u32, f64, f64)> = endless.collect();
    if endless.is_empty() {
        return BTreeMap::new();
    }
    let shares = fair::among_equals(spec, outcome);
    let below = endless.into_iter().filter_map(|(flow, got, part)| {
        let share = shares[flow as usize]? * part;
        is_far_below(got, share).then_some((flow, (got, share)))
    });
    below.collect()
}

/// From when on a flow takes all that it gets, without end. What a session or a peak rate holds
/// back is not starved.
fn endless_from(flow: &FlowSpec) -> Option<Time> {
    if flow.session.is_some() || flow.abr().is_some() {
        return None;
    }
    match &flow.traffic {
        TrafficSpec::Greedy { start, total: None } => Some(*start),
        TrafficSpec::Tcp(tcp) if tcp.application == CellApplication::Bulk(None) => Some(tcp.start),
        _ => None,
    }
}

/// What stood in its way.
pub fn hindrance(spec: &NetworkSpec, outcome: &Outcome, flow: usize) -> String {
    let found = &outcome.flows[flow];
    if let Some(session) = &found.session
        && let SessionAnswer::Refused { .. } = session.answer
    {
        return "its set-up was refused".into();
    }
    if found.lost_total > found.inside_total {
        let causes = NetworkSpec::CAUSES.iter();
        let most = causes.max_by_key(|cause| found.drops.by(**cause));
        let why = most.map_or("lost", |cause| fate(*cause));
        return format!("{} {why}", grouped(found.lost_total));
    }
    let waits = format!("{} are waiting or in transit", grouped(found.inside_total));
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
        .filter(|other| other.priority > own.priority);
    let priorities: Vec<u8> = others.filter(shares).map(|other| other.priority).collect();
    let (least, most) = (priorities.iter().min()?, priorities.iter().max()?);
    let which = match least == most {
        true => format!("of priority {least}"),
        false => format!("of priorities {least} to {most}"),
    };
    let several = crate::starved::others(priorities.len(), &which, &which);
    Some(format!(
        "ports serve {several} before it, its own is {}; larger numbers are served first",
        own.priority
    ))
}

fn channel_of(spec: &NetworkSpec, channel: u32) -> Option<&ChannelSpec> {
    let channels = spec.links.channels();
    channels
        .contains(&channel)
        .then(|| spec.links.channel(channel))
}
