//! Flows, flows by rule, and what to record.

use super::{control, service, traffic};
use crate::table::{Choice, Group, Key, Kind, Section, Selector};

const PRIORITY: Key = Key::new(
    "priority",
    Kind::Whole {
        min: 0,
        max: 255,
        unit: "",
    },
    "Group for service at every port; 0 is served first. Inside a group, as the scheduler says.",
)
.or("0");
const UNIT_BYTES: Key = Key::new(
    "unit_bytes",
    Kind::Whole {
        min: 1,
        max: 1 << 20,
        unit: "bytes",
    },
    "Size of this flow's units on the wire.",
)
.otherwise("`unit.bytes`, or the largest of `sizes`");
const SIZES: Key = Key::new(
    "sizes",
    Kind::Tables(&service::SIZES),
    "Sizes of its units, drawn at random for each.",
)
.otherwise("all have `unit_bytes`");
const RESERVE: Key = Key::new(
    "reserve",
    Kind::Table(&service::RESERVE),
    "What it reserves at every port on its way.",
)
.otherwise("nothing: its units are datagrams");
const ENVELOPE: Key = Key::new(
    "envelope",
    Kind::Table(&service::ENVELOPE),
    "What the source holds itself to.",
)
.otherwise("nothing");
const POLICER: Key = Key::new(
    "policer",
    Kind::Table(&service::POLICER),
    "What the edge of the network holds it to.",
)
.otherwise("nothing");
const ON_ALARM: Key = Key::new(
    "on_alarm",
    Kind::Table(&service::ON_ALARM),
    "What its source makes of a warning.",
)
.or("{ kind = \"ignore\" }");
const SESSION: Key = Key::new(
    "session",
    Kind::Table(&service::SESSION),
    "Set-up and tear-down while the network runs.",
)
.otherwise("it is there from the start to the end");
/// `unit_bytes` is one size, `sizes` several.
const SIZE: &[Group] = &[Group {
    keys: &["unit_bytes", "sizes"],
    required: false,
    only: &[],
}];
const TRAFFIC: Key = Key::new(
    "traffic",
    Kind::Table(&traffic::TRAFFIC),
    "What the application wants to send.",
)
.or("{ kind = \"greedy\" }");
const SOURCE_CONTROL: Key = Key::new(
    "source_control",
    Kind::Table(&traffic::SOURCE_CONTROL),
    "When the source may send it, end to end.",
)
.or("{ kind = \"none\" }");
const SINK: Key = Key::new(
    "sink",
    Kind::Table(&traffic::SINK),
    "How the destinations consume.",
)
.or("{ kind = \"infinite\" }");
const PARTNER: Key = Key::new(
    "partner",
    Kind::Reference("flow"),
    "The flow that carries the answers (acknowledgements, responses) back.",
)
.otherwise("none");
const BACK: Key = Key::new(
    "back",
    Kind::Table(&traffic::TRAFFIC),
    "What goes the other way on an ABR circuit; the flow `<name> back` is made for it.",
)
.otherwise("`silent`");
const CONTROL: Key = Key::new(
    "flow_control",
    Kind::Table(&control::FLOW_OVERRIDE),
    "What this flow changes of `[flow_control]`.",
)
.otherwise("nothing");

/// Flows, one table each or many by `count`.
pub(crate) static FLOWS: Section = Section {
    name: "[[flows]]",
    about: "A flow (a virtual circuit) from a host to one or more others.",
    selector: None,
    groups: SIZE,
    keys: &[
        Key::new("name", Kind::Name, "Its name in reports and references."),
        Key::new("from", Kind::Reference("host"), "Host it starts at."),
        Key::new(
            "to",
            Kind::References("host"),
            "Host it goes to, or a list: multicast.",
        ),
        Key::new(
            "path",
            Kind::ReferenceList("node"),
            "The nodes it passes, first and last included (not for multicast).",
        )
        .otherwise("the shortest, ties decided by the order of links in the file"),
        Key::new(
            "count",
            Kind::Whole {
                min: 1,
                max: 1_000_000,
                unit: "flows",
            },
            "Repeats the flow as `name[1]`, `name[2]`, ..; `{i}` in names it uses is the number.",
        )
        .otherwise("one flow, without a number in its name"),
        PRIORITY,
        UNIT_BYTES,
        SIZES,
        TRAFFIC,
        SOURCE_CONTROL,
        SINK,
        PARTNER,
        BACK,
        CONTROL,
        RESERVE,
        ENVELOPE,
        POLICER,
        ON_ALARM,
        SESSION,
        Key::new(
            "on_links",
            Kind::Tables(&control::LINK_OVERRIDE),
            "What it changes on single links.",
        )
        .otherwise("nothing"),
    ],
};

