//! Circuits that got next to nothing, and what stood in their way.

use backwater_net::outcome::SessionAnswer;
use backwater_net::spec::{CellApplication, FlowSpec, NetworkSpec, SchedulerSpec, TrafficSpec};

use super::Circuits;
use crate::events::names;
use crate::events::starved::{Endless, Starving};
use crate::number::rate;

impl Starving for NetworkSpec {
    /// A flow that takes all that it gets, without end. What a session holds back is not starved;
    /// a peak rate is in the share.
    fn endless(&self, flow: u32) -> Option<Endless> {
        let flow = self.flows.get(flow as usize)?;
        if flow.session.is_some() {
            return None;
        }
        let start = match &flow.traffic {
            TrafficSpec::Greedy { start, total: None } => *start,
            TrafficSpec::Tcp(tcp) if tcp.application == CellApplication::Bulk(None) => tcp.start,
            _ => return None,
        };
        Some(Endless { start, file: None })
    }

    fn held_up(run: &Circuits<'_>, flow: usize, waits: String) -> String {
        if let Some(session) = &run.outcome.flows[flow].session
            && let SessionAnswer::Refused { .. } = session.answer
        {
            return "its set-up was refused".into();
        }
        let own = run.network.flows.get(flow);
        if let Some(before) = own.and_then(|own| before(run.network, own)) {
            return before;
        }
        // What an ABR source may not send does not wait in the network.
        run.outcome.flows[flow].abr.as_ref().map_or(waits, |abr| {
            format!("its mean allowed rate was {}", rate(abr.acr_mean_bps))
        })
    }
}

/// Who is served before it where it passes.
fn before(spec: &NetworkSpec, own: &FlowSpec) -> Option<String> {
    let by_priority = |channel: u32| {
        let port = names::channel_spec(spec, channel);
        port.is_some_and(|port| port.scheduler != SchedulerSpec::Fifo)
    };
    let mut channels: Vec<u32> = own.legs.iter().map(|leg| leg.channel).collect();
    channels.retain(|channel| by_priority(*channel));
    channels.sort_unstable();
    let shares = |other: &&FlowSpec| {
        let mut legs = other.legs.iter();
        legs.any(|leg| channels.binary_search(&leg.channel).is_ok())
    };
    let flows = spec.flows.iter();
    let others = flows.filter(|other| other.priority > own.priority);
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
