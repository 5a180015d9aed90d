//! Topologies by rule: switches, the links between them, and the hosts on each.

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::given::topology::TopologyKind;
use crate::source::At;
use crate::typed::{Chosen, Placed};

/// A network by rule.
pub(crate) struct Plan {
    /// Switches by name.
    pub switches: Vec<String>,
    /// Links between switches.
    pub trunks: Vec<(usize, usize)>,
    /// Hosts by name, each with the switch it hangs on, in the order of switches.
    pub hosts: Vec<(String, usize)>,
}

/// What the rule makes; `None` if it can't, which is then said.
pub(crate) fn plan(
    kind: &Chosen<TopologyKind>,
    at: &At,
    most_nodes: u64,
    mistakes: &mut Diagnostics,
) -> Option<Plan> {
    let kind = kind.sure()?;
    let nodes = nodes(kind)?;
    if nodes > most_nodes {
        Diagnostic::error("too-large", "the topology has too many nodes")
            .at(at, format!("{nodes} nodes"))
            .note(format!("at most {most_nodes} nodes can be made"))
            .tell(mistakes);
        return None;
    }
    if let Some(mistake) = unfit(kind) {
        mistakes.push(mistake);
        return None;
    }
    Some(made(kind))
}

/// What the number of something does not go with.
fn unfit(kind: &TopologyKind) -> Option<Diagnostic> {
    match kind {
        TopologyKind::Ring { switches, .. } if **switches < 3 => Some(
            Diagnostic::error("out-of-range", "a ring needs 3 switches or more")
                .at(&switches.at, "no ring")
                .help("two switches make a line: `kind = \"line\"`"),
        ),
        TopologyKind::FatTree { ports } if **ports % 2 == 1 => Some(
            Diagnostic::error("out-of-range", "`ports` must be even")
                .at(&ports.at, "half the ports of a switch lead up")
                .help("take one more or one less"),
        ),
        TopologyKind::Mesh { sides, .. } | TopologyKind::Torus { sides, .. }
            if sides.is_empty() =>
        {
            Some(
                Diagnostic::error("out-of-range", "`sides` must name a dimension or more")
                    .at(&sides.at, "an empty list")
                    .help("two dimensions: `sides = [3, 4]`"),
            )
        }
        TopologyKind::Star { .. }
        | TopologyKind::Line { .. }
        | TopologyKind::Ring { .. }
        | TopologyKind::Mesh { .. }
        | TopologyKind::Torus { .. }
        | TopologyKind::Tree { .. }
        | TopologyKind::LeafSpine { .. }
        | TopologyKind::FatTree { .. } => None,
    }
}

/// How many nodes the rule makes; `None` if a number is missing.
fn nodes(kind: &TopologyKind) -> Option<u64> {
    let number = |number: &Placed<u32>| number.sure().map(|number| u64::from(*number));
    let (switches, with_hosts, each) = match kind {
        TopologyKind::Star { hosts_per_switch } => (1, 1, hosts_per_switch),
        TopologyKind::Line {
            switches,
            hosts_per_switch,
        }
        | TopologyKind::Ring {
            switches,
            hosts_per_switch,
        } => (number(switches)?, number(switches)?, hosts_per_switch),
        TopologyKind::Mesh {
            sides,
            hosts_per_switch,
        }
        | TopologyKind::Torus {
            sides,
            hosts_per_switch,
        } => {
            let sides = sides.sure()?.iter().map(|side| u64::from(*side));
            let switches = sides.fold(1, u64::saturating_mul);
            (switches, switches, hosts_per_switch)
        }
        TopologyKind::Tree {
            levels,
            fanout,
            hosts_per_switch,
        } => {
            let fanout = number(fanout)?;
            let below = |level: &u64| Some(level.saturating_mul(fanout));
            let levels = std::iter::successors(Some(1), below).take(number(levels)? as usize);
            let (total, last) = levels.fold((0_u64, 0), |(total, _), level| {
                (total.saturating_add(level), level)
            });
            (total, last, hosts_per_switch)
        }
        TopologyKind::LeafSpine {
            leaves,
            spines,
            hosts_per_switch,
        } => {
            let leaves = number(leaves)?;
            (leaves + number(spines)?, leaves, hosts_per_switch)
        }
        TopologyKind::FatTree { ports } => {
            let ports = number(ports)?;
            return Some(ports * ports * ports / 4 + ports * ports * 5 / 4);
        }
    };
    Some(
        with_hosts
            .saturating_mul(u64::from(*each))
            .saturating_add(switches),
    )
}

