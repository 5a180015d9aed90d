//! Topologies and routing.

use backwater_derive::{table, word};

use crate::language::typed::{Chosen, Placed};

/// Routers, channels and terminals by rule, or from a file. A channel carries one flit a cycle,
/// one way. Every terminal has an injection channel into a router and an ejection channel out of
/// one.
#[table("[topology]")]
pub(crate) struct Topology {
    #[key(flatten)]
    pub kind: Chosen<TopologyKind>,
    /// Cycles on a channel from a terminal; an `anynet` file says it for each.
    #[key(is = Cycles { min: 1, max: 4096 }, default = "\"1 cycle\"")]
    pub injection_latency: Placed<u16>,
    /// Cycles on a channel to a terminal; an `anynet` file says it for each.
    #[key(is = Cycles { min: 1, max: 4096 }, default = "\"1 cycle\"")]
    pub ejection_latency: Placed<u16>,
}

/// What the kind of [topology] sets.
#[table(part, by(kind, "The rule."))]
pub(crate) enum TopologyKind {
    /// k-ary n-fly: `n` stages of k x k routers between terminals at its two sides.
    Fly {
        /// Radix: a router of a fly has `k` inputs and `k` outputs, one of a fat tree `k`
        /// channels down and `k` up.
        #[key(is = Whole { min: 2, max: 65_535, unit: "" })]
        k: Placed<u32>,
        /// Stages of a fly, levels of a fat tree; there are `k` to the power of `n` terminals.
        #[key(is = Whole { min: 1, max: 24, unit: "" })]
        n: Placed<u32>,
        /// Cycles on a channel between routers, from leaving a buffer to being able to leave the
        /// next. A file may say otherwise; an `anynet` file always does.
        #[key(is = Cycles { min: 1, max: 4096 }, default = "\"1 cycle\"")]
        latency: Placed<u16>,
    },
    /// Routers in a grid of any number of dimensions.
    Mesh {
        /// Routers along each dimension: `[8, 8]`.
        #[key(is = Wholes(Whole { min: 1, max: 1 << 24, unit: "routers" }))]
        sides: Placed<Vec<u32>>,
        /// Terminals on each router; files that name terminals need none of these.
        #[key(is = Whole { min: 1, max: 65_535, unit: "terminals" }, default = "1")]
        terminals_per_router: Placed<u32>,
        latency: Placed<u16>,
    },
    /// A mesh with wrap-around channels; a ring has one side.
    Torus {
        sides: Placed<Vec<u32>>,
        terminals_per_router: Placed<u32>,
        latency: Placed<u16>,
    },
    /// k-ary n-tree: `n` levels of routers, terminals below the lowest.
    FatTree {
        k: Placed<u32>,
        n: Placed<u32>,
        latency: Placed<u16>,
    },
    /// Every router has a channel to every other.
    Full {
        /// How many routers.
        #[key(is = Whole { min: 2, max: 65_535, unit: "routers" })]
        routers: Placed<u32>,
        terminals_per_router: Placed<u32>,
        latency: Placed<u16>,
    },
    /// One router for all terminals.
    Crossbar {
        /// How many terminals.
        #[key(is = Whole { min: 1, max: 65_535, unit: "terminals" })]
        terminals: Placed<u32>,
    },
    /// Routers and channels listed in a file.
    File {
        terminals_per_router: Placed<u32>,
        /// The file that lists routers and channels.
        #[key(is = Path)]
        file: Placed<String>,
        /// Its form.
        #[key(otherwise = "`anynet` for a file of that ending, `edges` for others")]
        format: Option<Format>,
        latency: Placed<u16>,
    },
}

/// Which way packets take.
#[table("[routing]")]
pub(crate) struct Routing {
    /// The rule.
    #[key(
        otherwise = "`destination-tag` in a fly, `dimension-order` in a mesh, `dateline` in a \
                     torus, `nearest-common-ancestor` in a fat tree, else `table`"
    )]
    pub kind: Placed<Option<RoutingKind>>,
}

/// Words of `kind`: The rule.
#[word(of = backwater_flit::spec::RoutingSpec)]
pub(crate) enum RoutingKind {
    /// Fly: digit `i` of the destination chooses the output of stage `i`.
    DestinationTag,
    /// Mesh: dimension 0 first, then 1, ...
    DimensionOrder,
    /// Torus: dimension order; on entering a dimension packets take one of two classes of VCs,
    /// by which side of them their destination lies on. Needs 2 VCs.
    #[word(cite = "Dally and Seitz 1987")]
    Dateline,
    /// Torus: dimension order without classes of VCs. It can deadlock.
    Unrestricted,
    /// Mesh of two dimensions: x first or y first, drawn for each packet, a class of VCs each.
    /// Needs 2 VCs.
    #[word(cite = "Seo et al. 2005", of = O1Turn)]
    O1turn,
    /// Mesh or torus: by way of a random router, in dimension order each time. Needs 2 VCs, in
    /// a torus 4.
    #[word(cite = "Valiant and Brebner 1981")]
    Valiant,
    /// Mesh or torus: any channel that leads nearer, with an escape VC in dimension order (in a
    /// torus two). Needs 2 VCs, in a torus 3.
    #[word(cite = "Duato 1993")]
    MinimalAdaptive,
    /// Fat tree: up by the channel with most free VCs as far as needed, then down.
    NearestCommonAncestor,
    /// Fat tree: the same with every channel up drawn at random for each packet.
    NearestCommonAncestorRandom,
    /// Any network: a shortest path, the lowest port first among equals.
    Table,
}

/// Words of `format`: Its form.
#[word]
pub(crate) enum Format {
    /// That of the simulator BookSim: `router 0 node 0 router 1 5` joins router 0 to terminal 0
    /// and to router 1, by a channel of 5 cycles.
    Anynet,
    /// `a b` is a channel each way, `a -> b` one way; a number after it is its latency. `terminal
    /// a` is a terminal at router a.
    Edges,
}
