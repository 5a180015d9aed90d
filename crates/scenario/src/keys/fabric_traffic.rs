//! The flit engine: what is sent.

use crate::table::{Choice, Group, Key, Kind, Section, Selector};

const PATTERN: Key = Key::new(
    "pattern",
    Kind::Short(&PATTERN_TABLE, "kind"),
    "Where packets go; a word alone stands for `{ kind = .. }`.",
);
const INJECTION: Key = Key::new(
    "injection",
    Kind::Short(&INJECTION_TABLE, "kind"),
    "When packets are born; a word alone stands for `{ kind = .. }`.",
);
const LOAD: Key = Key::new(
    "load",
    Kind::Portion,
    "Offered load, in flits per cycle and terminal.",
);
const FLITS: Key = Key::new(
    "flits",
    Kind::Short(&SIZE, "length"),
    "How long packets are; a number alone is the length of all.",
);

/// What is sent.
pub(crate) static TRAFFIC: Section = Section {
    name: "[traffic]",
    about: "What is sent. With `[[classes]]` it is what every class has unless it says otherwise.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "sources",
            Kind::Choice(SOURCES),
            "How packets enter at a terminal.",
        )
        .or("\"one\""),
        PATTERN.or("\"uniform\""),
        INJECTION.or("\"bernoulli\""),
        LOAD.otherwise("none: `bernoulli`, `constant` and `on-off` need it"),
        FLITS.or("1"),
    ],
};

/// Classes of packets.
pub(crate) static CLASSES: Section = Section {
    name: "[[classes]]",
    about: "A class of packets: what differs from `[traffic]`, and how routers treat it. What \
            stands here replaces the whole of what stands there.",
    selector: None,
    groups: &[Group {
        keys: &["load", "share"],
        required: false,
        only: &[],
    }],
    keys: &[
        Key::new("name", Kind::Name, "Its name in reports and references."),
        PATTERN.as_above(),
        INJECTION.as_above(),
        LOAD.as_above(),
        Key::new(
            "share",
            Kind::Portion,
            "Its load as a share of `traffic.load`.",
        )
        .otherwise("all of it"),
        FLITS.as_above(),
        Key::new(
            "priority",
            Kind::Whole {
                min: 0,
                max: 255,
                unit: "",
            },
            "The largest is served first by the arbiter `earliest`.",
        )
        .or("0"),
        Key::new(
            "deadline",
            Kind::Cycles {
                min: 1,
                max: u32::MAX as u64,
            },
            "Cycles from birth within which packets should arrive; late ones are counted, and \
             `earliest` sorts by it.",
        )
        .otherwise("none"),
        Key::new(
            "lane_group",
            Kind::Whole {
                min: 0,
                max: 31,
                unit: "",
            },
            "Group of lanes: classes of different groups never share a lane. Groups are numbered \
             from 0 without gaps and get equal parts of the lanes.",
        )
        .or("0"),
    ],
};

/// How packets enter.
pub(crate) const SOURCES: &[Choice] = &[
    Choice::new(
        "one",
        "One source: packets enter one after another, each on one lane.",
    ),
    Choice::new(
        "shared",
        "One queue; its packets take whatever lanes are free, side by side.",
    ),
    Choice::new(
        "per-lane",
        "An independent source for each lane, each with an equal part of the load.",
    )
    .cite("Dally 1992"),
];

static PATTERN_TABLE: Section = Section {
    name: "traffic.pattern",
    about: "Where packets go. Bits are those of the terminal's number.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[Group {
        keys: &["rows", "file"],
        required: true,
        only: &["matrix"],
    }],
    keys: &[
        Key::new("kind", Kind::Choice(PATTERNS), "The rule."),
        Key::new(
            "itself",
            Kind::Choice(ITSELF),
            "May a terminal send to itself?",
        )
        .or("\"excluded\"")
        .only(&["uniform"]),
        Key::new(
            "targets",
            Kind::Wholes {
                min: 0,
                max: (1 << 24) - 1,
                unit: "",
            },
            "The terminals that get more.",
        )
        .only(&["hotspot"]),
        Key::new(
            "weights",
            Kind::Wholes {
                min: 0,
                max: 1_000_000,
                unit: "",
            },
            "Weight of each target among them.",
        )
        .otherwise("all the same")
        .only(&["hotspot"]),
        Key::new(
            "share",
            Kind::Portion,
            "Share of the packets that go to `targets`; the rest goes everywhere, uniformly.",
        )
        .only(&["hotspot"]),
        Key::new(
            "rows",
            Kind::Rows,
            "For each source a row with the weight of each destination.",
        )
        .otherwise("from `file`")
        .only(&["matrix"]),
        Key::new("file", Kind::Path, "CSV file with a row for each source.")
            .otherwise("from `rows`")
            .only(&["matrix"]),
    ],
};

