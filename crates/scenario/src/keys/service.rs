//! Service: which unit leaves a port next, memory that flows share, what a flow reserves and is
//! held to, set-up and tear-down, what to measure.

use crate::kinds as is;
use crate::table::{Choice, Group, Key, Section, Selector};

const UNITS: u64 = 1 << 30;
const CLOCK: &[&str] = &["virtual-clock"];
const WINDOWS: &[&str] = &["fixed-window", "sliding-window"];
const BUCKET: &[&str] = &["bucket"];
const ZHANG: &str = "Zhang 1991, section 3.1";

/// Which unit leaves a port next.
pub(crate) static SCHEDULER: Section = Section {
    name: "[scheduler]",
    about: "Which unit leaves a port next, among those that wait and that flow control lets \
            cross. It holds for every port; a `scheduler` table in `[link]`, `[[links]]`, \
            `links.forward`, `links.backward` or `topology.trunk` replaces it there as a whole.",
    selector: Some(Selector {
        key: "kind",
        default: Some("round-robin"),
    }),
    groups: &[],
    keys: &[
        Key::new("kind", &is::Words(SCHEDULERS), "The discipline.").or("\"round-robin\""),
        Key::new(
            "stamp",
            &is::Words(STAMPS),
            "The clock of a flow that stamps its units; the smallest stamp is served first.",
        )
        .or("\"auxvc\"")
        .only(CLOCK)
        .cite(ZHANG),
        Key::new(
            "resync",
            &is::Words(RESYNCS),
            "When auxVC is set back to VirtualClock at the end of a check.",
        )
        .or("\"idle-link\"")
        .only(CLOCK)
        .cite(ZHANG),
        Key::new(
            "threshold",
            &is::Time { min_ps: 0 },
            "T: a flow whose VirtualClock is further ahead of real time at a check is warned.",
        )
        .otherwise("AIR times Vtick of the flow")
        .only(CLOCK)
        .cite(ZHANG),
        Key::new(
            "alarm",
            &is::Size {
                min: 1,
                max: 1 << 20,
            },
            "Size of a warning, sent to the source of the flow.",
        )
        .otherwise("none is sent; warnings are counted all the same")
        .only(CLOCK)
        .cite(ZHANG),
        Key::new(
            "quantum",
            &is::Size { min: 1, max: UNITS },
            "Bytes a round for the flow with the smallest reservation of the port; the others \
             get as many times more as they reserve.",
        )
        .otherwise("the largest unit of any flow")
        .only(&["drr"]),
        Key::new(
            "max_residence",
            &is::Time { min_ps: 0 },
            "A unit that would wait longer until it conforms is dropped.",
        )
        .otherwise("without limit")
        .only(&["ats"]),
    ],
};

/// The disciplines.
pub(crate) const SCHEDULERS: &[Choice] = &[
    Choice::new(
        "round-robin",
        "One flow after another, a unit each, in each priority group.",
    ),
    Choice::new("fifo", "In order of arrival, whatever the priority."),
    Choice::new(
        "strict-priority",
        "In order of arrival in each priority group.",
    ),
    Choice::new(
        "virtual-clock",
        "By a clock of each flow that ticks at the rate it reserves.",
    )
    .cite(ZHANG),
    Choice::new(
        "wfq",
        "Weighted fair queueing: by the time at which fluid sharing would have finished the unit.",
    )
    .cite("Demers, Keshav, Shenker 1989; Parekh, Gallager 1993"),
    Choice::new(
        "wf2q+",
        "Worst-case fair: the same, among units that fluid sharing would have started.",
    )
    .cite("Bennett, Zhang 1997"),
    Choice::new(
        "scfq",
        "Self-clocked fair queueing: virtual time is the stamp of the unit in service.",
    )
    .cite("Golestani 1994"),
    Choice::new(
        "sfq",
        "Start-time fair queueing: by the virtual time at which service would start.",
    )
    .cite("Goyal, Vin, Cheng 1996"),
    Choice::new(
        "drr",
        "Deficit round robin: as many bytes a round as a flow reserves.",
    )
    .cite("Shreedhar, Varghese 1995"),
    Choice::new("edf", "Earliest deadline first: arrival + `deadline`."),
    Choice::new(
        "ats",
        "Asynchronous traffic shaping: a unit waits until it conforms to its flow's rate and \
         burst, then in the order of these instants.",
    )
    .cite("IEEE 802.1Qcr"),
];

const STAMPS: &[Choice] = &[
    Choice::new("auxvc", "auxVC: credit of silent times is not saved."),
    Choice::new(
        "virtual-clock",
        "VirtualClock: a flow that was silent may be served first for long.",
    ),
];

const RESYNCS: &[Choice] = &[
    Choice::new(
        "idle-link",
        "Only on an idle channel, before the next unit is stamped.",
    ),
    Choice::new(
        "literal",
        "As the paper is written: after stamping, if the channel is idle or the unit on the wire \
         has a larger stamp. It may reorder a flow, and breaks delay bounds.",
    ),
    Choice::new("none", "Never."),
];

