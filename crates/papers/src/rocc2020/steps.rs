//! The number of sources doubles every 10 ms, then halves: Figure 9.

use backwater_kernel::Series;
use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use super::ports::{mean_from, settled};
use super::{SEEDS, STEPS};
use crate::Evidence;
use crate::columns::column;
use crate::estimate::cell;
use crate::lab::{EthernetRun, Lab, LabError};
use crate::measured::{Finding, Measured};

const STATED: &str = "rate that the queue states";
/// Sources in each 10 ms.
const SOURCES: [u64; 11] = [3, 6, 12, 24, 48, 100, 48, 24, 12, 6, 3];
const PHASE_MS: f64 = 10.0;

const WORDS: &str = "Three queue pairs at 40 Gbps; 3, 3, 6, 12, 24 and 52 join every 10 ms, at \
    line rate, and leave in the opposite order. Who leaves has sent what equal shares let it send \
    until then; a step down begins with the first of a group that is done. Settled is within 5 % \
    of C/N, and then within 10 % until the next step.";

/// When the steps begin, ms: those down as the first of the group that leaves is done.
fn begins(run: &EthernetRun) -> Vec<f64> {
    let first_done = |sources: u64| {
        let name = format!("to {sources}");
        let done = run
            .flows(&name)
            .filter(|flow| flow.ends.transfers_total > 0);
        let first = done.map(|flow| flow.ends.last_transfer.ps()).min();
        first.map_or(f64::NAN, |ps| ps as f64 / 1e9)
    };
    let up = (0..6).map(|phase| f64::from(phase) * PHASE_MS);
    let down = SOURCES[1..6]
        .iter()
        .rev()
        .map(|sources| first_done(*sources));
    up.chain(down).collect()
}

/// How long each step takes to settle, ms.
fn settling(run: &EthernetRun) -> Vec<f64> {
    let begins = begins(run);
    let stated = run.series(STATED);
    let each = SOURCES.iter().enumerate().map(|(phase, sources)| {
        let until = begins.get(phase + 1).copied().unwrap_or(11.0 * PHASE_MS);
        settled(stated, 40e9 / *sources as f64, begins[phase], until)
    });
    each.collect()
}

/// The rate at the end of a step, Gb/s.
fn rate_at(run: &EthernetRun, stated: &Series, phase: usize) -> f64 {
    let begins = begins(run);
    let end = begins.get(phase + 1).copied().unwrap_or(11.0 * PHASE_MS);
    mean_from(stated, end - 3.0, end) / 1e9
}

pub fn steps(lab: &Lab) -> Result<Evidence, LabError> {
    let runs = lab.each_seed(SEEDS, |seed| {
        lab.ethernet_recorded(STEPS, &[("run.seed", seed)])
    })?;
    let rate = |phase: usize| {
        let rate = runs
            .iter()
            .map(|run| rate_at(run, run.series(STATED), phase));
        rate.collect::<Vec<f64>>()
    };
    let settled: Vec<Vec<f64>> = runs.iter().map(settling).collect();
    let phase = |phase: usize| settled.iter().map(|run| run[phase]).collect::<Vec<f64>>();
    let most = |phases: std::ops::Range<usize>| {
        let most = settled.iter().map(|run| {
            let steps = run[phases.clone()].iter();
            steps.fold(
                0.0,
                |most: f64, own| if own.is_nan() { *own } else { most.max(*own) },
            )
        });
        most.collect::<Vec<f64>>()
    };
    let rates = vec![
        Measured::over_seeds("n3_first", &rate(0)),
        Measured::over_seeds("n100", &rate(5)),
        Measured::over_seeds("n3_last", &rate(10)),
    ];
    let times = vec![
        Measured::over_seeds("up_to_6_and_12", &most(1..3)),
        Measured::over_seeds("up_to_24_48_100", &most(3..6)),
        Measured::over_seeds("down_all", &most(6..11)),
    ];
    let finding = |claim, measured| Finding {
        claim,
        scenario: STEPS,
        measured,
    };
    let rows = SOURCES.iter().enumerate().map(|(at, sources)| {
        vec![
            Cell::from(*sources),
            cell(&rate(at), 3),
            cell(&phase(at), 2),
        ]
    });
    Ok(Evidence {
        findings: vec![
            finding("rocc2020.fig9.rates", rates),
            finding("rocc2020.fig9.settling", times),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&runs[0])),
            Block::Table(Table {
                name: "steps".into(),
                caption: format!("Step by step, {SEEDS} seeds."),
                columns: vec![
                    column("N", "", "sources"),
                    column("rate", "Gbps", "that the queue states, last 3 ms"),
                    column("settled", "ms", "within 5 % of C/N, then within 10 %"),
                ],
                rows: rows.collect(),
            }),
        ],
    })
}

fn plot(run: &EthernetRun) -> Plot {
    let series = run.series(STATED);
    let ms = series.x.iter().map(|x| *x as f64 / 1e9).collect();
    let rates = series.y.iter().map(|y| y / 1e9).collect();
    Plot {
        id: "steps".into(),
        title: "Rate that the queue states as sources come and go".into(),
        x: Axis::new("time", "ms"),
        y: Axis {
            log: true,
            ..Axis::new("rate", "Gbps")
        },
        curves: vec![Curve::new("measured", Style::Line, ms, rates)],
        ..Plot::default()
    }
}
