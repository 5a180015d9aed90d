//! What a run shows when its scenario asks for no series.

use kernel::{Duration, Time};
use packet::spec::{FlowControlSpec, Measure, SeriesSpec};
use scenario::PacketScenario;

/// Flows that get curves of their own.
const FLOWS: usize = 8;
/// Points over the run.
const WINDOWS: u64 = 400;
/// Shortest averaging window, in cell times.
const SHORTEST_CELLS: u64 = 25;

/// Throughput of the first flows as they reach their destinations, and their cells in switches.
pub fn add_defaults(scenario: &mut PacketScenario) {
    if !scenario.series.is_empty() {
        return;
    }
    let network = &scenario.network;
    let shortest = scenario.cell * SHORTEST_CELLS;
    let window = Duration(network.stop_at.ps() / WINDOWS).max(shortest);
    let mut series = Vec::new();
    for (id, flow) in network.flows.iter().enumerate().take(FLOWS) {
        let mut add = |measure, channel, name: String| {
            series.push(SeriesSpec {
                name,
                measure,
                flow: Some(id as u32),
                channel,
                window: Some(window),
                from: Time::ZERO,
                until: network.stop_at,
            });
        };
        let Some(last) = flow.legs.last() else {
            continue;
        };
        add(
            Measure::Throughput,
            last.channel,
            format!("{}: throughput", flow.name),
        );
        for leg in &flow.legs[..flow.legs.len() - 1] {
            let link = &network.links[leg.channel as usize / 2];
            let node = if leg.channel.is_multiple_of(2) {
                link.b
            } else {
                link.a
            };
            let node = &network.nodes[node as usize].name;
            let is_controlled = leg.flow_control != FlowControlSpec::None;
            let what = if is_controlled {
                "cells in"
            } else {
                "uncontrolled cells in"
            };
            add(
                Measure::Fill,
                leg.channel,
                format!("{}: {what} {node}", flow.name),
            );
        }
    }
    scenario.series = series;
}