/// Memory that all flows through a switch share.
pub(crate) static POOL: Section = Section {
    name: "[pool]",
    about: "Memory of every switch, shared by all data units in it. At least one of `units` and \
            `bytes` limits it. It excludes credit on the links to the switches.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "units",
            &is::Whole {
                min: 1,
                max: UNITS,
                unit: "units",
            },
            "Units it holds.",
        )
        .otherwise("without limit"),
        Key::new(
            "bytes",
            &is::Size {
                min: 1,
                max: 1 << 50,
            },
            "Bytes it holds.",
        )
        .otherwise("without limit"),
        Key::new(
            "when_full",
            &is::Words(WHEN_FULL),
            "Who is dropped when it is full.",
        )
        .or("\"tail-drop\""),
        Key::new(
            "hold",
            &is::Words(HOLDS),
            "How long a unit holds its place.",
        )
        .or("\"end\""),
    ],
};

const WHEN_FULL: &[Choice] = &[
    Choice::new("tail-drop", "The unit that arrives."),
    Choice::new(
        "push-out",
        "The unit that would be served last in the longest queue of the switch.",
    )
    .cite(ZHANG),
];

const HOLDS: &[Choice] = &[
    Choice::new("end", "Until its last bit has left."),
    Choice::new("start", "Until it starts on the next channel."),
];

/// What to measure besides flows.
pub(crate) static MEASURE: Section = Section {
    name: "[measure]",
    about: "What a run measures besides its flows.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "ports",
            &is::Truth,
            "Measure queues, waiting and utilization at ports.",
        )
        .otherwise("true where a `scheduler` or `[pool]` is given"),
        Key::new(
            "window",
            &is::Time { min_ps: 1 },
            "Windows over which the utilization of ports is averaged.",
        )
        .otherwise("a thousandth of the run"),
    ],
};

/// A size of units and how often it comes.
pub(crate) static SIZES: Section = Section {
    name: "flows.sizes",
    about: "A size of units and how often it comes; the size of each unit is drawn at random.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "bytes",
            &is::Size {
                min: 1,
                max: 1 << 20,
            },
            "Bytes on the wire.",
        ),
        Key::new(
            "share",
            &is::Decimal { min: 0.0, max: 1e6 },
            "Share of the units, against the sum of all shares of the flow.",
        ),
    ],
};

/// What a flow reserves.
pub(crate) static RESERVE: Section = Section {
    name: "flows.reserve",
    about: "What a flow reserves at every port on its way.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "rate",
            &is::Rate,
            "AR, the average rate, counted on the wire.",
        )
        .cite(ZHANG),
        Key::new(
            "interval",
            &is::Time { min_ps: 1 },
            "AI, the average interval: VirtualClock checks the flow every AIR = max(1, \
             floor(`rate` * `interval` / unit)) units.",
        )
        .otherwise("it is never checked")
        .cite(ZHANG),
        Key::new(
            "burst",
            &is::Size {
                min: 1,
                max: 1 << 40,
            },
            "What it may send at once: the bucket of ATS.",
        )
        .otherwise("one unit"),
        Key::new(
            "offset",
            &is::Time { min_ps: 0 },
            "P of VirtualClock: real time counts as so much earlier.",
        )
        .or("\"0 s\"")
        .cite("Zhang 1991, section 3.2.2"),
        Key::new(
            "deadline",
            &is::Time { min_ps: 1 },
            "Deadline at each port, for EDF.",
        )
        .otherwise("the time a unit takes at `rate`"),
    ],
};

const RULE: Key = Key::new("kind", &is::Words(ENVELOPES), "How much may pass when.");
const ENVELOPE_UNITS: Key = Key::new(
    "units",
    &is::Whole {
        min: 1,
        max: UNITS,
        unit: "units",
    },
    "Units in each window, or in any.",
)
.otherwise("what `reserve.rate` brings in the interval (AIR)")
.only(WINDOWS);
const ENVELOPE_INTERVAL: Key = Key::new("interval", &is::Time { min_ps: 1 }, "Length of a window.")
    .otherwise("`reserve.interval` (AI)")
    .only(WINDOWS);
const ENVELOPE_PHASE: Key = Key::new(
    "phase",
    &is::Time { min_ps: 1 },
    "When the first window ends; at most one interval.",
)
.otherwise("at random")
.only(&["fixed-window"]);
const ENVELOPE_RATE: Key = Key::new("rate", &is::Rate, "How fast the bucket leaks.")
    .otherwise("`reserve.rate`")
    .only(BUCKET);