/// The patterns.
pub(crate) const PATTERNS: &[Choice] = &[
    Choice::new("uniform", "Every terminal is equally likely."),
    Choice::new("bit-complement", "All bits inverted."),
    Choice::new("bit-reverse", "Bits in reverse order."),
    Choice::new("shuffle", "Bits rotated left by one."),
    Choice::new(
        "transpose",
        "The two halves of the bits exchanged: x and y of a square.",
    ),
    Choice::new("tornado", "Nearly half the way around in each dimension."),
    Choice::new("neighbour", "The next one in each dimension."),
    Choice::new("hotspot", "Some terminals get more than others."),
    Choice::new(
        "permutation",
        "Each terminal sends to one and gets from one, drawn from the seed; it may be itself.",
    ),
    Choice::new("matrix", "By a weight for each source and destination."),
];

const ITSELF: &[Choice] = &[
    Choice::new("excluded", "Only to others."),
    Choice::new("included", "Also to itself, through its router."),
];

static INJECTION_TABLE: Section = Section {
    name: "traffic.injection",
    about: "When packets are born.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("kind", Kind::Choice(INJECTIONS), "The rule."),
        Key::new(
            "peak",
            Kind::Portion,
            "Load during a burst, at least `load`.",
        )
        .or("1.0")
        .only(&["on-off"]),
        Key::new(
            "burst",
            Kind::Cycles {
                min: 1,
                max: 1_000_000_000,
            },
            "Mean length of a burst.",
        )
        .only(&["on-off"]),
        Key::new(
            "outstanding",
            Kind::Whole {
                min: 1,
                max: 65_535,
                unit: "requests",
            },
            "Requests of a terminal that may be unanswered.",
        )
        .or("1")
        .only(&["request-reply"]),
        Key::new(
            "think",
            Kind::Cycles {
                min: 0,
                max: u32::MAX as u64,
            },
            "Cycles from a reply to the next request.",
        )
        .or("\"0 cycles\"")
        .only(&["request-reply"]),
        Key::new(
            "replies",
            Kind::Reference("class"),
            "The class of the replies; its own injection is `replies`.",
        )
        .only(&["request-reply"]),
        Key::new(
            "file",
            Kind::Path,
            "CSV file with the columns cycle, source, destination, flits, or those four in the \
             order of its heading, sorted by cycle.",
        )
        .only(&["trace"]),
    ],
};

/// The injections.
pub(crate) const INJECTIONS: &[Choice] = &[
    Choice::new(
        "bernoulli",
        "Each cycle a packet with the same probability, as `load` says.",
    ),
    Choice::new(
        "constant",
        "Evenly spaced, as `load` says, with a random phase for each source.",
    ),
    Choice::new(
        "on-off",
        "Bursts of geometric length, pauses between them; `load` is the mean.",
    ),
    Choice::new(
        "saturation",
        "Always one more packet than the network takes.",
    ),
    Choice::new(
        "request-reply",
        "A closed loop: a limited number of requests of each terminal unanswered.",
    ),
    Choice::new(
        "replies",
        "Nothing of its own: answers the requests of another class.",
    ),
    Choice::new("trace", "The packets of a file at their cycles."),
];

static SIZE: Section = Section {
    name: "traffic.flits",
    about: "How long packets are, in flits.",
    selector: Some(Selector {
        key: "kind",
        default: Some("fixed"),
    }),
    groups: &[],
    keys: &[
        Key::new("kind", Kind::Choice(SIZES), "The rule.").or("\"fixed\""),
        Key::new("length", FLITS_OF_ONE, "Flits of every packet.").only(&["fixed"]),
        Key::new("short", FLITS_OF_ONE, "Flits of a short packet.").only(&["bimodal"]),
        Key::new("long", FLITS_OF_ONE, "Flits of a long packet.").only(&["bimodal"]),
        Key::new(
            "long_share",
            Kind::Portion,
            "Share of the packets that are long, to a millionth.",
        )
        .only(&["bimodal"]),
        Key::new(
            "lengths",
            Kind::Wholes {
                min: 1,
                max: LENGTH_MAX,
                unit: "flits",
            },
            "Lengths that packets may have.",
        )
        .only(&["weighted"]),
        Key::new(
            "weights",
            Kind::Wholes {
                min: 0,
                max: 1_000_000,
                unit: "",
            },
            "Weight of each length.",
        )
        .only(&["weighted"]),
    ],
};

const LENGTH_MAX: u64 = flit::spec::LENGTH_MAX as u64;
const FLITS_OF_ONE: Kind = Kind::Whole {
    min: 1,
    max: LENGTH_MAX,
    unit: "flits",
};

/// The sizes.
pub(crate) const SIZES: &[Choice] = &[
    Choice::new("fixed", "All the same."),
    Choice::new("bimodal", "Short or long."),
    Choice::new("weighted", "One of several lengths, by weight."),
];
