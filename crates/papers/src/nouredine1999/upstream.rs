//! Figures 10 and 11: two flows share a buffer upstream.

use results::{Axis, Block, Cell, Plot, Table};

use super::runs::{
    BLOCKED_60, BLOCKED_70, DESTINATION, NONE, RANDOM, SIMPLE, Scheme, Seeds, Sets, cell, curve,
    each, finding, mean, numbers, throughput_plot,
};
use super::{SEEDS, SEEDS_CONTRAST, UPSTREAM};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const CONNECTIONS: [u64; 3] = [2, 5, 10];
const SIZES_KB: [u64; 5] = [32, 50, 100, 200, 500];
const SCHEMES: [Scheme; 3] = [NONE, SIMPLE, DESTINATION];
const CURES: [Scheme; 4] = [DESTINATION, RANDOM, BLOCKED_70, BLOCKED_60];
/// Frames that fill one window of 64 KB in segments of 1024 bytes: 63 of 1082 bytes.
const WINDOW_BYTES: f64 = 63.0 * 1_082.0;
/// Where the trunk's port is congested: 80 % of 500 kB.
const HIGH_BYTES: f64 = 400_000.0;
/// The trunk carries a lot; so much of it settles sooner than the smaller figures.
const SHORTER: [(&str, &str); 2] = [("run.duration", "16 s"), ("run.warm_up", "5 s")];

const WORDS: &str = "Inferred: S1 and S2 at 100 Mbps on one switch, a trunk of 100 Mbps whose \
    port holds 500 kB, D1 at 10 and D2 at 100 Mbps on a second switch. Under simple control the \
    trunk is stopped for D1's sake most of the time, and S2 gets the share of the trunk's queue \
    that its one window has. Runs of 16 s.";
const CURE_WORDS: &str = "Destination control keeps D2 at its maximum until S1's windows alone \
    pass 80 % of the trunk's 500 kB (n >= 7): then both flows are stopped upstream, as the paper \
    warns. A limit on what blocked frames may take of a queue, or one flow drawn at random, \
    prevents it.";
const FORM_WORDS: &str = "With an endless S1 the queue of the trunk holds n windows of S1 less \
    what waits in D1's port, B1, and one window of S2, and never much more than 400 kB. All that \
    passes the trunk is in that proportion: `D2 = D1 W2 / min(n W1 - B1, 400 kB - W2)`, with \
    windows of 63 frames. It is low by a few per cent where the trunk's queue is congested, since \
    that queue falls to its low threshold of 350 kB now and then.";

/// D2's throughput by scheme, number of connections, size and seed.
type Grid = Vec<Vec<Vec<Vec<f64>>>>;

pub fn figure_11(lab: &Lab) -> Result<Evidence, LabError> {
    let grid = grid(lab)?;
    let ten = CURES.map(|scheme| settings(&scheme, 10, 500));
    let cures = each(lab, UPSTREAM, &ten, SEEDS)?;
    let endless = CONNECTIONS.map(endless);
    let endless = each(lab, UPSTREAM, &endless, SEEDS_CONTRAST)?;
    let mut blocks = vec![Block::Text(WORDS.into()), Block::Plot(plot(&grid))];
    let tables = SCHEMES.iter().zip(&grid);
    blocks.extend(tables.map(|(scheme, rows)| Block::Table(table(scheme, rows))));
    blocks.extend([
        Block::Text(CURE_WORDS.into()),
        Block::Table(cure_table(&cures)),
        Block::Text(FORM_WORDS.into()),
        Block::Table(form_table(&endless)),
    ]);
    Ok(Evidence {
        findings: vec![shared(&grid, &endless), blocked(&cures)],
        blocks,
    })
}

fn grid(lab: &Lab) -> Result<Grid, LabError> {
    let row = |scheme: &Scheme, n: u64| {
        let settings = SIZES_KB.map(|size| settings(scheme, n, size));
        let found = each(lab, UPSTREAM, &settings, seeds_of(scheme))?;
        Ok(found.iter().map(|at| at.mbps("D2")).collect())
    };
    let rows = |scheme: &Scheme| CONNECTIONS.iter().map(|n| row(scheme, *n)).collect();
    SCHEMES.iter().map(rows).collect()
}

/// What is not in the figure takes fewer seeds.
fn seeds_of(scheme: &Scheme) -> u64 {
    if scheme.name == NONE.name {
        SEEDS_CONTRAST
    } else {
        SEEDS
    }
}

fn settings(scheme: &Scheme, connections: u64, size_kb: u64) -> Sets {
    let mut sets = scheme.with([
        ("flows.D1.count", connections.to_string()),
        ("flows.D1.traffic.size", format!("\"{size_kb} kB\"")),
    ]);
    sets.extend(shorter());
    sets
}

