//! What a network of frames says of itself.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Link, Rate, Time};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{ChannelSpec, EthernetSpec, FlowSpec, GROUP, NodeKind};
use backwater_net::outcome::{FlowOutcome, LossCause, Outcome, Standstill, Wait};

use super::{Frames, bounds, fair, groups, promises, shown, standstill, starved, tables};
use crate::directory::Promise;
use crate::drawn::Units;
use crate::events::bounds::Promised;
use crate::events::page::Page;
use crate::events::standstill::Still;
use crate::events::starved::Endless;
use crate::events::terminal::Terminal;
use crate::events::{Findings, Network, called_alike, names};
use crate::fairness::FairShares;
use crate::info::RunInfo;
use crate::model::Table;
use crate::number::significant;

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

    called_alike!();

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

    fn stuck(_: &Outcome, wait: &Wait) -> Option<(u32, String)> {
        let queue = wait.queue()?;
        let kilobytes = significant(queue.bytes as f64 / 1e3, 4);
        let frames = counted(wait.units, "frame");
        let class = queue.class;
        let what = format!("class {class}: {frames}, {kilobytes} kB, can't move");
        Some((queue.channel, what))
    }

    fn hosts_of(&self, node: u32) -> Option<u32> {
        (node & GROUP != 0).then_some(node & !GROUP)
    }

    /// `A -> S1 -> B`: the nodes that its frames pass, with the link's number where several join
    /// two of them; its ends where there is no one path.
    fn path(run: &Frames<'_>, flow: u32, found: &FlowOutcome) -> String {
        let Some(flow) = run.network.flows.get(flow as usize) else {
            return String::new();
        };
        let mut text = run.node(flow.source);
        if found.path.is_empty() {
            let ends: Vec<String> = flow.destinations().map(|to| run.node(to)).collect();
            return format!("{text} -> {}", ends.join(", "));
        }
        for hop in &found.path {
            let from = names::channel_ends(run.network, *hop).map_or(0, |ends| ends.0);
            let name = run.port(*hop);
            // The name of a channel begins with the node it leaves.
            text.push_str(name.strip_prefix(&run.node(from)).unwrap_or(&name));
        }
        text
    }

    fn rates(run: &Frames<'_>) -> Vec<f64> {
        groups::goodputs(run)
    }

    fn goodputs(run: &Frames<'_>) -> Vec<f64> {
        groups::goodputs(run)
    }
}
