//! Figures 5 and 6: a bursty source at 100 Mbps and a long transfer at 10 Mbps share a port.

use backwater_results::{Axis, Block, Plot, Table};

use super::runs::{
    NONE, SIMPLE, Scheme, Seeds, Sets, cell, curve, each, finding, level, limit_mbps, mean,
    mean_of, most_of, numbers, range, throughput_plot,
};
use super::{INPUTS, SEEDS, SEEDS_CONTRAST};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const CONNECTIONS: [u64; 3] = [2, 5, 10];
const SIZES_KB: [u64; 5] = [20, 50, 100, 200, 500];
const BSD: &str = "bsd";
const BSD_FULL: &str = "bsd-full";
/// The largest throughput of S1 that the claim would accept, in Mbps.
const ACCEPTED: f64 = 0.9;

const WORDS: &str = "Inferred: S1 at 100 Mbps, S2 and D at 10 Mbps on one switch; with S2 at \
    100 Mbps the shares are equal. Without control S1 starves. Its throughput depends on the \
    setting and on chance: a few kbps if its connections always wait for their timers, several \
    Mbps if S2 happens to lose frames and waits itself. The source of all other figures (`bsd`) \
    is judged, by the largest value over all sizes and numbers of connections in each seed. \
    Neither it nor `bsd-full`, which delays acknowledgements and begins with a window of two, \
    gives the paper's \"a few 100 kbps\" everywhere: `bsd-full` has fewer settings near zero, \
    and others near 1 Mbps.";

pub fn figure_6(lab: &Lab) -> Result<Evidence, LabError> {
    let none = grid(lab, &NONE, BSD, SEEDS)?;
    let full = grid(lab, &NONE, BSD_FULL, SEEDS_CONTRAST)?;
    let simple = grid(lab, &SIMPLE, BSD, SEEDS)?;
    let shown = |name, what, grid, seeds| Block::Table(table(name, what, grid, seeds));
    let without = "Without back-pressure, `bsd`";
    let without_full = "Without back-pressure, `bsd-full`";
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.fig6.starved-without-control",
            INPUTS,
            measured(&none, &full, &simple),
        )],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&none, &simple)),
            Block::Plot(plot_without(&none, &full)),
            shown("fig06-none", without, &none, SEEDS),
            shown("fig06-none-full", without_full, &full, SEEDS_CONTRAST),
            shown("fig06-simple", "With back-pressure, `bsd`", &simple, SEEDS),
        ],
    })
}

/// By number of connections, then size.
type Grid = Vec<Vec<Found>>;

/// What is kept of one setting.
#[derive(Clone)]
struct Found {
    s1: Vec<f64>,
    s2: Vec<f64>,
}

fn measured(none: &Grid, full: &Grid, simple: &Grid) -> Vec<Measured> {
    let half = limit_mbps(10.0, 1024.0) / 2.0;
    let all = s1_of_all(none);
    let means: Vec<f64> = all.iter().map(|one| mean(one)).collect();
    let (least, most) = range(&means);
    let last = &simple[CONNECTIONS.len() - 1][SIZES_KB.len() - 1];
    vec![
        // More than the claim accepts, and still less than half the port.
        Measured::rate_over_seeds("s1_mbps", &most_of(&all)).within(ACCEPTED, half),
        Measured::rate_over_seeds("mean_over_settings", &mean_of(&all)),
        Measured::new("min_mean_of_a_setting", least),
        Measured::new("largest_mean_of_a_setting", most),
        Measured::rate_over_seeds("s1_mbps_bsd_full", &most_of(&s1_of_all(full))),
        Measured::rate_over_seeds("with_back_pressure_10_connections_500kb", &last.s1),
    ]
}

/// Throughput of S1 in each setting, by seed.
fn s1_of_all(grid: &Grid) -> Vec<Vec<f64>> {
    grid.iter()
        .flatten()
        .map(|found| found.s1.clone())
        .collect()
}

