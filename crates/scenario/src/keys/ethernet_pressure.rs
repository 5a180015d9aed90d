//! The Ethernet engine: back-pressure.

use super::ethernet_switch::{CLASS_LIST, HIGH, LOW, PAPER};
use crate::table::{Choice, Key, Kind, Section, Selector};

const ANY: &[&str] = &["pause", "class", "destination"];
const DESTINATION: &[&str] = &["destination"];

/// When and whom a switch stops.
pub(crate) static BACK_PRESSURE: Section = Section {
    name: "[back_pressure]",
    about: "When and whom every switch stops.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("kind", Kind::Choice(SCHEMES), "What is stopped."),
        Key::new(
            "classes",
            CLASS_LIST,
            "Classes under back-pressure: those that lose nothing.",
        )
        .otherwise("all")
        .only(ANY),
        Key::new("detect", Kind::Choice(DETECTS), "Where congestion is seen.")
            .otherwise("outputs; inputs with shared memory")
            .only(ANY),
        Key::new(
            "notify",
            Kind::Choice(NOTIFIES),
            "Who is stopped when an output queue is congested.",
        )
        .otherwise("others")
        .only(ANY),
        HIGH.otherwise("80 %; what is free says it with shared memory")
            .only(ANY)
            .cite(PAPER),
        LOW.otherwise("70 %; what is free says it with shared memory")
            .only(ANY)
            .cite(PAPER),
        Key::new(
            "quanta",
            Kind::WholeOr {
                word: "until-cancelled",
                min: 1,
                max: 65_535,
                unit: "quanta of 512 bit times",
            },
            "How long a stop lasts: as long as IEEE 802.3x gives it, or, as in the paper, until \
             it is cancelled.",
        )
        .or("\"until-cancelled\"")
        .only(ANY),
        Key::new(
            "refresh",
            Kind::PortionOr { word: "never" },
            "A stop is repeated after this share of its time while \
             congestion lasts.",
        )
        .or("\"50 %\"")
        .only(ANY),
        Key::new(
            "choose",
            Kind::Choice(CHOICES),
            "Which destinations are stopped.",
        )
        .or("\"all-found\"")
        .only(DESTINATION),
        Key::new(
            "frames",
            Kind::Whole {
                min: 1,
                max: 1_000,
                unit: "frames",
            },
            "Frames drawn by `random`.",
        )
        .or("1")
        .only(DESTINATION),
        Key::new(
            "blocked_share",
            Kind::Table(&BLOCKED),
            "How much of a queue frames to stopped destinations may take.",
        )
        .otherwise("all of it")
        .only(DESTINATION),
        Key::new(
            "time_out",
            Kind::Table(&TIME_OUT),
            "What is done about neighbours that do not respond.",
        )
        .otherwise("nothing")
        .only(ANY),
        HEADROOM.or("\"checked\"").only(ANY),
    ],
};

/// Whether lossless classes may lose frames.
pub(crate) const HEADROOM: Key = Key::new(
    "headroom",
    Kind::Choice(HEADROOMS),
    "Whether a lossless class promises to lose nothing.",
);

/// What is stopped.
pub(crate) const SCHEMES: &[Choice] = &[
    Choice::new("none", "Nothing: queues that are full drop."),
    Choice::new(
        "pause",
        "The whole channel, all classes: PAUSE, the paper's simple scheme.",
    )
    .cite("IEEE 802.3x; Nouredine, Tobagi 1999, section 2"),
    Choice::new("class", "The congested class: PFC.")
        .cite("IEEE 802.1Qbb; Nouredine, Tobagi 1999, section 2"),
    Choice::new(
        "destination",
        "Frames of the congested class to the stations that the congested queue holds frames for.",
    )
    .cite("Nouredine, Tobagi 1999, section 2"),
];

const DETECTS: &[Choice] = &[
    Choice::new("outputs", "In output queues, as in the paper."),
    Choice::new(
        "inputs",
        "In counters of what came in over a port and has not left, as PFC switches do.",
    ),
];

/// Who is told.
pub(crate) const NOTIFIES: &[Choice] = &[
    Choice::new(
        "others",
        "All neighbours but the one behind the congested port.",
    ),
    Choice::new(
        "all",
        "That one too, as in the paper: two switches may stop each other for good.",
    ),
    Choice::new("contributing", "Those with frames in the congested queue."),
];

const CHOICES: &[Choice] = &[
    Choice::new("all-found", "All that are found in the congested queue."),
    Choice::new("random", "Those of some frames drawn from it."),
];

const HEADROOMS: &[Choice] = &[
    Choice::new(
        "checked",
        "It does: what may lose frames is an error, and a frame lost fails the run.",
    ),
    Choice::new(
        "unchecked",
        "It does not, the loss is meant: too little room is a warning.",
    ),
];

static BLOCKED: Section = Section {
    name: "back_pressure.blocked_share",
    about: "When frames to stopped destinations take more of a queue than this, their \
            destinations are stopped upstream too. Shares are of the largest queue of the switch.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("high", Kind::Threshold, "More than this stops them.")
            .cite("Nouredine, Tobagi 1999, section 3.2.2"),
        Key::new("low", Kind::Threshold, "Less than this resumes them.")
            .otherwise("as far below as `low` of `[back_pressure]` is below its `high`"),
    ],
};

static TIME_OUT: Section = Section {
    name: "back_pressure.time_out",
    about: "A neighbour that goes on sending is given up, so that it alone meets the full queue.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "after",
            Kind::Clock { min_ps: 1 },
            "A queue that is still congested so long after its stops",
        )
        .cite("Nouredine, Tobagi 1999, section 3.2.1"),
        Key::new(
            "grace",
            Kind::Clock { min_ps: 1 },
            "releases every neighbour that has obeyed its stop for this long.",
        ),
    ],
};
