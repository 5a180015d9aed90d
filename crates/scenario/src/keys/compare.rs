//! A comparison: one workload on one topology, for every scheme.

use super::{ABOUT, SEED, TITLE};
use crate::table::{Choice, Key, Kind, Section, Selector};

const CONSTANT: &[&str] = &["constant"];
const BURSTS: &[&str] = &["bursts"];
const REQUESTS: &[&str] = &["requests"];
const SIZE: Kind = Kind::Size {
    min: 1,
    max: 1 << 40,
};
const CLOCK: Kind = Kind::Clock { min_ps: 1 };

/// What marks a file as a comparison.
pub(crate) const MARK: &str = "comparison";

/// The whole file.
pub(crate) static COMPARE: Section = Section {
    name: "comparison",
    about: "What stands at the top of a file for `backwater compare`, and the tables it may have.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "kind",
            Kind::Choice(KINDS),
            "Tells a comparison from a scenario.",
        ),
        TITLE,
        ABOUT,
        Key::new("run", Kind::Table(&RUN), "How long to run."),
        Key::new("network", Kind::Table(&NETWORK), "Nodes by name."),
        Key::new("link", Kind::Table(&LINK), "What every link has."),
        Key::new("switch", Kind::Table(&SWITCH), "What every switch has.").or("{}"),
        Key::new("links", Kind::Tables(&LINKS), "Links, one table each."),
        Key::new("flows", Kind::Tables(&FLOWS), "Flows, one table each."),
        Key::new("schemes", Kind::Table(&SCHEMES), "Settings of the schemes.").or("{}"),
    ],
};

const KINDS: &[Choice] = &[Choice::new(
    MARK,
    "One workload on one topology under seven schemes.",
)];

static RUN: Section = Section {
    name: "[run]",
    about: "How long each scheme runs, and from which seed.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("duration", CLOCK, "Every run ends after this long."),
        Key::new(
            "warm_up",
            Kind::Clock { min_ps: 0 },
            "Throughput, delay and overhead count from here on.",
        )
        .or("\"0 s\""),
        SEED,
        Key::new(
            "window",
            CLOCK,
            "Throughput and queues over time are means over windows of this length; recovery is \
             told to one of them.",
        )
        .otherwise("a 400th of the run"),
    ],
};

static NETWORK: Section = Section {
    name: "[network]",
    about: "The nodes by name; `[[links]]` joins them.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "hosts",
            Kind::Names,
            "Nodes where flows start and end; each has one link.",
        ),
        Key::new("switches", Kind::Names, "Nodes that forward."),
    ],
};

const RATE: Key = Key::new("rate", Kind::Rate, "Line rate, each way.");
const DELAY: Key = Key::new("delay", CLOCK, "Propagation, one way.");

static LINK: Section = Section {
    name: "[link]",
    about: "What every link has, unless `[[links]]` says otherwise.",
    selector: None,
    groups: &[],
    keys: &[RATE, DELAY],
};

static LINKS: Section = Section {
    name: "[[links]]",
    about: "A full-duplex link between two nodes.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "between",
            Kind::ReferenceList("node"),
            "The two nodes it joins, by name.",
        ),
        RATE.as_above(),
        DELAY.as_above(),
    ],
};

static SWITCH: Section = Section {
    name: "[switch]",
    about: "What every switch has.",
    selector: None,
    groups: &[],
    keys: &[Key::new(
        "buffer",
        SIZE,
        "Memory of each port: of each output queue, of each input with PFC, and for cells under \
         ABR this times the ports of the largest switch, for all of a switch. N23 has N2 + N3 \
         cells for each circuit instead.",
    )
    .or("\"500 kB\"")],
};

static FLOWS: Section = Section {
    name: "[[flows]]",
    about: "One flow between two hosts.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("name", Kind::Name, "Its name in the tables."),
        Key::new("from", Kind::Reference("host"), "Host that sends."),
        Key::new("to", Kind::Reference("host"), "Host that receives."),
        Key::new(
            "group",
            Kind::Name,
            "Flows of one group are counted together. The recovery of the group `victim` is \
             measured after each burst.",
        )
        .or("\"all\""),
        Key::new(
            "traffic",
            Kind::Table(&TRAFFIC),
            "What the application sends.",
        )
        .or("{ kind = \"greedy\" }"),
    ],
};

static TRAFFIC: Section = Section {
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
        Key::new("rate", Kind::Rate, "Rate of payload.").only(CONSTANT),
        Key::new("bytes", SIZE, "Payload of each burst.").only(BURSTS),
        Key::new(
            "every",
            CLOCK,
            "From the start of one burst to the start of the next.",
        )
        .otherwise("one burst in all")
        .only(BURSTS),
        Key::new("request", SIZE, "Each request.")
            .or("\"100 B\"")
            .only(REQUESTS),
        Key::new("response", SIZE, "Each response.").only(REQUESTS),
        Key::new(
            "think",
            Kind::Clock { min_ps: 0 },
            "Mean time between a response and the next request.",
        )
        .or("\"1 ms\"")
        .only(REQUESTS),
        Key::new("think_law", Kind::Choice(LAWS), "How that varies.")
            .or("\"exponential\"")
            .only(REQUESTS),
    ],
};

