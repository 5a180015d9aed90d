//! Sources and source control written outside this program, put in the place of what a scenario
//! says of a flow.

mod datagrams;

use backwater_ends::outside::{ControlRecipe, SourceRecipe};
use backwater_ends::spec::{Congestion, RateControlSpec, SourceControlSpec};
use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Channels, Rate};
use backwater_net::spec::frames::{self, EthernetSpec, TransportSpec};
use backwater_net::spec::{FlowSpec, NetworkSpec, TrafficSpec};
use backwater_scenario::{Engine, Scenario};

/// What whoever writes a source or its control has to know of the flow.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// As the scenario calls it.
    pub name: String,
    /// Of a full unit: a cell or packet on the wire, the payload of a segment or datagram.
    pub unit_bytes: u32,
    /// Of the first link on its way.
    pub rate: Rate,
    /// What a source offers and a window holds is counted in bytes, not in units.
    pub in_bytes: bool,
    /// Its source hears of what the destination has got.
    pub is_acknowledged: bool,
    /// A rate of its control holds: it goes over a queue pair, or in datagrams.
    pub is_paced: bool,
    /// For random numbers of its own: another one for each flow and each seed of the run.
    pub seed: u64,
}

/// The flows of a scenario; none in cycles.
pub fn places(scenario: &Scenario) -> Vec<Place> {
    match &scenario.engine {
        Engine::Packet(packet) => circuits(&packet.network),
        Engine::Ethernet(ethernet) => of_frames(&ethernet.network),
        Engine::Flit(_) => Vec::new(),
    }
}

/// Puts control in the place of the flow's own.
///
/// # Errors
/// Where the flow has none that could be replaced, or there is no such flow.
pub fn put_control(
    scenario: &mut Scenario,
    flow: &str,
    recipe: ControlRecipe,
) -> Result<(), String> {
    match &mut scenario.engine {
        Engine::Packet(packet) => control_circuit(find(&mut packet.network.flows, flow)?, recipe),
        Engine::Ethernet(ethernet) => {
            let network = &mut ethernet.network;
            let source = find(&mut network.flows, flow)?.source;
            let line = line(network, source);
            control_frames(find(&mut network.flows, flow)?, line, recipe)
        }
        Engine::Flit(_) => Err(in_cycles()),
    }
}

/// Puts a source in the place of the flow's own.
///
/// # Errors
/// Where the flow answers or is answered, or there is no such flow.
pub fn put_source(scenario: &mut Scenario, flow: &str, recipe: SourceRecipe) -> Result<(), String> {
    match &mut scenario.engine {
        Engine::Packet(packet) => source_of_circuit(&mut packet.network.flows, flow, recipe),
        Engine::Ethernet(ethernet) => {
            let flow = find(&mut ethernet.network.flows, flow)?;
            flow.traffic = frames::TrafficSpec::Outside(recipe);
            Ok(())
        }
        Engine::Flit(_) => Err(in_cycles()),
    }
}

/// A flow of either kind.
trait Named {
    fn name(&self) -> &str;
}

impl Named for FlowSpec {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for frames::FlowSpec {
    fn name(&self) -> &str {
        &self.name
    }
}

fn find<'f, F: Named>(flows: &'f mut [F], name: &str) -> Result<&'f mut F, String> {
    let found = flows.iter_mut().find(|flow| flow.name() == name);
    found.ok_or_else(|| format!("there is no flow `{name}`"))
}

fn in_cycles() -> String {
    "the flit engine calls no source or control outside the program; `packet` and `ethernet` do"
        .into()
}

