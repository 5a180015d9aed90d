//! The Ethernet engine: who sends what to whom, and what to record.

use super::ethernet_switch::CLASS;
use super::ethernet_tcp::FLOW_TCP;
use crate::kinds as is;
use crate::table::{Choice, Key, Section, Selector};

const PAPER: &str = "Nouredine, Tobagi 1999, section 1";
const FILES: &[&str] = &["files"];
const REQUESTS: &[&str] = &["requests"];
const TRANSFERS: &[&str] = &["files", "requests"];
const RATED: &[&str] = &["constant", "poisson", "self-similar", "video"];
const SELF_SIMILAR: &[&str] = &["self-similar"];
const VIDEO: &[&str] = &["video"];
const SIZE: &dyn is::Kind = &is::Size {
    min: 1,
    max: 1 << 60,
};

const FLOW_CLASS: Key = Key::new(
    "class",
    CLASS,
    "Class of its frames, both ways; 7 is the most urgent.",
)
.or("0");
const TAGGED: Key = Key::new("tagged", &is::Truth, "Its frames carry a VLAN tag.").or("false");
const TRANSPORT: Key = Key::new("transport", &is::Words(TRANSPORTS), "The protocol.")
    .otherwise("tcp for infinite, files and requests, udp for the rest");
const PAYLOAD: Key = Key::new(
    "payload",
    &is::Size { min: 1, max: 9_176 },
    "UDP: payload of a full frame.",
)
.otherwise("what fits the MTU");
const RTP: Key = Key::new(
    "rtp",
    &is::Truth,
    "UDP: 12 bytes of RTP before the payload.",
)
.otherwise("true for video, else false");
const TRAFFIC_KEY: Key = Key::new(
    "traffic",
    const { &is::Table(&TRAFFIC) },
    "What the application sends.",
)
.or("{ kind = \"infinite\" }");
const OWN_TCP: Key = Key::new(
    "tcp",
    const { &is::Table(&FLOW_TCP) },
    "What this flow changes of `[tcp]`.",
)
.otherwise("nothing");

/// The protocols.
pub(crate) const TRANSPORTS: &[Choice] = &[
    Choice::new("tcp", "A TCP connection, as `[tcp]` says."),
    Choice::new("udp", "Datagrams one way."),
];

/// Flows.
pub(crate) static FLOWS: Section = Section {
    name: "[[flows]]",
    about: "A connection, or datagrams one way, between two stations; or many: with lists of \
            equal length for `from` and `to` one a pair, with one name and a list one for each.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "name",
            &is::Name,
            "Its name in reports; many are `name[1]`, `name[2]`, ..",
        ),
        Key::new(
            "from",
            &is::References("station"),
            "Station that sends (that opens the connection); or a list.",
        ),
        Key::new(
            "to",
            &is::References("station"),
            "Station that receives; or a list.",
        ),
        Key::new(
            "count",
            &is::Whole {
                min: 1,
                max: 1_000_000,
                unit: "flows",
            },
            "So many of each.",
        )
        .otherwise("one of each"),
        FLOW_CLASS,
        TAGGED,
        TRANSPORT,
        PAYLOAD,
        RTP,
        TRAFFIC_KEY,
        OWN_TCP,
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
    groups: &[],
    keys: &[
        Key::new("kind", &is::Words(PATTERN_KINDS), "The rule."),
        Key::new("name", &is::Name, "What their names start with."),
        Key::new(
            "count",
            &is::Whole {
                min: 1,
                max: 1_000_000,
                unit: "flows",
            },
            "How many flows.",
        )
        .only(&["random-pairs"]),
        Key::new(
            "to",
            &is::Reference("station"),
            "The station all others send to.",
        )
        .only(&["all-to-one"]),
        FLOW_CLASS,
        TAGGED,
        TRANSPORT,
        PAYLOAD,
        RTP,
        TRAFFIC_KEY,
        OWN_TCP,
    ],
};

/// The patterns.
pub(crate) const PATTERN_KINDS: &[Choice] = &[
    Choice::new(
        "permutation",
        "One flow from every station, each to another one, at random.",
    ),
    Choice::new(
        "all-to-one",
        "Incast: one flow from every other station to one station.",
    ),
    Choice::new("all-to-all", "One flow from every station to every other."),
    Choice::new(
        "random-pairs",
        "Each flow between two different stations drawn at random.",
    ),
];

