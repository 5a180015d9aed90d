//! ABR: rates that the network allows (ATM Forum TM 4.0), and what becomes of those not used.

use crate::table::{Choice, Key, Kind, Section, Selector};

const ABR: &[&str] = &["abr"];
const TM: &str = "ATM Forum TM 4.0, section 5.10.4";
const PAPER: &str = "Kalyanaraman et al. 1998, section 7.1";
const MOST_CELLS: u64 = 1 << 24;

const FACTOR: Kind = Kind::Decimal { min: 0.0, max: 1.0 };
const CELLS: Kind = Kind::Whole {
    min: 1,
    max: MOST_CELLS,
    unit: "cells",
};

/// What stands in `flows.source_control` of kind `abr`.
pub(crate) const ABR_KEYS: [Key; 19] = [
    Key::new(
        "pcr",
        Kind::CellRate { min: 1 },
        "PCR, peak cell rate: ACR never goes above.",
    )
    .otherwise("rate of the flow's first link")
    .only(ABR)
    .cite(TM),
    Key::new(
        "mcr",
        Kind::CellRate { min: 0 },
        "MCR, minimum cell rate: ACR never goes below.",
    )
    .or("\"0 bps\"")
    .only(ABR)
    .cite(TM),
    Key::new(
        "icr",
        Kind::CellRate { min: 0 },
        "ICR, initial cell rate: ACR before the first feedback; from MCR to PCR.",
    )
    .otherwise("10 Mbps, or the nearest from MCR to PCR")
    .only(ABR)
    .cite(TM),
    Key::new(
        "nrm",
        Kind::Whole {
            min: 2,
            max: 1 << 20,
            unit: "cells",
        },
        "Nrm: one of this many in-rate cells is a forward RM cell.",
    )
    .or("32")
    .only(ABR)
    .cite(TM),
    Key::new(
        "mrm",
        CELLS,
        "Mrm: after this many in-rate cells a forward RM cell is also sent when `trm` has passed.",
    )
    .or("2")
    .only(ABR)
    .cite(TM),
    Key::new(
        "trm",
        Kind::Time { min_ps: 1 },
        "Trm: longest time between forward RM cells of a source that sends, see `mrm`.",
    )
    .or("\"100 ms\"")
    .only(ABR)
    .cite(TM),
    Key::new("rif", FACTOR, "RIF: an increase adds so much of PCR.")
        .or("1.0")
        .only(ABR)
        .cite(TM),
    Key::new(
        "rdf",
        FACTOR,
        "RDF: a backward RM cell with CI takes so much of ACR.",
    )
    .or("0.001953125")
    .only(ABR)
    .cite(TM),
    Key::new(
        "cdf",
        FACTOR,
        "CDF: what each forward RM cell takes of ACR once `crm` are without an answer; 0 turns \
         rule 6 off.",
    )
    .or("0.0")
    .only(ABR)
    .cite(TM),
    Key::new(
        "crm",
        CELLS,
        "CRM: forward RM cells without an answer before rule 6.",
    )
    .otherwise("min(`tbe` / `nrm`, `pcr` `frtt` / `nrm`), at least 1")
    .only(ABR)
    .cite(PAPER),
    Key::new(
        "tbe",
        Kind::Whole {
            min: 1,
            max: MOST_CELLS - 1,
            unit: "cells",
        },
        "TBE, transient buffer exposure: cells that it may send before the first feedback.",
    )
    .or("16777215")
    .only(ABR)
    .cite(TM),
    Key::new(
        "frtt",
        Kind::Time { min_ps: 1 },
        "FRTT, fixed round-trip time, as measured at set-up.",
    )
    .otherwise("delay, handling and one cell time of every link, there and back")
    .only(ABR)
    .cite(TM),
    Key::new(
        "clip_icr",
        Kind::Truth,
        "ICR is at most `tbe` cells in `frtt`.",
    )
    .or("true")
    .only(ABR)
    .cite(TM),
    Key::new(
        "tcr",
        Kind::CellRate { min: 0 },
        "TCR: rate of out-of-rate RM cells while ACR is below it; 0 sends none.",
    )
    .or("\"10 cells/s\"")
    .only(ABR)
    .cite(TM),
    Key::new(
        "rm",
        Kind::Choice(RM_CELLS),
        "When a forward RM cell is sent that is due by count.",
    )
    .or("\"eager\"")
    .only(ABR),
    Key::new(
        "counts_backward",
        Kind::Truth,
        "Backward RM cells count towards `nrm`.",
    )
    .or("true")
    .only(ABR)
    .cite(TM),
    Key::new(
        "turn_around",
        Kind::Choice(TURN_AROUNDS),
        "What becomes of RM cells that wait at the destination to be turned around.",
    )
    .or("\"queue\"")
    .only(ABR)
    .cite("ATM Forum TM 4.0, destination rules 3 and 4"),
    Key::new(
        "rate_format",
        Kind::Choice(FORMATS),
        "How rates are written into RM cells.",
    )
    .or("\"exact\"")
    .only(ABR)
    .cite("ATM Forum TM 4.0, section 5.10.3.1"),
    Key::new(
        "uili",
        Kind::Table(&UILI),
        "What is done about an allocation that is not used (source rule 5).",
    )
    .or("{ kind = \"time-out\" }")
    .only(ABR),
];

