//! The Ethernet engine: switches, their memory, single nodes and ways.

use super::ethernet::ORDER_KEY;
use super::ethernet_pressure::HEADROOM;
use crate::table::{Choice, Group, Key, Kind, Section};

/// Where buffers and thresholds come from.
pub(crate) const PAPER: &str = "Nouredine, Tobagi 1999, section 3";
const SIZE: Kind = Kind::Size {
    min: 1,
    max: 1 << 50,
};

/// What every switch does.
pub(crate) static SWITCH: Section = Section {
    name: "[switch]",
    about: "What every switch does.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "forwarding",
            Kind::Choice(FORWARDINGS),
            "When an arriving frame can leave.",
        )
        .or("\"store-and-forward\""),
        Key::new(
            "latency",
            Kind::Clock { min_ps: 0 },
            "From then to its being in the queue.",
        )
        .or("\"0 s\""),
        ORDER_KEY,
        Key::new(
            "classes",
            Kind::Whole {
                min: 1,
                max: 8,
                unit: "classes",
            },
            "Classes, and so queues, of every port.",
        )
        .otherwise("as many as the highest class named needs"),
        Key::new(
            "spread",
            Kind::Choice(SPREADS),
            "Which of several shortest ways a frame takes.",
        )
        .or("\"flows\""),
        RESPONSE,
    ],
};

/// What every station does.
pub(crate) static STATION: Section = Section {
    name: "[station]",
    about: "What every station does.",
    selector: None,
    groups: &[],
    keys: &[RESPONSE],
};

const RESPONSE: Key = Key::new(
    "response",
    Kind::Clock { min_ps: 0 },
    "From the last bit of a control frame that arrives to its taking effect.",
)
.or("\"0 s\"");

const FORWARDINGS: &[Choice] = &[
    Choice::new("store-and-forward", "When its last bit is in."),
    Choice::new(
        "cut-through",
        "When its first 64 bytes are in, where it came at least as fast as it leaves.",
    ),
];

const SPREADS: &[Choice] = &[
    Choice::new("flows", "All frames of a flow the same one, by a hash."),
    Choice::new("frames", "Each frame one at random: order is lost."),
];

/// Bytes of a queue.
pub(crate) const LIMIT: Key = Key::new("limit", SIZE, "Bytes each of these queues holds.");
/// Congestion begins.
pub(crate) const HIGH: Key = Key::new(
    "high",
    Kind::Threshold,
    "Congested when it holds more than this after an arrival.",
);
/// Congestion ends.
pub(crate) const LOW: Key = Key::new(
    "low",
    Kind::Threshold,
    "No longer congested when it holds less than this after a departure.",
);
/// Deficit round robin.
pub(crate) const QUANTUM: Key = Key::new(
    "quantum",
    Kind::Size {
        min: 64,
        max: 1 << 30,
    },
    "Deficit round robin: bytes a turn.",
);
/// Marks in a step.
pub(crate) const MARK_ABOVE: Key = Key::new(
    "mark_above",
    SIZE,
    "Marks congestion (ECN) on every frame that joins a queue with more than this.",
);
/// Marks on a slope.
pub(crate) const ECN: Key = Key::new(
    "ecn",
    Kind::Table(&ECN_SLOPE),
    "Marks congestion with a probability that grows with the queue.",
);
const MARKS: Group = Group {
    keys: &["mark_above", "ecn"],
    required: false,
    only: &[],
};

static ECN_SLOPE: Section = Section {
    name: "buffer.ecn",
    about: "Marks of congestion on frames of flows with `tcp.ecn`, by what the queue holds as \
            they join it.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("low", SIZE, "Up to here none is marked."),
        Key::new("high", SIZE, "From here on all are marked."),
        Key::new(
            "probability",
            Kind::Probability,
            "Just below `high`; it grows from 0 at `low` in a line.",
        )
        .or("1.0"),
    ],
};

/// Memory of every switch.
pub(crate) static BUFFER: Section = Section {
    name: "[buffer]",
    about: "Memory of every switch. Buffers count frames with header and FCS, without preamble \
            and gap; 1 kB is 1000 bytes.",
    selector: None,
    groups: &[
        Group {
            keys: &["per_queue", "shared"],
            required: false,
            only: &[],
        },
        Group {
            keys: &["per_input", "shared"],
            required: false,
            only: &[],
        },
        MARKS,
    ],
    keys: &[
        Key::new(
            "per_queue",
            SIZE,
            "Bytes of each output queue (of a port and class).",
        )
        .otherwise(
            "by the rate of the port: 70 kB at 10 Mbps, 500 kB at 100 Mbps, 1 MB at 1 Gbps and \
             above; without limit where inputs are counted",
        )
        .cite(PAPER),
        Key::new(
            "per_input",
            SIZE,
            "Where inputs are counted (`detect = \"inputs\"`): bytes that may have come in over a \
             port in a class and not have left.",
        )
        .otherwise("by the rate of the port, as `per_queue`"),
        QUANTUM.or("\"1522 B\""),
        MARK_ABOVE.otherwise("nothing is marked"),
        ECN.otherwise("nothing is marked"),
        Key::new(
            "shared",
            Kind::Table(&SHARED),
            "One memory for all queues of a switch.",
        )
        .otherwise("each queue has its own"),
    ],
};

