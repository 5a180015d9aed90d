//! Schemes on Ethernet: every control of sources (datagrams, TCP, queue pairs) under every gate.

use super::scheme::{Control, Gate, Scheme, Transport};
use super::text::{self, Toml};
use super::{ComparedFlow, ComparedTraffic, Comparison, Thresholds, memory};
use crate::given::frames::flow_control::LIMIT_MAX;
use crate::language::tree::quoted;

/// Payload of a full segment.
const SEGMENT_BYTES: u64 = 1_460;

/// The scenario of a scheme.
pub(super) fn write(comparison: &Comparison, control: Control, gate: Gate, seed: u64) -> String {
    let scheme = Scheme::Frames(control, gate);
    let mut toml = super::circuits::head(comparison, scheme, "ethernet", seed);
    super::circuits::nodes(comparison, &mut toml, false);
    buffer(comparison, control, gate, &mut toml);
    self::gate(comparison, control, gate, &mut toml);
    match control.transport() {
        Transport::Udp | Transport::Tcp => tcp(comparison, control, &mut toml),
        Transport::Roce => comparison.settings.pairs.write(control, &mut toml),
    }
    for flow in &comparison.flows {
        self::flow(comparison, control, flow, &mut toml);
    }
    for program in &comparison.programs {
        program.write(control.transport(), &mut toml);
    }
    toml.0
}

/// Memory of queues, or of inputs, where it isn't all credit; what queues tell sources.
fn buffer(comparison: &Comparison, control: Control, gate: Gate, toml: &mut Toml) {
    let settings = &comparison.settings;
    let memory = match gate {
        Gate::None | Gate::Pause | Gate::Destination => Some("per_queue"),
        Gate::Pfc => Some("per_input"),
        Gate::N23Class | Gate::Cbfc => None,
    };
    let memory = memory.map(|key| (key, text::bytes(settings.buffer_bytes)));
    let tells = match control {
        Control::Dctcp => Some(("mark_above", text::bytes(settings.mark_above))),
        _ => settings.pairs.queues(control),
    };
    if memory.is_some() || tells.is_some() {
        toml.table("[buffer]");
    }
    for (key, value) in memory.into_iter().chain(tells) {
        toml.key(key, value);
    }
}

fn gate(comparison: &Comparison, control: Control, gate: Gate, toml: &mut Toml) {
    let settings = &comparison.settings;
    let is_answered = control.transport() != Transport::Udp;
    match gate {
        Gate::None => {}
        Gate::N23Class => credit(toml, comparison),
        Gate::Cbfc => cells(toml, comparison),
        Gate::Pause => pressure(toml, "pause", &settings.pause),
        Gate::Destination if is_answered => {
            pressure(toml, "destination", &settings.destination_answered);
        }
        Gate::Destination => pressure(toml, "destination", &settings.destination),
        Gate::Pfc => pressure(toml, "pfc", &settings.pfc),
    }
}

fn tcp(comparison: &Comparison, control: Control, toml: &mut Toml) {
    let settings = &comparison.settings;
    let preset = if control == Control::Dctcp {
        "dctcp"
    } else {
        "linux-3"
    };
    let growth = if control == Control::Cubic {
        "cubic"
    } else {
        "reno"
    };
    toml.table("[tcp]")
        .key("preset", quoted(preset))
        .key("congestion", quoted(growth))
        .key("recovery", quoted(settings.recovery))
        .key("window", text::bytes(settings.tcp_window))
        .key("min_rto", text::span(settings.min_rto));
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

fn flow(comparison: &Comparison, control: Control, flow: &ComparedFlow, toml: &mut Toml) {
    let (transport, of_messages) = match control.transport() {
        Transport::Udp => ("udp", "tcp"),
        Transport::Tcp => ("tcp", "tcp"),
        Transport::Roce => ("roce", "roce"),
    };
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
                of_messages,
                format!(
                    "kind = \"requests\", start = {}, request = {}, response = {}, think = {}",
                    text::instant(start),
                    text::bytes(request),
                    text::bytes(response),
                    text::random(think)
                ),
            );
            if control.transport() == Transport::Udp {
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
