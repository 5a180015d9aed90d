//! Figures 10 and 11: two flows share a buffer upstream.

use backwater_results::{Axis, Block, Cell, Plot, Table};

use super::runs::{
    BLOCKED_60, BLOCKED_70, DESTINATION, NONE, RANDOM, RANDOM_TWO, SIMPLE, Scheme, Seeds, Sets,
    cell, curve, each, finding, level, limit_mbps, mean, most_of, numbers, throughput_plot,
};
use super::{SEEDS, SEEDS_CONTRAST, UPSTREAM};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::ratios;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const CONNECTIONS: [u64; 3] = [2, 5, 10];
const SIZES_KB: [u64; 5] = [32, 50, 100, 200, 500];
const SCHEMES: [Scheme; 3] = [NONE, SIMPLE, DESTINATION];
/// Their places.
const BY_SIMPLE: usize = 1;
const BY_DESTINATION: usize = 2;
const CURES: [Scheme; 4] = [RANDOM, BLOCKED_70, BLOCKED_60, RANDOM_TWO];
/// Only files of this size are judged; the others take fewer seeds.
const LARGE: usize = SIZES_KB.len() - 1;
/// Frames that fill one window of 64 KB in segments of 1024 bytes: 63 of 1082 bytes.
const WINDOW_BYTES: f64 = 63.0 * 1_082.0;
/// Between the thresholds of the trunk's port, 70 % and 80 % of 500 kB.
const CONGESTED_BYTES: f64 = 375_000.0;

const WORDS: &str = "Inferred: S1 and S2 at 100 Mbps on one switch, a trunk of 100 Mbps whose \
    port holds 500 kB, D1 at 10 and D2 at 100 Mbps on a second switch. Under simple control the \
    trunk is stopped because of D1 most of the time, and S2's share of the throughput is that \
    of its one window in the trunk's queue.";
const CURE_WORDS: &str = "Destination control keeps D2 at its maximum until S1's windows alone \
    pass 80 % of the trunk's 500 kB (n >= 7): then both flows are stopped upstream, as the \
    paper warns. A limit on the share of a queue that blocked frames may take, or one flow \
    drawn at random, prevents it. Drawing two frames is as good as drawing one.";
const FORM_WORDS: &str = "With a greedy S1 the queue of the trunk holds n windows of S1 minus \
    the bytes in D1's port, B1, and one window of S2; if that is more than its thresholds \
    allow, it varies between them, 350 and 400 kB. The traffic over the trunk is in that \
    proportion: `D2 = D1 W2 / min(n W1 - B1, 375 kB - W2)`, with windows of 63 frames. Both \
    this form and the bound on D2's deviation from it, 5 %, are ours.";

/// D2's throughput by scheme, number of connections, size and seed.
type Grid = Vec<Vec<Vec<Vec<f64>>>>;

/// What an endless transfer to D1 leaves of D2, by seed.
struct Endless {
    connections: u64,
    d1: Vec<f64>,
    d2: Vec<f64>,
    /// Mean bytes in the port to D1.
    queue: Vec<f64>,
}

pub fn figure_11(lab: &Lab) -> Result<Evidence, LabError> {
    let grid = grid(lab)?;
    let ten = CURES.map(|scheme| settings(&scheme, 10, SIZES_KB[LARGE]));
    let cures = each(lab, UPSTREAM, &ten, SEEDS)?;
    let endless = endless(lab)?;
    let mut blocks = vec![Block::Text(WORDS.into()), Block::Plot(plot(&grid))];
    let tables = SCHEMES.iter().zip(&grid);
    blocks.extend(tables.map(|(scheme, rows)| Block::Table(table(scheme, rows))));
    let destination = grid[BY_DESTINATION][CONNECTIONS.len() - 1][LARGE].clone();
    let d2 = cures.iter().map(|at| at.mbps("D2"));
    let d2: Vec<Vec<f64>> = std::iter::once(destination).chain(d2).collect();
    blocks.extend([
        Block::Text(CURE_WORDS.into()),
        Block::Table(cure_table(&cures)),
        Block::Text(FORM_WORDS.into()),
        Block::Table(form_table(&endless)),
    ]);
    Ok(Evidence {
        findings: vec![shared(&grid, &endless), blocked(&d2)],
        blocks,
    })
}

fn grid(lab: &Lab) -> Result<Grid, LabError> {
    let row = |scheme: &Scheme, n: u64| {
        let sized = |sizes: &[u64], seeds: u64| {
            let settings = sizes.iter().map(|size| settings(scheme, n, *size));
            each(lab, UPSTREAM, &settings.collect::<Vec<Sets>>(), seeds)
        };
        let mut found = sized(&SIZES_KB[..LARGE], SEEDS_CONTRAST)?;
        found.extend(sized(&SIZES_KB[LARGE..], seeds_of(scheme))?);
        Ok(found.iter().map(|at| at.mbps("D2")).collect())
    };
    let rows = |scheme: &Scheme| CONNECTIONS.iter().map(|n| row(scheme, *n)).collect();
    SCHEMES.iter().map(rows).collect()
}

