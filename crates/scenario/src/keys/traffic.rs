//! What sources want to send, when they may, and how destinations consume.

use super::abr::ABR_KEYS;
use super::cell_traffic::{
    BOTTLENECKED, MORE_KEYS, OVERHEAD, REQUESTS_WORD, TCP_BACK, TCP_OF_TRAFFIC, TCP_WORD,
};
use crate::kinds as is;
use crate::table::{Choice, Group, Key, Section, Selector, joined};

const UNITS: u64 = 1 << 30;
const TIMED: &[&str] = &[
    "greedy",
    "constant",
    "poisson",
    "trains",
    "on-off",
    "client",
    "requests",
    "bottlenecked",
    "tcp",
];
const COUNTED: &[&str] = &["greedy", "constant", "poisson", "trains"];
const OPEN: &[&str] = &["constant", "poisson", "trains"];
const TRAINS: &[&str] = &["trains"];
const BURSTS: &[&str] = &["on-off"];
const CLIENT: &[&str] = &["client"];
const JAIN: &str = "Jain, Routhier 1986; Zhang 1991, section 4.1";

/// What the application wants to send.
pub(crate) static TRAFFIC: Section = Section {
    name: "flows.traffic",
    about: "What the application wants to send.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[
        Group {
            keys: &["interval", "load", "rate"],
            required: true,
            only: OPEN,
        },
        Group {
            keys: &["on_interval", "on_load"],
            required: false,
            only: BURSTS,
        },
        Group {
            keys: &["off_interval", "off_load"],
            required: false,
            only: BURSTS,
        },
    ],
    keys: &TRAFFIC_KEYS,
};

const TRAFFIC_KEYS: [Key; TRAFFIC_OWN.len() + MORE_KEYS.len() + 1 + TCP_OF_TRAFFIC.len()] =
    joined(&[TRAFFIC_OWN, &MORE_KEYS, &[OVERHEAD], &TCP_OF_TRAFFIC]);

