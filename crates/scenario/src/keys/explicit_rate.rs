//! What switches tell ABR sources, and links that are cut for a while.

use crate::table::{Choice, Key, Kind, Section, Selector};

const QUEUE: Kind = Kind::Whole {
    min: 0,
    max: 1 << 30,
    unit: "cells",
};
const FACTOR: Kind = Kind::Decimal { min: 0.0, max: 1.0 };
const TARGET: Kind = Kind::Decimal { min: 0.0, max: 2.0 };
const ABOVE_ONE: Kind = Kind::Decimal {
    min: 1.0,
    max: 100.0,
};
const ERICA: &[&str] = &["erica"];
const RELATIVE: &[&str] = &["relative-rate"];
const EPRCA: &[&str] = &["eprca"];
const CAPC: &[&str] = &["capc"];
const MEASURED: &[&str] = &["erica", "capc"];
const MARKED: &[&str] = &["efci", "relative-rate", "eprca"];
const ERICA_PAPER: &str = "Kalyanaraman et al. 1997, the ERICA switch algorithm";
const ROBERTS: &str = "Roberts 1994, ATM Forum 94-0735";
const BARNHART: &str = "Barnhart 1994, ATM Forum 94-0983";

/// The rule of a port.
pub(crate) static EXPLICIT_RATE: Section = Section {
    name: "link.explicit_rate",
    about: "What the sending port tells the sources of ABR circuits through it. In `[link]` it \
            holds for every channel that leaves a switch; in `[[links]]`, `links.forward`, \
            `links.backward` or `topology.trunk` it replaces that as a whole.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("kind", Kind::Choice(EXPLICIT_RATES), "The rule."),
        Key::new(
            "target",
            TARGET,
            "Share of the capacity left to ABR that it aims at.",
        )
        .or("0.9")
        .only(MEASURED)
        .cite("Kalyanaraman et al. 1998, section 7.2.2"),
        Key::new(
            "interval",
            // Shorter ones take longer to count than to run.
            Kind::Time { min_ps: 1_000_000 },
            "A measuring interval ends after this time.",
        )
        .or("\"1 ms\"")
        .only(MEASURED)
        .cite("Kalyanaraman et al. 1998, section 7.2.2"),
        Key::new(
            "interval_cells",
            QUEUE,
            "Or after this many ABR cells, if that is sooner; 0: by time alone.",
        )
        .or("100")
        .only(ERICA)
        .cite("Kalyanaraman et al. 1998, section 7.2.2"),
        Key::new(
            "delta",
            Kind::Decimal {
                min: 0.0,
                max: 10.0,
            },
            "Load up to 1 + `delta` counts as no overload.",
        )
        .or("0.1")
        .only(ERICA)
        .cite(ERICA_PAPER),
        Key::new(
            "limit_jump",
            Kind::Truth,
            "A circuit below the fair share goes no higher than the fair share in one step.",
        )
        .or("true")
        .only(ERICA)
        .cite(ERICA_PAPER),
        Key::new(
            "ccr",
            Kind::Choice(CURRENT_RATES),
            "Where a circuit's current rate comes from.",
        )
        .or("\"field\"")
        .only(ERICA)
        .cite(ERICA_PAPER),
        Key::new(
            "one_feedback",
            Kind::Truth,
            "A circuit gets one answer per interval, repeated to further RM cells.",
        )
        .or("true")
        .only(ERICA)
        .cite(ERICA_PAPER),
        Key::new(
            "up_to_link",
            Kind::Truth,
            "The explicit rate is at most the link's rate, not the target.",
        )
        .or("false")
        .only(ERICA),
        Key::new(
            "activity_decay",
            FACTOR,
            "What a circuit still counts as active after each interval without a cell; 0: nothing.",
        )
        .or("0.0")
        .only(ERICA)
        .cite(ERICA_PAPER),
        Key::new(
            "queue",
            Kind::Table(&QUEUE_CONTROL),
            "ERICA+: the target follows the queue.",
        )
        .otherwise("it does not")
        .only(ERICA)
        .cite("Kalyanaraman 1997, thesis, chapter 5"),
        Key::new(
            "aging",
            Kind::Table(&AGING),
            "Use it or lose it, in the switch.",
        )
        .otherwise("none")
        .only(ERICA)
        .cite("Kalyanaraman et al. 1998, section 5.5"),
        Key::new(
            "high",
            QUEUE,
            "The queue is long (congestion) above this many ABR cells,",
        )
        .or("300")
        .only(MARKED),
        Key::new("low", QUEUE, "until it holds no more than this.")
            .or("200")
            .only(MARKED),
        Key::new("ni_high", QUEUE, "NI is set above this many ABR cells,")
            .or("100")
            .only(RELATIVE),
        Key::new("ni_low", QUEUE, "until the queue holds no more than this.")
            .or("50")
            .only(RELATIVE),
        Key::new("marks", Kind::Choice(MARKS), "RM cells that are marked.")
            .or("\"backward\"")
            .only(RELATIVE),
        Key::new(
            "notice_every",
            Kind::Time { min_ps: 1 },
            "While congested the switch makes RM cells of its own (BN = 1), at most one per \
             circuit in this time.",
        )
        .otherwise("it makes none")
        .only(RELATIVE),
        Key::new(
            "weight",
            FACTOR,
            "Weight of a CCR in the mean allowed rate MACR.",
        )
        .or("0.0625")
        .only(EPRCA)
        .cite(ROBERTS),
        Key::new(
            "down_pressure",
            FACTOR,
            "DPF: under congestion a circuit above this share of MACR is reduced",
        )
        .or("0.875")
        .only(EPRCA)
        .cite(ROBERTS),
        Key::new("reduction", FACTOR, "ERF: to this share of MACR.")
            .or("0.9375")
            .only(EPRCA)
            .cite(ROBERTS),
        Key::new(
            "major_reduction",
            FACTOR,
            "MRF: all circuits are reduced to this share of MACR when very congested.",
        )
        .or("0.25")
        .only(EPRCA)
        .cite(ROBERTS),
        Key::new(
            "very_high",
            QUEUE,
            "Very congested above this many ABR cells.",
        )
        .or("1000")
        .only(EPRCA)
        .cite(ROBERTS),
        Key::new(
            "rise",
            Kind::Decimal {
                min: 0.0,
                max: 100.0,
            },
            "Rup: underload multiplies the fair share by 1 + (1 - z) `rise`,",
        )
        .or("0.1")
        .only(CAPC)
        .cite(BARNHART),
        Key::new("rise_most", ABOVE_ONE, "ERU: at most by this.")
            .or("1.5")
            .only(CAPC)
            .cite(BARNHART),
        Key::new(
            "fall",
            Kind::Decimal {
                min: 0.0,
                max: 100.0,
            },
            "Rdn: overload multiplies it by 1 - (z - 1) `fall`,",
        )
        .or("0.8")
        .only(CAPC)
        .cite(BARNHART),
        Key::new("fall_least", FACTOR, "ERF: at least by this.")
            .or("0.5")
            .only(CAPC)
            .cite(BARNHART),
        Key::new("congestion", QUEUE, "CI is set above this many ABR cells.")
            .or("300")
            .only(CAPC)
            .cite(BARNHART),
    ],
};