const RM_CELLS: &[Choice] = &[
    Choice::new("eager", "At its turn, though nothing else waits."),
    Choice::new(
        "lazy",
        "Together with the next data or backward RM cell that waits.",
    ),
];

const TURN_AROUNDS: &[Choice] = &[
    Choice::new("queue", "All go back, in order."),
    Choice::new("latest", "The newest takes the place of those that wait."),
];

const FORMATS: &[Choice] = &[
    Choice::new("exact", "Whole bits per second."),
    Choice::new(
        "16-bit",
        "nz 2^e (1 + m/512) cells per second, e of 5 bits and m of 9, rounded down.",
    ),
];

const TIME_OUT_FACTOR: &[&str] = &["february-1995", "april-1995", "august-1995", "time"];
const RULE_5B: &[&str] = &["august-1995", "baseline", "time", "joint"];
const BY_COUNT: &[&str] = &["baseline", "count", "joint"];
const COUNT: &[&str] = &["count"];
const TIME: &[&str] = &["time"];

/// Use-it-or-lose-it.
pub(crate) static UILI: Section = Section {
    name: "source_control.uili",
    about: "What an ABR source does about an allocation (ACR) that it does not use: its rate SR is \
            Nrm cells in T, the time since its last forward RM cell. Looked at as each forward RM \
            cell is sent; ACR never falls below MCR.",
    selector: Some(Selector {
        key: "kind",
        default: None,
    }),
    groups: &[],
    keys: &[
        Key::new("kind", Kind::Choice(UILIS), "The policy."),
        Key::new(
            "tof",
            Kind::Decimal { min: 0.0, max: 1e6 },
            "TOF: forward RM cells without an answer (february-1995, a whole number), times `nrm` \
             cells at ACR (april-1995, august-1995), times SR (`floor = \"product\"`).",
        )
        .or("2.0")
        .only(TIME_OUT_FACTOR)
        .cite(PAPER),
        Key::new(
            "rdf",
            Kind::Decimal {
                min: 0.001,
                max: 1e12,
            },
            "RDF of the formula, in cells.",
        )
        .or("512.0")
        .only(&["february-1995", "april-1995"])
        .cite(SECTION_3),
        Key::new(
            "floor_icr",
            Kind::Truth,
            "ACR does not fall below ICR (May and June 1995).",
        )
        .or("false")
        .only(&["april-1995"])
        .cite(SECTION_3),
        Key::new(
            "tdf_per_second",
            Kind::Decimal {
                min: 0.0,
                max: 1e12,
            },
            "TDF, in 1/s: each reduction takes T times so much of ACR.",
        )
        .or("16384.0")
        .only(&["august-1995"])
        .cite(SECTION_3),
        Key::new(
            "tdf",
            FACTOR,
            "TDF: what each reduction takes of ACR; 0 turns the policy off.",
        )
        .otherwise("0.125; 0.0625 with `joint`")
        .only(BY_COUNT)
        .cite(PAPER),
        Key::new(
            "rule_5b",
            Kind::Truth,
            "The next increase after a reduction is ignored (PNI = 0).",
        )
        .or("true")
        .only(RULE_5B)
        .cite(SECTION_3),
        Key::new(
            "headroom",
            Kind::CellRate { min: 0 },
            "Added to SR: ACR up to the sum counts as used.",
        )
        .otherwise("1 Mbps; ICR with `time`")
        .only(&["count", "time"])
        .cite("Kalyanaraman et al. 1998, section 5.2.6"),
        Key::new(
            "pr5",
            Kind::Truth,
            "PR5: the test is left out once after an increase.",
        )
        .or("false")
        .only(COUNT)
        .cite("Kalyanaraman et al. 1998, section 5.2.4"),
        Key::new(
            "slack",
            FACTOR,
            "ACR may rise only if the last forward RM cell found it at most SR (1 + `slack`).",
        )
        .or("0.001")
        .only(COUNT)
        .cite("Kalyanaraman et al. 1998, section 5.2.7"),
        Key::new(
            "constant",
            Kind::Time { min_ps: 1 },
            "Tc: each reduction takes T / Tc of ACR.",
        )
        .otherwise("max(2 `frtt`, `tbe` / `pcr`)")
        .only(TIME)
        .cite(SECTION_53),
        Key::new("floor", Kind::Choice(FLOORS), "What ACR may fall to.")
            .or("\"sum\"")
            .only(TIME)
            .cite(SECTION_53),
        Key::new(
            "hold",
            FACTOR,
            "Not in the paper: no increase unless ACR is at most SR (1 + `hold`), as with `count`.",
        )
        .otherwise("increases are not held back")
        .only(TIME),
        Key::new(
            "adtf",
            Kind::Time { min_ps: 1 },
            "ADTF: ACR falls to ICR when T is longer.",
        )
        .or("\"500 ms\"")
        .only(&["time-out"])
        .cite(TM),
    ],
};

