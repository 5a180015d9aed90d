//! The flit engine: when to measure, topology, routing.

use super::SEED;
use crate::table::{Choice, Key, Kind, Section, Selector};

/// Most cycles of any stretch of a run.
const MOST_CYCLES: u64 = 1_000_000_000_000;

/// When to measure.
pub(crate) static RUN: Section = Section {
    name: "[run]",
    about: "When to measure, when to stop, and from which seed. Measured packets are those born \
            in the window; the run goes on until they have arrived.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "warm_up",
            Kind::CyclesOr {
                word: "auto",
                min: 0,
                max: MOST_CYCLES,
            },
            "Cycles before the window; `auto` waits until throughput and latency have settled.",
        )
        .otherwise("`auto`; 0 where packets come from a trace")
        .cite("among others by MSER-5: White, Cobb and Spratt 2000"),
        Key::new(
            "warm_up_limit",
            Kind::Cycles {
                min: 1,
                max: MOST_CYCLES,
            },
            "With `warm_up = \"auto\"`, the window starts at the latest after this many cycles.",
        )
        .or("\"100000 cycles\""),
        Key::new(
            "measure",
            Kind::Cycles {
                min: 1,
                max: MOST_CYCLES,
            },
            "The window.",
        ),
        Key::new(
            "drain",
            Kind::Cycles {
                min: 0,
                max: MOST_CYCLES,
            },
            "After the window at most this many cycles for the measured packets to arrive; 0 stops \
             at its end.",
        )
        .or("\"100000 cycles\""),
        Key::new(
            "stall",
            Kind::Cycles {
                min: 1,
                max: MOST_CYCLES,
            },
            "Without a move for this many cycles while flits are in the network, it is deadlocked.",
        )
        .or("\"10000 cycles\""),
        SEED,
    ],
};

const LATENCY: Kind = Kind::Cycles { min: 1, max: 4_096 };

/// Routers, channels and terminals.
pub(crate) static TOPOLOGY: Section = Section {
    name: "[topology]",
    about: "Routers, channels and terminals by rule, or from a file. A channel carries one flit a \
            cycle, one way. Every terminal has an injection channel into a router and an ejection \
            channel out of one.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("kind", Kind::Choice(TOPOLOGIES), "The rule."),
        Key::new(
            "k",
            Kind::Whole {
                min: 2,
                max: 65_535,
                unit: "",
            },
            "Radix: a router of a fly has `k` inputs and `k` outputs, one of a fat tree `k` \
             channels down and `k` up.",
        )
        .only(&["fly", "fat-tree"]),
        Key::new(
            "n",
            Kind::Whole {
                min: 1,
                max: 24,
                unit: "",
            },
            "Stages of a fly, levels of a fat tree; there are `k` to the power of `n` terminals.",
        )
        .only(&["fly", "fat-tree"]),
        Key::new(
            "sides",
            Kind::Wholes {
                min: 1,
                max: 1 << 24,
                unit: "routers",
            },
            "Routers along each dimension: `[8, 8]`.",
        )
        .only(&["mesh", "torus"]),
        Key::new(
            "routers",
            Kind::Whole {
                min: 2,
                max: 65_535,
                unit: "routers",
            },
            "How many routers.",
        )
        .only(&["full"]),
        Key::new(
            "terminals",
            Kind::Whole {
                min: 1,
                max: 65_535,
                unit: "terminals",
            },
            "How many terminals.",
        )
        .only(&["crossbar"]),
        Key::new(
            "terminals_per_router",
            Kind::Whole {
                min: 1,
                max: 65_535,
                unit: "terminals",
            },
            "Terminals on each router; files that name terminals need none of these.",
        )
        .or("1")
        .only(&["mesh", "torus", "full", "file"]),
        Key::new(
            "file",
            Kind::Path,
            "The file that lists routers and channels.",
        )
        .only(&["file"]),
        Key::new("format", Kind::Choice(FORMATS), "Its form.")
            .otherwise("`anynet` for a file of that ending, `edges` for others")
            .only(&["file"]),
        Key::new(
            "latency",
            LATENCY,
            "Cycles on a channel between routers, from leaving a buffer to being able to leave \
             the next. A file may say otherwise; an `anynet` file always does.",
        )
        .or("\"1 cycles\"")
        .only(&["fly", "mesh", "torus", "fat-tree", "full", "file"]),
        Key::new(
            "injection_latency",
            LATENCY,
            "Cycles on a channel from a terminal.",
        )
        .or("\"1 cycles\""),
        Key::new(
            "ejection_latency",
            LATENCY,
            "Cycles on a channel to a terminal.",
        )
        .or("\"1 cycles\""),
    ],
};

