//! Does it fit into memory?

use backwater_kernel::words::counted;
use backwater_net::frames::spec::EthernetSpec;

use crate::Limits;
use crate::given::frames::EthernetFile;
use crate::network::memory;
use crate::network::room::out_of_memory;
use crate::prelude::*;

/// Does the run fit into memory?
pub(crate) fn fits(
    file: &Placed<EthernetFile>,
    spec: &EthernetSpec,
    limits: &Limits,
) -> Option<Diagnostic> {
    let memory = limits.memory_bytes?;
    let channels = 2 * spec.links.len() as u64;
    let nodes = spec.nodes.len();
    let (flows, network) = memory::of_frames(spec);
    let needed = flows + network;
    if needed <= memory {
        return None;
    }
    let flow = file.flows.first().map(|flow| &flow.at);
    let workload = file.workloads.first().map(|own| &own.at);
    let pattern = file.patterns.first().map(|pattern| &pattern.at);
    let at = match (network > flows, file.topology.is_some()) {
        (true, true) => &file.topology.at,
        (true, false) => &file.network.at,
        (false, _) => flow.or(pattern).or(workload).unwrap_or(&file.at),
    };
    let count = spec.flows.len();
    let what = format!(
        "{}, {} and {}",
        counted(nodes, "node"),
        counted(channels, "channel"),
        counted(count, "flow")
    );
    let place = (at, "the largest part comes from here");
    let refusal = out_of_memory(place, (needed, &what), memory)
        .help("make the network smaller, use fewer flows, or smaller windows");
    Some(match file.workloads.is_empty() {
        true => refusal,
        false => refusal.help("or, in `[[workloads]]`, `rows = \"group\"`: no row for each flow"),
    })
}
