//! Figures 7 to 13: one switch, one or two circuits.

use kernel::{Duration, Time};
use results::Block;

use super::plots::TimePlot;
use super::watch::Watch;
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

pub fn figure_8(lab: &Lab) -> Result<Evidence, LabError> {
    const FILE: &str = "kung1993/fig07-overbooking.toml";
    let run = lab.run(FILE, &[])?;
    // Every window of 25 cells after the first cells have crossed both links.
    let both = run.series("both");
    let full = both
        .x_ps
        .iter()
        .zip(&both.y)
        .filter(|(at, _)| run.cells(**at) > 250.0);
    let least = full.map(|(_, share)| *share).fold(f64::INFINITY, f64::min);
    let peak = run.leg("VC2", "A->S").fill_max_total as f64;
    let plot = TimePlot::new(
        "fig8",
        "Figure 8: leaving the switch",
        "throughput",
        "of the link",
    )
    .curve(&run, "VC2")
    .curve(&run, "VC1")
    .curve_as(&run, "both", "sum")
    .x_range(750.0, 1750.0)
    .y_range(0.0, 1.05)
    .note("VC2 (greedy, low priority) fills exactly what VC1 (video, high priority) leaves.");
    let fill = TimePlot::new("fig8-fill", "VC2 in the switch", "cells stored", "cells")
        .curve(&run, "VC2 in the switch")
        .note("Never more than N2 + N3 = 165.");
    Ok(Evidence {
        findings: vec![
            Finding {
                claim: "kung1993.fig8.link-fully-used",
                scenario: FILE,
                measured: vec![Measured::new("value", least)],
            },
            Finding {
                claim: "kung1993.fig8.vc2-buffer",
                scenario: FILE,
                measured: vec![Measured::new("value", peak)],
            },
        ],
        blocks: vec![plot, fill],
    })
}

pub fn figures_10_11(lab: &Lab) -> Result<Evidence, LabError> {
    const FILE: &str = "kung1993/fig09-noncongested.toml";
    let run = lab.run_watched(FILE, &[], |_| Watch::default())?;
    let leg = run.leg_id("VC", "S->B");
    let credit = run.series("credit at the switch");
    let settled: Vec<f64> = {
        let points = credit.x_ps.iter().zip(&credit.y);
        points
            .filter(|(at, _)| run.cells(**at) > 1000.0)
            .map(|(_, credit)| *credit)
            .collect()
    };
    let low = settled.iter().copied().fold(f64::INFINITY, f64::min);
    let high = settled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let starts: Vec<Time> = run.probe.credits[&leg]
        .iter()
        .map(|credit| credit.at)
        .collect();
    let gaps = starts
        .windows(2)
        .skip(5)
        .map(|pair| run.cells((pair[1] - pair[0]).ps()));
    let gaps: Vec<f64> = gaps.collect();
    let mean_gap = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let stored = run.leg("VC", "A->S").fill_max_total as f64;
    let throughput = TimePlot::new(
        "fig10",
        "Figure 10: leaving the switch",
        "throughput",
        "of the link",
    )
    .curve(&run, "throughput leaving the switch")
    .y_range(0.0, 1.0)
    .note("The circuit gets the third it asks for.");
    let sawtooth = TimePlot::new(
        "fig11",
        "Figure 11: credit at the switch",
        "credit",
        "cells",
    )
    .curve(&run, "credit at the switch")
    .note("One credit is spent every third cell time; ten are renewed just as they run out.");
    Ok(Evidence {
        findings: vec![
            Finding {
                claim: "kung1993.fig10.throughput-33",
                scenario: FILE,
                measured: vec![Measured::new("value", run.throughput("VC", "S->B"))],
            },
            Finding {
                claim: "kung1993.fig11.credit-sawtooth",
                scenario: FILE,
                measured: vec![
                    Measured::new("credit_min", low).within(0.0, 0.0),
                    Measured::new("credit_max", high).within(10.0, 10.0),
                    Measured::new("buffer_max", stored).within(1.0, 1.0),
                    Measured::new("credit_cell_every", mean_gap).within(29.99, 30.01),
                ],
            },
        ],
        blocks: vec![throughput, sawtooth],
    })
}

