//! Networks by rule and flows by rule, of cells and of frames alike.

use backwater_derive::table;

use crate::language::typed::Placed;

/// What the kind of [topology] sets.
#[table(part, by(kind, "The rule."))]
pub(crate) enum TopologyKind {
    /// One switch, `S1`, with all the hosts.
    Star {
        /// Hosts on each switch: on each leaf of a leaf-spine, on each switch of the last level
        /// of a tree.
        #[key(is = Whole { min: 1, max: 1_000_000, unit: "hosts" }, default = "1")]
        hosts_per_switch: u32,
    },
    /// Switches in a row, hosts on each.
    Line {
        /// How many switches (a ring needs 3).
        #[key(is = Whole { min: 1, max: 1_000_000, unit: "switches" })]
        switches: Placed<u32>,
        hosts_per_switch: u32,
    },
    /// Switches in a ring, hosts on each.
    Ring {
        switches: Placed<u32>,
        hosts_per_switch: u32,
    },
    /// Switches in a grid of any number of dimensions, joined to their neighbours, hosts on each.
    Mesh {
        /// Switches along each dimension: `[3, 4]` are three rows of four.
        #[key(is = Wholes(Whole { min: 1, max: 1_000_000, unit: "switches" }))]
        sides: Placed<Vec<u32>>,
        hosts_per_switch: u32,
    },
    /// A mesh with links that wrap around each side of three switches or more.
    Torus {
        sides: Placed<Vec<u32>>,
        hosts_per_switch: u32,
    },
    /// Switches in a tree, numbered level by level; hosts below the last level.
    Tree {
        /// Levels of switches; the hosts are below the last.
        #[key(is = Whole { min: 1, max: 20, unit: "levels" })]
        levels: Placed<u32>,
        /// Switches below each switch.
        #[key(is = Whole { min: 1, max: 1000, unit: "switches" })]
        fanout: Placed<u32>,
        hosts_per_switch: u32,
    },
    /// Leaves `L1`, `L2`, .. with hosts, each joined to every spine `S1`, `S2`, ..: a folded Clos
    /// network of two tiers.
    LeafSpine {
        /// Switches with hosts.
        #[key(is = Whole { min: 1, max: 1_000_000, unit: "switches" })]
        leaves: Placed<u32>,
        /// Switches that join all the leaves; of a rail-optimised network, 0 where rails are
        /// networks of their own.
        #[key(is = Whole { min: 0, max: 1_000_000, unit: "switches" })]
        spines: Placed<u32>,
        hosts_per_switch: u32,
    },
    /// Three tiers of switches with as many ports each: edges `E1_1`, .. (pod, number) with hosts
    /// `H1_1_1`, .., aggregation `A1_1`, .., core `C1`, ..
    FatTree {
        /// Ports of each switch, an even number: p^3/4 hosts in p pods. The Ethernet engine takes
        /// up to 90.
        #[key(is = Whole { min: 2, max: 128, unit: "ports" })]
        #[key(cite = "Al-Fares, Loukissas, Vahdat 2008")]
        ports: Placed<u32>,
    },
    /// Groups of switches, each switch joined to all of its group and to some of other groups, so
    /// that each two groups are joined: `S1_1`, .. (group, number) with hosts `H1_1_1`, ..
    #[word(cite = "Kim, Dally, Scott, Abts 2008")]
    Dragonfly {
        /// Groups: at least one more than `global_links`, at most one more than a group has
        /// links to others.
        #[key(is = Whole { min: 2, max: 100_000, unit: "groups" })]
        groups: Placed<u32>,
        /// Switches of each group.
        #[key(is = Whole { min: 1, max: 10_000, unit: "switches" })]
        switches_per_group: Placed<u32>,
        /// Links to other groups, of each switch that has some: of each in a dragonfly, of each
        /// spine in a dragonfly+.
        #[key(is = Whole { min: 1, max: 10_000, unit: "links" })]
        global_links: Placed<u32>,
        hosts_per_switch: u32,
    },
    /// A dragonfly whose groups have two tiers: leaves `L1_1`, .. with hosts, each joined to all
    /// spines `S1_1`, .. of its group, which are joined to those of other groups.
    #[word(name = "dragonfly+", cite = "Shpiner et al. 2017")]
    DragonflyPlus {
        groups: Placed<u32>,
        /// Switches with hosts of each group.
        #[key(is = Whole { min: 1, max: 10_000, unit: "switches" })]
        leaves_per_group: Placed<u32>,
        /// Switches of each group with links to other groups.
        #[key(is = Whole { min: 1, max: 10_000, unit: "switches" })]
        spines_per_group: Placed<u32>,
        global_links: Placed<u32>,
        hosts_per_switch: u32,
    },
    /// Servers with a network interface a GPU: interfaces `H1_1`, .. (server, rail) of the same
    /// number share leaves `L1_1`, .. (unit, rail), which all spines `S1`, .. join.
    RailOptimised {
        /// Servers.
        #[key(is = Whole { min: 1, max: 1_000_000, unit: "servers" })]
        servers: Placed<u32>,
        /// Interfaces of each server, each a host of its own: a rail is those of one number.
        #[key(is = Whole { min: 1, max: 1000, unit: "rails" }, default = "8")]
        rails: u32,
        /// Servers whose interfaces of a rail share a leaf.
        #[key(is = Whole { min: 1, max: 1_000_000, unit: "servers" }, default = "32")]
        servers_per_leaf: u32,
        spines: Placed<u32>,
    },
    /// Nodes and links as a file lists them, in a form that `backwater import` reads. Nodes that
    /// it numbers are hosts `H0` and switches `S1`, by their numbers.
    File {
        /// The file that lists nodes and links. What it says of a link goes before `[link]`, and
        /// `topology.trunk` and `[[links]]` before that.
        #[key(is = Path)]
        file: Placed<String>,
        /// Hosts on each switch of a file, beside those that it lists: `H_Kiel_1`, .. of a switch
        /// `Kiel`. Nodes of which the file does not say what they are, are switches then.
        #[key(is = Whole { min: 0, max: 1000, unit: "hosts" }, default = "0")]
        hosts_per_node: u32,
    },
}