/// What the application sends.
pub(crate) static TRAFFIC: Section = Section {
    name: "flows.traffic",
    about: "What the application sends.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("kind", &is::Words(TRAFFICS), "The kind of source."),
        Key::new("start", &is::Clock { min_ps: 0 }, "Nothing is sent before.").or("\"0 s\""),
        Key::new("total", SIZE, "Bytes in all.")
            .otherwise("without end")
            .only(&["infinite"]),
        Key::new("size", SIZE, "Each file.").only(FILES),
        Key::new("request", SIZE, "Each request.")
            .or("\"100 B\"")
            .only(REQUESTS),
        Key::new("response", SIZE, "Each response.").only(REQUESTS),
        Key::new(
            "service",
            &is::Clock { min_ps: 0 },
            "Mean time the server takes for each.",
        )
        .or("\"0 s\"")
        .only(REQUESTS),
        Key::new("service_law", &is::Words(LAWS), "How that varies.")
            .or("\"fixed\"")
            .only(REQUESTS),
        Key::new(
            "think",
            &is::Clock { min_ps: 0 },
            "Mean time before the first and between two.",
        )
        .or("\"0 s\"")
        .only(TRANSFERS),
        Key::new("think_law", &is::Words(LAWS), "How that varies.")
            .or("\"uniform\"")
            .only(TRANSFERS)
            .cite(PAPER),
        Key::new(
            "transfers",
            &is::Whole {
                min: 1,
                max: 1 << 60,
                unit: "transfers",
            },
            "Files or requests in all.",
        )
        .otherwise("without end")
        .only(TRANSFERS),
        Key::new("rate", &is::Rate, "Mean rate of payload.").only(RATED),
        Key::new(
            "phase",
            &is::Words(PHASES),
            "When the first datagram comes.",
        )
        .or("\"fixed\"")
        .only(&["constant"]),
        Key::new(
            "sources",
            &is::Whole {
                min: 1,
                max: 10_000,
                unit: "sources",
            },
            "On-off sources it is the sum of.",
        )
        .or("20")
        .only(SELF_SIMILAR),
        Key::new("peak", &is::Rate, "Rate of one of them while it is on.").only(SELF_SIMILAR),
        Key::new(
            "shape",
            &is::Decimal {
                min: 1.01,
                max: 10.0,
            },
            "Shape of the Pareto times; below 2 the sum is self-similar.",
        )
        .or("1.5")
        .only(SELF_SIMILAR)
        .cite("Willinger, Taqqu, Sherman, Wilson 1997"),
        Key::new("mean_on", &is::Clock { min_ps: 1 }, "Mean time on.")
            .or("\"10 ms\"")
            .only(SELF_SIMILAR),
        PICTURES,
        Key::new(
            "variation",
            &is::Decimal {
                min: 0.0,
                max: 10.0,
            },
            "Standard deviation of picture sizes over their mean.",
        )
        .or("0.45")
        .only(VIDEO),
        Key::new("scene", &is::Clock { min_ps: 1 }, "Mean length of a scene.")
            .or("\"4 s\"")
            .only(VIDEO),
        Key::new(
            "correlation",
            &is::Decimal {
                min: 0.0,
                max: 0.999,
            },
            "Of neighbouring pictures in a scene.",
        )
        .or("0.8")
        .only(VIDEO),
        Key::new(
            "clip_least",
            &is::Decimal { min: 0.0, max: 1.0 },
            "Least picture, in means.",
        )
        .or("0.1")
        .only(VIDEO),
        Key::new(
            "clip_most",
            &is::Decimal {
                min: 1.0,
                max: 100.0,
            },
            "Largest picture, in means.",
        )
        .or("5.0")
        .only(VIDEO),
        Key::new(
            "deadline",
            &is::Clock { min_ps: 1 },
            "A datagram delivered later than this after its birth is late.",
        )
        .or("\"100 ms\"")
        .only(VIDEO)
        .cite("Nouredine, Tobagi 1999, section 3.3"),
    ],
};

const PICTURES: Key = Key::new(
    "pictures",
    &is::Whole {
        min: 1,
        max: 1_000,
        unit: "pictures a second",
    },
    "Pictures a second.",
)
.or("30")
.only(VIDEO);

/// The kinds of traffic.
pub(crate) const TRAFFICS: &[Choice] = &[
    Choice::new("infinite", "Always has more to send."),
    Choice::new(
        "files",
        "Files one after another (TCP), a think time after all of one was acknowledged.",
    )
    .cite(PAPER),
    Choice::new("requests", "Requests one way, responses back (TCP)."),
    Choice::new("constant", "Full datagrams at even gaps (UDP)."),
    Choice::new("poisson", "Full datagrams at exponential gaps (UDP)."),
    Choice::new(
        "self-similar",
        "The sum of on-off sources with Pareto times (UDP).",
    ),
    Choice::new(
        "video",
        "A stand-in for H.261 at a variable rate (UDP), measured against a playout deadline.",
    ),
];

const LAWS: &[Choice] = &[
    Choice::new("fixed", "Always the mean."),
    Choice::new("uniform", "Evenly between 0 and twice the mean."),
    Choice::new("exponential", "Exponential."),
];

const PHASES: &[Choice] = &[
    Choice::new("fixed", "At `start`."),
    Choice::new("random", "Up to a gap later, drawn evenly."),
];

/// Time series to record.
pub(crate) static SERIES: Section = Section {
    name: "[[series]]",
    about: "A time series to record, for the report's plots.",
    selector: Some(Selector {
        key: "measure",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("name", &is::Text, "Its name in the report."),
        Key::new("measure", &is::Words(MEASURES), "What is recorded."),
        Key::new(
            "on",
            &is::Reference("channel"),
            "Where: a channel, as `from->to`.",
        )
        .only(PORTS),
        Key::new("class", CLASS, "Of which class.")
            .or("0")
            .only(PORTS),
        Key::new("flow", &is::Reference("flow"), "Whose.").only(&["goodput", "window"]),
        Key::new(
            "window",
            &is::Clock { min_ps: 1 },
            "Average over windows of this length.",
        )
        .otherwise("a hundredth of the run"),
    ],
};

const PORTS: &[&str] = &["queue", "stopped"];

/// The measures.
pub(crate) const MEASURES: &[Choice] = &[
    Choice::new("queue", "Bytes in the output queue of a class."),
    Choice::new(
        "stopped",
        "Share of the time in which that queue is stopped.",
    ),
    Choice::new(
        "goodput",
        "Payload the destination gets, in order and once.",
    ),
    Choice::new("window", "The congestion window of a flow's sender, bytes."),
];