/// Flows by rule.
pub(crate) static PATTERNS: Section = Section {
    name: "[[patterns]]",
    about: "Many flows by rule, named `name[1]`, `name[2]`, ... Random ones depend on `run.seed`.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: SIZE,
    keys: &[
        Key::new("kind", Kind::Choice(PATTERN_KINDS), "The rule."),
        Key::new("name", Kind::Name, "What their names start with."),
        Key::new(
            "count",
            Kind::Whole {
                min: 1,
                max: 10_000_000,
                unit: "flows",
            },
            "How many flows.",
        )
        .only(&["random-pairs"]),
        Key::new(
            "to",
            Kind::Reference("host"),
            "The host all others send to.",
        )
        .only(&["all-to-one"]),
        PRIORITY,
        UNIT_BYTES,
        SIZES,
        TRAFFIC,
        SOURCE_CONTROL,
        SINK,
        PARTNER,
        BACK,
        CONTROL,
        RESERVE,
        ENVELOPE,
        POLICER,
        ON_ALARM,
        SESSION,
    ],
};

/// The patterns.
pub(crate) const PATTERN_KINDS: &[Choice] = &[
    Choice::new(
        "random-pairs",
        "Each flow between two different hosts drawn at random.",
    ),
    Choice::new("all-to-one", "One flow from every other host to one host."),
    Choice::new(
        "permutation",
        "One flow from every host, each to another one, at random.",
    ),
    Choice::new(
        "neighbour",
        "One flow from every host to the host of the same number on the next switch, round about.",
    ),
];

/// Time series to record.
pub(crate) static SERIES: Section = Section {
    name: "[[series]]",
    about: "A time series to record, for the report's plots.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("name", Kind::Text, "Its name in the report."),
        Key::new("measure", Kind::Choice(MEASURES), "What is recorded."),
        Key::new("flow", Kind::Reference("flow"), "Whose.").otherwise("all flows together"),
        Key::new(
            "on",
            Kind::Reference("channel"),
            "Where: a channel, as `from->to`, or several: `S1->*`, `*->S1` or `all`.",
        )
        .otherwise("the flow's first link, of `allowed-rate` and `source-rate`; else it is needed"),
        Key::new(
            "window",
            Kind::Time { min_ps: 1 },
            "Average over windows of this length.",
        )
        .otherwise("every change is recorded"),
        Key::new("from", Kind::Time { min_ps: 0 }, "From here.").or("\"0 s\""),
        Key::new("until", Kind::Time { min_ps: 1 }, "To here.").otherwise("the end of the run"),
    ],
};

/// The measures.
pub(crate) const MEASURES: &[Choice] = &[
    Choice::new(
        "throughput",
        "Share of the channel's rate that data uses, leaving the sender.",
    ),
    Choice::new("arrivals", "The same, reaching the receiver."),
    Choice::new(
        "control-throughput",
        "Share of the channel's rate that control units use.",
    ),
    Choice::new("forwarded", "Data units started since the beginning."),
    Choice::new("credit", "The sender's credit, of one flow."),
    Choice::new("fill", "The receiver's buffer, in units."),
    Choice::new("queue", "Units that wait at the sending port."),
    Choice::new("stored", "Units in the receiving node's memory, all flows."),
    Choice::new(
        "delay",
        "From the source's queue to delivery, of units delivered here.",
    ),
    Choice::new(
        "wait",
        "Time in the receiving node, from arrival to start on the next channel.",
    ),
    Choice::new("allowed-rate", "ACR of an ABR flow."),
    Choice::new(
        "source-rate",
        "Nrm cells in T of an ABR flow, as each of its forward RM cells finds it.",
    ),
    Choice::new(
        "rate-queue",
        "ABR cells that wait at a port that tells rates.",
    ),
    Choice::new(
        "load-factor",
        "Load factor z of a port that tells rates, in each of its intervals.",
    ),
    Choice::new(
        "active-circuits",
        "Active circuits of a port that tells rates, in each of its intervals.",
    ),
    Choice::new("fair-share", "Fair share of a port that tells rates."),
];
