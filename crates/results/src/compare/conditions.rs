//! Under which conditions each scheme ran: read from the network that was built for it, so that
//! what the schemes don't share is told and not only meant.

use std::collections::BTreeSet;

use backwater_ends::spec::TcpSpec;
use backwater_ends::spec::bytes::{TrafficSpec, TransportSpec};
use backwater_kernel::Channels;
use backwater_net::frames::lane_counts;
use backwater_net::frames::spec::{
    ClassCreditSpec, EthernetSpec, MemorySpec, NodeKind as FrameNode, WIRE_OVERHEAD_BYTES,
    largest_bytes,
};
use backwater_net::spec::{FlowControlSpec, NetworkSpec, NodeKind, SchedulerSpec};
use serde_json::{Value, json};

use super::SchemeRuns;
use crate::number::{grouped, significant};

/// What the condition is called that has a tolerance.
const MEMORY: &str = "memory of switches";

/// What a scheme ran on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// A full unit on the wire, bytes; preamble and gap included.
    pub wire_bytes: u64,
    /// Its payload.
    pub payload_bytes: u64,
    /// In which order ports of switches serve.
    pub order: String,
    /// Memory of each switch.
    pub memory: Vec<SwitchMemory>,
    /// How that is divided, and who has how much.
    pub divided: String,
    /// Who slows the sources.
    pub slowed_by: String,
}

/// Memory of a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchMemory {
    /// Its name.
    pub switch: String,
    /// All of it.
    pub bytes: u64,
    /// Ports, inputs or circuits that have a part of their own, each of whole units.
    pub parts: u64,
}

/// One condition in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it is about.
    pub name: &'static str,
    /// What holds.
    pub value: String,
}

impl SwitchMemory {
    fn new(switch: &str, parts: &[u64]) -> SwitchMemory {
        SwitchMemory {
            switch: switch.into(),
            bytes: parts.iter().sum(),
            parts: parts.len() as u64,
        }
    }
}

impl Conditions {
    /// Of a network of circuits, whose units have so many bytes of payload and in memory.
    pub fn of_circuits(spec: &NetworkSpec, payload_bytes: u64, memory_bytes: u64) -> Conditions {
        let wire_bytes = spec.flows.iter().map(|flow| flow.unit_bytes).max();
        let wire_bytes = u64::from(wire_bytes.unwrap_or(0));
        let mut memory = Vec::new();
        let mut parts = Vec::new();
        let mut what = "no limit";
        for (id, node) in (0..).zip(&spec.nodes) {
            if node.kind != NodeKind::Switch {
                continue;
            }
            let legs = spec.flows.iter().flat_map(|flow| &flow.legs);
            let into = legs.filter(|leg| spec.links.ends(leg.channel).1 == id);
            let credited = into.filter(|leg| leg.flow_control != FlowControlSpec::None);
            let mut of_legs: Vec<u64> = credited
                .filter_map(|leg| leg.buffer.limit_units)
                .map(|units| u64::from(units) * memory_bytes)
                .collect();
            let pool = node.pool.and_then(|pool| pool.limit_bytes);
            if let Some(bytes) = pool {
                what = "switch";
                of_legs.push(bytes / wire_bytes.max(1) * memory_bytes);
            } else if !of_legs.is_empty() {
                what = "circuit";
            }
            memory.push(SwitchMemory::new(&node.name, &of_legs));
            parts.extend(of_legs);
        }
        let abr = spec.flows.iter().any(|flow| flow.abr().is_some());
        Conditions {
            wire_bytes,
            payload_bytes,
            order: order_of_circuits(spec),
            memory,
            divided: divided(what, &parts),
            slowed_by: match abr {
                true => "explicit rates (ABR)",
                false => "nobody",
            }
            .into(),
        }
    }

    /// Of a network of frames.
    pub fn of_frames(spec: &EthernetSpec) -> Conditions {
        let payload = spec.flows.iter();
        let payload = payload.map(|flow| u64::from(flow.transport.payload_bytes()));
        let frame = largest_bytes(spec).into_iter().max().unwrap_or(0);
        let mut memory = Vec::new();
        let mut parts = Vec::new();
        let mut what = "no limit";
        for (id, node) in (0..).zip(&spec.nodes) {
            let FrameNode::Switch(switch) = &node.kind else {
                continue;
            };
            let memory_words = match &switch.memory {
                MemorySpec::Shared(shared) => {
                    what = "switch";
                    vec![shared.bytes()]
                }
                MemorySpec::Queues => {
                    let (by, own) = of_ports(spec, id);
                    what = by;
                    own
                }
            };
            memory.push(SwitchMemory::new(&node.name, &memory_words));
            parts.extend(memory_words);
        }
        Conditions {
            wire_bytes: u64::from(frame + WIRE_OVERHEAD_BYTES),
            payload_bytes: payload.max().unwrap_or(0),
            order: order_of_frames(spec),
            memory,
            divided: divided(what, &parts),
            slowed_by: slowed_by(spec),
        }
    }

