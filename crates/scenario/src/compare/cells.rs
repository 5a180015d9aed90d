//! Schemes in cells: N23 and ABR; and what all scenarios have.

use backwater_kernel::{Rate, Time};

use super::text::{self, Toml};
use super::{
    CELL_BYTES, CELL_PAYLOAD_BYTES, ComparedFlow, ComparedTraffic, Comparison, Scheme, cells_for,
};
use crate::tree::quoted;

/// The scenario of a scheme.
pub(super) fn write(comparison: &Comparison, scheme: Scheme, seed: u64) -> String {
    let mut toml = head(comparison, scheme, "packet", seed);
    let settings = &comparison.settings;
    nodes(comparison, &mut toml, "hosts");
    if scheme == Scheme::N23 {
        toml.table("[flow_control]")
            .key("kind", "\"n23\"")
            .key("n2", settings.n2)
            .key("target", &settings.n23_target);
    } else {
        let memory = settings.buffer_bytes * comparison.network.most_ports();
        toml.table("[buffer.shared]")
            .key("bytes", text::bytes(memory));
        toml.table("[scheduler]").key("kind", "\"fifo\"");
    }
    for flow in &comparison.flows {
        self::flow(comparison, scheme, flow, &mut toml);
    }
    toml.0
}

/// What stands at the top: title, engine, run, link.
pub(super) fn head(comparison: &Comparison, scheme: Scheme, engine: &str, seed: u64) -> Toml {
    let mut toml = Toml::default();
    let title = format!("{}: {}", comparison.title, scheme.name());
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
        if scheme == Scheme::Abr {
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

/// Nodes and links; `ends` is what the engine calls hosts.
pub(super) fn nodes(comparison: &Comparison, toml: &mut Toml, ends: &str) {
    let network = &comparison.network;
    let list = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        format!("[{}]", names.join(", "))
    };
    toml.table("[network]")
        .key(ends, list(&network.nodes[..network.hosts]))
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
    }
}

/// Name and ends of a flow.
pub(super) fn flow_head(comparison: &Comparison, flow: &ComparedFlow, name: &str, toml: &mut Toml) {
    let nodes = &comparison.network.nodes;
    toml.table("[[flows]]")
        .key("name", quoted(name))
        .key("from", quoted(&nodes[flow.from]))
        .key("to", quoted(&nodes[flow.to]));
}

fn flow(comparison: &Comparison, scheme: Scheme, flow: &ComparedFlow, toml: &mut Toml) {
    let first = comparison.network.link(flow.path[0]).rate;
    flow_head(comparison, flow, &flow.name, toml);
    toml.key("traffic", format!("{{ {} }}", traffic(flow, first)));
    if scheme == Scheme::Abr {
        toml.key("source_control", source(comparison, first));
    }
}

fn source(comparison: &Comparison, first: Rate) -> String {
    let settings = &comparison.settings;
    let icr = settings.icr.unwrap_or(Rate((first.0 / 10).max(1)));
    let headroom = text::rate(settings.headroom.unwrap_or(icr));
    format!(
        "{{ kind = \"abr\", icr = {}, uili = {{ kind = \"count\", headroom = {headroom}, tdf = {} \
         }} }}",
        text::rate(icr),
        settings.tdf
    )
}

fn traffic(flow: &ComparedFlow, first: Rate) -> String {
    let at = |start: Time| text::span(start.since(Time::ZERO));
    match flow.traffic {
        ComparedTraffic::Greedy { start } => {
            format!("kind = \"greedy\", start = {}", at(start))
        }
        ComparedTraffic::Constant { start, rate } => {
            let wire = u128::from(rate.0) * u128::from(CELL_BYTES);
            let wire = Rate((wire / u128::from(CELL_PAYLOAD_BYTES)) as u64);
            format!(
                "kind = \"constant\", start = {}, rate = {}",
                at(start),
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
            at(start),
            cells_for(bytes)
        ),
        ComparedTraffic::Bursts {
            start,
            bytes,
            every: Some(every),
            ..
        } => {
            // The last cell comes one interval before the burst is over, so the count is exact.
            let cell = first.serialization(CELL_BYTES);
            let on = backwater_kernel::Duration(cell.0 * cells_for(bytes));
            let off = backwater_kernel::Duration(every.0.saturating_sub(on.0));
            format!(
                "kind = \"on-off\", start = {}, on = {}, off = {}, on_interval = {}",
                at(start),
                text::span(on),
                text::span(off),
                text::span(cell)
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
                at(start),
                cells_for(request),
                cells_for(response),
                text::random(think)
            )
        }
    }
}
