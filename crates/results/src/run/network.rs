//! What a network of circuits says of itself.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Link, Rate, Time};
use backwater_net::outcome::{FlowOutcome, LossCause, Outcome, Standstill, Wait};
use backwater_net::spec::{ChannelSpec, FlowSpec, NetworkSpec, NodeKind};

use super::loads::{destinations, flow_loads};
use super::{Circuits, bounds, fair, promises, shown, standstill, starved, tables};
use crate::directory::Promise;
use crate::drawn::Units;
use crate::events::bounds::Promised;
use crate::events::page::Page;
use crate::events::standstill::Still;
use crate::events::starved::Endless;
use crate::events::terminal::Terminal;
use crate::events::{Findings, Network, called_alike, per_second};
use crate::fairness::FairShares;
use crate::info::RunInfo;
use crate::model::Table;

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

    called_alike!();

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

    fn ways(&self) -> Vec<Vec<u32>> {
        let channels = |flow: &FlowSpec| flow.legs.iter().map(|leg| leg.channel).collect();
        self.flows.iter().map(channels).collect()
    }

    fn stuck(outcome: &Outcome, wait: &Wait) -> Option<(u32, String)> {
        let leg = outcome.legs.get(wait.leg()? as usize)?;
        Some((
            leg.channel,
            format!("{} can't move", counted(wait.units, "cell")),
        ))
    }

    /// Its ends: the source, and where it goes.
    fn path(run: &Circuits<'_>, flow: u32, _: &FlowOutcome) -> String {
        let own = run.network.flows.get(flow as usize);
        let source = own.map_or(0, |flow| flow.source);
        let ends = destinations(run.network, flow as usize);
        let ends = match ends.len() {
            0..=3 => ends.join(", "),
            many => format!("{many} destinations"),
        };
        format!("{} -> {ends}", run.node(source))
    }

    fn rates(run: &Circuits<'_>) -> Vec<f64> {
        let loads = flow_loads(run).into_iter();
        loads.map(|load| load.bits_per_second).collect()
    }

    fn goodputs(run: &Circuits<'_>) -> Vec<f64> {
        let seconds = run.seconds();
        let tcp = run.outcome.flows.iter().filter_map(|flow| flow.tcp);
        tcp.map(|tcp| per_second(tcp.delivered_bytes as f64 * 8.0, seconds))
            .collect()
    }
}