fn shorter() -> impl Iterator<Item = (String, String)> {
    let owned = |(key, value): (&str, &str)| (key.to_owned(), format!("\"{value}\""));
    SHORTER.into_iter().map(owned)
}

/// As long as the scenario says: the closed form is met to a few per cent.
fn endless(connections: u64) -> Sets {
    SIMPLE.with([
        ("flows.D1.count", connections.to_string()),
        ("flows.D1.traffic", "{ kind = \"infinite\" }".into()),
    ])
}

fn shared(grid: &Grid, endless: &[Seeds]) -> Finding {
    let (simple, destination) = (&grid[1], &grid[2]);
    let large = SIZES_KB.len() - 1;
    let mut measured = Vec::new();
    for (at, most) in [40.0, 10.0, 5.0].into_iter().enumerate() {
        let name = format!("simple_n{}", CONNECTIONS[at]);
        measured.push(Measured::over_seeds(&name, &simple[at][large]).within(0.0, most));
    }
    for (at, n) in CONNECTIONS.iter().take(2).enumerate() {
        let name = format!("destination_n{n}");
        measured.push(Measured::over_seeds(&name, &destination[at][large]).within(80.0, 93.0));
    }
    let forms = CONNECTIONS.iter().zip(endless);
    let worst = forms.map(|(n, at)| (mean(&at.mbps("D2")) / form(*n, at) - 1.0).abs());
    let worst = worst.fold(0.0, f64::max);
    measured.push(Measured::new("off_the_closed_form", worst).within(0.0, 0.05));
    finding("nouredine1999.fig11.shared-upstream", UPSTREAM, measured)
}

fn blocked(cures: &[Seeds]) -> Finding {
    let d2 = |at: usize| cures[at].mbps("D2");
    let measured = vec![
        Measured::over_seeds("destination", &d2(0)).within(0.0, 60.0),
        Measured::over_seeds("random", &d2(1)).within(65.0, 93.0),
        Measured::over_seeds("blocked_share_70", &d2(2)).within(75.0, 93.0),
        Measured::over_seeds("blocked_share_60", &d2(3)).within(75.0, 93.0),
    ];
    finding(
        "nouredine1999.fig11.blocked-share-limit",
        UPSTREAM,
        measured,
    )
}

/// Mean bytes in the port to D1.
fn queue_of_d1(at: &Seeds) -> f64 {
    mean(&at.each(|run| run.channel("B->D1").queues[0].mean_bytes))
}

/// What D2 should get with `connections` endless ones to D1.
fn form(connections: u64, at: &Seeds) -> f64 {
    let windows = connections as f64 * WINDOW_BYTES - queue_of_d1(at);
    let held = windows.min(HIGH_BYTES - WINDOW_BYTES);
    mean(&at.mbps("D1")) * WINDOW_BYTES / held
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
    let mut curves = drawn(1, "simple", false);
    curves.extend(drawn(2, "destination", true));
    Plot {
        note: "Solid simple, dashed destination-based control; n connections from S1 to D1.".into(),
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
        let meaning = "payload that D2 got: mean [least, most] over seeds";
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
            "Throughput from S2 to D2, back-pressure: {}; {} seeds.",
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
        caption: format!("10 connections, files of 500 kB, {SEEDS} seeds."),
        columns: vec![
            words("back-pressure", "the scheme"),
            column("D2", "Mbps", "payload: mean [least, most] over seeds"),
            column("D1", "Mbps", "payload: mean [least, most] over seeds"),
            column("drops", "frames", "in the whole run"),
        ],
        rows: CURES.iter().zip(cures).map(row).collect(),
    }
}

fn form_table(endless: &[Seeds]) -> Table {
    let row = |(n, at): (&u64, &Seeds)| {
        vec![
            (*n).into(),
            Cell::float(queue_of_d1(at) / 1000.0, 1),
            cell(&at.mbps("D1"), 2),
            Cell::float(form(*n, at), 2),
            cell(&at.mbps("D2"), 2),
        ]
    };
    Table {
        name: "fig11-closed-form".into(),
        caption: format!("Endless transfers to D1 under simple control, {SEEDS_CONTRAST} seeds."),
        columns: vec![
            column("connections", "", "from S1 to D1"),
            column("B1", "kB", "mean bytes in the port to D1"),
            column("D1", "Mbps", "payload"),
            column("D2, closed form", "Mbps", "from D1, B1 and the windows"),
            column("D2", "Mbps", "payload, measured"),
        ],
        rows: CONNECTIONS.iter().zip(endless).map(row).collect(),
    }
}
