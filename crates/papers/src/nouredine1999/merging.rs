//! Figures 3 and 4: hosts at 10 Mbps send to one at 10 Mbps.

use backwater_results::{Axis, Block, Plot, Table};

use super::runs::{
    Kept, NONE, SIMPLE, Scheme, Sets, cell, curve, each, finding, level, limit_mbps, numbers,
    throughput_plot, total_of,
};
use super::{MERGING, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const HOSTS: [u64; 4] = [2, 3, 4, 5];
const SIZES_KB: [u64; 6] = [10, 32, 50, 100, 200, 500];
/// The judged size, and its place.
const HUNDRED: usize = 3;
/// Sizes for which readings are compared, with two hosts, and their places.
const SIZES_OF_TWO: [usize; 2] = [HUNDRED, 4];
/// Clocks of the hosts against that of the port to D.
const CLOCKS: [(&str, &str); 3] = [
    ("equal", "10 Mbps"),
    ("50 ppm fast", "10.0005 Mbps"),
    ("50 ppm slow", "9.9995 Mbps"),
];
const NEW: &str = "{ preset = \"bsd\", reuse = \"handshake\" }";
const KEPT: &str = "{ preset = \"bsd\", reuse = \"fresh-window\" }";
/// What is open about the source.
const SOURCES: [(&str, &str); 6] = [
    ("a handshake for every file", NEW),
    ("one connection for all files", KEPT),
    (
        "segments of 536 bytes",
        "{ preset = \"bsd\", reuse = \"handshake\", mss = \"536 B\" }",
    ),
    (
        "segments of 1460 bytes",
        "{ preset = \"bsd\", reuse = \"handshake\", mss = \"1460 B\" }",
    ),
    (
        "delayed acknowledgements",
        "{ preset = \"bsd\", reuse = \"handshake\", acks = \"delayed-tick\" }",
    ),
    ("`bsd-full`", "{ preset = \"bsd-full\" }"),
];
/// Each source with each of so many clocks: the first two sources decide the claim.
const CLOCKS_OF: [usize; SOURCES.len()] = [3, 3, 1, 1, 1, 1];

const WORDS: &str = "Inferred: one switch, all links at 10 Mbps, one connection from each of N \
    hosts, a handshake for every file; the paper does not give its N. Losses begin where N \
    files together exceed the buffer of 70 kB. With 8 hosts or more the room above 80 % of \
    70 kB is too small for all frames in transit when the stop is sent, so the N of the figure \
    is small.";
const TWO_WORDS: &str = "IEEE 802.3 allows clock errors of +-100 ppm. With a handshake for \
    every file the loss hardly depends on them. With one connection for all files it does: if \
    the hosts' clocks are no faster than that of the port to D, frames arrive at the full \
    buffer at the same instants at which places in it are freed, or later; one host gets the \
    last place for a whole burst, and only the other waits for its time-out: the loss with \
    files of 100 kB is then a fifth or a quarter instead of half. It is smaller with segments \
    of 1460 bytes, a tenth with delayed acknowledgements, and zero with an initial window of \
    two as well (`bsd-full`). With back-pressure none of this matters.";

pub fn figure_4(lab: &Lab) -> Result<Evidence, LabError> {
    let (none, simple) = (grid(lab, &NONE)?, grid(lab, &SIMPLE)?);
    let two = two(lab, &none)?;
    let restored = CLOCKS[1..].iter().map(|(_, rate)| {
        let mut sets = settings(&SIMPLE, 2, SIZES_KB[HUNDRED]);
        sets.push(("link.rate".into(), (*rate).into()));
        sets
    });
    let restored: Vec<Sets> = restored.collect();
    let restored = each(lab, MERGING, &restored, SEEDS)?;
    let restored: Vec<Kept> = restored.iter().map(|at| at.kept("data")).collect();
    let measured = measured(&two, &simple, &restored);
    let limit = limit_mbps(10.0, 1024.0);
    Ok(Evidence {
        findings: vec![finding("nouredine1999.fig4.merging", MERGING, measured)],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&none, &simple, limit)),
            Block::Table(table("fig04-none", "Without back-pressure", &none)),
            Block::Table(table("fig04-simple", "With back-pressure", &simple)),
            Block::Text(TWO_WORDS.into()),
            Block::Table(two_table(&two)),
        ],
    })
}