/// Seeds with large files: what is not in the figure takes fewer.
fn seeds_of(scheme: &Scheme) -> u64 {
    if scheme.name == NONE.name {
        SEEDS_CONTRAST
    } else {
        SEEDS
    }
}

fn settings(scheme: &Scheme, connections: u64, size_kb: u64) -> Sets {
    scheme.with([
        ("flows.D1.count", connections.to_string()),
        ("flows.D1.traffic.size", format!("\"{size_kb} kB\"")),
    ])
}

fn endless(lab: &Lab) -> Result<Vec<Endless>, LabError> {
    let settings = CONNECTIONS.map(|connections| {
        SIMPLE.with([
            ("flows.D1.count", connections.to_string()),
            ("flows.D1.traffic", "{ kind = \"greedy\" }".into()),
        ])
    });
    let found = each(lab, UPSTREAM, &settings, SEEDS)?;
    let kept = |(connections, at): (&u64, &Seeds)| Endless {
        connections: *connections,
        d1: at.mbps("D1"),
        d2: at.mbps("D2"),
        queue: at.each(|run| run.channel("B->D1").by_class.queues[0].mean_bytes),
    };
    Ok(CONNECTIONS.iter().zip(&found).map(kept).collect())
}

impl Endless {
    /// What D2 should get, by seed.
    fn form(&self) -> Vec<f64> {
        let form = |(d1, queue): (&f64, &f64)| {
            let windows = self.connections as f64 * WINDOW_BYTES - queue;
            d1 * WINDOW_BYTES / windows.min(CONGESTED_BYTES - WINDOW_BYTES)
        };
        self.d1.iter().zip(&self.queue).map(form).collect()
    }

    /// How much D2 is off it, as a share, by seed.
    fn off(&self) -> Vec<f64> {
        let off = ratios(&self.d2, &self.form()).into_iter();
        off.map(|ratio| (ratio - 1.0).abs()).collect()
    }
}

fn shared(grid: &Grid, endless: &[Endless]) -> Finding {
    let (simple, destination) = (&grid[BY_SIMPLE], &grid[BY_DESTINATION]);
    let mut measured = Vec::new();
    for (at, most) in [40.0, 10.0, 5.0].into_iter().enumerate() {
        let name = format!("simple_n{}", CONNECTIONS[at]);
        measured.push(Measured::rate_over_seeds(&name, &simple[at][LARGE]).within(0.0, most));
    }
    let most = limit_mbps(100.0, 1024.0);
    for (at, n) in CONNECTIONS.iter().take(2).enumerate() {
        let name = format!("destination_n{n}");
        let found = Measured::rate_over_seeds(&name, &destination[at][LARGE]);
        measured.push(found.within(80.0, most));
    }
    let off: Vec<Vec<f64>> = endless.iter().map(Endless::off).collect();
    measured.push(Measured::rate_over_seeds("off_the_closed_form", &most_of(&off)).at_most(0.05));
    finding("nouredine1999.fig11.shared-upstream", UPSTREAM, measured)
}

/// D2's throughput under destination control, then with each cure, by seed.
fn blocked(d2: &[Vec<f64>]) -> Finding {
    let most = limit_mbps(100.0, 1024.0);
    let of = |name: &str, at: usize| Measured::rate_over_seeds(name, &d2[at]);
    let measured = vec![
        of("destination", 0).within(0.0, 60.0),
        of("random", 1).within(65.0, most),
        of("blocked_share_70", 2).within(75.0, most),
        of("blocked_share_60", 3).within(75.0, most),
        of("two_at_random", 4),
    ];
    finding(
        "nouredine1999.fig11.blocked-share-limit",
        UPSTREAM,
        measured,
    )
}

fn plot(grid: &Grid) -> Plot {
    let drawn = |scheme: usize, words: &str, dashed: bool| {
        let rows = CONNECTIONS.iter().zip(&grid[scheme]);
        let rows = rows.map(|(n, row)| {
            let name = format!("n = {n}, {words}");
            curve(&name, &numbers(&SIZES_KB), row, dashed)
        });
        rows.collect::<Vec<_>>()
    };
    let mut curves = drawn(BY_SIMPLE, "simple", false);
    curves.extend(drawn(BY_DESTINATION, "destination", true));
    Plot {
        note: "Solid simple, dashed destination-based control; n connections from S1 to D1.".into(),
        marks: vec![level(limit_mbps(100.0, 1024.0), "paper: the maximum")],
        ..throughput_plot(
            "fig11",
            "Figure 11: throughput from S2 to D2",
            Axis::new("file size", "kB"),
            100.0,
            curves,
        )
    }
}

