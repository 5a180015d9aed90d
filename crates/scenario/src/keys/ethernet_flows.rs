//! The Ethernet engine: who sends what to whom, and what to record.

use super::ethernet_switch::CLASS;
use super::ethernet_tcp::FLOW_TCP;
use crate::table::{Choice, Key, Kind, Section, Selector};

const PAPER: &str = "Nouredine, Tobagi 1999, section 1";
const FILES: &[&str] = &["files"];
const REQUESTS: &[&str] = &["requests"];
const TRANSFERS: &[&str] = &["files", "requests"];
const RATED: &[&str] = &["constant", "poisson", "self-similar", "video"];
const SELF_SIMILAR: &[&str] = &["self-similar"];
const VIDEO: &[&str] = &["video"];
const SIZE: Kind = Kind::Size {
    min: 1,
    max: 1 << 60,
};

const FLOW_CLASS: Key = Key::new(
    "class",
    CLASS,
    "Class of its frames, both ways; 7 is the most urgent.",
)
.or("0");
const TAGGED: Key = Key::new("tagged", Kind::Truth, "Its frames carry a VLAN tag.").or("false");
const TRANSPORT: Key = Key::new("transport", Kind::Choice(TRANSPORTS), "The protocol.")
    .otherwise("tcp for infinite, files and requests, udp for the rest");
const PAYLOAD: Key = Key::new(
    "payload",
    Kind::Size { min: 1, max: 9_176 },
    "UDP: payload of a full frame.",
)
.otherwise("what fits the MTU");
const RTP: Key = Key::new(
    "rtp",
    Kind::Truth,
    "UDP: 12 bytes of RTP before the payload.",
)
.otherwise("true for video, else false");
const TRAFFIC_KEY: Key = Key::new(
    "traffic",
    Kind::Table(&TRAFFIC),
    "What the application sends.",
)
.or("{ kind = \"infinite\" }");
const OWN_TCP: Key = Key::new(
    "tcp",
    Kind::Table(&FLOW_TCP),
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
            Kind::Name,
            "Its name in reports; many are `name[1]`, `name[2]`, ..",
        ),
        Key::new(
            "from",
            Kind::References("station"),
            "Station that sends (that opens the connection); or a list.",
        ),
        Key::new(
            "to",
            Kind::References("station"),
            "Station that receives; or a list.",
        ),
        Key::new(
            "count",
            Kind::Whole {
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
        Key::new("kind", Kind::Choice(PATTERN_KINDS), "The rule."),
        Key::new("name", Kind::Name, "What their names start with."),
        Key::new(
            "count",
            Kind::Whole {
                min: 1,
                max: 1_000_000,
                unit: "flows",
            },
            "How many flows.",
        )
        .only(&["random-pairs"]),
        Key::new(
            "to",
            Kind::Reference("station"),
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
        Key::new("kind", Kind::Choice(TRAFFICS), "The kind of source."),
        Key::new(
            "start",
            Kind::Clock { min_ps: 0 },
            "Nothing is sent before.",
        )
        .or("\"0 s\""),
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
            Kind::Clock { min_ps: 0 },
            "Mean time the server takes for each.",
        )
        .or("\"0 s\"")
        .only(REQUESTS),
        Key::new("service_law", Kind::Choice(LAWS), "How that varies.")
            .or("\"fixed\"")
            .only(REQUESTS),
        Key::new(
            "think",
            Kind::Clock { min_ps: 0 },
            "Mean time before the first and between two.",
        )
        .or("\"0 s\"")
        .only(TRANSFERS),
        Key::new("think_law", Kind::Choice(LAWS), "How that varies.")
            .or("\"uniform\"")
            .only(TRANSFERS)
            .cite(PAPER),
        Key::new(
            "transfers",
            Kind::Whole {
                min: 1,
                max: 1 << 60,
                unit: "transfers",
            },
            "Files or requests in all.",
        )
        .otherwise("without end")
        .only(TRANSFERS),
        Key::new("rate", Kind::Rate, "Mean rate of payload.").only(RATED),
        Key::new(
            "phase",
            Kind::Choice(PHASES),
            "When the first datagram comes.",
        )
        .or("\"fixed\"")
        .only(&["constant"]),
        Key::new(
            "sources",
            Kind::Whole {
                min: 1,
                max: 10_000,
                unit: "sources",
            },
            "On-off sources it is the sum of.",
        )
        .or("20")
        .only(SELF_SIMILAR),
        Key::new("peak", Kind::Rate, "Rate of one of them while it is on.").only(SELF_SIMILAR),
        Key::new(
            "shape",
            Kind::Decimal {
                min: 1.01,
                max: 10.0,
            },
            "Shape of the Pareto times; below 2 the sum is self-similar.",
        )
        .or("1.5")
        .only(SELF_SIMILAR)
        .cite("Willinger, Taqqu, Sherman, Wilson 1997"),
        Key::new("mean_on", Kind::Clock { min_ps: 1 }, "Mean time on.")
            .or("\"10 ms\"")
            .only(SELF_SIMILAR),
        PICTURES,
        Key::new(
            "variation",
            Kind::Decimal {
                min: 0.0,
                max: 10.0,
            },
            "Standard deviation of picture sizes over their mean.",
        )
        .or("0.45")
        .only(VIDEO),
        Key::new(
            "scene",
            Kind::Clock { min_ps: 1 },
            "Mean length of a scene.",
        )
        .or("\"4 s\"")
        .only(VIDEO),
        Key::new(
            "correlation",
            Kind::Decimal {
                min: 0.0,
                max: 0.999,
            },
            "Of neighbouring pictures in a scene.",
        )
        .or("0.8")
        .only(VIDEO),
        Key::new(
            "clip_least",
            Kind::Decimal { min: 0.0, max: 1.0 },
            "Least picture, in means.",
        )
        .or("0.1")
        .only(VIDEO),
        Key::new(
            "clip_most",
            Kind::Decimal {
                min: 1.0,
                max: 100.0,
            },
            "Largest picture, in means.",
        )
        .or("5.0")
        .only(VIDEO),
        Key::new(
            "deadline",
            Kind::Clock { min_ps: 1 },
            "A datagram delivered later than this after its birth is late.",
        )
        .or("\"100 ms\"")
        .only(VIDEO)
        .cite("Nouredine, Tobagi 1999, section 3.3"),
    ],
};

