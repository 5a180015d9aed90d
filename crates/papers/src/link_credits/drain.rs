//! A receiver that drains at 100, 50, 0 and again 100 % of the rate of its link.

use backwater_results::{Axis, Block, Cell, Curve, Direction, Mark, Plot, Style, Table};

use super::SLOW;
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// The claim's word, what the host takes, from when to when it is measured.
const PARTS: [(&str, &str, &str, &str); 4] = [
    ("full", "100 %", "500 us", "1 ms"),
    ("half", "50 %", "1200 us", "2 ms"),
    ("none", "0 %", "2200 us", "3 ms"),
    ("again", "100 %", "3200 us", "4 ms"),
];

const WORDS: &str = "The host behind a switch takes all that comes, from 1 ms on half of it, \
    from 2 ms on nothing, from 3 ms on all again. The switch frees its memory as slowly, so its \
    credit comes back as slowly over 400 m to the one before it. Each part is measured from 200 \
    us after its begin. Nothing is lost.";

pub fn drain(lab: &Lab) -> Result<Evidence, LabError> {
    let parts = lab.each(&PARTS, |(_, _, from, until)| {
        let sets = [("run.warm_up", *from), ("run.duration", *until)];
        let run = lab.ethernet(SLOW, &sets)?;
        Ok((run.channel("near->far").data_share, run.drops()))
    })?;
    let both = PARTS.iter().zip(&parts);
    let mut measured: Vec<Measured> = both
        .map(|((name, ..), (share, _))| Measured::new(name, *share))
        .collect();
    let lost: u64 = parts.iter().map(|(_, lost)| lost).sum();
    measured.push(Measured::new("lost", lost as f64).within(0.0, 0.0));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "link-credits.ue.drain",
            scenario: SLOW,
            measured,
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&parts)),
            Block::Table(table(&parts)),
        ],
    })
}

fn plot(parts: &[(f64, u64)]) -> Plot {
    let shares = parts.iter().map(|(share, _)| *share);
    let level = |at: f64| Mark {
        direction: Direction::Horizontal,
        at,
        label: format!("paper: {:.0} %", 100.0 * at),
    };
    Plot {
        id: "drain".into(),
        title: "Throughput as the receiver drains".into(),
        x: Axis {
            names: PARTS.map(|(_, takes, ..)| takes.into()).to_vec(),
            ..Axis::new("the host takes", "")
        },
        y: Axis {
            min: Some(0.0),
            ..Axis::new("throughput", "of the link")
        },
        curves: vec![Curve::new(
            "measured",
            Style::Bars,
            vec![1.0, 2.0, 3.0, 4.0],
            shares.collect(),
        )],
        marks: vec![level(1.0), level(0.5)],
        ..Plot::default()
    }
}

fn table(parts: &[(f64, u64)]) -> Table {
    let row =
        |((_, takes, from, until), (share, lost)): (&(&str, &str, &str, &str), &(f64, u64))| {
            vec![
                Cell::from(*takes),
                format!("{from} to {until}").into(),
                Cell::float(*share, 4),
                (*lost).into(),
            ]
        };
    Table {
        name: "drained".into(),
        caption: "Throughput as the receiver drains.".into(),
        columns: vec![
            words("takes", "of the rate of its link"),
            words("measured", "from when to when"),
            column("throughput", "", "of a full link"),
            column("lost", "frames", "in the whole run"),
        ],
        rows: PARTS.iter().zip(parts).map(row).collect(),
    }
}
