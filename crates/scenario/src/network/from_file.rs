//! Nodes and links from a file, in a form of another simulator or library.

use backwater_formats::{self as formats, Form};
use backwater_kernel::words::counted;

use crate::Limits;
use crate::language::files::{Files, Named};
use crate::network::generated::Size;
use crate::network::room::out_of_memory;
use crate::prelude::*;

/// A topology, and the file it was read from.
pub(crate) struct FromFile {
    pub topology: formats::Topology,
    /// Other files know its nodes by their places.
    pub is_numbered: bool,
    pub file: Named,
}

/// Reads it; `None` if something is wrong, which is then told. It has at most so many nodes, and
/// `needs` so much memory.
pub(crate) fn read(
    (name, hosts_per_node): (&Placed<String>, u32),
    (most_nodes, needs, limits): (u64, fn(&Size) -> u64, &Limits),
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<FromFile> {
    let file = files.read(name.sure()?, &name.at, mistakes)?;
    let Some(form) = Form::of(&file.text).filter(|form| form.is_topology()) else {
        let line = file.lines().next().map_or(1, |(line, _)| line);
        let forms = Form::ALL.iter().filter(|form| form.is_topology());
        let forms: Vec<&str> = forms.map(|form| form.name()).collect();
        let what = "the file is none of the forms that have nodes and links";
        file.mistake(line, what)
            .note(format!("these are read: {}", forms.join("; ")))
            .tell(mistakes);
        return None;
    };
    let mut topology = match formats::topology(form, &file.text) {
        Ok(topology) => topology,
        Err(wrong) => {
            file.wrong(&wrong).tell(mistakes);
            return None;
        }
    };
    let size = size(&topology, hosts_per_node);
    let nodes = size.nodes;
    if nodes > most_nodes {
        Diagnostic::error("too-large", "the topology has too many nodes")
            .at(&name.at, format!("{nodes} nodes"))
            .note(format!("at most {most_nodes} nodes can be made"))
            .tell(mistakes);
        return None;
    }
    let needed = needs(&size);
    if let Some(free) = limits.memory_bytes.filter(|free| needed > *free) {
        let (nodes, links) = (counted(nodes, "node"), counted(size.links, "link"));
        let place = (&name.at, "the network is made here");
        out_of_memory(place, (needed, &format!("{nodes} and {links}")), free)
            .help("make the network smaller")
            .tell(mistakes);
        return None;
    }
    topology.give_hosts(hosts_per_node);
    if topology.hosts() == 0 {
        file.mistake(1, "none of its nodes is a host")
            .note("flows begin and end at hosts")
            .help("give each switch some: `topology.hosts_per_node = 1`")
            .tell(mistakes);
        return None;
    }
    Some(FromFile {
        topology,
        is_numbered: form == Form::HpccTopology,
        file,
    })
}

/// How large it will be, at most.
fn size(topology: &formats::Topology, hosts_per_node: u32) -> Size {
    let (nodes, hosts) = (topology.nodes.len() as u64, topology.hosts() as u64);
    let more = nodes.saturating_mul(hosts_per_node.into());
    Size {
        nodes: nodes.saturating_add(more),
        links: (topology.links.len() as u64).saturating_add(more),
        switches: nodes - hosts,
        with_hosts: nodes - hosts,
    }
}
