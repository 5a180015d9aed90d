//! Schemes on circuits: N23 and ABR; and what all scenarios have.

use backwater_kernel::Rate;

use super::settings::part_of;
use super::text::{self, Toml};
use super::unit::Unit;
use super::{Circuits, ComparedFlow, ComparedTraffic, Comparison, Scheme, memory};
use crate::given::compare::ICR;
use crate::language::tree::quoted;

/// The scenario of a scheme.
pub(super) fn write(comparison: &Comparison, scheme: Scheme, seed: u64) -> String {
    let mut toml = head(comparison, scheme, "packet", seed);
    let settings = &comparison.settings;
    let unit = comparison.unit(scheme);
    toml.table("[unit]").key("bytes", unit.wire_bytes());
    nodes(comparison, &mut toml, !settings.takes_turns);
    toml.table("[scheduler]").key(
        "kind",
        match settings.takes_turns {
            true => "\"round-robin\"",
            false => "\"fifo\"",
        },
    );
    if scheme == Scheme::Circuits(Circuits::N23) {
        toml.table("[flow_control]")
            .key("kind", "\"n23\"")
            .key("n2", settings.n2)
            .key("message", text::bytes(unit.message_bytes()));
    } else {
        // Memory counts what is on the wire.
        let port = settings.buffer_bytes * unit.wire_bytes() / unit.memory_bytes();
        toml.table("[buffer.shared]")
            .key("per_port", text::bytes(port));
    }
    for flow in &comparison.flows {
        self::flow(comparison, scheme, flow, &mut toml);
    }
    toml.0
}

/// What stands at the top: title, engine, run, link.
pub(super) fn head(comparison: &Comparison, scheme: Scheme, engine: &str, seed: u64) -> Toml {
    let mut toml = Toml::default();
    let title = format!("{}: {scheme}", comparison.title);
    toml.key("title", quoted(title.trim_start_matches(": ")))
        .key(
            "about",
            quoted(&format!("{} {}", comparison.about, scheme.note())),
        )
        .key("engine", quoted(engine));
    toml.table("[run]")
        .key("duration", text::span(comparison.duration))
        .key("warm_up", text::span(comparison.warm_up))
        .key("seed", seed);
    if let Some(link) = comparison.network.links.first() {
        toml.table("[link]")
            .key("rate", text::rate(link.rate))
            .key("delay", text::span(link.delay));
        if scheme == Scheme::Circuits(Circuits::Abr) {
            let settings = &comparison.settings;
            let (target, interval) = (settings.abr_target, text::span(settings.interval));
            toml.key(
                "explicit_rate",
                format!(
                    "{{ kind = \"erica\", target = {target}, interval = {interval}, \
                     interval_cells = 0 }}"
                ),
            );
        }
    }
    toml
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("[{}]", names.join(", "))
}

/// Nodes and links; with turns at hosts where ports go in order of arrival otherwise.
pub(super) fn nodes(comparison: &Comparison, toml: &mut Toml, turns_at_hosts: bool) {
    let network = &comparison.network;
    toml.table("[network]")
        .key("hosts", list(&network.nodes[..network.hosts]))
        .key("switches", list(&network.nodes[network.hosts..]));
    let first = network.links.first();
    for link in &network.links {
        let between = [link.a, link.b].map(|node| network.nodes[node].clone());
        toml.table("[[links]]").key("between", list(&between));
        if first.is_some_and(|first| first.rate != link.rate) {
            toml.key("rate", text::rate(link.rate));
        }
        if first.is_some_and(|first| first.delay != link.delay) {
            toml.key("delay", text::span(link.delay));
        }
        for (direction, from) in [("forward", link.a), ("backward", link.b)] {
            if turns_at_hosts && from < network.hosts {
                toml.key(direction, "{ scheduler = { kind = \"round-robin\" } }");
            }
        }
    }
}

/// Name and ends of a flow.
pub(super) fn flow_head(
    comparison: &Comparison,
    name: &str,
    (from, to): (usize, usize),
    toml: &mut Toml,
) {
    let nodes = &comparison.network.nodes;
    toml.table("[[flows]]")
        .key("name", quoted(name))
        .key("from", quoted(&nodes[from]))
        .key("to", quoted(&nodes[to]));
}