/// `two` without control, `simple` and `restored` (clocks that are not equal) with it.
fn measured(two: &[Vec<Kept>], simple: &[Vec<Kept>], restored: &[Kept]) -> Vec<Measured> {
    let limit = limit_mbps(10.0, 1024.0);
    let names = ["equal_clocks", "fast_clocks", "slow_clocks"];
    let share = |name: String, at: &Kept| Measured::share_over_seeds(&name, &at.shares(limit));
    let mut measured = Vec::new();
    for (name, row) in names.iter().zip(two) {
        measured.push(share(format!("share_{name}"), &row[0]).within(0.0, 0.6));
    }
    let with = std::iter::once(&simple[0][HUNDRED]).chain(restored);
    for (name, at) in names.iter().zip(with) {
        measured.push(share(format!("restored_{name}"), at).within(0.97, 1.0));
    }
    let all = simple.iter().flatten().chain(restored);
    let drops: Vec<Vec<f64>> = all.map(|at| at.drops.clone()).collect();
    measured.push(Measured::over_seeds("drops_to_5_hosts", &total_of(&drops)).within(0.0, 0.0));
    for (name, row) in names.iter().zip(&two[CLOCKS.len()..]) {
        measured.push(share(format!("one_connection_{name}"), &row[0]));
    }
    measured
}

/// By number of hosts, then size.
fn grid(lab: &Lab, scheme: &Scheme) -> Result<Vec<Vec<Kept>>, LabError> {
    let row = |n: u64| {
        let settings = SIZES_KB.map(|size| settings(scheme, n, size));
        let found = each(lab, MERGING, &settings, SEEDS)?;
        Ok(found.iter().map(|at| at.kept("data")).collect())
    };
    HOSTS.into_iter().map(row).collect()
}

fn settings(scheme: &Scheme, hosts: u64, size_kb: u64) -> Sets {
    scheme.with([
        ("network.hosts", format!("[\"S{{1..{hosts}}}\", \"D\"]")),
        ("flows.data.from", format!("\"S{{1..{hosts}}}\"")),
        ("flows.data.traffic.size", format!("\"{size_kb} kB\"")),
    ])
}

fn plot(none: &[Vec<Kept>], simple: &[Vec<Kept>], limit: f64) -> Plot {
    let drawn = |grid: &[Vec<Kept>], words: &str, dashed: bool| {
        let rows = HOSTS.iter().zip(grid).map(|(n, row)| {
            let values: Vec<Vec<f64>> = row.iter().map(|at| at.mbps.clone()).collect();
            let name = format!("N = {n}{words}");
            curve(&name, &numbers(&SIZES_KB), &values, dashed)
        });
        rows.collect::<Vec<_>>()
    };
    let mut curves = drawn(none, "", false);
    curves.extend(drawn(simple, ", back-pressure", true));
    Plot {
        note: "Solid without, dashed with back-pressure; bars from min to max over \
               seeds."
            .into(),
        marks: vec![level(limit, "paper: the maximum")],
        ..throughput_plot(
            "fig04",
            "Figure 4: throughput against file size",
            Axis::new("file size", "kB"),
            10.0,
            curves,
        )
    }
}

fn table(name: &str, what: &str, grid: &[Vec<Kept>]) -> Table {
    let mut columns = vec![column("files of", "kB", "size of every file")];
    columns.extend(HOSTS.map(|n| {
        column(
            &format!("N = {n}"),
            "Mbps",
            "payload that D got: mean [min, max] over seeds",
        )
    }));
    let row = |(at, size): (usize, &u64)| {
        let mut row = vec![(*size).into()];
        row.extend(grid.iter().map(|sizes| cell(&sizes[at].mbps, 2)));
        row
    };
    Table {
        name: name.into(),
        caption: format!("{what}: throughput, mean [min, max] over {SEEDS} seeds."),
        columns,
        rows: SIZES_KB.iter().enumerate().map(row).collect(),
    }
}

/// Names of source and clocks, and settings, of each reading.
fn readings() -> Vec<(&'static str, &'static str, Sets)> {
    let mut all = Vec::new();
    for ((source, tcp), clocks) in SOURCES.iter().zip(CLOCKS_OF) {
        for (clock, rate) in &CLOCKS[..clocks] {
            let sets = [("link.rate", *rate), ("tcp", *tcp)];
            let sets = sets.map(|(key, value)| (key.to_owned(), value.to_owned()));
            all.push((*source, *clock, sets.to_vec()));
        }
    }
    all
}

