//! Counters after a million frames.

use backwater_results::{Block, Cell, Table};

use super::LINK;
use super::runs::{credit, frames, link};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const FRAMES: u64 = 1_000_000;
/// Payloads and the frames they make.
const SIZES: [(&str, u64, u64); 3] = [
    ("bytes_64", 18, 64),
    ("bytes_69", 23, 69),
    ("bytes_1518", 1_472, 1_518),
];
/// Counters of CBFC have 20 bits.
const CIRCLE: u64 = 1 << 20;

const WORDS: &str = "A frame costs ceil((bytes - 4) / 64) credits: the FCS is not stored. One of \
    69 bytes is a byte too long for one cell, and costs two.";

pub fn million(lab: &Lab) -> Result<Evidence, LabError> {
    let counters = lab.each(&SIZES, |(_, payload, _)| {
        let sets = vec![
            ("run.warm_up", "0 s".into()),
            ("run.duration", "200 ms".into()),
            ("flows.f.payload", format!("{payload} B")),
            frames(FRAMES, *payload),
        ];
        let run = link(lab, &sets)?;
        let came = run.flows("f").map(|flow| flow.delivered_total).sum();
        Ok((credit(&run).consumed, came))
    })?;
    let mut measured = Vec::new();
    for ((name, ..), (consumed, came)) in SIZES.iter().zip(&counters) {
        measured.push(Measured::new(name, (consumed % CIRCLE) as f64));
        let came = Measured::new(&format!("{name}_came"), *came as f64);
        measured.push(came.within(FRAMES as f64, FRAMES as f64));
    }
    Ok(Evidence {
        findings: vec![Finding {
            claim: "link-credits.ue.cost",
            scenario: LINK,
            measured,
        }],
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table(&counters))],
    })
}

fn table(counters: &[(u64, u64)]) -> Table {
    let row = |((_, _, bytes), (consumed, came)): (&(&str, u64, u64), &(u64, u64))| {
        let counts = [*bytes, *came, *consumed, consumed % CIRCLE];
        counts.map(Cell::from).to_vec()
    };
    Table {
        name: "counters".into(),
        caption: "What was consumed for a million frames.".into(),
        columns: vec![
            column("frame", "bytes", "with FCS"),
            column("came", "frames", "in all"),
            column("consumed", "credits", "in full"),
            column("counter", "credits", "its last 20 bits"),
        ],
        rows: SIZES.iter().zip(counters).map(row).collect(),
    }
}