fn control_circuit(flow: &mut FlowSpec, recipe: ControlRecipe) -> Result<(), String> {
    let name = &flow.name;
    match (&mut flow.traffic, &flow.source_control) {
        (TrafficSpec::Tcp(tcp), _) => {
            tcp.tcp.congestion = Congestion::Outside(recipe);
            Ok(())
        }
        (TrafficSpec::TcpBack, _) => Err(format!(
            "`{name}` carries the other side of a TCP connection: control the flow that opens it"
        )),
        (_, SourceControlSpec::Abr(_) | SourceControlSpec::Aimd { .. }) => Err(format!(
            "`{name}` has source control `abr` or `aimd`, which need more of the network than \
             control outside the program has; take `window` (it gets acknowledgements) or none"
        )),
        (_, control) => {
            let is_acknowledged = control.is_acknowledged();
            flow.source_control = SourceControlSpec::Outside {
                recipe,
                is_acknowledged,
            };
            Ok(())
        }
    }
}

fn control_frames(
    flow: &mut frames::FlowSpec,
    line: Rate,
    recipe: ControlRecipe,
) -> Result<(), String> {
    match &mut flow.transport {
        TransportSpec::Tcp(tcp) => {
            tcp.congestion = Congestion::Outside(recipe);
            Ok(())
        }
        TransportSpec::Roce(roce) => {
            roce.control = RateControlSpec::Outside(recipe);
            Ok(())
        }
        TransportSpec::Udp { .. } => {
            flow.traffic = datagrams::paced(flow, line, recipe)?;
            Ok(())
        }
    }
}

fn source_of_circuit(
    flows: &mut [FlowSpec],
    name: &str,
    recipe: SourceRecipe,
) -> Result<(), String> {
    let id = flows.iter().position(|flow| flow.name == name);
    let answers = id.is_some_and(|id| flows.iter().any(|flow| flow.partner == Some(id as u32)));
    let flow = find(flows, name)?;
    let replies = matches!(
        flow.traffic,
        TrafficSpec::Client(_)
            | TrafficSpec::Requests(_)
            | TrafficSpec::Server
            | TrafficSpec::Tcp(_)
            | TrafficSpec::TcpBack
    );
    if replies || answers {
        return Err(format!(
            "`{name}` is part of a conversation, whose other side needs its traffic as it is; a \
             source can be put in the place of `greedy`, `constant`, `poisson` and the like"
        ));
    }
    flow.traffic = TrafficSpec::Outside(recipe);
    Ok(())
}

fn seed(root: u64, flow: usize) -> u64 {
    Stream::new(root, flow as u64, Purpose::Outside).next_u64()
}

fn circuits(network: &NetworkSpec) -> Vec<Place> {
    let place = |(id, flow): (usize, &FlowSpec)| {
        let tcp = match &flow.traffic {
            TrafficSpec::Tcp(own) => Some(own.tcp.mss_bytes),
            _ => None,
        };
        Place {
            name: flow.name.clone(),
            unit_bytes: tcp.unwrap_or(flow.unit_bytes),
            rate: network.links.channel(flow.legs[0].channel).rate,
            in_bytes: tcp.is_some(),
            is_acknowledged: tcp.is_some() || flow.source_control.is_acknowledged(),
            is_paced: false,
            seed: seed(network.seed, id),
        }
    };
    network.flows.iter().enumerate().map(place).collect()
}

/// Rate of the port of a host.
fn line(network: &EthernetSpec, host: u32) -> Rate {
    let mut channels = network.links.channels();
    let first = channels.find(|channel| network.links.ends(*channel).0 == host);
    first.map_or(Rate(0), |channel| network.links.channel(channel).rate)
}

fn of_frames(network: &EthernetSpec) -> Vec<Place> {
    let place = |(id, flow): (usize, &frames::FlowSpec)| {
        let rate = line(network, flow.source);
        Place {
            name: flow.name.clone(),
            unit_bytes: flow.transport.payload_bytes(),
            rate,
            in_bytes: true,
            is_acknowledged: flow.transport.is_connection(),
            is_paced: flow.transport.is_pulled() || !flow.transport.is_connection(),
            seed: seed(network.seed, id),
        }
    };
    network.flows.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests;
