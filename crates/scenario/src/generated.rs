//! Topologies by rule.

use kernel::words::counted;
use packet::spec::{ChannelSpec, LinkSpec, NodeKind};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::given::packet::network::{Link, Topology, TopologyKind};
use crate::source::At;
use crate::topology::{Base, Graph};

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
    topology: &Topology,
    at: &At,
    base: &Base<'_>,
    mistakes: &mut Diagnostics,
) {
    let Some((kind, size)) = topology.kind.sure().and_then(|k| Some((k, switches(k)?))) else {
        return;
    };
    let per_switch = topology.hosts_per_switch;
    if size.saturating_mul(per_switch.saturating_add(1)) > MOST_NODES {
        mistakes.push(
            Diagnostic::error("too-large", "the topology has too many nodes")
                .at(
                    at.clone(),
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
    if let TopologyKind::Ring { switches } = kind
        && size < 3
    {
        mistakes.push(
            Diagnostic::error("out-of-range", "a ring needs 3 switches or more")
                .at(switches.at.clone(), "no ring")
                .help("two switches make a line: `kind = \"line\"`"),
        );
        return;
    }
    let plan = plan(kind, size as usize);
    let edge = base.channel(&[]);
    let trunk: Vec<&Link> = topology.trunk.iter().map(|trunk| &trunk.link).collect();
    let trunk = base.channel(&trunk);
    place(graph, &plan, per_switch, &edge, &trunk);
}

/// How many switches the rule makes; `None` if a number is missing.
fn switches(kind: &TopologyKind) -> Option<u64> {
    match kind {
        TopologyKind::Line { switches } | TopologyKind::Ring { switches } => {
            switches.sure().copied()
        }
        TopologyKind::Star => Some(1),
        TopologyKind::Grid { rows, columns } => Some(rows.sure()?.saturating_mul(*columns.sure()?)),
        TopologyKind::Tree { depth, fanout } => {
            let fanout = fanout.sure()?;
            let mut total = 0_u64;
            let mut level = 1_u64;
            for _ in 0..*depth.sure()? {
                total = total.saturating_add(level);
                level = level.saturating_mul(*fanout);
            }
            Some(total)
        }
    }
}

fn plan(kind: &TopologyKind, size: usize) -> Plan {
    let row = (1..size).map(|n| (n - 1, n));
    let (trunks, hosts_from): (Vec<(usize, usize)>, usize) = match kind {
        TopologyKind::Line { .. } | TopologyKind::Star => (row.collect(), 0),
        TopologyKind::Ring { .. } => (row.chain([(size - 1, 0)]).collect(), 0),
        TopologyKind::Grid { columns, .. } => return grid(columns.value as usize, size),
        TopologyKind::Tree { depth, fanout } => {
            let fanout = fanout.value as usize;
            let leaves = fanout.pow(depth.value - 1);
            let trunks = (1..size).map(|n| ((n - 1) / fanout, n));
            (trunks.collect(), size - leaves)
        }
    };
    Plan {
        switches: (1..=size).map(|n| format!("S{n}")).collect(),
        trunks,
        hosts_from,
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