const TRAFFIC_OWN: &[Key] = &[
    Key::new("kind", &is::Words(TRAFFICS), "The kind of source."),
    Key::new(
        "start",
        &is::Time { min_ps: 0 },
        "Nothing is offered before.",
    )
    .or("\"0 s\"")
    .only(TIMED),
    Key::new(
        "total",
        &is::Whole {
            min: 1,
            max: 1 << 62,
            unit: "units",
        },
        "Units in all; then the source is done.",
    )
    .otherwise("without end")
    .only(COUNTED),
    Key::new(
        "interval",
        &is::Time { min_ps: 1 },
        "Time between units (poisson and trains: on average).",
    )
    .otherwise("from `load` or `rate`")
    .only(OPEN),
    Key::new(
        "load",
        &is::Share,
        "Share of the rate of the source's first link.",
    )
    .otherwise("from `interval` or `rate`")
    .only(OPEN),
    Key::new(
        "rate",
        &is::Rate,
        "Bits offered per second, counted on the wire.",
    )
    .otherwise("from `interval` or `load`")
    .only(OPEN),
    Key::new("phase", &is::Words(PHASES), "When the first unit comes.")
        .or("\"fixed\"")
        .only(&["constant"]),
    Key::new(
        "min_gap",
        &is::Time { min_ps: 0 },
        "Least time between units; shorter than the mean, which stays as it is.",
    )
    .or("\"0 s\"")
    .only(&["poisson"]),
    Key::new(
        "length",
        &is::Decimal { min: 1.0, max: 1e9 },
        "Units of a train, on average (geometric).",
    )
    .only(TRAINS)
    .cite(JAIN),
    Key::new(
        "gap",
        &is::Time { min_ps: 1 },
        "Time after every unit of a train; shorter than the mean time between units. An \
             exponential pause of mean `length` * (mean time - `gap`) follows each train.",
    )
    .otherwise("half the mean time between units")
    .only(TRAINS)
    .cite(JAIN),
    Key::new("on", &is::Span { min_ps: 1 }, "Length of a burst.").only(BURSTS),
    Key::new("off", &is::Span { min_ps: 1 }, "Length of a pause.").only(BURSTS),
    Key::new(
        "on_interval",
        &is::Time { min_ps: 1 },
        "Time between units in a burst.",
    )
    .otherwise("the full rate of the source's first link")
    .only(BURSTS),
    Key::new(
        "on_load",
        &is::Share,
        "Share of the first link's rate in a burst.",
    )
    .otherwise("the full rate of the source's first link")
    .only(BURSTS),
    Key::new(
        "off_interval",
        &is::Time { min_ps: 1 },
        "Time between units in a pause.",
    )
    .otherwise("silence")
    .only(BURSTS),
    Key::new(
        "off_load",
        &is::Share,
        "Share of the first link's rate in a pause.",
    )
    .otherwise("silence")
    .only(BURSTS),
    Key::new(
        "request_units",
        &is::Whole {
            min: 1,
            max: UNITS,
            unit: "units",
        },
        "A request.",
    )
    .otherwise("3; 16 with `requests`")
    .only(&["client", "requests"]),
    Key::new(
        "lookups",
        &is::Whole {
            min: 0,
            max: UNITS,
            unit: "look-ups",
        },
        "Look-ups before the reads of a file.",
    )
    .or("2")
    .only(CLIENT),
    Key::new(
        "lookup_units",
        &is::Whole {
            min: 1,
            max: UNITS,
            unit: "units",
        },
        "The reply to a look-up.",
    )
    .or("3")
    .only(CLIENT),
    Key::new(
        "file_median",
        &is::Size {
            min: 1,
            max: 1 << 50,
        },
        "Median size of a file (lognormal).",
    )
    .or("\"6 kB\"")
    .only(CLIENT),
    Key::new(
        "file_sigma",
        &is::Decimal {
            min: 0.0,
            max: 10.0,
        },
        "Standard deviation of the logarithm of the file size.",
    )
    .or("1.5")
    .only(CLIENT),
    Key::new(
        "block",
        &is::Size { min: 1, max: UNITS },
        "Payload of a full read.",
    )
    .or("\"8 KiB\"")
    .only(CLIENT),
    Key::new(
        "header",
        &is::Size {
            min: 0,
            max: 1 << 20,
        },
        "Protocol bytes around the payload of each read.",
    )
    .or("\"160 B\"")
    .only(CLIENT),
    Key::new(
        "payload",
        &is::Size {
            min: 1,
            max: 1 << 20,
        },
        "Payload of one unit.",
    )
    .or("\"48 B\"")
    .only(&["client", "tcp"]),
    Key::new(
        "outstanding",
        &is::Whole {
            min: 1,
            max: 1 << 20,
            unit: "reads",
        },
        "Reads outstanding at once.",
    )
    .or("1")
    .only(CLIENT),
    Key::new(
        "lookup_service",
        &is::Span { min_ps: 0 },
        "Server's time for a look-up.",
    )
    .or("{ mean = \"300 us\" }")
    .only(CLIENT),
    Key::new(
        "read_service",
        &is::Span { min_ps: 0 },
        "Server's time for a read.",
    )
    .or("{ mean = \"1.5 ms\" }")
    .only(CLIENT),
    Key::new(
        "think",
        &is::Span { min_ps: 0 },
        "Client's time before each request.",
    )
    .otherwise("`{ mean = \"300 us\" }`; 0 s with `tcp`")
    .only(&["client", "tcp"]),
];

const PHASES: &[Choice] = &[
    Choice::new("fixed", "At `start`."),
    Choice::new("random", "Up to one interval later, drawn evenly."),
];

/// The kinds of traffic.
pub(crate) const TRAFFICS: &[Choice] = &[
    Choice::new(
        "silent",
        "Nothing of its own: the flow only carries answers.",
    ),
    Choice::new("greedy", "Always has a unit to send."),
    Choice::new("constant", "One unit at even intervals."),
    Choice::new("poisson", "Exponential gaps."),
    Choice::new(
        "trains",
        "Packet trains: a geometric number of units at even gaps, then an exponential pause.",
    )
    .cite(JAIN),
    Choice::new(
        "on-off",
        "Bursts and pauses in turn, each with its own spacing.",
    ),
    Choice::new(
        "client",
        "A closed-loop client of a file server, walking files one after another: a stand-in for \
         traces of network file systems. Its `partner` carries the responses.",
    )
    .cite("Kung 1993, section 8.1"),
    Choice::new(
        "server",
        "The server's side: sends what the client's requests ask for.",
    ),
    REQUESTS_WORD,
    BOTTLENECKED,
    TCP_WORD,
    TCP_BACK,
];

