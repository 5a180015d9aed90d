//! Topologies by rule: switches, the links between them, and the hosts on each.

use crate::Limits;
use crate::given::topology::TopologyKind;
use crate::network::room::out_of_memory;
use crate::prelude::*;

/// A network by rule.
pub(crate) struct Plan {
    /// Switches by name.
    pub switches: Vec<String>,
    /// Links between switches.
    pub trunks: Vec<(usize, usize)>,
    /// Hosts by name, each with the switch it hangs on, in the order of switches.
    pub hosts: Vec<(String, usize)>,
}

/// Of a fat tree, the most ports with which it has no more nodes than these.
fn most_ports(kind: &TopologyKind, most_nodes: u64) -> Option<String> {
    let TopologyKind::FatTree { ports } = kind else {
        return None;
    };
    let nodes = |ports: u64| ports * ports * 5 / 4 + ports * ports * ports / 4;
    let mut fewer = (2..u64::from(**ports)).rev().filter(|ports| ports % 2 == 0);
    let most = fewer.find(|ports| nodes(*ports) <= most_nodes)?;
    Some(format!("write `ports = {most}` or less"))
}

/// How much a rule makes.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    /// Switches and hosts.
    pub nodes: u64,
    /// Links, those of hosts too.
    pub links: u64,
    /// Switches.
    pub switches: u64,
    /// Switches with hosts.
    pub with_hosts: u64,
}

impl Size {
    fn of(switches: u64, trunks: u64, with_hosts: u64, hosts: u64) -> Self {
        Self {
            nodes: switches.saturating_add(hosts),
            links: trunks.saturating_add(hosts),
            switches,
            with_hosts,
        }
    }
}

/// What the rule makes; `None` if it can't, which is then said. What is made has at most so many
/// nodes, and `needs` so much memory: both are asked before.
pub(crate) fn plan(
    kind: &Chosen<TopologyKind>,
    at: &At,
    (most_nodes, needs, limits): (u64, fn(&Size) -> u64, &Limits),
    mistakes: &mut Diagnostics,
) -> Option<Plan> {
    let kind = kind.sure()?;
    let (size, make) = rule(kind)?;
    let nodes = size.nodes;
    if nodes > most_nodes {
        Diagnostic::error("too-large", "the topology has too many nodes")
            .at(at, format!("{nodes} nodes"))
            .note(format!("at most {most_nodes} nodes can be made"))
            .help_if(most_ports(kind, most_nodes))
            .tell(mistakes);
        return None;
    }
    if let Some(mistake) = unfit(kind) {
        mistakes.push(mistake);
        return None;
    }
    let needed = needs(&size);
    if let Some(free) = limits.memory_bytes.filter(|free| needed > *free) {
        let what = format!("{nodes} nodes and {} links", size.links);
        let place = (at, "the network is made here");
        out_of_memory(place, (needed, &what), free)
            .help("make the network smaller")
            .tell(mistakes);
        return None;
    }
    Some(make())
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

/// What makes the nodes once it is known that they are not too many.
type Make = Box<dyn FnOnce() -> Plan>;

/// How much the rule makes, and what makes it; `None` if a number is missing.
fn rule(kind: &TopologyKind) -> Option<(Size, Make)> {
    match *kind {
        TopologyKind::Star {
            hosts_per_switch: each,
        } => of((1, 0, 1), each, move || row(1, each)),
        TopologyKind::Line {
            ref switches,
            hosts_per_switch: each,
        } => {
            let size = *switches.sure()?;
            of((size.into(), size.into(), size.into()), each, move || {
                row(size as usize, each)
            })
        }
        TopologyKind::Ring {
            ref switches,
            hosts_per_switch: each,
        } => {
            let size = *switches.sure()?;
            of((size.into(), size.into(), size.into()), each, move || {
                ring(size as usize, each)
            })
        }
        TopologyKind::Mesh {
            ref sides,
            hosts_per_switch: each,
        } => grids(sides.sure()?, false, each),
        TopologyKind::Torus {
            ref sides,
            hosts_per_switch: each,
        } => grids(sides.sure()?, true, each),
        TopologyKind::Tree {
            ref levels,
            ref fanout,
            hosts_per_switch: each,
        } => {
            let (levels, fanout) = (*levels.sure()?, *fanout.sure()?);
            let below = |level: &u64| Some(level.saturating_mul(fanout.into()));
            let widths = std::iter::successors(Some(1), below).take(levels as usize);
            let (total, last) = widths.fold((0_u64, 0), |(total, _), level| {
                (total.saturating_add(level), level)
            });
            of((total, total, last), each, move || {
                tree(levels, fanout as usize, each)
            })
        }
        TopologyKind::LeafSpine {
            ref leaves,
            ref spines,
            hosts_per_switch: each,
        } => {
            let (leaves, spines) = (*leaves.sure()?, *spines.sure()?);
            let (down, up) = (u64::from(leaves), u64::from(spines));
            of((down + up, down * up, down), each, move || {
                leaf_spine(leaves as usize, spines as usize, each)
            })
        }
        TopologyKind::FatTree { ref ports } => {
            let ports = *ports.sure()?;
            let all = u64::from(ports);
            let (hosts, edges) = (all * all * all / 4, all * all / 2);
            let size = Size::of(all * all * 5 / 4, 2 * hosts, edges, hosts);
            Some((size, Box::new(move || fat_tree(ports as usize))))
        }
    }
}

/// The rule that makes so many switches with so many links between them, of which so many have this
/// many hosts each.
fn of(
    (switches, trunks, with_hosts): (u64, u64, u64),
    each: u32,
    make: impl FnOnce() -> Plan + 'static,
) -> Option<(Size, Make)> {
    let hosts = with_hosts.saturating_mul(each.into());
    let size = Size::of(switches, trunks, with_hosts, hosts);
    Some((size, Box::new(make)))
}

/// The rule of a mesh or a torus.
fn grids(sides: &[u32], wraps: bool, each: u32) -> Option<(Size, Make)> {
    let product = |all: u64, side: &u32| all.saturating_mul((*side).into());
    let size = sides.iter().fold(1, product);
    let along = sides.iter().filter(|side| **side > 1).count() as u64;
    let sides = sides.to_vec();
    of((size, size.saturating_mul(along), size), each, move || {
        grid(&sides, wraps, each)
    })
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

/// The same, and the last to the first.
fn ring(size: usize, hosts: u32) -> Plan {
    let mut plan = row(size, hosts);
    plan.trunks.push((size - 1, 0));
    plan
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
