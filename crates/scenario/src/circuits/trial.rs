//! Circuits that meet at a port, tried out before the run.
//!
//! The law of the loop is that of a circuit whose cells leave the buffer as they come. Where
//! several circuits meet at a port, or where the next link is slower, they wait there as credit is
//! written, and credit that takes nothing off (N123, N123+) never grows to what a circuit alone
//! would have. What is left depends on when bursts meet, for which there is no formula; so the
//! engine is asked: the circuits of one port, each on the link that brings it there, and nothing
//! else of the network.

use std::collections::BTreeMap;

use backwater_kernel::{Rings, Time};
use backwater_net::Simulation;
use backwater_net::spec::{
    FlowControlSpec, FlowSpec, LegSpec, NetworkSpec, NodeKind, SinkSpec, SourceControlSpec,
};

use crate::circuits::control::Loop;
use crate::circuits::service_checks::Whole;
use crate::circuits::traffic::Line;

/// Events of all trials of a scenario together.
const EVENTS: u64 = 400_000;
/// Most ports that are tried.
const PORTS: usize = 16;
/// A rate that still grows by more than this from one quarter to the next says nothing.
const GROWS: f64 = 1.02;

/// What a flow gets over a link, as it was tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tried {
    /// The link whose credit was tried.
    pub channel: u32,
    /// The port behind it.
    pub port: u32,
    /// How many flows meet there.
    pub flows: u32,
    pub bits_per_second: f64,
}

/// A flow on its way to a port: its index, the leg that brings it there, and the one that leaves.
type Crossing<'a> = (u32, &'a LegSpec, &'a LegSpec);

/// Tries all ports at which credit that takes nothing off may stay small; by flow, the least.
pub(crate) fn all(whole: &Whole<'_>) -> BTreeMap<u32, Tried> {
    let mut ports: BTreeMap<u32, Vec<Crossing<'_>>> = BTreeMap::new();
    for (index, flow) in (0..).zip(whole.specs) {
        for leg in &flow.legs {
            let Some(before) = leg.parent.and_then(|at| flow.legs.get(at as usize)) else {
                continue;
            };
            ports
                .entry(leg.channel)
                .or_default()
                .push((index, before, leg));
        }
    }
    ports.retain(|port, crossings| {
        let is_doubtful = |crossing: &Crossing<'_>| is_doubtful(whole, *port, crossing);
        crossings.iter().any(is_doubtful)
    });
    let events = EVENTS / ports.len().clamp(1, PORTS) as u64;
    let mut all: BTreeMap<u32, Tried> = BTreeMap::new();
    for (port, crossings) in ports.iter().take(PORTS) {
        let Some(rates) = rates(whole, *port, crossings, events) else {
            continue;
        };
        for ((index, before, _), bits_per_second) in crossings.iter().zip(rates) {
            let tried = Tried {
                channel: before.channel,
                port: *port,
                flows: whole.ports[*port as usize].flows,
                bits_per_second,
            };
            let least = all.entry(*index).or_insert(tried);
            if tried.bits_per_second < least.bits_per_second {
                *least = tried;
            }
        }
    }
    all
}

/// Does its credit take nothing off, with less of it than the link takes, and do cells come faster
/// than they leave?
fn is_doubtful(whole: &Whole<'_>, port: u32, (index, before, _): &Crossing<'_>) -> bool {
    let FlowControlSpec::Credit(credit) = before.flow_control else {
        return false;
    };
    let bytes = whole.specs[*index as usize].unit_bytes;
    let spec = |channel| whole.graph.channel_spec(channel);
    let circuit = Loop::new(
        spec(before.channel),
        spec(before.channel ^ 1),
        bytes,
        credit.message_bytes.unwrap_or(bytes),
    );
    let apart = |channel: u32| {
        let flows = whole.ports[channel as usize].flows.max(1);
        u128::from(flows) * u128::from(spec(channel).rate.serialization(bytes.into()).ps())
    };
    credit.rule.has_zone1()
        && credit.n3 < circuit.cells_at(circuit.rate)
        && apart(port) > apart(before.channel)
}

/// What each flow gets; nothing where no such network can be built.
fn rates(
    whole: &Whole<'_>,
    port: u32,
    crossings: &[Crossing<'_>],
    events: u64,
) -> Option<Vec<f64>> {
    let spec = network(whole, port, crossings);
    let rate = whole.graph.channel_spec(port).rate;
    let bits = |flow: &FlowSpec| 8.0 * Line::new(rate, &flow.sizes, flow.unit_bytes).mean_bytes();
    let bits: Vec<f64> = spec.flows.iter().map(bits).collect();
    let mut simulation = Simulation::<Rings>::new(&spec).ok()?;
    let mut marks = Vec::new();
    for part in [events / 2, events / 4, events / 4] {
        let is_over = simulation.run_some(Time::MAX, part).is_some();
        let (now, flows) = (simulation.now(), simulation.outcome().flows);
        if is_over {
            let seconds = spec.stop_at.since(spec.warm_up).seconds();
            let rate = |bytes: u64| bytes as f64 * 8.0 / seconds;
            return Some(
                flows
                    .iter()
                    .map(|flow| rate(flow.delivered_bytes))
                    .collect(),
            );
        }
        let delivered = flows.iter().map(|flow| flow.delivered_total);
        marks.push((now, delivered.collect::<Vec<u64>>()));
    }
    let [first, second, third] = &marks[..] else {
        return None;
    };
    let rate = |at: usize, (from, before): &(Time, Vec<u64>), (until, after): &(Time, Vec<u64>)| {
        (after[at] - before[at]) as f64 * bits[at] / until.since(*from).seconds()
    };
    let settled = |at| match [rate(at, first, second), rate(at, second, third)] {
        [before, after] if after > before * GROWS => f64::INFINITY,
        [_, after] => after,
    };
    Some((0..bits.len()).map(settled).collect())
}

/// A host for each link that leads to the switch, and one behind the port.
fn network(whole: &Whole<'_>, port: u32, crossings: &[Crossing<'_>]) -> NetworkSpec {
    let both = |channel: u32| {
        [channel, channel ^ 1].map(|channel| whole.graph.channel_spec(channel).clone())
    };
    let mut network = NetworkSpec::new(whole.stop_at);
    network.warm_up = whole.warm_up;
    let switch = network.node("switch", NodeKind::Switch);
    let behind = network.node("behind", NodeKind::Host);
    let link = |network: &mut NetworkSpec, ends: [u32; 2], channel: u32| {
        let [there, back] = both(channel);
        let id = network.link(ends, there);
        if let Some(last) = network.links.last_mut() {
            last.channels[1] = back;
        }
        id
    };
    let out = link(&mut network, [switch, behind], port);
    let mut hosts: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (index, before, leg) in crossings {
        let (host, into) = *hosts.entry(before.channel).or_insert_with(|| {
            let host = network.node("host", NodeKind::Host);
            (host, link(&mut network, [host, switch], before.channel))
        });
        let flow = &whole.specs[*index as usize];
        let on = |leg: &LegSpec, channel: u32, parent: Option<u32>| LegSpec {
            channel,
            parent,
            ..leg.clone()
        };
        network.flows.push(FlowSpec {
            source: host,
            legs: vec![on(before, into, None), on(leg, out, Some(0))],
            source_control: SourceControlSpec::None,
            sink: SinkSpec::Infinite,
            partner: None,
            session: None,
            ..flow.clone()
        });
    }
    network
}
