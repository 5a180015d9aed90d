//! What had started some time before the end of a run.

use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration, Time};

use crate::network::Network;
use crate::spec::{FlowControlSpec, FlowSpec, NetworkSpec, SourceControlSpec};

/// Without a start for so many control loops ...
const LOOPS: u64 = 10;
/// ... and for this part of the run, what has no credit is dead.
const PART: u64 = 10;

/// What had started at one instant before the end of the run.
#[derive(Default)]
pub(crate) struct Mark {
    /// `None` where nothing can stand still or the run is too short to tell.
    pub at: Option<Time>,
    pub is_set: bool,
    /// Starts, by leg.
    pub sent: Vec<u64>,
    /// The next unit's number, by flow.
    pub numbers: Vec<u32>,
}

impl Mark {
    pub fn new(spec: &NetworkSpec) -> Mark {
        let longest = spec
            .flows
            .iter()
            .filter_map(|flow| longest_loop(spec, flow));
        let Some(longest) = longest.max() else {
            return Mark::default();
        };
        let run = spec.stop_at.ps();
        let before = longest.saturating_mul(LOOPS).max(run / PART);
        Mark {
            at: run.checked_sub(before).map(Time),
            ..Mark::default()
        }
    }

    /// When to set it, if that is still to be done and comes before `until`.
    pub fn is_due(&self, until: Time) -> Option<Time> {
        self.at.filter(|&at| !self.is_set && at < until)
    }

    pub fn set(&mut self, network: &Network) {
        self.is_set = true;
        self.sent = network.legs.iter().map(|leg| leg.sender.sent).collect();
        self.numbers = network.flows.iter().map(|flow| flow.next_number).collect();
    }

    /// Any leg has started a unit since.
    pub fn sees_motion(&self, network: &Network) -> bool {
        let legs = network.legs.iter().zip(&self.sent);
        legs.into_iter().any(|(leg, &sent)| leg.sender.sent != sent)
    }
}

/// The longest time in ps, in an idle network, in which something that `flow` does is answered:
/// by credit over a link, by an acknowledgement over all of them. `None` if it waits for neither.
fn longest_loop(spec: &NetworkSpec, flow: &FlowSpec) -> Option<u64> {
    let one_way = |channel: u32, bytes: u32| {
        let channel = spec.links.channel(channel);
        let sending = channel.rate.serialization(bytes as u64);
        let parts = [sending, channel.delay, channel.handling];
        parts
            .into_iter()
            .map(Duration::ps)
            .fold(0, u64::saturating_add)
    };
    let way = |flow: &FlowSpec| {
        let legs = flow
            .legs
            .iter()
            .map(|leg| one_way(leg.channel, flow.unit_bytes));
        legs.fold(0, u64::saturating_add)
    };
    let credit = flow.legs.iter().filter_map(|leg| {
        let FlowControlSpec::Credit(credit) = &leg.flow_control else {
            return None;
        };
        let forth = one_way(leg.channel, flow.unit_bytes);
        let message = credit.message_bytes.unwrap_or(flow.unit_bytes);
        Some(forth.saturating_add(one_way(leg.channel ^ 1, message)))
    });
    let partner = flow.partner.and_then(|id| spec.flows.get(id as usize));
    let window = match flow.source_control {
        SourceControlSpec::Window { .. } => Some(way(flow).saturating_add(partner.map_or(0, way))),
        SourceControlSpec::Outside {
            is_acknowledged: true,
            ..
        } => Some(way(flow).saturating_add(partner.map_or(0, way))),
        _ => None,
    };
    credit.max().max(window)
}
