//! Sixteen sources start at line rate: what holds the first round trip.

use backwater_results::{Block, Cell, Table};

use super::one_port::{
    ARTIFACT, PORT, Sets, control, each, queue, seeds, sources, stops, values_of_the_paper,
};
use super::{ONE, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{EthernetRun, Lab, LabError};
use crate::measured::{Finding, Measured};

/// Seeds of what must hold in each.
const MANY: u64 = 20;

const WORDS: &str = "A source of DCQCN knows nothing before the first notification, and sends at \
    line rate. Sixteen of them fill a switch of 4 MB in the first tenths of a millisecond; PFC \
    stops them in time, and nothing is lost. With nothing below, and memory for all of it, the \
    start makes a queue of 3.5 MB if all \
    begin within 1 us, and of 5 MB within 10 us: who begins late has not been told yet when the \
    others are.";

/// What is below, values, and what was seen by seed.
struct Start {
    below: &'static str,
    values: &'static str,
    runs: Vec<EthernetRun>,
}

pub fn from_line_rate(lab: &Lab) -> Result<Evidence, LabError> {
    let small = ("buffer.shared.bytes", "4 MB".into());
    let of_artifact = vec![
        control(ARTIFACT),
        small.clone(),
        ("run.duration", "4 ms".into()),
    ];
    let of_paper = [
        values_of_the_paper(),
        vec![small, ("run.duration", "10 ms".into())],
    ];
    let start = |below, values, sets: Sets, count| {
        let more = vec![sources(16), ("run.warm_up", "0 s".into())];
        let runs = seeds(lab, ONE, &[sets, more].concat(), count)?;
        Ok(Start {
            below,
            values,
            runs,
        })
    };
    let starts = [
        start("PFC", "artifact, 100 Gbps", of_artifact, MANY)?,
        start("PFC", "paper, 40 Gbps", of_paper.concat(), MANY)?,
        start("nothing", "paper, 40 Gbps", bare("1 us"), SEEDS)?,
        start(
            "nothing, 10 us apart",
            "paper, 40 Gbps",
            bare("10 us"),
            SEEDS,
        )?,
    ];
    Ok(Evidence {
        findings: findings(&starts),
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table(&starts))],
    })
}

/// Nothing below, and sources that start so far apart at most.
fn bare(jitter: &str) -> Sets {
    let memory = "{ per_queue = \"64 MB\", ecn = { min = \"5 kB\", max = \"200 kB\", \
        probability = 0.01, at = \"leave\" } }";
    let changes: Sets = vec![
        ("buffer", memory.into()),
        ("flow_control", "{ kind = \"none\" }".into()),
        ("run.duration", "1 ms".into()),
        ("run.start_jitter", jitter.into()),
    ];
    let values = values_of_the_paper().into_iter();
    values
        .filter(|(key, _)| *key != "buffer.ecn")
        .chain(changes)
        .collect()
}

fn findings(starts: &[Start; 4]) -> Vec<Finding> {
    let [artifact, paper, bare, apart] = starts;
    let under_pfc = |one: &Start, name: &str| {
        let least = each(&one.runs, stops).into_iter().fold(f64::MAX, f64::min);
        [
            Measured::rate_over_seeds(&format!("{name}_dropped"), &each(&one.runs, dropped))
                .within(0.0, 0.0),
            Measured::new(&format!("{name}_least_stops"), least).at_least(1.0),
        ]
    };
    let finding = |claim, measured| Finding {
        claim,
        scenario: ONE,
        measured,
    };
    vec![
        finding(
            "dcqcn.pfc.lossless",
            [under_pfc(artifact, "artifact"), under_pfc(paper, "paper")].concat(),
        ),
        finding(
            "dcqcn.none.start",
            vec![
                Measured::over_seeds("value", &each(&bare.runs, most_mb)),
                Measured::over_seeds("within_10_us", &each(&apart.runs, most_mb)),
            ],
        ),
    ]
}

fn dropped(run: &EthernetRun) -> f64 {
    run.drops() as f64
}

/// The longest queue, MB.
fn most_mb(run: &EthernetRun) -> f64 {
    queue(run, PORT).most_bytes as f64 / 1e6
}

fn table(starts: &[Start; 4]) -> Table {
    let row = |one: &Start| {
        vec![
            Cell::from(one.values),
            one.below.into(),
            (one.runs.len() as u64).into(),
            cell(&each(&one.runs, dropped), 0),
            cell(&each(&one.runs, stops), 1),
            cell(&each(&one.runs, most_mb), 3),
        ]
    };
    Table {
        name: "start".into(),
        caption: "16 to 1 from line rate.".into(),
        columns: vec![
            words("values", "profile and rate of links"),
            words("below", "flow control of links"),
            column("seeds", "", "runs"),
            column("dropped", "frames", "in all, a run"),
            column("stops", "frames", "sent by the switch, a run"),
            column("longest queue", "MB", "of the whole run"),
        ],
        rows: starts.iter().map(row).collect(),
    }
}
