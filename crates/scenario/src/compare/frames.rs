//! Schemes on Ethernet: none, Reno, DCTCP, credit by class, CBFC, PAUSE, by destination, PFC.

use super::text::{self, Toml};
use super::{ComparedFlow, ComparedTraffic, Comparison, Scheme, Thresholds, memory};
use crate::given::frames::flow_control::LIMIT_MAX;
use crate::language::tree::quoted;

/// Payload of a full segment.
const SEGMENT_BYTES: u64 = 1_460;

/// The scenario of a scheme.
pub(super) fn write(comparison: &Comparison, scheme: Scheme, seed: u64) -> String {
    let mut toml = super::circuits::head(comparison, scheme, "ethernet", seed);
    super::circuits::nodes(comparison, &mut toml, false);
    let settings = &comparison.settings;
    let stops = match scheme {
        Scheme::None
        | Scheme::Reno
        | Scheme::Dctcp
        | Scheme::N23
        | Scheme::N23Class
        | Scheme::Cbfc
        | Scheme::Abr => None,
        Scheme::Pause => Some(("pause", &settings.pause)),
        Scheme::Destination => Some(("destination", &settings.destination)),
        Scheme::Pfc => Some(("pfc", &settings.pfc)),
    };
    let memory = match scheme == Scheme::Pfc {
        true => "per_input",
        false => "per_queue",
    };
    match scheme {
        Scheme::N23Class => credit(&mut toml, comparison),
        Scheme::Cbfc => cells(&mut toml, comparison),
        Scheme::None
        | Scheme::Reno
        | Scheme::Dctcp
        | Scheme::N23
        | Scheme::Pause
        | Scheme::Destination
        | Scheme::Pfc
        | Scheme::Abr => {
            toml.table("[buffer]")
                .key(memory, text::bytes(settings.buffer_bytes));
        }
    }
    let preset = match scheme == Scheme::Dctcp {
        true => {
            toml.key("mark_above", text::bytes(settings.mark_above));
            "dctcp"
        }
        false => "modern",
    };
    if let Some((kind, thresholds)) = stops {
        pressure(&mut toml, kind, thresholds);
    }
    toml.table("[tcp]")
        .key("preset", quoted(preset))
        .key("congestion", "\"reno\"")
        .key("recovery", quoted(settings.recovery))
        .key("window", text::bytes(settings.tcp_window))
        .key("min_rto", text::span(settings.min_rto));
    for flow in &comparison.flows {
        self::flow(comparison, scheme, flow, &mut toml);
    }
    toml.0
}

/// The memory that an input has under PFC is all zone: N2 + N3 units.
fn credit(toml: &mut Toml, comparison: &Comparison) {
    let [n2, n3] = memory::link_zones(&comparison.settings, &comparison.network);
    toml.table("[flow_control]")
        .key("kind", "\"n23\"")
        .key("unit", text::bytes(memory::CREDIT_BYTES))
        .key("n2", n2)
        .key("n3", n3);
}

/// All the memory that an input has under PFC is its limit, in cells.
fn cells(toml: &mut Toml, comparison: &Comparison) {
    let cells = comparison.settings.buffer_bytes / memory::CREDIT_BYTES;
    toml.table("[flow_control]")
        .key("kind", "\"cbfc\"")
        .key("cell", text::bytes(memory::CREDIT_BYTES))
        .key("limit", cells.min(LIMIT_MAX));
}

fn pressure(toml: &mut Toml, kind: &str, thresholds: &Thresholds) {
    toml.table("[flow_control]").key("kind", quoted(kind));
    match thresholds.notify {
        None => toml.key("detect", "\"inputs\""),
        Some(word) => toml.key("notify", quoted(word)),
    };
    toml.key("xoff", &thresholds.xoff)
        .key("xon", &thresholds.xon);
}

fn flow(comparison: &Comparison, scheme: Scheme, flow: &ComparedFlow, toml: &mut Toml) {
    let transport = if scheme.has_tcp() { "tcp" } else { "udp" };
    let mut one = |name: &str, transport: &str, traffic: String| {
        super::circuits::flow_head(comparison, name, (flow.from, flow.to), toml);
        toml.key("transport", quoted(transport));
        toml.key("traffic", format!("{{ {traffic} }}"));
    };
    match flow.traffic {
        ComparedTraffic::Greedy { start } => one(
            &flow.name,
            transport,
            format!("kind = \"greedy\", start = {}", text::instant(start)),
        ),
        ComparedTraffic::Constant { start, rate } => one(
            &flow.name,
            "udp",
            format!(
                "kind = \"constant\", start = {}, rate = {}",
                text::instant(start),
                text::rate(rate)
            ),
        ),
        ComparedTraffic::Bursts { bytes, count, .. } => {
            for burst in 0..count {
                let start = flow.traffic.burst_start(burst).unwrap_or_default();
                let start = text::instant(start);
                let total = text::bytes(bytes);
                one(
                    &flow.burst_name(burst),
                    transport,
                    format!("kind = \"greedy\", start = {start}, total = {total}"),
                );
            }
        }
        ComparedTraffic::Requests {
            start,
            request,
            response,
            think,
        } => {
            one(
                &flow.name,
                "tcp",
                format!(
                    "kind = \"requests\", start = {}, request = {}, response = {}, think = {}",
                    text::instant(start),
                    text::bytes(request),
                    text::bytes(response),
                    text::random(think)
                ),
            );
            if !scheme.has_tcp() {
                toml.key("tcp", whole_message(request.max(response)));
            }
        }
    }
}

/// A TCP that sends a message at once and repairs what is lost of it.
fn whole_message(bytes: u64) -> String {
    let segments = bytes.div_ceil(SEGMENT_BYTES).max(10);
    let window = text::bytes((segments * SEGMENT_BYTES).max(65_536));
    format!("{{ initial_window = {segments}, window = {window}, reuse = \"fresh-window\" }}")
}
