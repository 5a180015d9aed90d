//! What a run records over time: what its scenario asks for, or else a few flows and ports.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, Measure, SeriesSpec, Subject};
use backwater_results::by_turns;
use backwater_results::events::names::{channel_ends, channels as channel_names};
use backwater_scenario::EthernetScenario;

/// Flows and ports that get curves of their own; of more flows the median and a band are drawn.
const FLOWS: usize = 6;
/// Flows that are recorded for it: of more, groups have their turns.
const BAND: usize = 128;
const PORTS: usize = 3;
/// Points over the run.
const WINDOWS: u64 = 200;

/// The series to record.
pub fn wanted(scenario: &EthernetScenario) -> Vec<SeriesSpec> {
    match scenario.series.is_empty() {
        true => defaults(&scenario.network),
        false => scenario.series.clone(),
    }
}

/// Goodput of flows, each group having its turn, the queues where they leave the network, and
/// how long their sources are stopped.
fn defaults(network: &EthernetSpec) -> Vec<SeriesSpec> {
    let window = Duration((network.stop_at.ps() / WINDOWS).max(1));
    let mut series: Vec<SeriesSpec> = Vec::new();
    let mut add = |name: String, measure: Measure, of: Subject| {
        let is_it = |known: &SeriesSpec| (known.measure, known.of) == (measure, of);
        if !series.iter().any(is_it) {
            series.push(SeriesSpec {
                name,
                measure,
                of,
                window: Some(window),
                from: Time::ZERO,
                until: network.stop_at,
            });
        }
    };
    let by_turns = by_turns(network.flows.iter().map(|flow| flow.name.as_str()));
    let flows = || {
        by_turns
            .iter()
            .map(|flow| (*flow, &network.flows[*flow as usize]))
    };
    for (id, flow) in flows().take(BAND) {
        let name = goodput(&flow.name, network.flows.len());
        add(name, Measure::Goodput, Subject::Flow(id));
    }
    let names = channel_names(network);
    let channel = |channel: u32| names.get(channel as usize).cloned().unwrap_or_default();
    let ends = |flow: &FlowSpec| {
        let channels = 0..network.links.len() as u32 * 2;
        let mut first = None;
        let mut last = None;
        for channel in channels {
            let ends = channel_ends(network, channel);
            first = first.or_else(|| ends.filter(|e| e.0 == flow.source).map(|_| channel));
            last = last.or_else(|| ends.filter(|e| e.1 == flow.destination).map(|_| channel));
        }
        first.zip(last)
    };
    let ports = flows()
        .take(PORTS)
        .filter_map(|(_, flow)| ends(flow).map(|(first, last)| (first, last, flow.class)));
    let ports: Vec<(u32, u32, u8)> = ports.collect();
    // A port by itself tells nothing where several of its classes have a curve.
    let class_at = |class: u8, is_there: &dyn Fn(&(u32, u32, u8)) -> bool| {
        let mut others = ports.iter().filter(|port| is_there(port));
        match others.any(|(.., other)| *other != class) {
            true => format!(", class {class}"),
            false => String::new(),
        }
    };
    for &(first, last, class) in &ports {
        let of = |channel| Subject::Class { channel, class };
        let its_class = class_at(class, &|port| port.1 == last);
        let queue = format!("queue of {}{its_class}", channel(last));
        add(queue, Measure::Queue, of(last));
        let its_class = class_at(class, &|port| port.0 == first);
        let stopped = format!("{} stopped{its_class}", channel(first));
        add(stopped, Measure::Stopped, of(first));
    }
    series
}

/// What the goodput of one of so many flows is called. Where they are many, what stands before the
/// bracket is the same for all: these are drawn as a median and a band.
fn goodput(flow: &str, all: usize) -> String {
    match all {
        few if few <= FLOWS => format!("{flow}: goodput"),
        many if many <= BAND => format!("goodput by flow ({flow})"),
        _ => format!("goodput of {BAND} of {} ({flow})", counted(all, "flow")),
    }
}
