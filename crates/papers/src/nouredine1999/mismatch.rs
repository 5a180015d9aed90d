//! Figures 1 and 2: a server at 100 Mbps sends files to a station at 10 Mbps.

use results::{Axis, Block, Plot, Table};

use super::runs::{
    NONE, SIMPLE, Scheme, Seeds, Sets, cell, curve, each, finding, limit_mbps, mean, numbers,
    throughput_plot,
};
use super::{MISMATCH, SEEDS};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const SIZES_KB: [u64; 4] = [32, 100, 200, 500];
const CONNECTIONS: [u64; 7] = [1, 2, 3, 4, 6, 8, 10];

const WORDS: &str = "Inferred: one switch, S at 100 Mbps, D at 10 Mbps; segments of 1024 bytes. \
    Without control half of the maximum is lost with 2 to 4 connections and files of 200 kB or \
    more; with more connections the loss shrinks again, of which the text does not speak. One \
    window of 64 KB fits in 70 kB, two do not. With control nothing is dropped. The maximum is \
    then a little below that of the link, as stops sent to D itself take wire time from data.";

/// All runs of one scheme, by size and number of connections.
struct Grid(Vec<Vec<Seeds>>);

pub fn figure_2(lab: &Lab) -> Result<Evidence, LabError> {
    let (none, simple) = (grid(lab, &NONE)?, grid(lab, &SIMPLE)?);
    let limit = limit_mbps(10.0, 1024.0);
    Ok(Evidence {
        findings: vec![
            finding(
                "nouredine1999.fig2.loss-of-half",
                MISMATCH,
                loss(&none, limit),
            ),
            finding(
                "nouredine1999.fig2.back-pressure-restores",
                MISMATCH,
                restored(&simple, limit),
            ),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&none, &simple)),
            Block::Table(table("fig2-none", "Without back-pressure", &none)),
            Block::Table(table("fig2-simple", "With back-pressure", &simple)),
        ],
    })
}

fn grid(lab: &Lab, scheme: &Scheme) -> Result<Grid, LabError> {
    let mut rows = Vec::new();
    for size in SIZES_KB {
        let settings = CONNECTIONS.map(|n| settings(scheme, n, size));
        rows.push(each(lab, MISMATCH, &settings, SEEDS)?);
    }
    Ok(Grid(rows))
}

fn settings(scheme: &Scheme, connections: u64, size_kb: u64) -> Sets {
    scheme.with([
        ("flows.data.count", connections.to_string()),
        ("flows.data.traffic.size", format!("\"{size_kb} kB\"")),
    ])
}

impl Grid {
    fn at(&self, size_kb: u64, connections: u64) -> &Seeds {
        let size = SIZES_KB.iter().position(|one| *one == size_kb);
        let count = CONNECTIONS.iter().position(|one| *one == connections);
        &self.0[size.expect("a size that ran")][count.expect("a number that ran")]
    }

    /// Share of `limit` by run.
    fn shares(&self, size_kb: u64, connections: u64, limit: f64) -> Vec<f64> {
        let at = self.at(size_kb, connections);
        at.each(|run| run.mbps("data") / limit)
    }
}

fn loss(none: &Grid, limit: f64) -> Vec<Measured> {
    let shares = [2, 3, 4].map(|n| none.shares(200, n, limit));
    let by_mean = |one: &&Vec<f64>, other: &&Vec<f64>| mean(one).total_cmp(&mean(other));
    let worst = shares.iter().min_by(by_mean).expect("three of them");
    vec![
        Measured::over_seeds("worst_share_200kb_2_to_4_connections", worst),
        Measured::over_seeds("share_200kb_1_connection", &none.shares(200, 1, limit)),
        Measured::over_seeds("share_200kb_10_connections", &none.shares(200, 10, limit)),
    ]
}

fn restored(simple: &Grid, limit: f64) -> Vec<Measured> {
    let mut measured = Vec::new();
    for size in [100, 200, 500] {
        let several = CONNECTIONS.iter().filter(|n| **n >= 2);
        let means = several.map(|n| mean(&simple.shares(size, *n, limit)));
        let least = means.fold(f64::INFINITY, f64::min);
        let name = format!("least_share_{size}kb");
        measured.push(Measured::new(&name, least).within(0.97, 1.0));
    }
    let drops: u64 = simple.0.iter().flatten().map(Seeds::drops).sum();
    measured.push(Measured::new("drops", drops as f64).within(0.0, 0.0));
    measured
}

fn plot(none: &Grid, simple: &Grid) -> Plot {
    let drawn = |grid: &Grid, words: &str, dashed: bool| {
        let rows = SIZES_KB.iter().zip(&grid.0);
        let rows = rows.map(|(size, row)| {
            let values: Vec<Vec<f64>> = row.iter().map(|at| at.mbps("data")).collect();
            let name = format!("{size} kB{words}");
            curve(&name, &numbers(&CONNECTIONS), &values, dashed)
        });
        rows.collect::<Vec<_>>()
    };
    let mut curves = drawn(none, "", false);
    curves.extend(drawn(simple, ", back-pressure", true));
    Plot {
        note: "Solid without, dashed with back-pressure; bars from the least to the most over \
               seeds."
            .into(),
        ..throughput_plot(
            "fig2",
            "Figure 2: throughput against TCP connections",
            Axis::new("connections", ""),
            10.0,
            curves,
        )
    }
}

fn table(name: &str, what: &str, grid: &Grid) -> Table {
    let mut columns = vec![column("connections", "", "parallel TCP connections")];
    columns.extend(SIZES_KB.map(|size| {
        column(
            &format!("files of {size} kB"),
            "Mbps",
            "payload that D got: mean [least, most] over seeds",
        )
    }));
    let row = |(at, n): (usize, &u64)| {
        let mut row = vec![(*n).into()];
        row.extend(grid.0.iter().map(|sizes| cell(&sizes[at].mbps("data"), 2)));
        row
    };
    Table {
        name: name.into(),
        caption: format!("{what}: throughput, mean [least, most] over {SEEDS} seeds."),
        columns,
        rows: CONNECTIONS.iter().enumerate().map(row).collect(),
    }
}