const TRAFFICS: &[Choice] = &[
    Choice::new("greedy", "Always has more to send."),
    Choice::new("constant", "Even gaps at a rate."),
    Choice::new("bursts", "So many bytes at once, again and again or once."),
    Choice::new(
        "requests",
        "Closed loop: a request, its response, a think time, the next request.",
    ),
];

const LAWS: &[Choice] = &[
    Choice::new("fixed", "Always the mean."),
    Choice::new("exponential", "Exponential."),
];

static SCHEMES: Section = Section {
    name: "[schemes]",
    about: "Settings of the schemes that have any; all have defaults.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("reno", Kind::Table(&RENO), "End-to-end window: TCP Reno.").or("{}"),
        Key::new("n23", Kind::Table(&N23), "Credits for each circuit.").or("{}"),
        Key::new("pause", Kind::Table(&STOPS), "IEEE 802.3x PAUSE.").or("{}"),
        Key::new(
            "destination",
            Kind::Table(&STOPS),
            "Back-pressure by destination.",
        )
        .or("{}"),
        Key::new("pfc", Kind::Table(&PFC), "IEEE 802.1Qbb, at the inputs.").or("{}"),
        Key::new(
            "abr",
            Kind::Table(&ABR),
            "ERICA switches, ABR sources with the count-based use-it-or-lose-it policy.",
        )
        .or("{}"),
    ],
};

static RENO: Section = Section {
    name: "schemes.reno",
    about: "TCP Reno. The other Ethernet schemes use it too where a message has to be whole, with \
            a first window as large as the message.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "recovery",
            Kind::Choice(RECOVERIES),
            "How losses are repaired.",
        )
        .or("\"new-reno\""),
        Key::new(
            "window",
            Kind::Size {
                min: 1_460,
                max: 1 << 30,
            },
            "The receiver's window.",
        )
        .otherwise(
            "twice what the longest way and the buffer of a port hold, at least 64 KiB, so that \
             losses tell when to stop",
        ),
        Key::new(
            "min_rto",
            Kind::Clock { min_ps: 1 },
            "Least retransmission time-out.",
        )
        .or("\"200 ms\""),
    ],
};

const RECOVERIES: &[Choice] = &[
    Choice::new(
        "reno",
        "Fast recovery ends with the first new acknowledgement.",
    )
    .cite("RFC 2581"),
    Choice::new(
        "new-reno",
        "A partial acknowledgement provokes the next retransmission.",
    )
    .cite("RFC 6582"),
];

static N23: Section = Section {
    name: "schemes.n23",
    about: "N23 credits. N3 follows from the round trip of each link.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "n2",
            Kind::Whole {
                min: 1,
                max: 1 << 20,
                unit: "cells",
            },
            "Cells freed between two credit cells.",
        )
        .or("10")
        .cite("Kung 1993, section 4.2"),
        Key::new(
            "target",
            Kind::RateOrShare { word: "full" },
            "Bandwidth a circuit shall reach; sets N3 on each link.",
        )
        .or("\"full\"")
        .cite("Kung 1993, section 4.3, equation 3"),
    ],
};

const HIGH: Key = Key::new(
    "high",
    Kind::Threshold,
    "Congested when a queue holds more than this.",
);
const LOW: Key = Key::new(
    "low",
    Kind::Threshold,
    "No longer congested when it holds less than this.",
)
.otherwise("7/8 of `high`");

static STOPS: Section = Section {
    name: "schemes.pause",
    about: "Thresholds of `pause`; `schemes.destination` has the same keys.",
    selector: None,
    groups: &[],
    keys: &[
        HIGH.otherwise("80 %, or less where the links need more room above it"),
        LOW,
        Key::new(
            "notify",
            Kind::Choice(super::ethernet_pressure::NOTIFIES),
            "Who is stopped when a queue is congested.",
        )
        .or("\"others\""),
    ],
};

static PFC: Section = Section {
    name: "schemes.pfc",
    about: "Thresholds of PFC, counted at the inputs.",
    selector: None,
    groups: &[],
    keys: &[
        HIGH.otherwise("the buffer less the headroom that the longest link needs"),
        LOW,
    ],
};

static ABR: Section = Section {
    name: "schemes.abr",
    about: "ERICA and the sources.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "target",
            Kind::Portion,
            "ERICA: share of what is left of the link that is given out.",
        )
        .or("0.9"),
        Key::new("interval", CLOCK, "ERICA: averaging interval.")
            .otherwise("the longest round trip when empty, at least 100 cells of the slowest link"),
        Key::new("icr", Kind::Rate, "Initial cell rate.").otherwise("a tenth of the source's link"),
        Key::new(
            "headroom",
            Kind::Rate,
            "Count-based policy: ACR may exceed the source's rate by this.",
        )
        .otherwise("ICR"),
        Key::new(
            "tdf",
            Kind::Portion,
            "Count-based policy: the most it takes from ACR at a time.",
        )
        .or("0.125"),
    ],
};