static SHARED: Section = Section {
    name: "buffer.shared",
    about: "A memory with dynamic thresholds. A frame counts at its input port and class: first \
            in the reserve there, then in the shared part, then (lossless classes) in the \
            headroom there. An input is stopped when it holds more than alpha times what is free \
            of the shared part.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("bytes", SIZE, "All of it, reserves and headroom included.")
            .cite("Choudhury, Hahne 1998"),
        Key::new("reserve", SIZE0, "Reserve of each input port and class.").or("\"0 B\""),
        Key::new(
            "headroom",
            SIZE0,
            "Headroom of each input port and lossless class.",
        )
        .otherwise("what the links need"),
        Key::new("pool", SIZE0, "Headroom of the whole switch.")
            .otherwise("enough for all inputs at once"),
        Key::new(
            "alpha",
            Kind::Ratio { max: 1 << 16 },
            "An input may hold this many times what is free.",
        )
        .or("\"1/8\""),
        Key::new(
            "output_alpha",
            Kind::Ratio { max: 1 << 16 },
            "The same for output queues of classes without back-pressure.",
        )
        .or("\"1/8\""),
        Key::new(
            "resume_offset",
            SIZE0,
            "An input is resumed when it holds so much less than its threshold.",
        )
        .or("\"3 kB\""),
    ],
};

const SIZE0: Kind = Kind::Size {
    min: 0,
    max: 1 << 50,
};

/// What differs in a class.
pub(crate) static CLASSES: Section = Section {
    name: "[[classes]]",
    about: "What differs in the queues of one class.",
    selector: None,
    groups: &[MARKS],
    keys: &[
        Key::new("class", CLASS, "Which."),
        LIMIT.as_above(),
        HIGH.as_above(),
        LOW.as_above(),
        QUANTUM.as_above(),
        MARK_ABOVE.as_above(),
        ECN.as_above(),
        HEADROOM.as_above(),
        Key::new(
            "headroom_at",
            Kind::References("node"),
            "The nodes of which `headroom` of this class speaks.",
        )
        .otherwise("all"),
    ],
};

/// A class.
pub(crate) const CLASS: Kind = Kind::Whole {
    min: 0,
    max: 7,
    unit: "",
};
/// Several.
pub(crate) const CLASS_LIST: Kind = Kind::Wholes {
    min: 0,
    max: 7,
    unit: "",
};

/// Single nodes.
pub(crate) static NODES: Section = Section {
    name: "[[nodes]]",
    about: "What differs in single nodes.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("name", Kind::References("node"), "Which; or a list."),
        RESPONSE.as_above(),
        Key::new(
            "deaf",
            Kind::Truth,
            "It neglects stops: a device without flow control, or a broken one.",
        )
        .or("false"),
        Key::new(
            "watchdog",
            Kind::Table(&WATCHDOG),
            "What it does about a stop that does not end.",
        )
        .otherwise("as `[watchdog]` says for switches; nothing at stations"),
        Key::new(
            "storm",
            Kind::Table(&STORM),
            "A station that sends stops whatever happens: a broken or overwhelmed receiver.",
        )
        .otherwise("none"),
    ],
};

/// What a node does about a stop that does not end.
pub(crate) static WATCHDOG: Section = Section {
    name: "[watchdog]",
    about: "What every switch does about a stop that does not end.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "detect",
            Kind::Clock { min_ps: 1 },
            "A class stopped with frames waiting and without a start for so long trips it.",
        )
        .or("\"200 ms\""),
        Key::new(
            "restore",
            Kind::Clock { min_ps: 1 },
            "It ends when no stop frame has come for so long.",
        )
        .or("\"200 ms\""),
        Key::new("action", Kind::Choice(ACTIONS), "What it does until then.").or("\"drop\""),
    ],
};

const ACTIONS: &[Choice] = &[
    Choice::new(
        "drop",
        "Drops what waits and what comes for that class of the port.",
    ),
    Choice::new("forward", "Sends in spite of the stop."),
];

static STORM: Section = Section {
    name: "nodes.storm",
    about: "Stop frames without reason.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("from", Kind::Clock { min_ps: 0 }, "From here").or("\"0 s\""),
        Key::new("until", Kind::Clock { min_ps: 1 }, "to here.").otherwise("the end of the run"),
        Key::new("classes", CLASS_LIST, "Classes stopped (PFC).").otherwise("PAUSE: all"),
        Key::new(
            "quanta",
            Kind::Whole {
                min: 1,
                max: 65_535,
                unit: "quanta of 512 bit times",
            },
            "How long each stop lasts; the next comes after half of that.",
        )
        .or("65535"),
    ],
};

/// Ways that are not the shortest.
pub(crate) static ROUTES: Section = Section {
    name: "[[routes]]",
    about: "Next hops from a node to stations. All other ways are the shortest (fewest links); \
            of several next hops `switch.spread` chooses.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("node", Kind::References("node"), "At this node, or these,"),
        Key::new(
            "to",
            Kind::References("station"),
            "frames to this station, or these,",
        ),
        Key::new(
            "via",
            Kind::References("node"),
            "go to this neighbour, or one of these.",
        ),
    ],
};