    /// Memory of all switches, bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.memory.iter().map(|own| own.bytes).sum()
    }

    /// All of them in words, in the order to show.
    pub fn words(&self) -> Vec<Condition> {
        let condition = |name, value| Condition { name, value };
        vec![
            condition(
                "unit",
                format!("{} B on the wire", grouped(self.wire_bytes)),
            ),
            condition("payload", format!("{} B", grouped(self.payload_bytes))),
            condition("service at switches", self.order.clone()),
            condition(
                MEMORY,
                format!("{} kB", grouped((self.memory_bytes() + 500) / 1_000)),
            ),
            condition("divided", self.divided.clone()),
            condition("sources slowed by", self.slowed_by.clone()),
        ]
    }

    /// The conditions as an object, for programs.
    pub fn json(&self) -> Value {
        let memory = self.memory.iter().map(|own| {
            let bytes: Value = own.bytes.into();
            (own.switch.clone(), bytes)
        });
        json!({
            "unit_wire_bytes": self.wire_bytes,
            "unit_payload_bytes": self.payload_bytes,
            "service_at_switches": self.order,
            "memory_bytes": memory.collect::<serde_json::Map<String, Value>>(),
            "memory_divided": self.divided,
            "sources_slowed_by": self.slowed_by,
        })
    }
}

/// What limits the memory of a switch with queues, and by how much each.
fn of_ports(spec: &EthernetSpec, switch: u32) -> (&'static str, Vec<u64>) {
    let channels = || spec.links.channels();
    let incoming = channels().filter(|channel| spec.links.ends(*channel).1 == switch);
    let incoming: Vec<u32> = incoming.collect();
    let lanes = lane_counts(spec).unwrap_or_default();
    let bytes = |credit: &ClassCreditSpec| u64::from(credit.units()) * u64::from(credit.unit_bytes);
    let credits = incoming.iter().filter_map(|channel| {
        let port_spec = spec.links.channel(*channel);
        let first = *channel as usize * port_spec.queues.len();
        let rules = (first..).zip(&port_spec.credits);
        let rules = rules.filter_map(|(at, credit)| Some((at, credit.as_ref()?)));
        // One limit for the port is a limit of each of its lanes.
        let bytes = match port_spec
            .counters
            .is_some_and(|port| port.port_units.is_some())
        {
            true => rules.map(|(_, credit)| bytes(credit)).max().unwrap_or(0),
            false => {
                let each = rules.map(|(at, credit)| {
                    let lanes = lanes.get(at).map_or(1, |lanes| u64::from(*lanes).max(1));
                    lanes * bytes(credit)
                });
                each.sum()
            }
        };
        Some(bytes).filter(|bytes| *bytes > 0)
    });
    let credits: Vec<u64> = credits.collect();
    if !credits.is_empty() {
        return ("input, credit-based", credits);
    }
    let inputs = incoming.iter().filter_map(|channel| {
        let settings = &spec.links.channel(*channel).inputs;
        let limits: Option<Vec<u64>> = settings.iter().map(|input| input.limit_bytes).collect();
        limits.filter(|limits| !limits.is_empty())
    });
    let inputs: Vec<u64> = inputs.map(|limits| limits.iter().sum()).collect();
    if !inputs.is_empty() {
        return ("input", inputs);
    }
    let outgoing = channels().filter(|channel| spec.links.ends(*channel).0 == switch);
    let queues = outgoing.filter_map(|channel| {
        let specs = spec.links.channel(channel).queues.iter();
        specs.map(|queue| queue.limit_bytes).sum::<Option<u64>>()
    });
    ("output port", queues.collect())
}

/// "to each input 500 kB", or the range where parts differ.
fn divided(what: &str, parts: &[u64]) -> String {
    let (Some(least), Some(most)) = (parts.iter().min(), parts.iter().max()) else {
        return "without limit".into();
    };
    let kb = |bytes: &u64| significant(*bytes as f64 * 1e-3, 4);
    match kb(least) == kb(most) {
        true => format!("{} kB to each {what}", kb(least)),
        false => format!("{} to {} kB to each {what}", kb(least), kb(most)),
    }
}

