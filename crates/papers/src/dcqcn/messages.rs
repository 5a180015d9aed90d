//! Eight hosts send a message of 2 MB each to one, at once.

use backwater_results::{Block, Cell, Table};

use super::one_port::{ARTIFACT, HPCC, control, each, last_ms, seeds};
use super::{ONE, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const WORDS: &str = "All eight messages fit through the port in 1.36 ms with their headers. PFC \
    is below; the time is that of the last byte of the last message.";

pub fn eight(lab: &Lab) -> Result<Evidence, LabError> {
    let controls = [
        ("dcqcn.artifact.messages", "DCQCN", ARTIFACT),
        ("dcqcn.hpcc.messages", "HPCC", HPCC),
    ];
    let last = lab.each(&controls, |(.., value)| {
        let traffic = "{ kind = \"greedy\", total = \"2 MB\" }";
        let sets = vec![
            control(value),
            ("flows.write.traffic", traffic.into()),
            ("run.warm_up", "0 s".into()),
            ("run.duration", "20 ms".into()),
        ];
        let runs = seeds(lab, ONE, &sets, SEEDS)?;
        Ok(each(&runs, |run| last_ms(run, "write")))
    })?;
    let both = controls.iter().zip(&last);
    let finding = |((claim, ..), last): (&(&'static str, _, _), &Vec<f64>)| Finding {
        claim,
        scenario: ONE,
        measured: vec![Measured::over_seeds("value", last)],
    };
    let row =
        |((_, name, _), last): (&(_, &str, _), &Vec<f64>)| vec![Cell::from(*name), cell(last, 3)];
    let table = Table {
        name: "messages".into(),
        caption: format!("8 x 2 MB to one host at 100 Gbps, {SEEDS} seeds."),
        columns: vec![
            words("source", "who computes the rate"),
            column("last", "ms", "when the last message is there"),
        ],
        rows: both.clone().map(row).collect(),
    };
    Ok(Evidence {
        findings: both.map(finding).collect(),
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table)],
    })
}