/// What the kind of [[patterns]] sets.
#[table(part, by(kind, "The rule."))]
pub(crate) enum PatternsKind {
    /// One flow from every host, each to another one, at random.
    Permutation,
    /// Incast: one flow from every other host to one host.
    AllToOne {
        /// The host all others send to.
        #[key(is = Reference("host"))]
        to: Placed<String>,
    },
    /// One flow from every host to every other.
    AllToAll,
    /// Each flow between two different hosts drawn at random.
    RandomPairs {
        /// How many flows.
        #[key(is = Whole { min: 1, max: 10_000_000, unit: "flows" })]
        count: Placed<u32>,
    },
    /// One flow from every host to the host of the same number on the next switch, the last to the
    /// first.
    Neighbour,
}

impl PatternsKind {
    /// How many flows the file says it makes, whatever the hosts, and where.
    pub(crate) fn stated(&self) -> Option<(u64, &crate::language::source::At)> {
        match self.flows(0) {
            Some((count, Some(at))) => Some((count, at)),
            _ => None,
        }
    }

    /// How many flows it makes among so many hosts, as far as the file says; and where that
    /// stands.
    pub(crate) fn flows(&self, hosts: u64) -> Option<(u64, Option<&crate::language::source::At>)> {
        match self {
            Self::RandomPairs { count } => Some((u64::from(*count.sure()?), Some(&count.at))),
            Self::AllToAll => Some((hosts.saturating_mul(hosts.saturating_sub(1)), None)),
            Self::Permutation | Self::AllToOne { .. } | Self::Neighbour => Some((hosts, None)),
        }
    }
}
