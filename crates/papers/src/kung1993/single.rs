//! Figures 7 to 13: one switch, one or two circuits.

use backwater_kernel::{Duration, Time};
use backwater_results::{Block, Cell, Table};

use super::plots::TimePlot;
use super::timing;
use super::watch::Watch;
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

pub fn figure_8(lab: &Lab) -> Result<Evidence, LabError> {
    const FILE: &str = "kung1993/fig07-overbooking.toml";
    let measure = |sets: &[(&str, &str)]| Ok(overbooked(FILE, &lab.run(FILE, sets)?));
    let run = lab.run(FILE, &[])?;
    let plot = TimePlot::new(
        "fig08",
        "Figure 8: leaving the switch",
        "throughput",
        "of the link",
    )
    .curve(&run, "VC2")
    .curve(&run, "VC1")
    .curve_as(&run, "both", "sum")
    .x_range(750.0, 1750.0)
    .y_range(0.0, 1.05)
    .printed(1.0, "paper: 100 %")
    .note("VC2 (greedy, low priority) fills exactly what VC1 (video, high priority) leaves.");
    let fill = TimePlot::new("fig08-fill", "VC2 in the switch", "cells stored", "cells")
        .curve(&run, "VC2 in the switch")
        .printed(165.0, "paper: at most N2 + N3 = 165")
        .note("Never more than N2 + N3.");
    Ok(Evidence {
        findings: overbooked(FILE, &run),
        blocks: vec![plot, fill, timing::table("fig08-readings", measure)?],
    })
}

/// Every window of 25 cells after the first cells have crossed both links, and VC2's buffer.
fn overbooked(file: &'static str, run: &Run<()>) -> Vec<Finding> {
    let both = run.series("both");
    let crossed = both.x.iter().zip(&both.y);
    let full = crossed.filter(|(at, _)| run.cells(**at) > 250.0);
    let least = full.map(|(_, share)| *share).fold(f64::INFINITY, f64::min);
    let peak = f64::from(run.leg("VC2", "A->S").fill_max_total);
    let one = |claim, value| finding(claim, file, vec![Measured::new("value", value)]);
    vec![
        one("kung1993.fig8.link-fully-used", least),
        one("kung1993.fig8.vc2-buffer", peak),
    ]
}

pub fn figures_10_11(lab: &Lab) -> Result<Evidence, LabError> {
    const FILE: &str = "kung1993/fig09-noncongested.toml";
    let measure = |sets: &[(&str, &str)]| {
        let run = lab.run_watched(FILE, sets, |_| Watch::default())?;
        Ok(noncongested(FILE, &run))
    };
    let run = lab.run_watched(FILE, &[], |_| Watch::default())?;
    let throughput = TimePlot::new(
        "fig10",
        "Figure 10: leaving the switch",
        "throughput",
        "of the link",
    )
    .curve(&run, "throughput leaving the switch")
    .y_range(0.0, 1.0)
    .printed(1.0 / 3.0, "paper: 33 %")
    .note("The circuit gets the third that it offers.");
    let sawtooth = TimePlot::new(
        "fig11",
        "Figure 11: credit at the switch",
        "credit",
        "cells",
    )
    .curve(&run, "credit at the switch")
    .printed(10.0, "paper: renewed to N2 = 10")
    .note("One credit is spent every third cell time; ten are renewed just as they run out.");
    Ok(Evidence {
        findings: noncongested(FILE, &run),
        blocks: vec![
            throughput,
            sawtooth,
            timing::table("fig11-readings", measure)?,
        ],
    })
}