fn made(kind: &TopologyKind) -> Plan {
    let size = |number: &Placed<u32>| **number as usize;
    match kind {
        TopologyKind::Star { hosts_per_switch } => row(1, *hosts_per_switch),
        TopologyKind::Line {
            switches,
            hosts_per_switch,
        } => row(size(switches), *hosts_per_switch),
        TopologyKind::Ring {
            switches,
            hosts_per_switch,
        } => {
            let mut plan = row(size(switches), *hosts_per_switch);
            plan.trunks.push((size(switches) - 1, 0));
            plan
        }
        TopologyKind::Mesh {
            sides,
            hosts_per_switch,
        } => grid(sides, false, *hosts_per_switch),
        TopologyKind::Torus {
            sides,
            hosts_per_switch,
        } => grid(sides, true, *hosts_per_switch),
        TopologyKind::Tree {
            levels,
            fanout,
            hosts_per_switch,
        } => tree(**levels, size(fanout), *hosts_per_switch),
        TopologyKind::LeafSpine {
            leaves,
            spines,
            hosts_per_switch,
        } => leaf_spine(size(leaves), size(spines), *hosts_per_switch),
        TopologyKind::FatTree { ports } => fat_tree(size(ports)),
    }
}

impl Plan {
    /// With hosts on all switches from `first` on, named after them.
    fn with_hosts(mut self, switches: impl Iterator<Item = usize>, each: u32) -> Self {
        for switch in switches {
            let number = &self.switches[switch][1..];
            let named = (1..=each).map(|n| (format!("H{number}_{n}"), switch));
            self.hosts.extend(named);
        }
        self
    }

    fn bare(switches: Vec<String>, trunks: Vec<(usize, usize)>) -> Self {
        Self {
            switches,
            trunks,
            hosts: Vec::new(),
        }
    }
}

fn numbered(letter: char, size: usize) -> impl Iterator<Item = String> {
    (1..=size).map(move |number| format!("{letter}{number}"))
}

/// Switches, each joined to the next.
fn row(size: usize, hosts: u32) -> Plan {
    let trunks = (1..size).map(|n| (n - 1, n)).collect();
    Plan::bare(numbered('S', size).collect(), trunks).with_hosts(0..size, hosts)
}

/// Switches in row-major order: the last dimension varies fastest.
fn grid(sides: &[u32], wraps: bool, hosts: u32) -> Plan {
    let sides: Vec<usize> = sides.iter().map(|side| *side as usize).collect();
    let size: usize = sides.iter().product();
    // From one switch to the next along each dimension, so many numbers.
    let strides: Vec<usize> = (0..sides.len())
        .map(|dimension| sides[dimension + 1..].iter().product())
        .collect();
    let place = |n: usize, dimension: usize| n / strides[dimension] % sides[dimension];
    let name = |n: usize| {
        let places: Vec<String> = (0..sides.len())
            .map(|dimension| (place(n, dimension) + 1).to_string())
            .collect();
        format!("S{}", places.join("_"))
    };
    let mut trunks = Vec::new();
    for n in 0..size {
        for dimension in (0..sides.len()).rev() {
            let (side, stride) = (sides[dimension], strides[dimension]);
            if place(n, dimension) + 1 < side {
                trunks.push((n, n + stride));
            } else if wraps && side > 2 {
                trunks.push((n, n - stride * (side - 1)));
            }
        }
    }
    Plan::bare((0..size).map(name).collect(), trunks).with_hosts(0..size, hosts)
}

fn tree(levels: u32, fanout: usize, hosts: u32) -> Plan {
    let widths = (0..levels).map(|level| fanout.pow(level));
    let size = widths.sum();
    let trunks = (1..size).map(|n| ((n - 1) / fanout, n)).collect();
    let last = fanout.pow(levels - 1);
    Plan::bare(numbered('S', size).collect(), trunks).with_hosts(size - last..size, hosts)
}

fn leaf_spine(leaves: usize, spines: usize, hosts: u32) -> Plan {
    let up = |leaf: usize| (0..spines).map(move |spine| (leaf, leaves + spine));
    let switches = numbered('L', leaves).chain(numbered('S', spines));
    let plan = Plan::bare(switches.collect(), (0..leaves).flat_map(up).collect());
    plan.with_hosts(0..leaves, hosts)
}

/// Pods of `ports / 2` edges and `ports / 2` aggregation switches; aggregation switch `i` of each
/// pod is joined to the `i`-th group of `ports / 2` core switches.
fn fat_tree(ports: usize) -> Plan {
    let half = ports / 2;
    let named = |letter: char| {
        let pairs = (1..=ports).flat_map(move |pod| (1..=half).map(move |i| (pod, i)));
        pairs.map(move |(pod, i)| format!("{letter}{pod}_{i}"))
    };
    let (edge, aggregation, core) = (0, ports * half, 2 * ports * half);
    let mut trunks = Vec::new();
    for pod in 0..ports {
        for i in 0..half {
            let up = aggregation + pod * half + i;
            trunks.extend((0..half).map(|j| (edge + pod * half + j, up)));
            trunks.extend((0..half).map(|j| (up, core + i * half + j)));
        }
    }
    let switches = named('E')
        .chain(named('A'))
        .chain(numbered('C', half * half));
    Plan::bare(switches.collect(), trunks).with_hosts(0..ports * half, half as u32)
}
