//! Figure 21: peak buffers of request-response traffic, with and without flow control.

use results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use super::SEEDS;
use super::plots::TimePlot;
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const FILE: &str = "kung1993/fig21-file-servers.toml";
const WITH: &str = "{ scheme = \"n23\", n2 = 10, n3 = 8 }";
const WITHOUT: &str = "{ scheme = \"none\" }";
const CLIENTS: [u32; 5] = [2, 4, 8, 16, 32];

/// Peak cells in the switch and mean response time, by seed.
struct Sample {
    peaks: Vec<f64>,
    delays: Vec<f64>,
}

fn sample(lab: &Lab, clients: u32, control: &str) -> Result<Sample, LabError> {
    let count = clients.to_string();
    let sets = [
        ("flows.request.count", count.as_str()),
        ("flows.response.count", count.as_str()),
        ("flow_control", control),
    ];
    let runs = lab.seeds(FILE, &sets, SEEDS)?;
    let mut sample = Sample {
        peaks: Vec::new(),
        delays: Vec::new(),
    };
    for run in &runs {
        let switch = run
            .scenario
            .network
            .nodes
            .iter()
            .position(|node| node.name == "S");
        let switch = &run.outcome.nodes[switch.expect("the switch is there")];
        sample.peaks.push(switch.stored_max_total as f64);
        let answered = run
            .outcome
            .flows
            .iter()
            .filter(|flow| flow.responses.count > 0);
        let (mut total, mut count) = (0.0, 0);
        for flow in answered {
            total += flow.responses.mean_ps * flow.responses.count as f64;
            count += flow.responses.count;
        }
        sample.delays.push(total / count as f64);
    }
    Ok(sample)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub fn figure_21(lab: &Lab) -> Result<Evidence, LabError> {
    let pairs: Vec<(Sample, Sample)> = lab.each(&CLIENTS, |&clients| {
        Ok((sample(lab, clients, WITH)?, sample(lab, clients, WITHOUT)?))
    })?;
    let (measured, rows) = compare(&pairs);
    let run = lab.run(FILE, &[])?;
    let over_time = TimePlot::new(
        "fig21-time",
        "32 clients, with flow control",
        "cells in the switch",
        "cells",
    )
    .curve(&run, "cells in the switch")
    .note("The first 200 ms of one run.");
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kung1993.fig21.nfs-peak-buffers",
            scenario: FILE,
            measured,
        }],
        blocks: vec![
            Block::Plot(plot(&pairs)),
            Block::Table(table(rows)),
            over_time,
        ],
    })
}

/// Ratios with and without control, by number of clients, and the rows of the table.
fn compare(pairs: &[(Sample, Sample)]) -> (Vec<Measured>, Vec<Vec<Cell>>) {
    let mut measured = Vec::new();
    let mut rows = Vec::new();
    for (clients, (with, without)) in CLIENTS.iter().zip(pairs) {
        let ratios: Vec<f64> = with
            .peaks
            .iter()
            .zip(&without.peaks)
            .map(|(a, b)| a / b)
            .collect();
        let delays: Vec<f64> = with
            .delays
            .iter()
            .zip(&without.delays)
            .map(|(a, b)| a / b)
            .collect();
        measured.push(
            Measured::over_seeds(&format!("peak_ratio_{clients}"), &ratios).within(0.0, 1.0 / 3.0),
        );
        measured.push(
            Measured::over_seeds(&format!("delay_ratio_{clients}"), &delays).within(0.99, 1.01),
        );
        rows.push(vec![
            Cell::Int(*clients as i64),
            Cell::Float {
                value: mean(&with.peaks),
                digits: 0,
            },
            Cell::Float {
                value: mean(&without.peaks),
                digits: 0,
            },
            Cell::Float {
                value: mean(&with.delays) / 1e9,
                digits: 3,
            },
            Cell::Float {
                value: mean(&without.delays) / 1e9,
                digits: 3,
            },
        ]);
    }
    for (name, pick) in [("with_grows", 0usize), ("without_grows", 1)] {
        let peaks = pairs.iter().map(|pair| {
            mean(if pick == 0 {
                &pair.0.peaks
            } else {
                &pair.1.peaks
            })
        });
        let peaks: Vec<f64> = peaks.collect();
        let grows = peaks.windows(2).all(|pair| pair[1] > pair[0]);
        measured.push(Measured::new(name, grows as u8 as f64).within(1.0, 1.0));
    }
    (measured, rows)
}

fn plot(pairs: &[(Sample, Sample)]) -> Plot {
    let x: Vec<f64> = CLIENTS.iter().map(|&clients| clients as f64).collect();
    let curve = |name: &str, pick: fn(&(Sample, Sample)) -> &Sample| Curve {
        name: name.into(),
        x: x.clone(),
        y: pairs.iter().map(|pair| mean(&pick(pair).peaks)).collect(),
        style: Style::Line,
        ..Curve::default()
    };
    Plot {
        id: "fig21".into(),
        title: "Figure 21: peak cell buffers for file-system clients".into(),
        x: Axis {
            label: "clients".into(),
            ..Axis::default()
        },
        y: Axis {
            label: "peak cells in the switch".into(),
            unit: "cells".into(),
            log: true,
            ..Axis::default()
        },
        curves: vec![
            curve("without flow control", |pair| &pair.1),
            curve("with flow control", |pair| &pair.0),
        ],
        note: "Synthetic clients in place of the paper's traces; mean over seeds.".into(),
        ..Plot::default()
    }
}

fn table(rows: Vec<Vec<Cell>>) -> Table {
    Table {
        name: "fig21-clients".into(),
        caption: "One simulated second, mean over seeds.".into(),
        columns: vec![
            column("clients", "", "clients, each with a server of its own"),
            column(
                "peak with",
                "cells",
                "largest number of cells in the switch, with flow control",
            ),
            column("peak without", "cells", "the same without"),
            column(
                "delay with",
                "ms",
                "mean time from request to complete response",
            ),
            column("delay without", "ms", "the same without flow control"),
        ],
        rows,
    }
}
