//! The least limit of CBFC with which a link is full.

use backwater_results::{Block, Cell, Table};

use super::LINK;
use super::least::least;
use super::runs::{Sets, share};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Frames on a link.
struct Case {
    name: &'static str,
    what: &'static str,
    payload: u64,
    /// Credits of a frame.
    cost: u64,
    rate: &'static str,
    delay: &'static str,
    /// Limits of up to 2^so many frames are tried.
    steps: u32,
    duration: &'static str,
}

const CASES: [Case; 4] = [
    Case {
        name: "bytes_1518",
        what: "1,518 B, 100 Gbps, 2 us",
        payload: 1_472,
        cost: 24,
        rate: "100 Gbps",
        delay: "2 us",
        steps: 7,
        duration: "1 ms",
    },
    Case {
        name: "bytes_64",
        what: "64 B, 100 Gbps, 2 us",
        payload: 18,
        cost: 1,
        rate: "100 Gbps",
        delay: "2 us",
        steps: 10,
        duration: "300 us",
    },
    Case {
        name: "bytes_4096",
        what: "4,096 B, 100 Gbps, 2 us",
        payload: 4_050,
        cost: 64,
        rate: "100 Gbps",
        delay: "2 us",
        steps: 5,
        duration: "3 ms",
    },
    Case {
        name: "bytes_1518_800g_half_us",
        what: "1,518 B, 800 Gbps, 0.5 us",
        payload: 1_472,
        cost: 24,
        rate: "800 Gbps",
        delay: "500 ns",
        steps: 7,
        duration: "300 us",
    },
];

/// So much of the link is all of it.
const FULL: f64 = 0.9995;

const WORDS: &str = "A limit is enough if it lasts until the update that tells of the first \
    frame has come back: cost ceil((2p + f + w) / f) credits, with f the time of a frame on the \
    wire, p the delay one way and w the spacing of updates, where that is longer than a frame. \
    An update waits for its spacing only in some phases, so one frame less may be enough. Limits \
    of whole frames are tried, by bisection.";

pub fn full_rate(lab: &Lab) -> Result<Evidence, LabError> {
    let limits = lab.each(&CASES, |case| {
        let holds = |frames: u64| Ok(share(lab, &sets(case, frames))? >= FULL);
        Ok(case.cost * least(1, case.steps, holds)?)
    })?;
    let both = CASES.iter().zip(&limits);
    let measured = both.map(|(case, limit)| Measured::new(case.name, *limit as f64));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "link-credits.ue.full-rate",
            scenario: LINK,
            measured: measured.collect(),
        }],
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table(&limits))],
    })
}

fn sets(case: &Case, frames: u64) -> Sets {
    vec![
        ("run.duration", case.duration.into()),
        ("link.rate", case.rate.into()),
        ("link.delay", case.delay.into()),
        ("flows.f.payload", format!("{} B", case.payload)),
        ("flow_control.limit", (frames * case.cost).to_string()),
    ]
}

fn table(limits: &[u64]) -> Table {
    let row = |(case, limit): (&Case, &u64)| {
        vec![
            Cell::from(case.what),
            case.cost.into(),
            (*limit).into(),
            (limit / case.cost).into(),
        ]
    };
    Table {
        name: "limits".into(),
        caption: "Least limits with 99.95 % of the link.".into(),
        columns: vec![
            words("link", "frames, rate and delay one way"),
            column("cost", "credits", "of a frame"),
            column("limit", "credits", "the least that fills the link"),
            column("frames", "", "of that"),
        ],
        rows: CASES.iter().zip(limits).map(row).collect(),
    }
}
