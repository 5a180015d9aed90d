//! Figures 3 and 4: stations at 10 Mbps send to one at 10 Mbps.

use results::{Axis, Block, Plot, Table};

use super::runs::{
    NONE, SIMPLE, Scheme, Seeds, Sets, cell, curve, each, finding, limit_mbps, numbers,
    throughput_plot,
};
use super::{MERGING, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const STATIONS: [u64; 4] = [2, 3, 4, 5];
const SIZES_KB: [u64; 6] = [10, 32, 50, 100, 200, 500];
/// Two stations may keep step for long or lose each other soon: many seeds.
const SEEDS_OF_TWO: u64 = 10;
/// Sizes for which readings are compared, with two stations.
const SIZES_OF_TWO_KB: [u64; 3] = [100, 200, 500];
const KEPT: (&str, &str) = ("tcp", "{ reuse = \"fresh-window\" }");
const NEW: (&str, &str) = ("tcp", "{ reuse = \"handshake\" }");
/// All clocks keep step to the picosecond.
const EQUAL: (&str, &str) = ("link.rate", "10 Mbps");
/// Its name, keys and values.
type Reading = (&'static str, &'static [(&'static str, &'static str)]);
/// What is open about two stations.
const READINGS: [Reading; 6] = [
    ("`bsd`", &[KEPT]),
    ("`bsd`, all clocks equal", &[KEPT, EQUAL]),
    ("a new connection for every file", &[NEW]),
    ("the same, all clocks equal", &[NEW, EQUAL]),
    ("segments of 1460 bytes", &[("tcp", "{ mss = \"1460 B\" }")]),
    ("`bsd-full`", &[("tcp", "{ preset = \"bsd-full\" }")]),
];
/// The row of the claim.
const BSD_ROW: usize = 0;

const WORDS: &str = "Inferred: one switch, all links at 10 Mbps, one connection from each of N \
    stations; the paper does not name its N. Loss begins where N files together exceed the \
    buffer of 70 kB. With 8 stations or more the room above 80 % of 70 kB is too small for all \
    that is on its way when the stop is sent, so the N of the figure is small.";
const TWO_WORDS: &str = "The stations' clocks run 50 parts in a million faster than that of the \
    port to D; IEEE 802.3 allows 100 either way. With clocks that agree to the picosecond, frames \
    come to the full buffer at the very instants at which places in it are freed, the same station \
    finds the last place for a whole burst, and only the other waits for its time-out: files of \
    100 kB then lose a fifth instead of more than half. With back-pressure none of this matters.";

pub fn figure_4(lab: &Lab) -> Result<Evidence, LabError> {
    let (none, simple) = (grid(lab, &NONE)?, grid(lab, &SIMPLE)?);
    let two = two(lab)?;
    let restored = [KEPT, EQUAL].map(|(key, value)| {
        let mut sets = settings(&SIMPLE, 2, 100);
        sets.push((key.into(), value.into()));
        sets
    });
    let restored = each(lab, MERGING, &restored, SEEDS)?;
    let limit = limit_mbps(10.0, 1024.0);
    let share = |at: &Seeds| at.each(|run| run.mbps("data") / limit);
    let drops: u64 = simple
        .iter()
        .flatten()
        .chain(&restored)
        .map(Seeds::drops)
        .sum();
    let bsd = share(&two[BSD_ROW][0]);
    let measured = vec![
        Measured::over_seeds("share_2_stations_100kb", &bsd).within(0.0, 0.6),
        Measured::over_seeds("restored", &share(&restored[0])).within(0.97, 1.0),
        Measured::over_seeds("restored_equal_clocks", &share(&restored[1])).within(0.97, 1.0),
        Measured::new("drops_to_5_stations", drops as f64).within(0.0, 0.0),
    ];
    Ok(Evidence {
        findings: vec![finding("nouredine1999.fig4.merging", MERGING, measured)],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&none, &simple)),
            Block::Table(table("fig4-none", "Without back-pressure", &none)),
            Block::Table(table("fig4-simple", "With back-pressure", &simple)),
            Block::Text(TWO_WORDS.into()),
            Block::Table(two_table(&two)),
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

/// Two stations without control, by reading and size.
fn two(lab: &Lab) -> Result<Vec<Vec<Seeds>>, LabError> {
    let row = |(_, reading): &Reading| {
        let settings = SIZES_OF_TWO_KB.map(|size| {
            let mut sets = settings(&NONE, 2, size);
            let more = reading.iter();
            sets.extend(more.map(|(key, value)| ((*key).into(), (*value).into())));
            sets
        });
        each(lab, MERGING, &settings, SEEDS_OF_TWO)
    };
    READINGS.iter().map(row).collect()
}

fn two_table(two: &[Vec<Seeds>]) -> Table {
    let mut columns = vec![words("source", "what differs")];
    columns.extend(SIZES_OF_TWO_KB.map(|size| {
        column(
            &format!("files of {size} kB"),
            "Mbps",
            "payload that D got: mean [least, most] over seeds",
        )
    }));
    let row = |((name, _), found): (&Reading, &Vec<Seeds>)| {
        let mut row = vec![(*name).into()];
        row.extend(found.iter().map(|at| cell(&at.mbps("data"), 2)));
        row
    };
    Table {
        name: "fig4-two".into(),
        caption: format!("Two stations without back-pressure, {SEEDS_OF_TWO} seeds."),
        columns,
        rows: READINGS.iter().zip(two).map(row).collect(),
    }
}