fn flow(comparison: &Comparison, scheme: Scheme, flow: &ComparedFlow, toml: &mut Toml) {
    let first = comparison.network.link(flow.path[0]).rate;
    flow_head(comparison, &flow.name, (flow.from, flow.to), toml);
    let unit = comparison.unit(scheme);
    toml.key("traffic", format!("{{ {} }}", traffic(flow, unit, first)));
    if scheme == Scheme::Circuits(Circuits::Abr) {
        toml.key("source_control", source(comparison, first));
        return;
    }
    way(comparison, &flow.path, toml);
    if let Some(back) = flow.way_back() {
        toml.key("partner", quoted(&flow.back_name()));
        flow_head(comparison, &flow.back_name(), (flow.to, flow.from), toml);
        toml.key("traffic", "{ kind = \"server\" }");
        way(comparison, &back, toml);
    }
}

/// The way of a circuit with credit, and its part of the memory of each switch.
fn way(comparison: &Comparison, path: &[u32], toml: &mut Toml) {
    let (network, settings) = (&comparison.network, &comparison.settings);
    toml.key("path", list(&network.names(path)));
    let circuits = memory::circuits(network, &comparison.flows);
    let into_switches = path.iter().filter_map(|channel| {
        let to = network.receiver(*channel);
        let part = memory::part(settings, network.ports(to), circuits[to]);
        let n3 = memory::circuit_zone(settings, network.link(*channel), part);
        let ends = [network.sender(*channel), to].map(|node| network.nodes[node].as_str());
        let link = quoted(&ends.join("->"));
        (to >= network.hosts).then(|| format!("{{ link = {link}, n3 = {n3} }}"))
    });
    let zones: Vec<String> = into_switches.collect();
    toml.key("on_links", format!("[{}]", zones.join(", ")));
}

fn source(comparison: &Comparison, first: Rate) -> String {
    let settings = &comparison.settings;
    let icr = settings
        .icr
        .unwrap_or(Rate(part_of(first.0, ICR.value).max(1)));
    let headroom = text::rate(settings.headroom.unwrap_or(icr));
    format!(
        "{{ kind = \"abr\", icr = {}, uili = {{ kind = \"count\", headroom = {headroom}, tdf = {} \
         }} }}",
        text::rate(icr),
        settings.tdf
    )
}

fn traffic(flow: &ComparedFlow, unit: Unit, first: Rate) -> String {
    match flow.traffic {
        ComparedTraffic::Greedy { start } => {
            format!("kind = \"greedy\", start = {}", text::instant(start))
        }
        ComparedTraffic::Constant { start, rate } => {
            let wire = u128::from(rate.0) * u128::from(unit.wire_bytes());
            let wire = Rate((wire / u128::from(unit.payload_bytes())) as u64);
            format!(
                "kind = \"constant\", start = {}, rate = {}",
                text::instant(start),
                text::rate(wire)
            )
        }
        ComparedTraffic::Bursts {
            start,
            bytes,
            every: None,
            ..
        } => format!(
            "kind = \"greedy\", start = {}, total = {}",
            text::instant(start),
            unit.count(bytes)
        ),
        ComparedTraffic::Bursts {
            start,
            bytes,
            every: Some(every),
            ..
        } => {
            // The last unit comes one interval before the burst is over, so the count is exact.
            let time = first.serialization(unit.wire_bytes());
            let on = time * unit.count(bytes);
            let off = backwater_kernel::Duration(every.0.saturating_sub(on.0));
            format!(
                "kind = \"on-off\", start = {}, on = {}, off = {}, on_interval = {}",
                text::instant(start),
                text::span(on),
                text::span(off),
                text::span(time)
            )
        }
        ComparedTraffic::Requests {
            start,
            request,
            response,
            think,
        } => {
            format!(
                "kind = \"requests\", start = {}, request = \"{} cells\", \
                 response = \"{} cells\", think = {}",
                text::instant(start),
                unit.count(request),
                unit.count(response),
                text::random(think)
            )
        }
    }
}