pub fn figures_12_13(lab: &Lab) -> Result<Evidence, LabError> {
    const FILE: &str = "kung1993/fig12-greedy.toml";
    let run = lab.run_watched(FILE, &[], |_| Watch::default())?;
    let starts = &run.probe.starts[&run.leg_id("VC", "S->B")];
    let cell = run.scenario.cell;
    let loop_time = run.at(155.0).since(Time::ZERO);
    let plain = run.throughput("VC", "S->B");
    let mut rows = vec![row(&run, "N2 rule alone", plain)];
    let mut redundant_best: f64 = 0.0;
    for every in ["1", "2", "3", "5", "10"] {
        let set = [("flows.VC.flow_control.redundant_every", every)];
        let run = lab.run_watched(FILE, &set, |_| Watch::default())?;
        let throughput = run.throughput("VC", "S->B");
        if every == "1" {
            redundant_best = throughput;
        }
        rows.push(row(
            &run,
            &format!("redundant credit cell every {every} cells"),
            throughput,
        ));
    }
    let throughput = TimePlot::new(
        "fig12",
        "Figure 12: leaving the switch",
        "throughput",
        "of the link",
    )
    .curve(&run, "throughput leaving the switch")
    .y_range(0.0, 1.05)
    .note("A burst each round trip: N3 limits the peak bandwidth.");
    let credit = TimePlot::new(
        "fig13",
        "Figure 13: credit at the switch",
        "credit",
        "cells",
    )
    .curve(&run, "credit at the switch")
    .note("Credit is spent early in each round trip; then E eats what comes.");
    let burst = longest_burst(starts, cell) as f64;
    let window = most_in_window(starts, loop_time) as f64;
    Ok(Evidence {
        findings: vec![
            finding(
                "kung1993.fig12.burst",
                FILE,
                vec![Measured::new("value", burst)],
            ),
            finding(
                "kung1993.fig12.throughput-39",
                FILE,
                vec![
                    Measured::new("value", plain),
                    Measured::new("redundant", redundant_best).within(0.385, 0.3936),
                ],
            ),
            finding(
                "kung1993.fig12.window-bound",
                FILE,
                vec![Measured::new("value", window)],
            ),
        ],
        blocks: vec![throughput, credit, redundancy_table(rows)],
    })
}

fn finding(claim: &'static str, scenario: &'static str, measured: Vec<Measured>) -> Finding {
    Finding {
        claim,
        scenario,
        measured,
    }
}

fn row(run: &Run<Watch>, what: &str, throughput: f64) -> Vec<results::Cell> {
    let starts = &run.probe.starts[&run.leg_id("VC", "S->B")];
    let credits = run.outcome.legs[run.leg_id("VC", "S->B") as usize].credits_received_total;
    vec![
        results::Cell::Text(what.into()),
        results::Cell::Float {
            value: throughput,
            digits: 4,
        },
        results::Cell::Int(longest_burst(starts, run.scenario.cell) as i64),
        results::Cell::Int(credits as i64),
    ]
}

fn redundancy_table(rows: Vec<Vec<results::Cell>>) -> Block {
    Block::Table(results::Table {
        name: "fig12-redundant".into(),
        caption: "The printed 39 % needs more credit cells than one per N2 forwarded cells.".into(),
        columns: vec![
            words("credit cells", "when the receiver sends credit"),
            column("throughput", "of the link", "average leaving the switch"),
            column("longest burst", "cells", "cells back to back"),
            column("credit cells received", "", "in the whole run"),
        ],
        rows,
    })
}

/// Cells that follow each other without a gap.
fn longest_burst(starts: &[Time], cell: Duration) -> usize {
    let (mut longest, mut length) = (1, 1);
    for pair in starts.windows(2) {
        length = if pair[1] - pair[0] == cell {
            length + 1
        } else {
            1
        };
        longest = longest.max(length);
    }
    longest
}

/// Most starts in any half-open window of `window`.
fn most_in_window(starts: &[Time], window: Duration) -> usize {
    let (mut most, mut first) = (0, 0);
    for (last, &start) in starts.iter().enumerate() {
        while starts[first] + window <= start {
            first += 1;
        }
        most = most.max(last - first + 1);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_bursts_are_counted_as_a_reader_would() {
        let starts: Vec<Time> = [0, 10, 20, 50, 60, 100].map(Time).to_vec();
        assert_eq!(longest_burst(&starts, Duration(10)), 3);
        assert_eq!(most_in_window(&starts, Duration(50)), 3);
        assert_eq!(most_in_window(&starts, Duration(51)), 4);
    }
}