fn grid(lab: &Lab, scheme: &Scheme, preset: &str, count: u64) -> Result<Grid, LabError> {
    let found = |seeds: &Seeds| Found {
        s1: seeds.mbps("S1"),
        s2: seeds.mbps("S2"),
    };
    let row = |n: u64| {
        let settings = SIZES_KB.map(|size| settings(scheme, preset, n, size));
        let seeds = each(lab, INPUTS, &settings, count)?;
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

fn plot(none: &Grid, simple: &Grid) -> Plot {
    let mut curves = drawn(none, "", false);
    curves.extend(drawn(simple, ", back-pressure", true));
    Plot {
        note: "Solid without (near zero), dashed with back-pressure; S2 gets the rest.".into(),
        marks: vec![
            level(
                limit_mbps(10.0, 1024.0) * 8.0 / 9.0,
                "paper: about 8 to 1, back-pressure",
            ),
            level(0.3, "paper: a few 100 kbps, without"),
        ],
        ..throughput_plot(
            "fig06",
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
        note: "The same without back-pressure, enlarged, for both sources; bars from min to \
               max over seeds."
            .into(),
        marks: vec![level(0.3, "paper: a few 100 kbps")],
        ..throughput_plot(
            "fig06-without",
            "Figure 6: throughput from S1 without back-pressure",
            Axis::new("file size", "kB"),
            1.2,
            curves,
        )
    }
}

fn drawn(grid: &Grid, words: &str, dashed: bool) -> Vec<backwater_results::Curve> {
    let rows = CONNECTIONS.iter().zip(grid).map(|(n, row)| {
        let values: Vec<Vec<f64>> = row.iter().map(|found| found.s1.clone()).collect();
        let name = format!("n = {n}{words}");
        curve(&name, &numbers(&SIZES_KB), &values, dashed)
    });
    rows.collect()
}

fn table(name: &str, what: &str, grid: &Grid, seeds: u64) -> Table {
    let mut columns = vec![column("files of", "kB", "size of every file of S1")];
    for n in CONNECTIONS {
        for flow in ["S1", "S2"] {
            let name = format!("{flow}, n = {n}");
            let meaning = "payload that D got from it: mean [min, max] over seeds";
            columns.push(column(&name, "Mbps", meaning));
        }
    }
    let row = |(at, size): (usize, &u64)| {
        let mut row = vec![(*size).into()];
        for sizes in grid {
            row.extend([&sizes[at].s1, &sizes[at].s2].map(|flow| cell(flow, 3)));
        }
        row
    };
    Table {
        name: name.into(),
        caption: format!("{what}: n connections from S1, one greedy from S2, {seeds} seeds."),
        columns,
        rows: SIZES_KB.iter().enumerate().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(s1: impl Fn(usize, usize) -> [f64; 2]) -> Grid {
        let found = |n: usize, size: usize| Found {
            s1: s1(n, size).to_vec(),
            s2: vec![9.0, 9.0],
        };
        let row = |n: usize| (0..SIZES_KB.len()).map(|size| found(n, size)).collect();
        (0..CONNECTIONS.len()).map(row).collect()
    }

    #[test]
    fn the_largest_over_all_settings_is_judged() {
        let none = made(|n, size| match (n, size) {
            (1, 0) => [3.0, 0.1],
            (2, 4) => [0.0, 1.5],
            _ => [0.2, 0.2],
        });
        let full = made(|n, size| [0.1 * (n + size) as f64, 0.6]);
        let simple = made(|n, size| [n as f64, size as f64]);
        let found = measured(&none, &full, &simple);
        let values: Vec<f64> = found.iter().map(|one| one.value).collect();
        // 13 settings of 0.2; 3.0 and 0.0 in one seed, 0.1 and 1.5 in the other.
        let mean = (13.0 * 0.4 + 3.0 + 1.6) / 30.0;
        let expected = [2.25, mean, 0.2, 1.55, 0.6, 3.0];
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-9, "{values:?}");
        }
    }
}
