//! Topologies by rule: switches, the links between them, and the hosts on each.
//!
//! A topology is a file below: how much it makes, which is asked before, and what makes it.
//! Its line in [`rule`] takes the numbers that the file gives.

mod copies;
mod dragonfly;
mod fat_tree;
mod grid;
mod leaf_spine;
mod rails;
mod row;
mod tree;

pub(crate) use self::copies::Copies;
use self::dragonfly::Groups;
use self::rails::Rails;
use crate::Limits;
use crate::given::topology::TopologyKind;
use crate::network::room::out_of_memory;
use crate::prelude::*;
use backwater_kernel::words::counted;

/// A network by rule.
pub(crate) struct Plan {
    /// Switches by name.
    pub switches: Vec<String>,
    /// Links between switches.
    pub trunks: Vec<(usize, usize)>,
    /// Hosts by name, each with the switch it hangs on, in the order of switches.
    pub hosts: Vec<(String, usize)>,
    /// Further links of hosts, to switches, in the order of hosts.
    pub more: Vec<(usize, usize)>,
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
    (kind, copies): (&Chosen<TopologyKind>, Copies),
    at: &At,
    (most_nodes, needs, limits): (u64, fn(&Size) -> u64, &Limits),
    mistakes: &mut Diagnostics,
) -> Option<Plan> {
    let kind = kind.sure()?;
    let (size, make) = copies.of(rule(kind)?, mistakes)?;
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
        let what = format!(
            "{} and {}",
            counted(nodes, "node"),
            counted(size.links, "link")
        );
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
        TopologyKind::LeafSpine { spines, .. } if **spines == 0 => Some(
            Diagnostic::error("out-of-range", "leaves need a spine or more")
                .at(&spines.at, "nothing joins the leaves")
                .help("one switch with all the hosts: `kind = \"star\"`"),
        ),
        TopologyKind::Dragonfly {
            groups,
            switches_per_group: switches,
            global_links,
            ..
        }
        | TopologyKind::DragonflyPlus {
            groups,
            spines_per_group: switches,
            global_links,
            ..
        } => too_many_groups(groups, **switches, **global_links),
        TopologyKind::Star { .. }
        | TopologyKind::Line { .. }
        | TopologyKind::Ring { .. }
        | TopologyKind::Mesh { .. }
        | TopologyKind::Torus { .. }
        | TopologyKind::Tree { .. }
        | TopologyKind::LeafSpine { .. }
        | TopologyKind::FatTree { .. }
        | TopologyKind::RailOptimised { .. }
        | TopologyKind::File { .. } => None,
    }
}

/// Groups that can't each be joined to every other, or only by two links of one switch.
fn too_many_groups(groups: &Placed<u32>, switches: u32, global_links: u32) -> Option<Diagnostic> {
    let joined = Groups {
        groups: **groups,
        switches,
        global_links,
    };
    let (least, most) = joined.least_and_most();
    if (least..=most).contains(&u64::from(**groups)) {
        return None;
    }
    let links = counted(most - 1, "link");
    Some(
        Diagnostic::error("out-of-range", "each two groups can't be joined")
            .at(&groups.at, format!("a group has {links} to others"))
            .note(
                "a switch has at most one link to another group, and each group one to each other",
            )
            .help(format!("take {least} to {most} groups")),
    )
}

/// What makes the nodes once it is known that they are not too many.
type Make = Box<dyn FnOnce() -> Plan>;

/// How much a rule makes, and what makes it: one value, from one file.
type Rule = (Size, Make);

/// The rule of a kind; `None` if a number is missing.
fn rule(kind: &TopologyKind) -> Option<Rule> {
    Some(match *kind {
        TopologyKind::Star {
            hosts_per_switch: each,
        } => row::star(each),
        TopologyKind::Line {
            ref switches,
            hosts_per_switch: each,
        } => row::line(*switches.sure()?, each),
        TopologyKind::Ring {
            ref switches,
            hosts_per_switch: each,
        } => row::ring(*switches.sure()?, each),
        TopologyKind::Mesh {
            ref sides,
            hosts_per_switch: each,
        } => grid::rule(sides.sure()?, false, each),
        TopologyKind::Torus {
            ref sides,
            hosts_per_switch: each,
        } => grid::rule(sides.sure()?, true, each),
        TopologyKind::Tree {
            ref levels,
            ref fanout,
            hosts_per_switch: each,
        } => tree::rule(*levels.sure()?, *fanout.sure()?, each),
        TopologyKind::LeafSpine {
            ref leaves,
            ref spines,
            hosts_per_switch: each,
        } => leaf_spine::rule(*leaves.sure()?, *spines.sure()?, each),
        TopologyKind::FatTree { ref ports } => fat_tree::rule(*ports.sure()?),
        TopologyKind::Dragonfly {
            ref groups,
            ref switches_per_group,
            ref global_links,
            hosts_per_switch: each,
        } => dragonfly::rule(joined(groups, switches_per_group, global_links)?, each),
        TopologyKind::DragonflyPlus {
            ref groups,
            ref leaves_per_group,
            ref spines_per_group,
            ref global_links,
            hosts_per_switch: each,
        } => {
            let joined = joined(groups, spines_per_group, global_links)?;
            dragonfly::plus(joined, *leaves_per_group.sure()?, each)
        }
        TopologyKind::RailOptimised {
            ref servers,
            rails,
            servers_per_leaf,
            ref spines,
        } => rails::rule(Rails {
            servers: *servers.sure()?,
            rails,
            servers_per_leaf,
            spines: *spines.sure()?,
        }),
        // Nothing is made by rule.
        TopologyKind::File { .. } => return None,
    })
}

fn joined(
    groups: &Placed<u32>,
    switches: &Placed<u32>,
    global_links: &Placed<u32>,
) -> Option<Groups> {
    Some(Groups {
        groups: *groups.sure()?,
        switches: *switches.sure()?,
        global_links: *global_links.sure()?,
    })
}

/// The rule that makes so many switches with so many links between them, of which so many have this
/// many hosts each.
fn of(
    (switches, trunks, with_hosts): (u64, u64, u64),
    each: u32,
    make: impl FnOnce() -> Plan + 'static,
) -> Rule {
    let hosts = with_hosts.saturating_mul(each.into());
    let size = Size::of(switches, trunks, with_hosts, hosts);
    (size, Box::new(make))
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
            more: Vec::new(),
        }
    }
}

fn numbered(letter: char, size: usize) -> impl Iterator<Item = String> {
    (1..=size).map(move |number| format!("{letter}{number}"))
}