fn noncongested(file: &'static str, run: &Run<Watch>) -> Vec<Finding> {
    let credit = run.series("credit at the switch");
    let points = credit.x.iter().zip(&credit.y);
    let settled = points.filter(|(at, _)| run.cells(**at) > 1000.0);
    let (low, high) = ends(settled.map(|(_, credit)| *credit));
    let credits = run.probe.credits[&run.leg_id("VC", "S->B")].iter();
    let starts: Vec<Time> = credits.map(|credit| credit.at).collect();
    // The first credit cells follow the first burst.
    let settled = &starts[5..];
    let span = settled[settled.len() - 1] - settled[0];
    let mean_gap = run.cells(span.ps()) / (settled.len() - 1) as f64;
    let stored = f64::from(run.leg("VC", "A->S").fill_max_total);
    let throughput = Measured::new("value", run.throughput("VC", "S->B"));
    vec![
        finding("kung1993.fig10.throughput-33", file, vec![throughput]),
        finding(
            "kung1993.fig11.credit-sawtooth",
            file,
            vec![
                Measured::new("credit_min", low).within(0.0, 0.0),
                Measured::new("credit_max", high).within(10.0, 10.0),
                Measured::new("buffer_max", stored).within(1.0, 1.0),
                Measured::new("credit_cell_every", mean_gap).within(29.99, 30.01),
            ],
        ),
    ]
}

pub fn figures_12_13(lab: &Lab) -> Result<Evidence, LabError> {
    const FILE: &str = "kung1993/fig12-greedy.toml";
    let run = |sets: &[(&str, &str)]| lab.run_watched(FILE, sets, |_| Watch::default());
    let plain = run(&[])?;
    let mut rows = vec![row(&plain, "N2 rule alone")];
    let mut redundant = Vec::new();
    for every in ["1", "2", "3", "5", "10"] {
        let run = run(&[("flows.VC.flow_control.redundant_every", every)])?;
        redundant.push(run.throughput("VC", "S->B"));
        rows.push(row(
            &run,
            &format!("redundant credit cell every {every} cells"),
        ));
    }
    let measure = |sets: &[(&str, &str)]| Ok(greedy(FILE, &run(sets)?));
    let throughput = TimePlot::new(
        "fig12",
        "Figure 12: leaving the switch",
        "throughput",
        "of the link",
    )
    .curve(&plain, "throughput leaving the switch")
    .y_range(0.0, 1.05)
    .printed(0.39, "paper: 39 % on average")
    .printed(plain.throughput("VC", "S->B"), "average here")
    .note("A burst each round trip: N3 limits the peak bandwidth.");
    let credit = TimePlot::new(
        "fig13",
        "Figure 13: credit at the switch",
        "credit",
        "cells",
    )
    .curve(&plain, "credit at the switch")
    .printed(61.0, "paper: bursts of N2 + N3 = 61")
    .note("Credit is spent early in each round trip; then E consumes the credit that arrives.");
    let mut findings = greedy(FILE, &plain);
    let with_most = Measured::new("redundant", redundant[0]);
    findings[1].measured.push(with_most.within(0.385, 0.3936));
    Ok(Evidence {
        findings,
        blocks: vec![
            throughput,
            credit,
            redundancy_table(rows),
            timing::table("fig12-readings", measure)?,
        ],
    })
}

fn greedy(file: &'static str, run: &Run<Watch>) -> Vec<Finding> {
    let starts = &run.probe.starts[&run.leg_id("VC", "S->B")];
    let loop_time = run.at(155.0).since(Time::ZERO);
    let burst = longest_burst(starts, run.scenario.cell) as f64;
    let window = most_in_window(starts, loop_time) as f64;
    let one = |claim, value| finding(claim, file, vec![Measured::new("value", value)]);
    vec![
        one("kung1993.fig12.burst", burst),
        one("kung1993.fig12.throughput-39", run.throughput("VC", "S->B")),
        one("kung1993.fig12.window-bound", window),
    ]
}

/// The least and the largest.
pub fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| {
        (low.min(one), high.max(one))
    })
}

fn finding(claim: &'static str, scenario: &'static str, measured: Vec<Measured>) -> Finding {
    Finding {
        claim,
        scenario,
        measured,
    }
}

fn row(run: &Run<Watch>, what: &str) -> Vec<Cell> {
    let starts = &run.probe.starts[&run.leg_id("VC", "S->B")];
    let longest = longest_burst(starts, run.scenario.cell);
    vec![
        Cell::from(what),
        Cell::float(run.throughput("VC", "S->B"), 4),
        Cell::from(longest as u64),
        Cell::from(run.leg("VC", "S->B").credits_received_total),
    ]
}

fn redundancy_table(rows: Vec<Vec<Cell>>) -> Block {
    Block::Table(Table {
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
