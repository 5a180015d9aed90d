//! Figures 3 and 4: stations at 10 Mbps send to one at 10 Mbps.

use results::{Axis, Block, Plot, Table};

use super::runs::{
    NONE, SIMPLE, Scheme, Seeds, Sets, cell, curve, each, finding, limit_mbps, numbers,
    throughput_plot,
};
use super::{MERGING, SEEDS};
use crate::Evidence;
use crate::claim::{Measured, column};
use crate::lab::{Lab, LabError};

const STATIONS: [u64; 4] = [2, 3, 4, 5];
const SIZES_KB: [u64; 6] = [10, 32, 50, 100, 200, 500];
/// Two stations with files of 100 kB may keep step for long or lose each other soon.
const SEEDS_AT_THE_EDGE: u64 = 20;

const WORDS: &str = "Inferred: one switch, all links at 10 Mbps, one connection from each of N \
    stations; the paper does not name its N. Loss begins where N files together exceed the \
    buffer of 70 kB. With 8 stations or more the room above 80 % of 70 kB is too small for all \
    that is on its way when the stop is sent, so the N of the figure is small.";

pub fn figure_4(lab: &Lab) -> Result<Evidence, LabError> {
    let (none, simple) = (grid(lab, &NONE)?, grid(lab, &SIMPLE)?);
    let edge = [NONE, SIMPLE].map(|scheme| settings(&scheme, 2, 100));
    let edge = each(lab, MERGING, &edge, SEEDS_AT_THE_EDGE)?;
    let limit = limit_mbps(10.0, 1024.0);
    let share = |at: &Seeds| at.each(|run| run.mbps("data") / limit);
    let drops: u64 = simple.iter().flatten().map(Seeds::drops).sum();
    let measured = vec![
        Measured::over_seeds("share_2_stations_100kb", &share(&edge[0])).within(0.0, 0.6),
        Measured::over_seeds("with_back_pressure", &share(&edge[1])).within(0.97, 1.0),
        Measured::new("drops_to_5_stations", (drops + edge[1].drops()) as f64).within(0.0, 0.0),
    ];
    Ok(Evidence {
        findings: vec![finding("nouredine1999.fig4.merging", MERGING, measured)],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&none, &simple)),
            Block::Table(table("fig4-none", "Without back-pressure", &none)),
            Block::Table(table("fig4-simple", "With back-pressure", &simple)),
            Block::Table(edge_table(&edge)),
        ],
    })
}

/// By number of stations, then size.
fn grid(lab: &Lab, scheme: &Scheme) -> Result<Vec<Vec<Seeds>>, LabError> {
    let row = |n: u64| {
        let settings = SIZES_KB.map(|size| settings(scheme, n, size));
        each(lab, MERGING, &settings, SEEDS)
    };
    STATIONS.into_iter().map(row).collect()
}

fn settings(scheme: &Scheme, stations: u64, size_kb: u64) -> Sets {
    scheme.with([
        (
            "network.stations",
            format!("[\"S{{1..{stations}}}\", \"D\"]"),
        ),
        ("flows.data.from", format!("\"S{{1..{stations}}}\"")),
        ("flows.data.traffic.size", format!("\"{size_kb} kB\"")),
    ])
}

fn plot(none: &[Vec<Seeds>], simple: &[Vec<Seeds>]) -> Plot {
    let drawn = |grid: &[Vec<Seeds>], words: &str, dashed: bool| {
        let rows = STATIONS.iter().zip(grid).map(|(n, row)| {
            let values: Vec<Vec<f64>> = row.iter().map(|at| at.mbps("data")).collect();
            let name = format!("N = {n}{words}");
            curve(&name, &numbers(&SIZES_KB), &values, dashed)
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
            "fig4",
            "Figure 4: throughput against file size",
            Axis::new("file size", "kB"),
            10.0,
            curves,
        )
    }
}

fn table(name: &str, what: &str, grid: &[Vec<Seeds>]) -> Table {
    let mut columns = vec![column("files of", "kB", "size of every file")];
    columns.extend(STATIONS.map(|n| {
        column(
            &format!("N = {n}"),
            "Mbps",
            "payload that D got: mean [least, most] over seeds",
        )
    }));
    let row = |(at, size): (usize, &u64)| {
        let mut row = vec![(*size).into()];
        row.extend(grid.iter().map(|sizes| cell(&sizes[at].mbps("data"), 2)));
        row
    };
    Table {
        name: name.into(),
        caption: format!("{what}: throughput, mean [least, most] over {SEEDS} seeds."),
        columns,
        rows: SIZES_KB.iter().enumerate().map(row).collect(),
    }
}

fn edge_table(edge: &[Seeds]) -> Table {
    let row = |(name, at): (&str, &Seeds)| vec![name.into(), cell(&at.mbps("data"), 2)];
    Table {
        name: "fig4-edge".into(),
        caption: format!(
            "Two stations, files of 100 kB, {SEEDS_AT_THE_EDGE} seeds: without control the two \
             collide again and again, or fall out of step and share the port well."
        ),
        columns: vec![
            crate::claim::words("back-pressure", "the scheme"),
            column("throughput", "Mbps", "mean [least, most] over seeds"),
        ],
        rows: [NONE.name, SIMPLE.name]
            .into_iter()
            .zip(edge)
            .map(row)
            .collect(),
    }
}
