//! Figures 22 to 24 and section 8.2: flow-controlled multicast.

use backwater_net::outcome::LegOutcome;
use backwater_results::{Block, Cell, Table};

use super::SEEDS;
use super::plots::TimePlot;
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::{cell, ratios};
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
    /// The first seed's, to draw it.
    first: Option<Run<()>>,
}

fn multicast(lab: &Lab, file: &str, sets: &[(&str, &str)]) -> Result<Multicast, LabError> {
    let mut runs = lab.seeds(file, sets, SEEDS)?;
    let stored = |run: &Run<()>| run.leg("multicast", "M->S").fill_max_total as f64;
    let backlog = |run: &Run<()>| run.flow("multicast").source_backlog_max as f64;
    Ok(Multicast {
        peaks: runs.iter().map(stored).collect(),
        throughputs: runs.iter().map(branch_throughput).collect(),
        backlogs: runs.iter().map(backlog).collect(),
        first: (!runs.is_empty()).then(|| runs.swap_remove(0)),
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

/// Mean bursts in cell times. The paper gives no length; the scenarios have the first.
const BURSTS: [u32; 2] = [40, 50];
/// Buffer of the multicast circuit in Figure 22.
const LIMIT: f64 = 165.0;
const N3: &str = "flows.multicast.flow_control.n3";
const WITHOUT: (&str, &str) = ("flows.multicast.flow_control", "{ kind = \"none\" }");

/// Settings for other bursts: the loads stay, a third and a half.
fn bursts(cells: u32) -> Vec<(&'static str, String)> {
    let mean = |cells: u32| format!("{{ mean = \"{cells} cells\" }}");
    vec![
        ("flows.multicast.traffic.on", mean(cells)),
        ("flows.multicast.traffic.off", mean(2 * cells)),
        ("flows.unicast.traffic.on", mean(cells)),
        ("flows.unicast.traffic.off", mean(cells)),
    ]
}

/// Runs with bursts of so many cells, and `more`.
fn with_bursts(
    lab: &Lab,
    file: &str,
    cells: u32,
    more: &[(&str, &str)],
) -> Result<Multicast, LabError> {
    let bursts = bursts(cells);
    let mut sets: Vec<(&str, &str)> = bursts.iter().map(|(key, value)| (*key, &**value)).collect();
    sets.extend(more);
    multicast(lab, file, &sets)
}

pub fn figures_23_24(lab: &Lab) -> Result<Evidence, LabError> {
    let with = multicast(lab, FIVE, &[])?;
    let without = multicast(lab, FIVE, &[WITHOUT])?;
    let longer = with_bursts(lab, FIVE, BURSTS[1], &[])?;
    let longer_without = with_bursts(lab, FIVE, BURSTS[1], &[WITHOUT])?;
    let mut blocks = drawn(&with, &without);
    blocks.push(table(
        "fig24-runs",
        &[
            ("with flow control", &with),
            ("without", &without),
            ("with, bursts of 50", &longer),
            ("without, bursts of 50", &longer_without),
        ],
    ));
    let finding = |claim, measured| Finding {
        claim,
        scenario: FIVE,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("kung1993.fig23.multicast-buffers", buffers(&with, &without)),
            finding(
                "kung1993.fig24.multicast-throughput",
                throughput(&with, &without),
            ),
        ],
        blocks,
    })
}

fn buffers(with: &Multicast, without: &Multicast) -> Vec<Measured> {
    let over = |peak: &f64| f64::from(u8::from(*peak > LIMIT));
    let over: Vec<f64> = with.peaks.iter().map(over).collect();
    let factor = ratios(&without.peaks, &with.peaks);
    vec![
        Measured::over_seeds("with", &with.peaks).within(1.0, LIMIT),
        Measured::share_over_seeds("runs_above_the_limit", &over).within(0.0, 0.0),
        Measured::over_seeds("without", &without.peaks).at_least(1.5 * LIMIT),
        Measured::over_seeds("without_over_with", &factor).at_least(1.5),
    ]
}

fn throughput(with: &Multicast, without: &Multicast) -> Vec<Measured> {
    let pairs = with.throughputs.iter().zip(&without.throughputs);
    let differences: Vec<f64> = pairs.map(|(with, without)| with - without).collect();
    vec![
        Measured::over_seeds("with", &with.throughputs),
        Measured::over_seeds("without", &without.throughputs).within(0.32, 0.345),
        Measured::over_seeds("difference", &differences),
    ]
}

fn drawn(with: &Multicast, without: &Multicast) -> Vec<Block> {
    let (Some(with), Some(without)) = (&with.first, &without.first) else {
        return Vec::new();
    };
    let stored = TimePlot::new(
        "fig23",
        "Figure 23: cells of the multicast in the switch",
        "cells stored",
        "cells",
    )
    .curve_as(
        without,
        "cells of the multicast in the switch",
        "without flow control",
    )
    .curve_as(
        with,
        "cells of the multicast in the switch",
        "with flow control",
    )
    .x_range(0.0, DRAWN_CELLS)
    .printed(LIMIT, "N2 + N3")
    .note("Means over 500 cell times; flow control leaves the rest at the source host.");
    let forwarded = TimePlot::new(
        "fig24",
        "Figure 24: cells forwarded on one branch",
        "cells forwarded",
        "cells",
    )
    .curve_as(without, "cells forwarded", "without flow control")
    .curve_as(with, "cells forwarded", "with flow control")
    .x_range(0.0, DRAWN_CELLS)
    .paper(&[(0.0, 0.0), (DRAWN_CELLS, DRAWN_CELLS / 3.0)])
    .note("The same slope, about a third of the link.");
    vec![stored, forwarded]
}

const SLIGHTLY: &str = "What the paper calls slightly lower is 13 % at N3 = 103. Whether N3 = \
    155 restores the throughput depends on the length of bursts, which the paper does not give: \
    with 40 cells on average it does; with 50 it is 2 % short, and N3 = 206 is needed.";

/// The study of section 8.2 with bursts of one length.
struct Branches {
    five_small: Multicast,
    fifteen_small: Multicast,
    fifteen: Multicast,
    fifteen_large: Multicast,
    target: Multicast,
}

impl Branches {
    fn run(lab: &Lab, cells: u32) -> Result<Branches, LabError> {
        let run = |file, set| with_bursts(lab, file, cells, &[set]);
        Ok(Branches {
            five_small: run(FIVE, (N3, "103"))?,
            fifteen_small: run(FIFTEEN, (N3, "103"))?,
            fifteen: run(FIFTEEN, (N3, "155"))?,
            fifteen_large: run(FIFTEEN, (N3, "206"))?,
            target: run(FIFTEEN, WITHOUT)?,
        })
    }

    /// Fifteen branches over five with a small N3, and what a larger one restores.
    fn measured(&self) -> Vec<Measured> {
        let ratio = |name, over: &Multicast, under: &Multicast| {
            Measured::rate_over_seeds(name, &ratios(&over.throughputs, &under.throughputs))
        };
        let small = (&self.fifteen_small, &self.five_small);
        vec![
            ratio("fifteen_over_five_at_n3_103", small.0, small.1).within(0.5, 0.99),
            ratio("restored_at_n3_155", &self.fifteen, &self.target).within(0.99, 1.01),
        ]
    }

    fn rows(&self) -> [(&'static str, &Multicast); 5] {
        [
            ("5 branches, N3 = 103", &self.five_small),
            ("15 branches, N3 = 103", &self.fifteen_small),
            ("15 branches, N3 = 155", &self.fifteen),
            ("15 branches, N3 = 206", &self.fifteen_large),
            ("15 branches, no flow control", &self.target),
        ]
    }
}

pub fn fifteen_branches(lab: &Lab) -> Result<Evidence, LabError> {
    let as_shipped = Branches::run(lab, BURSTS[0])?;
    let longer = Branches::run(&lab.beside(), BURSTS[1])?;
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kung1993.sec8.fifteen-branches",
            scenario: FIFTEEN,
            measured: as_shipped.measured(),
        }],
        blocks: vec![
            Block::Text(SLIGHTLY.into()),
            side_by_side(&as_shipped, &longer),
            table("sec82-branches", &as_shipped.rows()),
        ],
    })
}