const ENVELOPE_BURST: Key = Key::new(
    "burst",
    &is::Size {
        min: 1,
        max: 1 << 40,
    },
    "What may pass at once; `tolerance` = (`burst` - unit) / `rate`.",
)
.otherwise("from `tolerance`; else `reserve.burst`, or one unit")
.only(BUCKET);
const ENVELOPE_TOLERANCE: Key = Key::new(
    "tolerance",
    &is::Time { min_ps: 0 },
    "tau of the GCRA: how much too early a unit may come.",
)
.otherwise("from `burst`")
.only(BUCKET)
.cite("ITU-T I.371, annex A");
/// `burst` and `tolerance` set the same number.
const DEPTH: &[Group] = &[Group {
    keys: &["burst", "tolerance"],
    required: false,
    only: BUCKET,
}];
const ENVELOPE_KIND: Option<Selector> = Some(Selector {
    key: "kind",
    default: None,
});

/// What a source holds itself to.
pub(crate) static ENVELOPE: Section = Section {
    name: "flows.envelope",
    about: "What the source holds itself to, between the application and `source_control`.",
    selector: ENVELOPE_KIND,
    groups: DEPTH,
    keys: &[
        RULE,
        ENVELOPE_UNITS,
        ENVELOPE_INTERVAL,
        ENVELOPE_PHASE,
        ENVELOPE_RATE,
        ENVELOPE_BURST,
        ENVELOPE_TOLERANCE,
        Key::new(
            "excess",
            &is::Words(ENVELOPE_EXCESS),
            "What becomes of a unit that does not conform.",
        )
        .or("\"drop\""),
    ],
};

/// What the edge of the network holds a flow to.
pub(crate) static POLICER: Section = Section {
    name: "flows.policer",
    about: "What the edge of the network holds the flow to, behind `source_control` and before \
            the first port.",
    selector: ENVELOPE_KIND,
    groups: DEPTH,
    keys: &[
        RULE,
        ENVELOPE_UNITS,
        ENVELOPE_INTERVAL,
        ENVELOPE_PHASE,
        ENVELOPE_RATE,
        ENVELOPE_BURST,
        ENVELOPE_TOLERANCE,
        Key::new(
            "excess",
            &is::Words(POLICER_EXCESS),
            "What becomes of a unit that does not conform. A policer can't stop the application.",
        )
        .or("\"drop\""),
    ],
};

/// The kinds of envelope.
pub(crate) const ENVELOPES: &[Choice] = &[
    Choice::new(
        "fixed-window",
        "So many units in each window, one after another. Up to twice as many may pass back to \
         back over a boundary.",
    )
    .cite("Zhang 1991, section 3.3"),
    Choice::new(
        "sliding-window",
        "So many units in any window of this length.",
    ),
    Choice::new(
        "bucket",
        "A leaky bucket, also the GCRA of ATM: a rate and a burst.",
    )
    .cite("ITU-T I.371, annex A"),
];

const DROP: Choice = Choice::new("drop", "It is dropped.");
const DELAY: Choice = Choice::new(
    "delay",
    "It waits until it conforms, and what comes behind it too.",
);
const ENVELOPE_EXCESS: &[Choice] = &[
    DROP,
    DELAY,
    Choice::new(
        "freeze",
        "The application stands still until it conforms (an envelope only).",
    ),
];
const POLICER_EXCESS: &[Choice] = &[DROP, DELAY];

/// What a source makes of a warning.
pub(crate) static ON_ALARM: Section = Section {
    name: "flows.on_alarm",
    about: "What the source makes of a warning that its flow runs too fast.",
    selector: ENVELOPE_KIND,
    groups: &[],
    keys: &[
        Key::new("kind", &is::Words(ALARMS), "What it does."),
        Key::new(
            "factor",
            &is::Decimal {
                min: 0.000001,
                max: 0.999999,
            },
            "How fast it sends from then on, against what it did since the warning before.",
        )
        .only(&["slow-down"]),
    ],
};

/// The answers to a warning.
pub(crate) const ALARMS: &[Choice] = &[
    Choice::new("ignore", "Nothing."),
    Choice::new(
        "obey",
        "From then on it sends at its reserved rate at most, evenly spaced.",
    ),
    Choice::new(
        "slow-down",
        "From then on it sends at most `factor` times as fast as before, but not slower than it \
         reserved.",
    ),
];

/// A flow that is set up and torn down while the network runs.
pub(crate) static SESSION: Section = Section {
    name: "flows.session",
    about: "Set-up and tear-down while the network runs. A request goes along the way and \
            reserves at every port; the first port that has not enough left refuses, and the \
            source stays silent. The destination answers; then the traffic starts.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("open", &is::Time { min_ps: 0 }, "The source asks."),
        Key::new(
            "close",
            &is::Time { min_ps: 0 },
            "The source falls silent; a tear-down follows its last unit.",
        )
        .otherwise("never"),
        Key::new(
            "message",
            &is::Size {
                min: 1,
                max: 1 << 20,
            },
            "Size of its messages on the wire.",
        )
        .or("\"64 B\""),
    ],
};