/// The topologies.
pub(crate) const TOPOLOGIES: &[Choice] = &[
    Choice::new(
        "fly",
        "k-ary n-fly: `n` stages of k x k routers between terminals at its two sides.",
    ),
    Choice::new("mesh", "Routers in a grid of any number of dimensions."),
    Choice::new(
        "torus",
        "A mesh with wrap-around channels; a ring has one side.",
    ),
    Choice::new(
        "fat-tree",
        "k-ary n-tree: `n` levels of routers, terminals below the lowest.",
    ),
    Choice::new("full", "Every router has a channel to every other."),
    Choice::new("crossbar", "One router for all terminals."),
    Choice::new("file", "Routers and channels listed in a file."),
];

/// The forms of a file.
pub(crate) const FORMATS: &[Choice] = &[
    Choice::new(
        "anynet",
        "That of the simulator BookSim: `router 0 node 0 router 1 5` joins router 0 to terminal 0 \
         and to router 1, by a channel of 5 cycles.",
    ),
    Choice::new(
        "edges",
        "`a b` is a channel each way, `a -> b` one way; a number after it is its latency. \
         `terminal a` is a terminal at router a.",
    ),
];

/// Which way packets take.
pub(crate) static ROUTING: Section = Section {
    name: "[routing]",
    about: "Which way packets take.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("kind", Kind::Choice(ROUTINGS), "The rule.").otherwise(
            "`destination-tag` in a fly, `dimension-order` in a mesh, `dateline` in a torus, \
             `nearest-common-ancestor` in a fat tree, else `table`",
        ),
    ],
};

/// The rules of routing.
pub(crate) const ROUTINGS: &[Choice] = &[
    Choice::new(
        "destination-tag",
        "Fly: digit `i` of the destination chooses the output of stage `i`.",
    ),
    Choice::new("dimension-order", "Mesh: dimension 0 first, then 1, ..."),
    Choice::new(
        "dateline",
        "Torus: dimension order; on entering a dimension packets take one of two classes of lanes, \
         by which side of them their destination lies on. Needs 2 lanes.",
    )
    .cite("Dally and Seitz 1987"),
    Choice::new(
        "unrestricted",
        "Torus: dimension order without classes of lanes. It can deadlock.",
    ),
    Choice::new(
        "o1turn",
        "Mesh of two dimensions: x first or y first, drawn for each packet, a class of lanes \
         each. Needs 2 lanes.",
    )
    .cite("Seo et al. 2005"),
    Choice::new(
        "valiant",
        "Mesh or torus: by way of a random router, in dimension order each time. Needs 2 lanes, \
         in a torus 4.",
    )
    .cite("Valiant and Brebner 1981"),
    Choice::new(
        "minimal-adaptive",
        "Mesh or torus: any channel that leads nearer, with an escape lane in dimension order (in \
         a torus two). Needs 2 lanes, in a torus 3.",
    )
    .cite("Duato 1993"),
    Choice::new(
        "nearest-common-ancestor",
        "Fat tree: up by the channel with most free lanes as far as needed, then down.",
    ),
    Choice::new(
        "nearest-common-ancestor-random",
        "Fat tree: the same with every channel up drawn at random for each packet.",
    ),
    Choice::new(
        "table",
        "Any network: a shortest path, the lowest port first among equals.",
    ),
];
