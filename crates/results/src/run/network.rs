//! What a network of circuits says of itself.

use backwater_kernel::{Duration, Link, Rate, Time};
use backwater_net::outcome::{FlowOutcome, LossCause};
use backwater_net::spec::{ChannelSpec, FlowSpec, NetworkSpec, NodeKind};

use crate::events::{Network, names};

impl Network for NetworkSpec {
    type Channel = ChannelSpec;

    const UNITS: &'static str = "cells";

    const CAUSES: &'static [LossCause] = &[
        LossCause::Buffer,
        LossCause::Pool,
        LossCause::Wire,
        LossCause::PushOut,
        LossCause::Envelope,
        LossCause::Policer,
        LossCause::Residence,
    ];

    fn links(&self) -> &[Link<ChannelSpec>] {
        &self.links
    }

    fn line(channel: &ChannelSpec) -> (Rate, Duration) {
        (channel.rate, channel.delay)
    }

    fn node(&self, node: u32) -> Option<(&str, bool)> {
        let node = self.nodes.get(node as usize)?;
        Some((&node.name, node.kind == NodeKind::Switch))
    }

    fn flow(&self, flow: u32) -> Option<&str> {
        Some(&self.flows.get(flow as usize)?.name)
    }

    /// Its ends: the source, and where it goes.
    fn path(&self, flow: u32, _: &FlowOutcome, _: &[String]) -> String {
        let source = self.flows.get(flow as usize).map_or(0, |flow| flow.source);
        let ends = destinations(self, flow as usize);
        let ends = match ends.len() {
            0..=3 => ends.join(", "),
            many => format!("{many} destinations"),
        };
        format!("{} -> {ends}", names::node(self, source))
    }

    fn warm_up(&self) -> Time {
        self.warm_up
    }

    fn only(&self, flow: u32, name: &str) -> NetworkSpec {
        let flow = self.flows.get(flow as usize);
        let renamed = |flow: &FlowSpec| FlowSpec {
            name: name.into(),
            ..flow.clone()
        };
        NetworkSpec {
            flows: flow.map(renamed).into_iter().collect(),
            ..self.clone()
        }
    }
}

/// Destinations of a flow: where legs without legs after them end.
pub fn destinations(spec: &NetworkSpec, flow: usize) -> Vec<String> {
    let Some(flow) = spec.flows.get(flow) else {
        return Vec::new();
    };
    let mut goes_on = vec![false; flow.legs.len()];
    for parent in flow.legs.iter().filter_map(|leg| leg.parent) {
        if let Some(leg) = goes_on.get_mut(parent as usize) {
            *leg = true;
        }
    }
    (0..flow.legs.len())
        .filter(|&leg| !goes_on[leg])
        .map(
            |leg| match names::channel_ends(spec, flow.legs[leg].channel) {
                Some((_, end)) => names::node(spec, end),
                None => "?".into(),
            },
        )
        .collect()
}
