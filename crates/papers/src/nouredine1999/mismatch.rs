//! Figures 1 and 2: a server at 100 Mbps sends files to a host at 10 Mbps.

use backwater_results::{Axis, Block, Plot, Table};

use super::runs::{
    Kept, NONE, SIMPLE, Scheme, Sets, cell, curve, each, finding, least_of, level, limit_mbps,
    numbers, throughput_plot, total_of,
};
use super::{MISMATCH, SEEDS};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const SIZES_KB: [u64; 4] = [32, 100, 200, 500];
const CONNECTIONS: [u64; 6] = [1, 2, 3, 4, 6, 10];

const WORDS: &str = "Inferred: one switch, S at 100 Mbps, D at 10 Mbps; segments of 1024 bytes. \
    Without control half of the maximum is lost with 2 to 4 connections and files of 200 kB or \
    more; with more connections the loss is smaller again, which the text does not mention. One \
    window of 64 KB fits in 70 kB, two do not. With control nothing is dropped. The maximum is \
    then slightly below that of the link, as stops sent to D itself take wire time from data.";

/// All runs of one scheme, by size and number of connections.
struct Grid(Vec<Vec<Kept>>);

pub fn figure_2(lab: &Lab) -> Result<Evidence, LabError> {
    let (none, simple) = (grid(lab, &NONE)?, grid(lab, &SIMPLE)?);
    let limit = limit_mbps(10.0, 1024.0);
    let finding = |claim, measured| finding(claim, MISMATCH, measured);
    Ok(Evidence {
        findings: vec![
            finding("nouredine1999.fig2.loss-of-half", loss(&none, limit)),
            finding(
                "nouredine1999.fig2.back-pressure-restores",
                restored(&simple, limit),
            ),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&none, &simple, limit)),
            Block::Table(table("fig02-none", "Without back-pressure", &none)),
            Block::Table(table("fig02-simple", "With back-pressure", &simple)),
        ],
    })
}

fn grid(lab: &Lab, scheme: &Scheme) -> Result<Grid, LabError> {
    let mut rows = Vec::new();
    for size in SIZES_KB {
        let settings = CONNECTIONS.map(|n| settings(scheme, n, size));
        let found = each(lab, MISMATCH, &settings, SEEDS)?;
        rows.push(found.iter().map(|at| at.kept("data")).collect());
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
    /// Shares of `limit` by seed, for each number of connections that is asked for.
    fn shares(&self, size_kb: u64, limit: f64, is_wanted: impl Fn(u64) -> bool) -> Vec<Vec<f64>> {
        let row = SIZES_KB.iter().position(|one| *one == size_kb);
        let row = self.0[row.expect("a size that ran")].iter();
        let wanted = CONNECTIONS.iter().zip(row).filter(|(n, _)| is_wanted(**n));
        wanted.map(|(_, at)| at.shares(limit)).collect()
    }
}

fn loss(none: &Grid, limit: f64) -> Vec<Measured> {
    let worst = least_of(&none.shares(200, limit, |n| (2..=4).contains(&n)));
    let of = |connections: u64| least_of(&none.shares(200, limit, |n| n == connections));
    vec![
        Measured::share_over_seeds("worst_share_200kb_2_to_4_connections", &worst),
        Measured::share_over_seeds("share_200kb_1_connection", &of(1)),
        Measured::share_over_seeds("share_200kb_10_connections", &of(10)),
    ]
}

fn restored(simple: &Grid, limit: f64) -> Vec<Measured> {
    let mut measured = Vec::new();
    for size in [100, 200, 500] {
        let least = least_of(&simple.shares(size, limit, |n| n >= 2));
        let name = format!("min_share_{size}kb");
        measured.push(Measured::share_over_seeds(&name, &least).within(0.97, 1.0));
    }
    let drops: Vec<Vec<f64>> = simple
        .0
        .iter()
        .flatten()
        .map(|at| at.drops.clone())
        .collect();
    measured.push(Measured::over_seeds("drops", &total_of(&drops)).within(0.0, 0.0));
    measured
}

fn plot(none: &Grid, simple: &Grid, limit: f64) -> Plot {
    let drawn = |grid: &Grid, words: &str, dashed: bool| {
        let rows = SIZES_KB.iter().zip(&grid.0);
        let rows = rows.map(|(size, row)| {
            let values: Vec<Vec<f64>> = row.iter().map(|at| at.mbps.clone()).collect();
            let name = format!("{size} kB{words}");
            curve(&name, &numbers(&CONNECTIONS), &values, dashed)
        });
        rows.collect::<Vec<_>>()
    };
    let mut curves = drawn(none, "", false);
    curves.extend(drawn(simple, ", back-pressure", true));
    Plot {
        note: "Solid without, dashed with back-pressure; bars from min to max over \
               seeds."
            .into(),
        marks: vec![level(0.5 * limit, "paper: half of the maximum")],
        ..throughput_plot(
            "fig02",
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
            "payload that D got: mean [min, max] over seeds",
        )
    }));
    let row = |(at, n): (usize, &u64)| {
        let mut row = vec![(*n).into()];
        row.extend(grid.0.iter().map(|sizes| cell(&sizes[at].mbps, 2)));
        row
    };
    Table {
        name: name.into(),
        caption: format!("{what}: throughput, mean [min, max] over {SEEDS} seeds."),
        columns,
        rows: CONNECTIONS.iter().enumerate().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every setting has these shares of a limit of 10 and two seeds, but those that `change`
    /// makes.
    fn made(change: impl Fn(u64, u64) -> Option<[f64; 2]>) -> Grid {
        let row = |size: u64| {
            let at = |n: u64| Kept {
                mbps: change(size, n).unwrap_or([9.8, 9.9]).to_vec(),
                drops: vec![0.0, if (size, n) == (32, 10) { 6.0 } else { 0.0 }],
            };
            CONNECTIONS.map(at).to_vec()
        };
        Grid(SIZES_KB.map(row).to_vec())
    }

    fn values(measured: &[Measured]) -> Vec<f64> {
        let values = measured.iter().map(|one| (one.value * 1e6).round() / 1e6);
        values.collect()
    }

    #[test]
    fn the_worst_share_is_that_of_each_seed() {
        let none = made(|size, n| match (size, n) {
            (200, 2) => Some([4.0, 7.0]),
            (200, 3) => Some([6.0, 5.0]),
            (200, 4) => Some([9.0, 4.0]),
            (200, 1) => Some([8.0, 8.0]),
            // Of other sizes and numbers.
            (200, 10) => Some([1.0, 2.0]),
            (500, 3) => Some([0.0, 0.0]),
            _ => None,
        });
        assert_eq!(values(&loss(&none, 10.0)), [0.4, 0.8, 0.15]);
    }

    #[test]
    fn one_connection_and_small_files_need_not_reach_the_maximum() {
        let simple = made(|size, n| match (size, n) {
            (32, _) | (_, 1) => Some([5.0, 5.0]),
            (500, 10) => Some([9.0, 9.8]),
            _ => None,
        });
        let measured = restored(&simple, 10.0);
        assert_eq!(values(&measured), [0.985, 0.985, 0.94, 3.0]);
        let is_inside = |one: &Measured| {
            let bounds = one.bounds.expect("all are bounded");
            (bounds.low..=bounds.high).contains(&one.value)
        };
        let inside: Vec<bool> = measured.iter().map(is_inside).collect();
        assert_eq!(inside, [true, true, false, false]);
    }
}
