//! Figure 21: peak buffers of request-response traffic, with and without flow control.

use backwater_results::{Axis, Block, Cell, Plot, Table};

use super::SEEDS;
use super::plots::TimePlot;
use crate::Evidence;
use crate::columns::column;
use crate::estimate::{cell, curve, estimate, ratios};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const FILE: &str = "kung1993/fig21-file-servers.toml";
const WITH: &str = "{ kind = \"n23\", n2 = 10, n3 = 8 }";
const WITHOUT: &str = "{ kind = \"none\" }";
const CLIENTS: [u32; 5] = [2, 4, 8, 16, 32];
const PS_PER_MS: f64 = 1e9;

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
        let answered = run.outcome.flows.iter().map(|flow| &flow.responses);
        let (mut total, mut count) = (0.0, 0);
        for responses in answered {
            total += responses.sum();
            count += responses.count();
        }
        sample.delays.push(total / count as f64);
    }
    Ok(sample)
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
        let peaks = ratios(&with.peaks, &without.peaks);
        let delays = ratios(&with.delays, &without.delays);
        let name = format!("peak_ratio_{clients}");
        measured.push(Measured::rate_over_seeds(&name, &peaks).at_most(1.0 / 3.0));
        let name = format!("delay_ratio_{clients}");
        measured.push(Measured::over_seeds(&name, &delays).within(0.99, 1.01));
        let milliseconds = |sample: &Sample| -> Vec<f64> {
            let delays = sample.delays.iter();
            delays.map(|delay| delay / PS_PER_MS).collect()
        };
        rows.push(vec![
            Cell::from(*clients),
            cell(&with.peaks, 0),
            cell(&without.peaks, 0),
            cell(&milliseconds(with), 3),
            cell(&milliseconds(without), 3),
        ]);
    }
    let with: Vec<&[f64]> = pairs.iter().map(|pair| &*pair.0.peaks).collect();
    let without: Vec<&[f64]> = pairs.iter().map(|pair| &*pair.1.peaks).collect();
    for (name, peaks) in [("growth_with", with), ("growth_without", without)] {
        measured.push(Measured::over_seeds(name, &least_growth(&peaks)).at_least(1.0));
    }
    (measured, rows)
}

/// Smallest factor from one number of clients to the next, by seed.
fn least_growth(peaks: &[&[f64]]) -> Vec<f64> {
    let of_seed = |seed: usize| {
        let steps = peaks.windows(2);
        let factors = steps.map(|step| step[1][seed] / step[0][seed]);
        factors.fold(f64::INFINITY, f64::min)
    };
    let seeds = peaks.first().map_or(0, |peaks| peaks.len());
    (0..seeds).map(of_seed).collect()
}

fn plot(pairs: &[(Sample, Sample)]) -> Plot {
    let x: Vec<f64> = CLIENTS.iter().map(|&clients| clients as f64).collect();
    let one = |name: &str, pick: fn(&(Sample, Sample)) -> &Sample| {
        let peaks: Vec<_> = pairs
            .iter()
            .map(|pair| estimate(&pick(pair).peaks))
            .collect();
        curve(name, x.clone(), &peaks)
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
            one("without flow control", |pair| &pair.1),
            one("with flow control", |pair| &pair.0),
        ],
        note: "Synthetic clients instead of the paper's traces, which are not public.".into(),
        ..Plot::default()
    }
}

fn table(rows: Vec<Vec<Cell>>) -> Table {
    Table {
        name: "fig21-clients".into(),
        caption: "One simulated second, mean and 95 % interval over seeds.".into(),
        columns: vec![
            column("clients", "", "clients, each with its own server"),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(peaks: [f64; 2], delays: [f64; 2]) -> Sample {
        Sample {
            peaks: peaks.to_vec(),
            delays: delays.to_vec(),
        }
    }

    #[test]
    fn clients_are_compared_seed_by_seed() {
        let pair = |factor: f64| {
            let with = sample([10.0 * factor, 30.0 * factor], [2.0, 1.0]);
            let without = sample([40.0 * factor, 60.0 * factor], [1.0, 1.0]);
            (with, without)
        };
        let pairs: Vec<_> = [1.0, 2.0, 3.0, 4.0, 5.0].map(pair).into();
        let (measured, rows) = compare(&pairs);
        assert_eq!(rows.len(), CLIENTS.len());
        let value = |name: &str| {
            let found = measured.iter().find(|one| one.name == name);
            found.expect("it is measured").value
        };
        assert_eq!(value("peak_ratio_2"), (0.25 + 0.5) / 2.0);
        assert_eq!(value("delay_ratio_32"), 1.5);
        // From 4 times to 5 times.
        assert_eq!(value("growth_with"), 1.25);
        assert_eq!(least_growth(&[&[1.0, 4.0], &[2.0, 2.0]]), [2.0, 0.5]);
    }
}
