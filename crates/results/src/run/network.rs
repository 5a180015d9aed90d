//! What a network of circuits says of itself.

use backwater_kernel::{Duration, Link, Rate, Time};
use backwater_net::outcome::LossCause;
use backwater_net::spec::{ChannelSpec, FlowSpec, NetworkSpec, NodeKind};

use crate::drawn::Units;
use crate::events::Network;

impl Network for NetworkSpec {
    type Channel = ChannelSpec;

    const UNITS: &'static str = "cells";
    const UNIT: &'static str = "cell";

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

    fn warm_up(&self) -> Time {
        self.warm_up
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn only(&self, flow: u32, name: &str) -> Self {
        let mut one = self.flows[flow as usize].clone();
        one.name = name.into();
        Self {
            flows: vec![one],
            ..self.clone()
        }
    }

    fn ways(&self) -> Vec<Vec<u32>> {
        let channels = |flow: &FlowSpec| flow.legs.iter().map(|leg| leg.channel).collect();
        self.flows.iter().map(channels).collect()
    }

    fn read_as() -> Units {
        Units {
            queue: "cells",
            queue_scale: 1.0,
            stop: "without credit while cells wait, as seen at the looks",
            by: "without credit from",
            buffer: "cells that wait in front of the channel",
            ..Units::default()
        }
    }
}