/// The rules.
pub(crate) const EXPLICIT_RATES: &[Choice] = &[
    Choice::new(
        "erica",
        "ERICA: measures load and active circuits over intervals and shares out a target; ERICA+ \
         with `queue`.",
    )
    .cite(ERICA_PAPER),
    Choice::new("none", "It tells nothing."),
    Choice::new("efci", "Data cells are marked while the queue is long."),
    Choice::new(
        "relative-rate",
        "RM cells get CI and NI while the queue is long.",
    ),
    Choice::new(
        "eprca",
        "EPRCA: a mean of the rates that sources state, and a queue that says when to reduce.",
    )
    .cite(ROBERTS),
    Choice::new("capc", "CAPC: the fair share follows the load.").cite(BARNHART),
];

const CURRENT_RATES: &[Choice] = &[
    Choice::new("field", "The CCR field of its forward RM cells."),
    Choice::new("measured", "Its cells, counted over the interval before."),
];

const MARKS: &[Choice] = &[
    Choice::new("backward", "On their way back to the source."),
    Choice::new("forward", "On their way to the destination."),
];

static QUEUE_CONTROL: Section = Section {
    name: "explicit_rate.queue",
    about: "ERICA+: with Q0 cells in `delay` at the target, it aims at b Q0 / ((b - 1) q + Q0) of \
            it for a queue q up to Q0, and at a Q0 / ((a - 1) q + Q0) above.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "delay",
            Kind::Time { min_ps: 1 },
            "T0: queueing delay aimed at.",
        )
        .or("\"1 ms\""),
        Key::new("a", ABOVE_ONE, "How fast it falls with a longer queue.").or("1.15"),
        Key::new("b", ABOVE_ONE, "What it aims at with an empty queue.").or("1.05"),
        Key::new("least", FACTOR, "QDLF: it never aims at less.").or("0.5"),
    ],
};

static AGING: Section = Section {
    name: "explicit_rate.aging",
    about: "With r the smoothed rate of a circuit and u = CCR / r: above `delta` it gets at most \
            max(`delta` r, `floor`, CCR (1 - (e^(`alpha` u) - e^(`alpha` `delta`)))).",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "alpha",
            Kind::Decimal {
                min: 0.0,
                max: 10.0,
            },
            "How fast an unused rate ages.",
        )
        .or("0.1"),
        Key::new(
            "delta",
            ABOVE_ONE,
            "A rate up to `delta` times what is used does not age.",
        )
        .or("1.5"),
        Key::new("floor", Kind::CellRate { min: 0 }, "Not below this (ICR).").or("\"1 Mbps\""),
        Key::new(
            "weight",
            FACTOR,
            "Weight of a new measurement in the smoothed rate.",
        )
        .or("0.25"),
    ],
};

/// A link that is cut for a while.
pub(crate) static OUTAGES: Section = Section {
    name: "links.outages",
    about: "The link is cut: what is on it or would start is lost.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("from", Kind::Time { min_ps: 0 }, "From here"),
        Key::new(
            "until",
            Kind::Time { min_ps: 1 },
            "to here, where it works again.",
        ),
        Key::new(
            "direction",
            Kind::Choice(DIRECTIONS),
            "Which way it is cut.",
        )
        .or("\"both\""),
    ],
};

const DIRECTIONS: &[Choice] = &[
    Choice::new("both", "Both ways."),
    Choice::new("forward", "From the first node of `between` to the second."),
    Choice::new("backward", "From the second to the first."),
];
