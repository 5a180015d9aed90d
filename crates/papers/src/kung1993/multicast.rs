//! Figures 22 to 24 and section 8.2: flow-controlled multicast.

use packet::outcome::LegOutcome;
use results::{Block, Cell, Table};

use super::SEEDS;
use super::plots::TimePlot;
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

const FIVE: &str = "kung1993/fig22-multicast.toml";
const FIFTEEN: &str = "kung1993/sec82-fifteen-branches.toml";
/// Window in the series `cells forwarded`, to draw Figure 24 over its first part.
const DRAWN_CELLS: f64 = 100_000.0;

/// What the runs of one configuration say of the multicast circuit.
struct Multicast {
    peaks: Vec<f64>,
    throughputs: Vec<f64>,
    backlogs: Vec<f64>,
    first: Run<()>,
}

fn multicast(lab: &Lab, file: &str, sets: &[(&str, &str)]) -> Result<Multicast, LabError> {
    let mut runs = lab.seeds(file, sets, SEEDS)?;
    let stored = |run: &Run<()>| run.leg("multicast", "M->S").fill_max_total as f64;
    let backlog = |run: &Run<()>| run.flow("multicast").source_backlog_max as f64;
    Ok(Multicast {
        peaks: runs.iter().map(stored).collect(),
        throughputs: runs.iter().map(branch_throughput).collect(),
        backlogs: runs.iter().map(backlog).collect(),
        first: runs.swap_remove(0),
    })
}

/// Mean over the branches.
fn branch_throughput(run: &Run<()>) -> f64 {
    let flows = &run.scenario.network.flows;
    let flow = flows
        .iter()
        .position(|flow| flow.name == "multicast")
        .expect("it is there") as u32;
    let branch = |leg: &&LegOutcome| leg.flow == flow && leg.parent.is_some();
    let branches: Vec<&LegOutcome> = run.outcome.legs.iter().filter(branch).collect();
    let sent: u64 = branches.iter().map(|leg| leg.sent).sum();
    sent as f64 / branches.len() as f64 / run.measured_cells()
}

/// Bursts longer than the scenario's: the paper gives no length, and this shows what it does.
const LONGER_BURSTS: [(&str, &str); 4] = [
    ("flows.multicast.traffic.on", "{ mean = \"50 cells\" }"),
    ("flows.multicast.traffic.off", "{ mean = \"100 cells\" }"),
    ("flows.unicast.traffic.on", "{ mean = \"50 cells\" }"),
    ("flows.unicast.traffic.off", "{ mean = \"50 cells\" }"),
];
const N3: &str = "flows.multicast.flow_control.n3";
const WITHOUT: (&str, &str) = ("flows.multicast.flow_control", "{ scheme = \"none\" }");

pub fn figures_23_24(lab: &Lab) -> Result<Evidence, LabError> {
    let with = multicast(lab, FIVE, &[])?;
    let without = multicast(lab, FIVE, &[WITHOUT])?;
    let peak_ratio: Vec<f64> = without
        .peaks
        .iter()
        .zip(&with.peaks)
        .map(|(without, with)| without / with)
        .collect();
    let differences: Vec<f64> = with
        .throughputs
        .iter()
        .zip(&without.throughputs)
        .map(|(with, without)| with - without)
        .collect();
    let largest_with = with.peaks.iter().copied().fold(0.0, f64::max);
    let buffers = vec![
        Measured::over_seeds("with", &with.peaks).within(1.0, 165.0),
        Measured::new("with_largest", largest_with).within(1.0, 165.0),
        Measured::over_seeds("without", &without.peaks).at_least(1.5 * 165.0),
        Measured::over_seeds("without_over_with", &peak_ratio).at_least(1.5),
    ];
    let throughput = vec![
        Measured::over_seeds("with", &with.throughputs),
        Measured::over_seeds("without", &without.throughputs).within(0.32, 0.345),
        Measured::over_seeds("difference", &differences),
    ];
    Ok(Evidence {
        findings: vec![
            Finding {
                claim: "kung1993.fig23.multicast-buffers",
                scenario: FIVE,
                measured: buffers,
            },
            Finding {
                claim: "kung1993.fig24.multicast-throughput",
                scenario: FIVE,
                measured: throughput,
            },
        ],
        blocks: drawn(&with, &without),
    })
}