const SECTION_3: &str = "Kalyanaraman et al. 1998, section 3";
const SECTION_53: &str = "Kalyanaraman et al. 1998, section 5.3";

/// The policies.
pub(crate) const UILIS: &[Choice] = &[
    Choice::new(
        "time-out",
        "ACR falls to ICR after a pause longer than `adtf` (the rule of TM 4.0).",
    )
    .cite("Kalyanaraman et al. 1998, section 6"),
    Choice::new("none", "Nothing: the allocation stays."),
    Choice::new(
        "february-1995",
        "ACR (1 - T ACR / RDF), T since the last answer or decrease, after `tof` RM cells.",
    )
    .cite(SECTION_3),
    Choice::new(
        "april-1995",
        "1 / (1/ACR + T/RDF), when T is more than `tof` Nrm cells at ACR.",
    )
    .cite(SECTION_3),
    Choice::new(
        "august-1995",
        "ACR (1 - T TDF), not below ICR, when T is more than `tof` Nrm cells at ACR.",
    )
    .cite(SECTION_3),
    Choice::new(
        "baseline",
        "ACR (1 - TDF), not below SR + ICR, when ACR is above that.",
    )
    .cite("Kalyanaraman et al. 1998, section 4.2"),
    Choice::new(
        "count",
        "ACR (1 - TDF), not below SR + headroom, when ACR is above that; no increase until ACR is \
         used.",
    )
    .cite("Kalyanaraman et al. 1998, section 5.2"),
    Choice::new(
        "time",
        "ACR (1 - T / Tc), not below the floor, when ACR is above that.",
    )
    .cite(SECTION_53),
    Choice::new("joint", "As `baseline`, with a small TDF.")
        .cite("Kalyanaraman et al. 1998, section 5.4"),
];

const FLOORS: &[Choice] = &[
    Choice::new("sum", "`headroom` + SR."),
    Choice::new("product", "The larger of `headroom` and `tof` SR."),
];