const PICTURES: Key = Key::new(
    "pictures",
    Kind::Whole {
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
        Key::new("name", Kind::Text, "Its name in the report."),
        Key::new("measure", Kind::Choice(MEASURES), "What is recorded."),
        Key::new(
            "on",
            Kind::Reference("channel"),
            "Where: a channel, as `from->to`, or several: `A->*`, `*->B` or `all`. A buffer is of \
             a switch, `A` or `all`.",
        )
        .only(PLACES),
        Key::new("class", CLASS, "Of which class.")
            .or("0")
            .only(QUEUES),
        Key::new(
            "flow",
            Kind::Reference("flow"),
            "Whose: a flow, or several: the name that they share, or `all`.",
        )
        .only(&["goodput", "window"]),
        Key::new(
            "window",
            Kind::Clock { min_ps: 1 },
            "Average over windows of this length.",
        )
        .otherwise("a hundredth of the run"),
    ],
};

const QUEUES: &[&str] = &["queue", "stopped", "input", "headroom"];
const PLACES: &[&str] = &[
    "queue", "stopped", "input", "headroom", "buffer", "rate", "stops", "marks",
];

/// The measures.
pub(crate) const MEASURES: &[Choice] = &[
    Choice::new("queue", "Bytes in the output queue of a class."),
    Choice::new(
        "stopped",
        "Share of the time in which that queue is stopped.",
    ),
    Choice::new(
        "input",
        "Bytes of a class that came in over a channel and have not left the switch, where inputs \
         are counted: with `detect = \"inputs\"` or shared memory.",
    ),
    Choice::new(
        "headroom",
        "Those of them above the threshold, or in the headroom of shared memory.",
    ),
    Choice::new("buffer", "Bytes in all output queues of a switch."),
    Choice::new("rate", "What a channel sends: bits of frames per second."),
    Choice::new("stops", "Stop frames that a channel sends per second."),
    Choice::new(
        "marks",
        "ECN-marked frames that a channel sends per second.",
    ),
    Choice::new(
        "goodput",
        "Payload the destination gets, in order and once.",
    ),
    Choice::new("window", "The congestion window of a flow's sender, bytes."),
];
