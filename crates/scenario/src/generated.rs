//! Topologies by rule.

use kernel::words::counted;
use packet::spec::{ChannelSpec, LinkSpec, NodeKind};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::Record;
use crate::topology::{Graph, channel, placeholder};

/// Nodes that a rule may make.
const MOST_NODES: u64 = 2_000_000;

/// Switches by name, the links between them, and how many of the last carry hosts.
struct Plan {
    switches: Vec<String>,
    trunks: Vec<(usize, usize)>,
    hosts_from: usize,
}

pub(crate) fn build(
    graph: &mut Graph,
    topology: &Record,
    root: &Record,
    mistakes: &mut Diagnostics,
) {
    let kind = topology.word("kind");
    let Some(size) = switches(topology, kind) else {
        return;
    };
    let per_switch = topology.whole("hosts_per_switch").unwrap_or(1);
    if size.saturating_mul(per_switch.saturating_add(1)) > MOST_NODES {
        mistakes.push(
            Diagnostic::error("too-large", "the topology has too many nodes")
                .at(
                    topology.at.clone(),
                    format!(
                        "{} with {} each",
                        counted(size, "switch"),
                        counted(per_switch, "host")
                    ),
                )
                .note(format!("at most {MOST_NODES} nodes can be made")),
        );
        return;
    }
    if kind == "ring" && size < 3 {
        mistakes.push(
            Diagnostic::error("out-of-range", "a ring needs 3 switches or more")
                .at(topology.at("switches"), "no ring")
                .help("two switches make a line: `kind = \"line\"`"),
        );
        return;
    }
    let plan = plan(topology, kind, size as usize);
    let edge = root
        .record("link")
        .map_or_else(placeholder, |link| channel(root, &[link]));
    let trunk = match (root.record("link"), topology.record("trunk")) {
        (Some(link), Some(trunk)) => channel(root, &[link, trunk]),
        _ => edge.clone(),
    };
    place(graph, &plan, per_switch, &edge, &trunk);
}

/// How many switches the rule makes; `None` if a number is missing.
fn switches(topology: &Record, kind: &str) -> Option<u64> {
    match kind {
        "line" | "ring" => topology.whole("switches"),
        "star" => Some(1),
        "grid" => Some(
            topology
                .whole("rows")?
                .saturating_mul(topology.whole("columns")?),
        ),
        "tree" => {
            let fanout = topology.whole("fanout")?;
            let mut total = 0_u64;
            let mut level = 1_u64;
            for _ in 0..topology.whole("depth")? {
                total = total.saturating_add(level);
                level = level.saturating_mul(fanout);
            }
            Some(total)
        }
        _ => None,
    }
}

fn plan(topology: &Record, kind: &str, size: usize) -> Plan {
    let numbered = || (1..=size).map(|n| format!("S{n}")).collect();
    let row: Vec<(usize, usize)> = (1..size).map(|n| (n - 1, n)).collect();
    match kind {
        "ring" => {
            let trunks = row.into_iter().chain([(size - 1, 0)]).collect();
            Plan {
                switches: numbered(),
                trunks,
                hosts_from: 0,
            }
        }
        "grid" => grid(topology.whole("columns").unwrap_or(1) as usize, size),
        "tree" => {
            let fanout = topology.whole("fanout").unwrap_or(1) as usize;
            let trunks = (1..size).map(|n| ((n - 1) / fanout, n)).collect();
            let depth = topology.whole("depth").unwrap_or(1) as u32;
            let leaves = fanout.pow(depth - 1);
            Plan {
                switches: numbered(),
                trunks,
                hosts_from: size - leaves,
            }
        }
        _ => Plan {
            switches: numbered(),
            trunks: row,
            hosts_from: 0,
        },
    }
}

fn grid(columns: usize, size: usize) -> Plan {
    let switches = (0..size)
        .map(|n| format!("S{}_{}", n / columns + 1, n % columns + 1))
        .collect();
    let mut trunks = Vec::new();
    for n in 0..size {
        if n % columns + 1 < columns {
            trunks.push((n, n + 1));
        }
        if n + columns < size {
            trunks.push((n, n + columns));
        }
    }
    Plan {
        switches,
        trunks,
        hosts_from: 0,
    }
}

fn place(graph: &mut Graph, plan: &Plan, per_switch: u64, edge: &ChannelSpec, trunk: &ChannelSpec) {
    let link = |a: u32, b: u32, spec: &ChannelSpec| LinkSpec {
        a,
        b,
        forward: spec.clone(),
        backward: spec.clone(),
    };
    for name in &plan.switches {
        graph.add_node(name.clone(), NodeKind::Switch);
    }
    for (a, b) in &plan.trunks {
        graph.add_link(link(*a as u32, *b as u32, trunk));
    }
    for (switch, name) in plan.switches.iter().enumerate().skip(plan.hosts_from) {
        for n in 1..=per_switch {
            let host = graph.add_node(format!("H{}_{n}", &name[1..]), NodeKind::Host);
            if let Some(host) = host {
                graph.add_link(link(host, switch as u32, edge));
            }
        }
    }
}
