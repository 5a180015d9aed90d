//! What a run records over time: what its scenario asks for, or else a few flows and ports.

use backwater_kernel::words::counted;
use backwater_kernel::{Channels, Duration, Time};
use backwater_net::spec::{
    FlowControlSpec, FlowSpec, Measure, NetworkSpec, SeriesSpec, SourceControlSpec, Subject,
    TrafficSpec,
};
use backwater_results::by_turns;
use backwater_scenario::PacketScenario;

/// Flows that get curves of their own; of more the median and a band are drawn.
const FLOWS: usize = 8;
/// Flows that are recorded for it: of more, groups have their turns.
const BAND: usize = 32;
/// Ports that tell rates whose queues get curves.
const PORTS: usize = 4;
/// Points over the run.
const WINDOWS: u64 = 400;
/// Shortest averaging window, in cell times.
const SHORTEST_CELLS: u64 = 25;

/// The series to record.
pub fn wanted(scenario: &PacketScenario) -> Vec<SeriesSpec> {
    match scenario.series.is_empty() {
        true => defaults(scenario),
        false => scenario.series.clone(),
    }
}

/// Throughput of some flows, each group having its turn, as they reach their destinations, and
/// their cells in switches; under ABR what their sources are allowed instead of these, and queues
/// of ports that tell rates.
fn defaults(scenario: &PacketScenario) -> Vec<SeriesSpec> {
    let network = &scenario.network;
    let shortest = scenario.cell * SHORTEST_CELLS;
    let window = Duration(network.stop_at.ps() / WINDOWS).max(shortest);
    let mut series = Vec::new();
    let speaks = |(_, flow): &(u32, &FlowSpec)| !is_silent_abr(flow);
    let flows = by_turns(network.flows.iter().map(|flow| flow.name.as_str())).into_iter();
    let flows = flows.map(|flow| (flow, &network.flows[flow as usize]));
    let flows: Vec<(u32, &FlowSpec)> = flows.filter(speaks).collect();
    // Those of one name behind which each is named in brackets are drawn as a median and a band.
    let called = |what: &str, flow: &FlowSpec| match flows.len() {
        few if few <= FLOWS => format!("{}: {what}", flow.name),
        many if many <= BAND => format!("{what} by flow ({})", flow.name),
        all => format!(
            "{what} of {BAND} of {} ({})",
            counted(all, "flow"),
            flow.name
        ),
    };
    for (place, &(id, flow)) in flows.iter().enumerate().take(BAND) {
        let mut add = |measure, of, name: String| {
            series.push(SeriesSpec {
                name,
                measure,
                of,
                window: Some(window),
                from: Time::ZERO,
                until: network.stop_at,
            });
        };
        let Some(last) = flow.legs.last() else {
            continue;
        };
        let on = |channel| Subject::Leg { flow: id, channel };
        let name = called("throughput", flow);
        add(Measure::Throughput, on(last.channel), name);
        if let SourceControlSpec::Abr(_) = flow.source_control {
            let name = called("allowed rate", flow);
            add(Measure::AllowedRate, Subject::Flow(id), name);
            continue;
        }
        if place >= FLOWS {
            continue;
        }
        for leg in &flow.legs[..flow.legs.len() - 1] {
            let node = network.links.ends(leg.channel).1;
            let node = &network.nodes[node as usize].name;
            let is_controlled = leg.flow_control != FlowControlSpec::None;
            let what = if is_controlled {
                "cells in"
            } else {
                "uncontrolled cells in"
            };
            add(
                Measure::Fill,
                on(leg.channel),
                format!("{}: {what} {node}", flow.name),
            );
        }
    }
    add_rate_queues(network, window, &mut series);
    series
}

/// A direction of a circuit that carries answers only.
fn is_silent_abr(flow: &FlowSpec) -> bool {
    matches!(flow.source_control, SourceControlSpec::Abr(_)) && flow.traffic == TrafficSpec::Silent
}

/// Queues at the first ports that tell rates and that a flow with traffic of its own crosses.
fn add_rate_queues(network: &NetworkSpec, window: Duration, series: &mut Vec<SeriesSpec>) {
    let spoken = network.flows.iter().filter(|flow| !is_silent_abr(flow));
    let crossed: Vec<u32> = spoken
        .flat_map(|flow| flow.legs.iter().map(|leg| leg.channel))
        .collect();
    let told = network.rules.rate_ports.iter().map(|port| port.0);
    for channel in told.filter(|channel| crossed.contains(channel)).take(PORTS) {
        let (from, to) = network.links.ends(channel);
        let name = |node: u32| &network.nodes[node as usize].name;
        series.push(SeriesSpec {
            name: format!("{} to {}: ABR cells waiting", name(from), name(to)),
            measure: Measure::RateQueue,
            of: Subject::Channel(channel),
            window: Some(window),
            from: Time::ZERO,
            until: network.stop_at,
        });
    }
}
