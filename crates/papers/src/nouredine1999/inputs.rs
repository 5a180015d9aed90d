//! Figures 5 and 6: a bursty source at 100 Mbps and a long transfer at 10 Mbps share a port.

use results::{Axis, Block, Plot, Table};

use super::runs::{
    NONE, SIMPLE, Scheme, Seeds, Sets, cell, curve, each, finding, mean, numbers, throughput_plot,
};
use super::{INPUTS, SEEDS};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const CONNECTIONS: [u64; 3] = [2, 5, 10];
const SIZES_KB: [u64; 5] = [20, 50, 100, 200, 500];
const BSD: &str = "bsd";
const BSD_FULL: &str = "bsd-full";

const WORDS: &str = "Inferred: S1 at 100 Mbps, S2 and D at 10 Mbps on one switch; with S2 at 100 \
    Mbps nothing is unequal. Without control S1 starves. How much is left to it depends on the \
    source: with every segment acknowledged and a first window of one segment (`bsd`) tens of \
    kbps, with delayed acknowledgements and a first window of two (`bsd-full`) the few 100 kbps \
    of the text. `bsd` is what the other figures need, so no single source meets all the \
    prose. The claim is judged by the mean of `bsd-full` over all sizes and numbers; single \
    settings reach 1 Mbps, with a wide range over seeds.";

pub fn figure_6(lab: &Lab) -> Result<Evidence, LabError> {
    let none = grid(lab, &NONE, BSD)?;
    let full = grid(lab, &NONE, BSD_FULL)?;
    let simple = grid(lab, &SIMPLE, BSD)?;
    let (of_bsd, of_full) = (largest(&none), largest(&full));
    let measured = vec![
        Measured::new("s1_mbps", overall(&full)),
        Measured::new("overall_bsd", overall(&none)),
        Measured::over_seeds("largest_bsd", of_bsd),
        Measured::over_seeds("largest_bsd_full", of_full),
        Measured::over_seeds(
            "with_back_pressure_10_connections_500kb",
            &simple[2][4].mbps("S1"),
        ),
    ];
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.fig6.starved-without-control",
            INPUTS,
            measured,
        )],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&none, &simple)),
            Block::Plot(plot_without(&none, &full)),
            Block::Table(table("fig6-none", "Without back-pressure, `bsd`", &none)),
            Block::Table(table(
                "fig6-none-full",
                "Without back-pressure, `bsd-full`",
                &full,
            )),
            Block::Table(table("fig6-simple", "With back-pressure, `bsd`", &simple)),
        ],
    })
}

/// By number of connections, then size.
type Grid = Vec<Vec<Found>>;

/// What is kept of one setting.
struct Found {
    s1: Vec<f64>,
    s2: Vec<f64>,
}

impl Found {
    fn mbps(&self, name: &str) -> Vec<f64> {
        if name == "S1" {
            self.s1.clone()
        } else {
            self.s2.clone()
        }
    }
}

fn grid(lab: &Lab, scheme: &Scheme, preset: &str) -> Result<Grid, LabError> {
    let found = |seeds: &Seeds| Found {
        s1: seeds.mbps("S1"),
        s2: seeds.mbps("S2"),
    };
    let row = |n: u64| {
        let settings = SIZES_KB.map(|size| settings(scheme, preset, n, size));
        let seeds = each(lab, INPUTS, &settings, SEEDS)?;
        Ok(seeds.iter().map(found).collect())
    };
    CONNECTIONS.into_iter().map(row).collect()
}

fn settings(scheme: &Scheme, preset: &str, connections: u64, size_kb: u64) -> Sets {
    scheme.with([
        ("tcp", format!("{{ preset = \"{preset}\" }}")),
        ("flows.S1.count", connections.to_string()),
        ("flows.S1.traffic.size", format!("\"{size_kb} kB\"")),
    ])
}

/// What S1 gets in the mean over all settings.
fn overall(grid: &Grid) -> f64 {
    let all: Vec<f64> = grid.iter().flatten().map(|found| mean(&found.s1)).collect();
    mean(&all)
}

/// The setting in which S1 gets most.
fn largest(grid: &Grid) -> &Vec<f64> {
    let all = grid.iter().flatten().map(|found| &found.s1);
    let by_mean = |one: &&Vec<f64>, other: &&Vec<f64>| mean(one).total_cmp(&mean(other));
    all.max_by(by_mean).expect("there are settings")
}

fn plot(none: &Grid, simple: &Grid) -> Plot {
    let mut curves = drawn(none, "", false);
    curves.extend(drawn(simple, ", back-pressure", true));
    Plot {
        note: "Solid without (near zero), dashed with back-pressure; S2 gets the rest.".into(),
        ..throughput_plot(
            "fig6",
            "Figure 6: throughput from S1 to D",
            Axis::new("file size", "kB"),
            10.0,
            curves,
        )
    }
}

fn plot_without(none: &Grid, full: &Grid) -> Plot {
    let mut curves = drawn(none, ", bsd", false);
    curves.extend(drawn(full, ", bsd-full", false));
    Plot {
        note: "The same without back-pressure, enlarged, for both sources; bars from the least \
               to the most over seeds."
            .into(),
        ..throughput_plot(
            "fig6-without",
            "Figure 6: throughput from S1 without back-pressure",
            Axis::new("file size", "kB"),
            1.2,
            curves,
        )
    }
}

fn drawn(grid: &Grid, words: &str, dashed: bool) -> Vec<results::Curve> {
    let rows = CONNECTIONS.iter().zip(grid).map(|(n, row)| {
        let values: Vec<Vec<f64>> = row.iter().map(|found| found.mbps("S1")).collect();
        let name = format!("n = {n}{words}");
        curve(&name, &numbers(&SIZES_KB), &values, dashed)
    });
    rows.collect()
}

fn table(name: &str, what: &str, grid: &Grid) -> Table {
    let mut columns = vec![column("files of", "kB", "size of every file of S1")];
    for n in CONNECTIONS {
        for flow in ["S1", "S2"] {
            let name = format!("{flow}, n = {n}");
            let meaning = "payload that D got from it: mean [least, most] over seeds";
            columns.push(column(&name, "Mbps", meaning));
        }
    }
    let row = |(at, size): (usize, &u64)| {
        let mut row = vec![(*size).into()];
        for sizes in grid {
            row.extend(["S1", "S2"].map(|flow| cell(&sizes[at].mbps(flow), 3)));
        }
        row
    };
    Table {
        name: name.into(),
        caption: format!("{what}: n connections from S1, one endless from S2, {SEEDS} seeds."),
        columns,
        rows: SIZES_KB.iter().enumerate().map(row).collect(),
    }
}