/// Two hosts without control, by reading and size. The first reading is that of the figure.
fn two(lab: &Lab, none: &[Vec<Kept>]) -> Result<Vec<Vec<Kept>>, LabError> {
    let figure = SIZES_OF_TWO.map(|size| none[0][size].clone()).to_vec();
    let row = |(_, _, more): (&str, &str, Sets)| {
        let settings = SIZES_OF_TWO.map(|size| {
            let mut sets = settings(&NONE, 2, SIZES_KB[size]);
            sets.extend(more.clone());
            sets
        });
        let found = each(lab, MERGING, &settings, SEEDS)?;
        Ok(found.iter().map(|at| at.kept("data")).collect())
    };
    let others = readings().into_iter().skip(1).map(row);
    std::iter::once(Ok(figure)).chain(others).collect()
}

fn two_table(two: &[Vec<Kept>]) -> Table {
    let mut columns = vec![
        words("source", "what differs"),
        words("clocks", "of the hosts, against the port to D"),
    ];
    columns.extend(SIZES_OF_TWO.map(|size| {
        column(
            &format!("files of {} kB", SIZES_KB[size]),
            "Mbps",
            "payload that D got: mean [min, max] over seeds",
        )
    }));
    let row = |((source, clock, _), found): ((&str, &str, Sets), &Vec<Kept>)| {
        let mut row = vec![source.into(), clock.into()];
        row.extend(found.iter().map(|at| cell(&at.mbps, 2)));
        row
    };
    Table {
        name: "fig04-two".into(),
        caption: format!(
            "Two hosts without back-pressure, {SEEDS} seeds. Below the second source, each \
             row has one change to the first."
        ),
        columns,
        rows: readings().into_iter().zip(two).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(mbps: [f64; 2], drops: [f64; 2]) -> Kept {
        Kept {
            mbps: mbps.to_vec(),
            drops: drops.to_vec(),
        }
    }

    #[test]
    fn the_first_readings_are_those_that_decide() {
        let found = readings();
        let names: Vec<(&str, &str)> = found.iter().map(|one| (one.0, one.1)).collect();
        assert_eq!(names[0], (SOURCES[0].0, "equal"));
        assert_eq!(names[2], (SOURCES[0].0, "50 ppm slow"));
        assert_eq!(names[4], (SOURCES[1].0, "50 ppm fast"));
        assert_eq!(found.len(), 10);
        let ppm = |rate: &str| {
            let mbps: f64 = rate.trim_end_matches(" Mbps").parse().expect("a rate");
            ((mbps / 10.0 - 1.0) * 1e6).round()
        };
        assert_eq!(CLOCKS.map(|(_, rate)| ppm(rate)), [0.0, 50.0, -50.0]);
        assert_eq!(SIZES_OF_TWO.map(|at| SIZES_KB[at]), [100, 200]);
    }

    #[test]
    fn clocks_are_kept_apart_and_any_drop_counts() {
        let limit = limit_mbps(10.0, 1024.0);
        let of = |share: f64| made([share * limit, share * limit + 0.02], [0.0, 0.0]);
        // By reading and size; only the first size is judged.
        let shares = [0.4, 0.5, 0.7, 0.8, 0.45, 0.75, 0.9];
        let two = shares.map(|share| vec![of(share), of(0.1)]);
        let mut simple = vec![vec![of(0.5); SIZES_KB.len()]; HOSTS.len()];
        simple[0][HUNDRED] = of(0.98);
        simple[3][0].drops[1] = 4.0;
        let found = measured(&two, &simple, &[of(0.99), of(0.9)]);
        let is_inside = |one: &Measured| {
            let bounds = one.bounds?;
            Some((bounds.low..=bounds.high).contains(&one.value))
        };
        let (yes, no) = (Some(true), Some(false));
        let inside: Vec<Option<bool>> = found.iter().map(is_inside).collect();
        assert_eq!(inside[..7], [yes, yes, no, yes, yes, no, no]);
        assert_eq!(inside[7..], [None; 3]);
        assert_eq!(found[6].value, 2.0);
        assert!((found[7].value - 0.8 - 0.01 / limit).abs() < 1e-9);
        let seeds: Vec<Option<usize>> = found.iter().map(|one| one.seeds).collect();
        assert_eq!(seeds, [Some(2); 10]);
    }
}