/// Throughput with bursts of both lengths.
fn side_by_side(as_shipped: &Branches, longer: &Branches) -> Block {
    let mut columns = vec![words("configuration", "what ran")];
    for cells in BURSTS {
        let name = format!("bursts of {cells}");
        columns.push(column(&name, "of the link", "throughput, mean of branches"));
        let name = format!("bursts of {cells}, over the target");
        columns.push(column(&name, "", "over throughput without flow control"));
    }
    let mut rows = Vec::new();
    for (one, other) in as_shipped.rows().iter().zip(longer.rows()) {
        let mut row = vec![Cell::from(one.0)];
        for (found, of) in [(one.1, as_shipped), (other.1, longer)] {
            row.push(cell(&found.throughputs, 4));
            row.push(cell(&ratios(&found.throughputs, &of.target.throughputs), 3));
        }
        rows.push(row);
    }
    Block::Table(Table {
        name: "sec82-bursts".into(),
        caption: format!(
            "The paper gives no length of bursts. 40 cells on average are judged; mean and 95 % \
             interval over {SEEDS} seeds."
        ),
        columns,
        rows,
    })
}

fn table(name: &str, configurations: &[(&str, &Multicast)]) -> Block {
    let row = |(what, multicast): &(&str, &Multicast)| {
        vec![
            Cell::from(*what),
            cell(&multicast.throughputs, 4),
            cell(&multicast.peaks, 1),
            cell(&multicast.backlogs, 1),
        ]
    };
    Block::Table(Table {
        name: name.into(),
        caption: format!(
            "Mean and 95 % interval over {SEEDS} seeds, bursts of 40 unless \
                          noted."
        ),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two seeds, no run.
    fn found(peaks: [f64; 2], throughputs: [f64; 2]) -> Multicast {
        Multicast {
            peaks: peaks.to_vec(),
            throughputs: throughputs.to_vec(),
            backlogs: vec![0.0; 2],
            first: None,
        }
    }

    #[test]
    fn the_throughput_of_a_multicast_is_the_mean_of_its_branches() {
        let run = Lab::default().run(FIVE, &[("run.duration", "30000 cells")]);
        let run = run.expect("it runs");
        let branch = |to: u32| run.throughput("multicast", &format!("S->D{to}"));
        let mean = (1..=5).map(branch).sum::<f64>() / 5.0;
        assert!(mean > 0.1, "{mean}");
        assert!((branch_throughput(&run) - mean).abs() < 1e-12);
    }

    #[test]
    fn buffers_and_throughputs_by_hand() {
        let with = found([165.0, 166.0], [0.33, 0.35]);
        let without = found([330.0, 498.0], [0.34, 0.33]);
        let values: Vec<f64> = buffers(&with, &without)
            .iter()
            .map(|one| one.value)
            .collect();
        assert_eq!(values, [165.5, 0.5, 414.0, 2.5]);
        let values = throughput(&with, &without);
        assert!((values[2].value - 0.005).abs() < 1e-12);
    }

    #[test]
    fn more_branches_are_compared_with_fewer_and_with_no_control() {
        let one = |throughput: f64| found([1.0; 2], [throughput, 2.0 * throughput]);
        let branches = Branches {
            five_small: one(0.4),
            fifteen_small: one(0.3),
            fifteen: one(0.45),
            fifteen_large: one(0.49),
            target: one(0.5),
        };
        let [lower, restored] = &branches.measured()[..] else {
            panic!("two ratios")
        };
        assert!((lower.value - 0.75).abs() < 1e-12);
        assert!((restored.value - 0.9).abs() < 1e-12);
    }
}