fn table(scheme: &Scheme, rows: &[Vec<Vec<f64>>]) -> Table {
    let mut columns = vec![column("files of", "kB", "size of every file of S1")];
    columns.extend(CONNECTIONS.map(|n| {
        let meaning = "payload that D2 got: mean [min, max] over seeds";
        column(&format!("n = {n}"), "Mbps", meaning)
    }));
    let row = |(at, size): (usize, &u64)| {
        let mut row = vec![(*size).into()];
        row.extend(rows.iter().map(|sizes| cell(&sizes[at], 1)));
        row
    };
    Table {
        name: format!("fig11-{}", scheme.name),
        caption: format!(
            "Throughput from S2 to D2, back-pressure: {}; {SEEDS_CONTRAST} seeds, {} with files of \
             500 kB.",
            scheme.name,
            seeds_of(scheme)
        ),
        columns,
        rows: SIZES_KB.iter().enumerate().map(row).collect(),
    }
}

fn cure_table(cures: &[Seeds]) -> Table {
    let row = |(scheme, at): (&Scheme, &Seeds)| {
        vec![
            scheme.name.into(),
            cell(&at.mbps("D2"), 1),
            cell(&at.mbps("D1"), 2),
            cell(&at.drops_each(), 0),
        ]
    };
    Table {
        name: "fig11-cures".into(),
        caption: format!(
            "10 connections, files of 500 kB, {SEEDS} seeds; for destination control alone see \
             the table above."
        ),
        columns: vec![
            words("back-pressure", "the scheme"),
            column("D2", "Mbps", "payload: mean [min, max] over seeds"),
            column("D1", "Mbps", "payload: mean [min, max] over seeds"),
            column("drops", "frames", "in the whole run"),
        ],
        rows: CURES.iter().zip(cures).map(row).collect(),
    }
}

fn form_table(endless: &[Endless]) -> Table {
    let row = |at: &Endless| {
        vec![
            at.connections.into(),
            Cell::float(mean(&at.queue) / 1000.0, 1),
            cell(&at.d1, 2),
            cell(&at.form(), 2),
            cell(&at.d2, 2),
        ]
    };
    Table {
        name: "fig11-closed-form".into(),
        caption: format!("Greedy transfers to D1 under simple control, {SEEDS} seeds."),
        columns: vec![
            column("connections", "", "from S1 to D1"),
            column("B1", "kB", "mean bytes in the port to D1"),
            column("D1", "Mbps", "payload"),
            column("D2, closed form", "Mbps", "from D1, B1 and the windows"),
            column("D2", "Mbps", "payload, measured"),
        ],
        rows: endless.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_by_hand() {
        let endless = |connections: u64, d2: f64| Endless {
            connections,
            d1: vec![9.0],
            d2: vec![d2],
            queue: vec![WINDOW_BYTES],
        };
        // Two windows less the one in D1's port: one of each, so D2 gets what D1 gets.
        assert!((endless(2, 9.9).form()[0] - 9.0).abs() < 1e-9);
        assert!((endless(2, 9.9).off()[0] - 0.1).abs() < 1e-9);
        assert!((endless(2, 8.1).off()[0] - 0.1).abs() < 1e-9);
        // Ten windows are more than the trunk holds.
        let full = 9.0 * WINDOW_BYTES / (CONGESTED_BYTES - WINDOW_BYTES);
        assert!((endless(10, 2.0).form()[0] - full).abs() < 1e-9);
    }

    #[test]
    fn files_of_500_kb_are_judged_scheme_by_scheme() {
        // By scheme, connections, size and seed: the value says where it is from.
        let at = |scheme: usize, n: usize, size: usize| (100 * scheme + 10 * n + size) as f64;
        let sizes = |scheme, n| {
            (0..SIZES_KB.len())
                .map(|size| vec![at(scheme, n, size)])
                .collect()
        };
        let rows = |scheme: usize| (0..CONNECTIONS.len()).map(|n| sizes(scheme, n)).collect();
        let grid: Grid = (0..SCHEMES.len()).map(rows).collect();
        let off = |d2: f64| Endless {
            connections: 2,
            d1: vec![9.0, 9.0],
            d2: vec![d2, 9.0],
            queue: vec![WINDOW_BYTES, WINDOW_BYTES],
        };
        let found = shared(&grid, &[off(9.9), off(8.55)]);
        let values: Vec<f64> = found.measured.iter().map(|one| one.value).collect();
        assert_eq!(values[..5], [104.0, 114.0, 124.0, 204.0, 214.0]);
        // The worst of each seed: 10 % and nothing.
        assert!((values[5] - 0.05).abs() < 1e-9, "{values:?}");
    }

    #[test]
    fn cures_stand_in_their_order() {
        let d2 = [10.0, 20.0, 30.0, 40.0, 50.0].map(|mbps| vec![mbps]);
        let found = blocked(&d2).measured;
        let values: Vec<(&str, f64)> = found.iter().map(|one| (&*one.name, one.value)).collect();
        assert_eq!(values[1], ("random", 20.0));
        assert_eq!(values[3], ("blocked_share_60", 40.0));
        let names = CURES.map(|scheme| scheme.name);
        assert!(names[0].ends_with("one drawn at random") && names[2].ends_with("60 %"));
    }
}
