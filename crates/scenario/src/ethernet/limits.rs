//! Does it fit into memory?

use ethernet::spec::EthernetSpec;

use crate::Limits;
use crate::checks::bytes;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::memory;
use crate::record::Record;

/// Does the run fit into memory?
pub(crate) fn fits(
    root: &Record,
    spec: &EthernetSpec,
    limits: &Limits,
    mistakes: &mut Diagnostics,
) {
    let Some(memory) = limits.memory_bytes else {
        return;
    };
    let channels = 2 * spec.links.len() as u64;
    let nodes = spec.nodes.len();
    let (flows, network) = memory::of_frames(spec);
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
