//! The Ethernet engine: nodes, links, how long to run.

use super::ethernet_switch::{ECN, HIGH, LIMIT, LOW, MARK_ABOVE, QUANTUM};
use crate::kinds as is;
use crate::table::{Choice, Group, Key, Section, Selector};

const PER_SWITCH: &[&str] = &["chain", "ring"];
const TWO_TIER: &[&str] = &["two-tier"];
const DELAYS: &[Group] = &[Group {
    keys: &["delay", "cable"],
    required: false,
    only: &[],
}];

/// How long to run.
pub(crate) static RUN: Section = Section {
    name: "[run]",
    about: "How long to simulate, and from which seed.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "duration",
            &is::Clock { min_ps: 1 },
            "The run ends after this long.",
        ),
        Key::new(
            "warm_up",
            &is::Clock { min_ps: 0 },
            "Statistics start after this long.",
        )
        .or("\"0 s\""),
        super::SEED,
        Key::new(
            "stall",
            &is::Clock { min_ps: 1 },
            "Queues that have been stopped for so long without a start are looked at for a \
             deadlock.",
        )
        .or("\"200 ms\""),
    ],
};

const RATE: Key = Key::new("rate", &is::Rate, "Bits per second on the wire.");
const DELAY: Key = Key::new(
    "delay",
    &is::Clock { min_ps: 0 },
    "Propagation, one way; less than 1 ps counts as 1 ps.",
);
const CABLE: Key = Key::new(
    "cable",
    &is::Cable,
    "The same as a length of cable, at 5 ns/m.",
);
const ORDER: Key = Key::new(
    "order",
    &is::Words(ORDERS),
    "Which class of a port goes first.",
);

const ORDERS: &[Choice] = &[
    Choice::new(
        "strict-priority",
        "The highest class that may send; 7 is the most urgent.",
    ),
    Choice::new(
        "deficit-round-robin",
        "All in turn, each with its `quantum` of bytes.",
    )
    .cite("Shreedhar, Varghese 1996"),
];

/// What every link has.
pub(crate) static LINK: Section = Section {
    name: "[link]",
    about: "What every link has, both ways, unless `[[links]]` or `topology.trunk` says otherwise.",
    selector: None,
    groups: DELAYS,
    keys: &[
        RATE,
        DELAY.otherwise("from `cable`, or 0.5 us"),
        CABLE.otherwise("from `delay`"),
        Key::new(
            "mtu",
            &is::Whole {
                min: 576,
                max: 9_216,
                unit: "bytes",
            },
            "Largest IP packet: 1500, or up to 9216 with jumbo frames. Larger segments and \
             datagrams are warned of; segments fill it where it is given.",
        )
        .otherwise("1500"),
    ],
};

/// One link.
pub(crate) static LINKS: Section = Section {
    name: "[[links]]",
    about: "A full-duplex link between two nodes. It has two channels, named `A->B` and `B->A`; \
            the queues in front of each stand at the node it leaves.",
    selector: None,
    groups: DELAYS,
    keys: &[
        Key::new(
            "between",
            &is::ReferenceList("node"),
            "The two nodes it joins, by name; `S{1..5}` for one of them joins all five.",
        ),
        RATE.as_above(),
        DELAY.as_above(),
        CABLE.as_above(),
        ORDER.as_above(),
        LIMIT.as_above(),
        HIGH.as_above(),
        LOW.as_above(),
        QUANTUM.as_above(),
        MARK_ABOVE.as_above(),
        ECN.as_above(),
        Key::new(
            "forward",
            &is::Table(&CHANNEL),
            "What differs from the first node to the second.",
        )
        .otherwise("the same as the link"),
        Key::new(
            "backward",
            &is::Table(&CHANNEL),
            "What differs from the second to the first.",
        )
        .otherwise("the same as the link"),
    ],
};

static CHANNEL: Section = Section {
    name: "links.forward",
    about: "What differs in one direction of a link. `links.backward` and `topology.trunk`, for \
            all links between switches, have the same keys.",
    selector: None,
    groups: DELAYS,
    keys: &[
        RATE.as_above(),
        DELAY.as_above(),
        CABLE.as_above(),
        ORDER.as_above(),
        LIMIT.as_above(),
        HIGH.as_above(),
        LOW.as_above(),
        QUANTUM.as_above(),
        MARK_ABOVE.as_above(),
        ECN.as_above(),
    ],
};

/// Nodes by name.
pub(crate) static NETWORK: Section = Section {
    name: "[network]",
    about: "The nodes by name; `[[links]]` joins them. With one switch, stations that no link \
            names are joined to it.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "stations",
            &is::Names,
            "Nodes where flows start and end. Each has one link and forwards nothing. `D{1..5}` \
             stands for `D1` to `D5`.",
        ),
        Key::new("switches", &is::Names, "Nodes that forward.").or("[]"),
    ],
};

/// Nodes and links by rule.
pub(crate) static TOPOLOGY: Section = Section {
    name: "[topology]",
    about: "Nodes and links by rule. `[[links]]` may add links or override generated ones.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("kind", &is::Words(TOPOLOGIES), "The rule."),
        Key::new("stations", COUNT, "Stations of the switch.").only(&["star"]),
        Key::new("switches", COUNT, "How many switches (a ring needs 3).").only(PER_SWITCH),
        Key::new("stations_per_switch", COUNT, "Stations of each switch.")
            .or("1")
            .only(PER_SWITCH),
        Key::new("leaves", COUNT, "Switches with stations.").only(TWO_TIER),
        Key::new("stations_per_leaf", COUNT, "Stations of each leaf.").only(TWO_TIER),
        Key::new("spines", COUNT, "Switches that join all the leaves.").only(TWO_TIER),
        Key::new(
            "k",
            &is::Whole {
                min: 2,
                max: 128,
                unit: "ports",
            },
            "Ports of each switch, an even number: k^3/4 stations in k pods.",
        )
        .only(&["fat-tree"])
        .cite("Al-Fares, Loukissas, Vahdat 2008"),
        Key::new(
            "trunk",
            &is::Table(&CHANNEL),
            "What differs on links between switches.",
        )
        .otherwise("the same as `[link]`"),
    ],
};

const COUNT: &dyn is::Kind = &is::Whole {
    min: 1,
    max: 1_000_000,
    unit: "nodes",
};

/// The topologies.
pub(crate) const TOPOLOGIES: &[Choice] = &[
    Choice::new("star", "One switch, `A`, with stations `S1`, `S2`, .."),
    Choice::new(
        "chain",
        "Switches `A1`, `A2`, .. in a row, stations `S1_1`, `S1_2`, .. on `A1` and so on.",
    ),
    Choice::new("ring", "The same, the last joined to the first."),
    Choice::new(
        "two-tier",
        "Leaves `A1`, `A2`, .. with stations `S1_1`, .., each joined to every spine `B1`, `B2`, ..",
    ),
    Choice::new(
        "fat-tree",
        "Three tiers of switches with `k` ports: edges `E1_1`, .. (pod, number) with stations \
         `S1_1_1`, .., aggregation `A1_1`, .., core `C1`, ..",
    ),
];

/// `[switch]` has it, and each channel may differ.
pub(crate) const ORDER_KEY: Key = ORDER.or("\"strict-priority\"");