/// When the source may send.
pub(crate) static SOURCE_CONTROL: Section = Section {
    name: "flows.source_control",
    about: "When the source may send what the application wants, end to end.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &SOURCE_CONTROL_KEYS,
};

const SOURCE_CONTROL_KEYS: [Key; SOURCE_CONTROL_OWN.len() + ABR_KEYS.len()] =
    joined(&[SOURCE_CONTROL_OWN, &ABR_KEYS]);

const SOURCE_CONTROL_OWN: &[Key] = &[
    Key::new("kind", &is::Words(SOURCE_CONTROLS), "The kind of control."),
    Key::new(
        "cells",
        &is::Whole {
            min: 1,
            max: UNITS,
            unit: "cells",
        },
        "The window: cells unacknowledged at most.",
    )
    .only(&["window"]),
    Key::new(
        "initial",
        &is::Whole {
            min: 1,
            max: UNITS,
            unit: "cells",
        },
        "First window.",
    )
    .or("1")
    .only(&["aimd"]),
    Key::new(
        "maximum",
        &is::Whole {
            min: 1,
            max: UNITS,
            unit: "cells",
        },
        "Largest window.",
    )
    .only(&["aimd"]),
    Key::new(
        "increase",
        &is::Decimal {
            min: 0.000001,
            max: 1e6,
        },
        "Cells added for each window acknowledged.",
    )
    .or("1.0")
    .only(&["aimd"]),
    Key::new(
        "decrease",
        &is::Decimal {
            min: 0.001,
            max: 0.999,
        },
        "Factor on the window when an acknowledgement is late.",
    )
    .or("0.5")
    .only(&["aimd"]),
    Key::new(
        "timeout",
        &is::Time { min_ps: 1 },
        "An acknowledgement later than this counts as a loss; what was unacknowledged is sent \
             again.",
    )
    .only(&["aimd"]),
];

/// The kinds of source control.
pub(crate) const SOURCE_CONTROLS: &[Choice] = &[
    Choice::new("none", "It may send at once."),
    Choice::new(
        "window",
        "A fixed number of cells unacknowledged. Needs a `partner`.",
    )
    .cite("Kung 1993, section 8.3"),
    Choice::new(
        "aimd",
        "A window that grows additively and shrinks by a factor on loss. Needs a `partner`.",
    ),
    Choice::new(
        "abr",
        "At the rate that the network allows, told by RM cells. The flow back is made unless \
         `partner` names one.",
    )
    .cite("ATM Forum TM 4.0"),
];

/// How destinations consume.
pub(crate) static SINK: Section = Section {
    name: "flows.sink",
    about: "How the destinations consume.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[Group {
        keys: &["interval", "load"],
        required: true,
        only: &["limited", "stalling"],
    }],
    keys: &[
        Key::new("kind", &is::Words(SINKS), "The kind of sink."),
        Key::new(
            "interval",
            &is::Time { min_ps: 1 },
            "Time between units consumed.",
        )
        .otherwise("from `load`")
        .only(&["limited", "stalling"]),
        Key::new(
            "load",
            &is::Share,
            "Share of the rate of the flow's last link.",
        )
        .otherwise("from `interval`")
        .only(&["limited", "stalling"]),
        Key::new("run", &is::Span { min_ps: 1 }, "How long it consumes.").only(&["stalling"]),
        Key::new(
            "stall",
            &is::Span { min_ps: 1 },
            "How long it stands still.",
        )
        .only(&["stalling"]),
    ],
};

/// The kinds of sink.
pub(crate) const SINKS: &[Choice] = &[
    Choice::new("infinite", "Consumes at once."),
    Choice::new("limited", "Consumes one unit every interval."),
    Choice::new(
        "stalling",
        "Consumes for a while, then stands still, and so on.",
    ),
];
