//! What a network of circuits says of itself.

use std::collections::BTreeMap;

use backwater_kernel::{Duration, Link, Rate, Time};
use backwater_net::outcome::{FlowOutcome, LossCause, Outcome};
use backwater_net::spec::{ChannelSpec, FlowSpec, NetworkSpec, NodeKind};

use super::loads::destinations;
use super::{fair, promises, starved, words};
use crate::directory::Promise;
use crate::events::{Network, names, per_second, seconds};
use crate::info::RunInfo;

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

    fn seed(&self) -> u64 {
        self.seed
    }

    fn stop(&self, info: &RunInfo, outcome: &Outcome) -> String {
        words::stop(outcome, info.cell)
    }

    fn promises(&self, _: &RunInfo, outcome: &Outcome) -> Vec<Promise> {
        promises::promises(self, outcome)
    }

    fn jain(&self, outcome: &Outcome) -> Option<(f64, f64)> {
        fair::shares(self, outcome).indices()
    }

    fn goodputs(&self, outcome: &Outcome) -> Vec<f64> {
        let seconds = seconds(self, outcome);
        let tcp = outcome.flows.iter().filter_map(|flow| flow.tcp);
        tcp.map(|tcp| per_second(tcp.delivered_bytes as f64 * 8.0, seconds))
            .collect()
    }

    fn below_share(&self, outcome: &Outcome) -> BTreeMap<u32, (f64, f64)> {
        starved::below_share(self, outcome)
    }

    fn hindrance(&self, outcome: &Outcome, flow: u32) -> String {
        starved::hindrance(self, outcome, flow as usize)
    }
}
