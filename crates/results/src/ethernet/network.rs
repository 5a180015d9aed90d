//! What a network of frames says of itself.

use backwater_kernel::{Duration, Link, Rate, Time};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{ChannelSpec, EthernetSpec, GROUP, NodeKind};
use backwater_net::outcome::LossCause;

use crate::drawn::Units;
use crate::events::Network;

/// Flows that are followed at most to name them at channels.
const FOLLOWED: usize = 4_000;

impl Network for EthernetSpec {
    type Channel = ChannelSpec;

    const UNITS: &'static str = "frames";
    const UNIT: &'static str = "frame";

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

    /// Of flows that are not too many.
    fn ways(&self) -> Vec<Vec<u32>> {
        if self.flows.len() > FOLLOWED {
            return Vec::new();
        }
        let Ok(tables) = Tables::new(self) else {
            return Vec::new();
        };
        let flows = (0..).step_by(2).take(self.flows.len());
        let way = |way: u32| {
            let mut hops = Vec::new();
            match tables.follow(self, way, &mut hops) {
                Ok(_) => hops,
                Err(_) => Vec::new(),
            }
        };
        flows.map(way).collect()
    }

    fn read_as() -> Units {
        Units {
            queue: "kB",
            queue_scale: 1e-3,
            stop: "of its most stopped class",
            stops_are_exact: true,
            by: "stopped by",
            buffer: "queue in front of the channel",
            ..Units::default()
        }
    }
}
