//! What a network of frames says of itself.

use std::collections::BTreeMap;

use backwater_kernel::{Duration, Link, Rate, Time};
use backwater_net::frames::spec::{ChannelSpec, EthernetSpec, FlowSpec, GROUP, NodeKind};
use backwater_net::outcome::{FlowOutcome, LossCause, Outcome};

use super::{fair, groups, promises, starved, words};
use crate::directory::Promise;
use crate::events::{Network, names};
use crate::info::RunInfo;

impl Network for EthernetSpec {
    type Channel = ChannelSpec;

    const UNITS: &'static str = "frames";

    const CAUSES: &'static [LossCause] = &[
        LossCause::QueueFull,
        LossCause::Buffer,
        LossCause::Pool,
        LossCause::Watchdog,
        LossCause::Wire,
    ];

    fn links(&self) -> &[Link<ChannelSpec>] {
        &self.links
    }

    fn line(channel: &ChannelSpec) -> (Rate, Duration) {
        (channel.rate, channel.delay)
    }

    fn node(&self, node: u32) -> Option<(&str, bool)> {
        let node = self.nodes.get(node as usize)?;
        Some((&node.name, matches!(node.kind, NodeKind::Switch(_))))
    }

    fn hosts_of(&self, node: u32) -> Option<u32> {
        (node & GROUP != 0).then_some(node & !GROUP)
    }

    fn flow(&self, flow: u32) -> Option<&str> {
        Some(&self.flows.get(flow as usize)?.name)
    }

    /// `A -> S1 -> B`: the nodes that its frames pass, with the link's number where several join
    /// two of them; its ends where there is no one path.
    fn path(&self, flow: u32, found: &FlowOutcome, ports: &[String]) -> String {
        let Some(flow) = self.flows.get(flow as usize) else {
            return String::new();
        };
        let mut text = names::node(self, flow.source);
        if found.path.is_empty() {
            let ends: Vec<String> = flow
                .destinations()
                .map(|to| names::node(self, to))
                .collect();
            return format!("{text} -> {}", ends.join(", "));
        }
        for hop in &found.path {
            let from = names::channel_ends(self, *hop).map_or(0, |ends| ends.0);
            let name = names::channel(ports, *hop);
            // The name of a channel begins with the node it leaves.
            text.push_str(name.strip_prefix(&names::node(self, from)).unwrap_or(&name));
        }
        text
    }

    fn warm_up(&self) -> Time {
        self.warm_up
    }

    fn only(&self, flow: u32, name: &str) -> EthernetSpec {
        let flow = self.flows.get(flow as usize);
        let renamed = |flow: &FlowSpec| FlowSpec {
            name: name.into(),
            ..flow.clone()
        };
        EthernetSpec {
            flows: flow.map(renamed).into_iter().collect(),
            ..self.clone()
        }
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn stop(&self, _: &RunInfo, outcome: &Outcome) -> String {
        words::stop(outcome)
    }

    fn promises(&self, info: &RunInfo, outcome: &Outcome) -> Vec<Promise> {
        promises::promises(info, self, outcome)
    }

    fn jain(&self, outcome: &Outcome) -> Option<(f64, f64)> {
        fair::shares(self, outcome).indices()
    }

    fn goodputs(&self, outcome: &Outcome) -> Vec<f64> {
        groups::goodputs(self, outcome)
    }

    fn below_share(&self, outcome: &Outcome) -> BTreeMap<u32, (f64, f64)> {
        starved::below_share(self, outcome)
    }

    fn hindrance(&self, outcome: &Outcome, flow: u32) -> String {
        starved::hindrance(self, outcome, flow as usize)
    }
}