fn drawn(with: &Multicast, without: &Multicast) -> Vec<Block> {
    let stored = TimePlot::new(
        "fig23",
        "Figure 23: cells of the multicast in the switch",
        "cells stored",
        "cells",
    )
    .curve_as(
        &without.first,
        "cells of the multicast in the switch",
        "without flow control",
    )
    .curve_as(
        &with.first,
        "cells of the multicast in the switch",
        "with flow control",
    )
    .x_range(0.0, DRAWN_CELLS)
    .note("Means over 500 cell times; flow control leaves the rest at the source host.");
    let forwarded = TimePlot::new(
        "fig24",
        "Figure 24: cells forwarded on one branch",
        "cells forwarded",
        "cells",
    )
    .curve_as(&without.first, "cells forwarded", "without flow control")
    .curve_as(&with.first, "cells forwarded", "with flow control")
    .x_range(0.0, DRAWN_CELLS)
    .note("The same slope, about a third of the link.");
    let runs = [("with", with), ("without", without)];
    vec![stored, forwarded, table("fig24-runs", &runs)]
}

pub fn fifteen_branches(lab: &Lab) -> Result<Evidence, LabError> {
    let small = (N3, "103");
    let five_small = multicast(lab, FIVE, &[small])?;
    let fifteen_small = multicast(lab, FIFTEEN, &[small])?;
    let fifteen = multicast(lab, FIFTEEN, &[])?;
    let target = multicast(lab, FIFTEEN, &[WITHOUT])?;
    let longer = multicast(lab, FIFTEEN, &LONGER_BURSTS)?;
    let cured = multicast(lab, FIFTEEN, &[&LONGER_BURSTS[..], &[(N3, "206")]].concat())?;
    let loss: Vec<f64> = ratio(&fifteen_small.throughputs, &five_small.throughputs);
    let restored: Vec<f64> = ratio(&fifteen.throughputs, &target.throughputs);
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kung1993.sec8.fifteen-branches",
            scenario: FIFTEEN,
            measured: vec![
                Measured::over_seeds("fifteen_over_five_at_n3_103", &loss).within(0.5, 0.99),
                Measured::over_seeds("restored_at_n3_155", &restored).within(0.99, 1.01),
            ],
        }],
        blocks: vec![table(
            "sec82-branches",
            &[
                ("5 branches, N3 = 103", &five_small),
                ("15 branches, N3 = 103", &fifteen_small),
                ("15 branches, N3 = 155", &fifteen),
                ("15 branches, no flow control", &target),
                ("15 branches, N3 = 155, bursts of 50", &longer),
                ("15 branches, N3 = 206, bursts of 50", &cured),
            ],
        )],
    })
}

fn ratio(over: &[f64], under: &[f64]) -> Vec<f64> {
    over.iter()
        .zip(under)
        .map(|(over, under)| over / under)
        .collect()
}

fn table(name: &str, configurations: &[(&str, &Multicast)]) -> Block {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let row = |(what, multicast): &(&str, &Multicast)| {
        vec![
            Cell::Text((*what).into()),
            Cell::Float {
                value: mean(&multicast.throughputs),
                digits: 4,
            },
            Cell::Float {
                value: mean(&multicast.peaks),
                digits: 1,
            },
            Cell::Float {
                value: mean(&multicast.backlogs),
                digits: 1,
            },
        ]
    };
    Block::Table(Table {
        name: name.into(),
        caption: format!("Means over {SEEDS} seeds of 400,000 cell times."),
        columns: vec![
            words("configuration", "what ran"),
            column("throughput", "of the link", "mean over the branches"),
            column(
                "peak in the switch",
                "cells",
                "largest number of multicast cells stored",
            ),
            column(
                "peak at the source",
                "cells",
                "largest backlog at the source host",
            ),
        ],
        rows: configurations.iter().map(row).collect(),
    })
}
