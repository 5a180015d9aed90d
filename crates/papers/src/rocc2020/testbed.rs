//! Three sources at 10 Gb/s into 10 Gb/s: Figure 13.

use backwater_results::{Block, Cell, Table};

use super::ports::{gbps, queue};
use super::{SEEDS, TESTBED};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const PORT: &str = "S->B";

const WORDS: &str = "Gains of the set for 40 Gb/s, which the paper does not give for 10 Gb/s, and \
    T = 100 us. A link of 3 and one of 1 Gb/s stand for sources that offer no more: they are never \
    limited, and the third gets what is left.";

pub fn both(lab: &Lab) -> Result<Evidence, LabError> {
    let mixed = [("links.1.rate", "3 Gbps"), ("links.2.rate", "1 Gbps")];
    let cases: [(&str, &[(&str, &str)]); 2] = [("10, 10, 10", &[]), ("10, 3, 1", &mixed)];
    let seen = lab.each(&cases, |(offered, sets)| {
        let runs = lab.ethernet_seeds(TESTBED, sets, SEEDS)?;
        let rate = |flow: &str| {
            runs.iter()
                .map(|run| gbps(run, flow)[0])
                .collect::<Vec<f64>>()
        };
        let kilobytes = runs.iter().map(|run| queue(run, PORT).mean_bytes / 1e3);
        let kilobytes: Vec<f64> = kilobytes.collect();
        Ok((*offered, [rate("D0"), rate("D1"), rate("D2")], kilobytes))
    })?;
    let finding = |claim, at: usize| Finding {
        claim,
        scenario: TESTBED,
        measured: vec![
            Measured::over_seeds("rate_gbps", &seen[at].1[0]),
            Measured::over_seeds("queue_kb", &seen[at].2),
        ],
    };
    let rows = seen.iter().map(|(offered, rates, kilobytes)| {
        let rates = rates.iter().map(|rates| cell(rates, 3));
        let cells = [Cell::from(*offered)].into_iter().chain(rates);
        cells.chain([cell(kilobytes, 1)]).collect()
    });
    Ok(Evidence {
        findings: vec![
            finding("rocc2020.fig13.testbed-equal", 0),
            finding("rocc2020.fig13.testbed-mixed", 1),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(Table {
                name: "testbed".into(),
                caption: format!("Three sources, {SEEDS} seeds."),
                columns: vec![
                    words("offered", "Gbps on the wire"),
                    column("D0", "Gbps", "on the wire"),
                    column("D1", "Gbps", "on the wire"),
                    column("D2", "Gbps", "on the wire"),
                    column("queue", "kB", "mean"),
                ],
                rows: rows.collect(),
            }),
        ],
    })
}
