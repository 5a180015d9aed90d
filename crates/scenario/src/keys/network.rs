//! Nodes and links.

use super::{explicit_rate, service};
use crate::kinds as is;
use crate::table::{Choice, Key, Section, Selector};

const RATE: Key = Key::new("rate", &is::Rate, "Line rate, each way.");
const DELAY: Key = Key::new(
    "delay",
    &is::Time { min_ps: 1 },
    "Propagation: from the first bit sent to the first bit received.",
);
const HANDLING: Key = Key::new(
    "handling",
    &is::Time { min_ps: 0 },
    "Time the receiving node takes before anything that arrived, data or control, has an effect.",
)
.or("\"0 s\"")
.cite("Kung 1993, section 4.1: part of the round trip R");
const TIMING: Key = Key::new(
    "timing",
    &is::Words(TIMINGS),
    "When an arriving unit can be used.",
)
.or("\"store-and-forward\"");
const DATA_LOSS: Key = Key::new(
    "data_loss",
    &is::Probability,
    "Probability that a data unit is lost on the wire.",
)
.or("0.0");
const CONTROL_LOSS: Key = Key::new(
    "control_loss",
    &is::Probability,
    "Probability that a control unit is corrupted, found by its CRC and discarded.",
)
.or("0.0")
.cite("Kung 1993, section 4.5");
const CONTROL_CORRUPTION: Key = Key::new(
    "control_corruption",
    &is::Probability,
    "Probability that a control unit's value is corrupted and nobody notices: its low 8 bits \
     become random.",
)
.or("0.0");
const ERRORS_FROM: Key = Key::new(
    "errors_from",
    &is::Time { min_ps: 0 },
    "Losses and corruption happen from this instant on.",
)
.or("\"0 s\"");

const SCHEDULER: Key = Key::new(
    "scheduler",
    const { &is::Table(&service::SCHEDULER) },
    "Which unit leaves the sending port next, instead of `[scheduler]`.",
);

const EXPLICIT_RATE: Key = Key::new(
    "explicit_rate",
    const { &is::Table(&explicit_rate::EXPLICIT_RATE) },
    "What the sending port tells the sources of ABR circuits; of channels that leave switches.",
);

const OUTAGES: Key = Key::new(
    "outages",
    const { &is::Tables(&explicit_rate::OUTAGES) },
    "When the link is cut.",
)
.otherwise("never");

const TIMINGS: &[Choice] = &[
    Choice::new("store-and-forward", "When its last bit is in."),
    Choice::new("cut-through", "When its first bit is in."),
];

/// What every link has.
pub(crate) static LINK: Section = Section {
    name: "[link]",
    about: "What every link has, both ways, unless `[[links]]` or `topology.trunk` says otherwise.",
    selector: None,
    groups: &[],
    keys: &[
        RATE,
        DELAY,
        HANDLING,
        TIMING,
        DATA_LOSS,
        CONTROL_LOSS,
        CONTROL_CORRUPTION,
        ERRORS_FROM,
        SCHEDULER.as_above(),
        EXPLICIT_RATE.otherwise("nothing"),
    ],
};

/// One link.
pub(crate) static LINKS: Section = Section {
    name: "[[links]]",
    about: "A full-duplex link between two nodes. It has two channels, named `A->B` and `B->A`.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "between",
            &is::ReferenceList("node"),
            "The two nodes it joins, by name.",
        ),
        Key::new(
            "count",
            &is::Whole {
                min: 1,
                max: 1_000_000,
                unit: "links",
            },
            "Repeats the link; `{i}` in the names of its nodes is the number.",
        )
        .otherwise("one link"),
        RATE.as_above(),
        DELAY.as_above(),
        HANDLING.as_above(),
        TIMING.as_above(),
        DATA_LOSS.as_above(),
        CONTROL_LOSS.as_above(),
        CONTROL_CORRUPTION.as_above(),
        ERRORS_FROM.as_above(),
        SCHEDULER.as_above(),
        EXPLICIT_RATE.as_above(),
        OUTAGES,
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
    groups: &[],
    keys: &[
        RATE.as_above(),
        DELAY.as_above(),
        HANDLING.as_above(),
        TIMING.as_above(),
        DATA_LOSS.as_above(),
        CONTROL_LOSS.as_above(),
        CONTROL_CORRUPTION.as_above(),
        ERRORS_FROM.as_above(),
        SCHEDULER.as_above(),
        EXPLICIT_RATE.as_above(),
    ],
};

/// Nodes by name.
pub(crate) static NETWORK: Section = Section {
    name: "[network]",
    about: "The nodes by name; `[[links]]` joins them.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "hosts",
            &is::Names,
            "Nodes where flows start and end. They forward nothing. `D{1..5}` stands for `D1` to \
             `D5`.",
        ),
        Key::new(
            "switches",
            &is::Names,
            "Nodes that forward: common memory, output scheduled.",
        )
        .or("[]"),
    ],
};

/// Nodes and links by rule.
pub(crate) static TOPOLOGY: Section = Section {
    name: "[topology]",
    about: "Nodes and links by rule. Switches are `S1`, `S2`, .. (`S1_1` in a grid: row, column); \
            the hosts of a switch carry its number: `H1_1`, `H1_2`, .. (`H1_1_1` in a grid). \
            `[[links]]` may add links or override generated ones.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("kind", &is::Words(TOPOLOGIES), "The rule."),
        Key::new(
            "switches",
            &is::Whole {
                min: 1,
                max: 1_000_000,
                unit: "switches",
            },
            "How many switches (a ring needs 3).",
        )
        .only(&["line", "ring"]),
        Key::new(
            "rows",
            &is::Whole {
                min: 1,
                max: 10_000,
                unit: "rows",
            },
            "Rows of the grid.",
        )
        .only(&["grid"]),
        Key::new(
            "columns",
            &is::Whole {
                min: 1,
                max: 10_000,
                unit: "columns",
            },
            "Columns of the grid.",
        )
        .only(&["grid"]),
        Key::new(
            "depth",
            &is::Whole {
                min: 1,
                max: 20,
                unit: "levels",
            },
            "Levels of switches; the hosts are below the last.",
        )
        .only(&["tree"]),
        Key::new(
            "fanout",
            &is::Whole {
                min: 1,
                max: 1_000,
                unit: "switches",
            },
            "Switches below each switch.",
        )
        .only(&["tree"]),
        Key::new(
            "hosts_per_switch",
            &is::Whole {
                min: 1,
                max: 1_000_000,
                unit: "hosts",
            },
            "Hosts on each switch (in a tree: on each switch of the last level).",
        )
        .or("1"),
        Key::new(
            "trunk",
            &is::Table(&CHANNEL),
            "What differs on links between switches.",
        )
        .otherwise("the same as `[link]`"),
    ],
};

/// The topologies.
pub(crate) const TOPOLOGIES: &[Choice] = &[
    Choice::new("line", "Switches in a row, hosts on each."),
    Choice::new("ring", "Switches in a ring, hosts on each."),
    Choice::new("star", "One switch, `S1`, with all the hosts."),
    Choice::new(
        "grid",
        "Switches in rows and columns, joined to their neighbours, hosts on each.",
    ),
    Choice::new(
        "tree",
        "Switches in a tree, numbered level by level; hosts below the last level.",
    ),
];