fn order_of_circuits(spec: &NetworkSpec) -> String {
    let of_switches = spec.links.channels().filter(|channel| {
        let (from, _) = spec.links.ends(*channel);
        spec.nodes[from as usize].kind == NodeKind::Switch
    });
    joined(of_switches.map(|channel| spec.links.channel(channel).scheduler.order()))
}

fn order_of_frames(spec: &EthernetSpec) -> String {
    let words = spec.links.channels().map(|channel| {
        let channel = spec.links.channel(channel);
        match channel.queues.len() {
            0 | 1 => SchedulerSpec::Fifo.order(),
            _ => channel.scheduler.order(),
        }
    });
    joined(words)
}

fn slowed_by(spec: &EthernetSpec) -> String {
    let ends = spec.flows.iter().map(|flow| match &flow.transport {
        TransportSpec::Udp { .. } => "nobody",
        TransportSpec::Roce(roce) => roce.control.slowed_by(),
        TransportSpec::Tcp(tcp) if opens_at_once(tcp, &flow.traffic) => "requests: losses (TCP)",
        TransportSpec::Tcp(tcp) => tcp.slowed_by(),
    });
    joined(ends)
}

/// Does the first window hold a whole message, so that nothing but a loss makes it wait?
fn opens_at_once(tcp: &TcpSpec, traffic: &TrafficSpec) -> bool {
    let TrafficSpec::Requests {
        request_bytes,
        response_bytes,
        ..
    } = traffic
    else {
        return false;
    };
    let window = u64::from(tcp.initial_window_segments) * u64::from(tcp.mss_bytes);
    window >= *request_bytes.max(response_bytes)
}

/// Each word once.
fn joined(words: impl Iterator<Item = &'static str>) -> String {
    let words: BTreeSet<&str> = words.collect();
    words.into_iter().collect::<Vec<_>>().join("; ")
}

/// Names of conditions that are not the same under all schemes. Memory is, if no scheme has less
/// than another by more than what whole units leave of each part.
pub(super) fn differing(schemes: &[SchemeRuns]) -> impl Iterator<Item = &'static str> {
    let all: Vec<Vec<Condition>> = schemes.iter().map(|it| it.conditions.words()).collect();
    let count = all.first().map_or(0, Vec::len);
    let has_same_memory = has_same_memory(schemes);
    (0..count).filter_map(move |index| {
        let first = &all[0][index];
        let differs = all.iter().any(|own| own[index] != *first);
        let is_same = has_same_memory && first.name == MEMORY;
        (differs && !is_same).then_some(first.name)
    })
}

fn has_same_memory(schemes: &[SchemeRuns]) -> bool {
    let all = || schemes.iter().map(|it| &it.conditions);
    let Some(most) = all().max_by_key(|own| own.memory_bytes()) else {
        return true;
    };
    all().all(|own| {
        let mut switches = own.memory.iter().zip(&most.memory);
        own.memory.len() == most.memory.len()
            && switches.all(|(own_memory, most)| {
                let left = (own_memory.parts + 1) * own.wire_bytes;
                own_memory.bytes + left >= most.bytes
            })
    })
}

/// What holds for all schemes, as a sentence.
pub(super) fn shared(schemes: &[SchemeRuns]) -> String {
    let differing: Vec<&str> = differing(schemes).collect();
    // Of the memory they have alike, that which is not cut into units.
    let most = schemes.iter().max_by_key(|it| it.conditions.memory_bytes());
    let words = most.map_or(Vec::new(), |own| own.conditions.words());
    let same = words.iter().filter(|one| !differing.contains(&one.name));
    let parts: Vec<String> = same
        .map(|one| format!("{}: {}", one.name, one.value))
        .collect();
    parts.join("; ")
}

/// A heading, and a line for each scheme, of what is not the same under all; none where all is.
pub(super) fn own(schemes: &[SchemeRuns]) -> Vec<Vec<String>> {
    let differing: Vec<&str> = differing(schemes).collect();
    if differing.is_empty() {
        return Vec::new();
    }
    let heading = differing.iter().map(|name| (*name).to_string());
    let lines = schemes.iter().map(|scheme| {
        let words = scheme.conditions.words().into_iter();
        let words = words.filter(|one| differing.contains(&one.name));
        words.map(|one| one.value).collect()
    });
    [heading.collect()].into_iter().chain(lines).collect()
}
