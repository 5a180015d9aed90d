//! Does it fit into memory?

use ethernet::spec::{EthernetSpec, TransportSpec};

use crate::Limits;
use crate::checks::bytes;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::Record;

/// Memory of a node.
const NODE_BYTES: u64 = 300;
/// Memory of a channel with its statistics, queues on top.
const CHANNEL_BYTES: u64 = 400;
/// Memory of a queue with its statistics.
const QUEUE_BYTES: u64 = 300;
/// Memory of a flow with its statistics, bytes.
const FLOW_BYTES: u64 = 2_000;
/// Memory of a frame.
const FRAME_BYTES: u64 = 64;
/// Memory of a next hop: each node has some to each station.
const HOP_BYTES: u64 = 4;

/// Does the run fit into memory?
pub(crate) fn memory(
    root: &Record,
    spec: &EthernetSpec,
    limits: &Limits,
    mistakes: &mut Diagnostics,
) {
    let Some(memory) = limits.memory_bytes else {
        return;
    };
    let channels = 2 * spec.links.len() as u64;
    let classes = spec
        .links
        .first()
        .map_or(1, |link| link.forward.queues.len() as u64);
    let flows = spec.flows.iter().map(|flow| match &flow.transport {
        TransportSpec::Tcp(tcp) => {
            FLOW_BYTES + u64::from(tcp.window_bytes / tcp.mss_bytes.max(1)) * FRAME_BYTES
        }
        TransportSpec::Udp { .. } => FLOW_BYTES,
    });
    let flows: u64 = flows.sum();
    let mut ends: Vec<u32> = spec.flows.iter().map(|flow| flow.destination).collect();
    ends.extend(spec.flows.iter().map(|flow| flow.source));
    ends.sort_unstable();
    ends.dedup();
    let nodes = spec.nodes.len() as u64;
    let network = nodes * (NODE_BYTES + ends.len() as u64 * HOP_BYTES)
        + channels * (CHANNEL_BYTES + classes * QUEUE_BYTES);
    let needed = flows + network;
    if needed <= memory {
        return;
    }
    let tables = ["topology", "network"]
        .iter()
        .filter_map(|key| root.record(key));
    let mut tables = match network > flows {
        true => tables.collect::<Vec<_>>(),
        false => root
            .records("flows")
            .iter()
            .chain(root.records("patterns"))
            .collect(),
    };
    tables.truncate(1);
    let at = tables
        .first()
        .map_or_else(|| root.at.clone(), |table| table.at.clone());
    mistakes.push(
        Diagnostic::error(
            "out-of-memory",
            "the scenario needs more memory than there is",
        )
        .at(at, "the largest part comes from here")
        .note(format!(
            "about {} for {nodes} nodes, {channels} channels and {} flows; {} are free",
            bytes(needed),
            spec.flows.len(),
            bytes(memory)
        ))
        .help("make the network smaller, use fewer flows, or smaller windows"),
    );
}
