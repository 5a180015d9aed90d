//! Credit that comes back in whole grains.

use backwater_results::{Block, Cell, Table};

use super::LINK;
use super::least::least;
use super::runs::{Sets, credit, link, share};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const COST: u64 = 24;
/// So much of the link is all of it.
const FULL: f64 = 0.9995;

const WORDS: &str = "What is freed comes back in grains of 16 credits, and the rest of one is \
    kept. Frames cost 24, so up to 8 credits are free and not told. With a limit of 31 the first \
    frame leaves 7 credits and 16 come back: 23 are one too few, and nothing ever frees more.";

pub fn grain(lab: &Lab) -> Result<Evidence, LabError> {
    let full = least(513, 10, |limit| Ok(share(lab, &sets(limit))? >= FULL))?;
    let goes_on = least(COST, 5, |limit| {
        Ok(credit(&link(lab, &sets(limit))?).consumed > 100 * COST)
    })?;
    let limits = [
        (
            "smallest_full_rate",
            "least limit that fills the link",
            full,
        ),
        (
            "largest_that_stops",
            "largest limit that stops for ever",
            goes_on - 1,
        ),
    ];
    let measured = limits.map(|(name, _, limit)| Measured::new(name, limit as f64));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "link-credits.ub.grain",
            scenario: LINK,
            measured: measured.to_vec(),
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&limits.map(|(_, what, limit)| (what, limit)))),
        ],
    })
}

/// A loop of 37 frames.
fn sets(limit: u64) -> Sets {
    vec![
        ("run.duration", "1500 us".into()),
        ("link.delay", "2200 ns".into()),
        ("flow_control.kind", "grains".into()),
        ("flow_control.grain", "16".into()),
        ("flow_control.update_bytes", "8 B".into()),
        ("flow_control.headroom", "unchecked".into()),
        ("flow_control.limit", limit.to_string()),
    ]
}

fn table(limits: &[(&str, u64)]) -> Table {
    let row = |(what, limit): &(&str, u64)| vec![Cell::from(*what), (*limit).into()];
    Table {
        name: "grains".into(),
        caption: "Frames of 24 credits, grains of 16, a loop of 37 frames.".into(),
        columns: vec![
            words("what", "is looked for"),
            column("limit", "credits", "found by bisection"),
        ],
        rows: limits.iter().map(row).collect(),
    }
}
