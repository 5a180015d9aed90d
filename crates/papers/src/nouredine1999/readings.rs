//! What the paper leaves open, and what each reading does.

use backwater_results::{Block, Cell, Table};

use super::runs::{
    BLOCKED_70, DESTINATION, NONE, RANDOM, SIMPLE, Scheme, Seeds, Sets, cell, each, least_of,
    limit_mbps, mean,
};
use super::video::late_share;
use super::{INPUTS, MISMATCH, SEEDS_CONTRAST, UNNECESSARY, UPSTREAM, VIDEO};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::ratios;
use crate::lab::{Lab, LabError};

/// One change to the source or the switch.
struct Reading {
    what: &'static str,
    tcp: &'static str,
    /// Payload of a full segment.
    mss: f64,
    /// Changes to back-pressure, where there is any.
    pressure: &'static [(&'static str, &'static str)],
}

const fn source(what: &'static str, tcp: &'static str, mss: f64) -> Reading {
    Reading {
        what,
        tcp,
        mss,
        pressure: &[],
    }
}

const READINGS: [Reading; 13] = [
    source("as the figures: `bsd`", "{ preset = \"bsd\" }", 1024.0),
    source("`bsd-full`", "{ preset = \"bsd-full\" }", 1024.0),
    source(
        "segments of 536 bytes",
        "{ preset = \"bsd\", mss = \"536 B\" }",
        536.0,
    ),
    source(
        "segments of 1460 bytes",
        "{ preset = \"bsd\", mss = \"1460 B\" }",
        1460.0,
    ),
    source(
        "no MSS/8 in congestion avoidance",
        "{ preset = \"bsd\", eighth = false }",
        1024.0,
    ),
    source(
        "delayed acknowledgements",
        "{ preset = \"bsd\", acks = \"delayed-tick\" }",
        1024.0,
    ),
    source(
        "initial window of 2",
        "{ preset = \"bsd\", initial_window = 2 }",
        1024.0,
    ),
    source(
        "persistent connections",
        "{ preset = \"bsd\", reuse = \"persistent\" }",
        1024.0,
    ),
    source(
        "a handshake for every file",
        "{ preset = \"bsd\", reuse = \"handshake\" }",
        1024.0,
    ),
    source(
        "ticks of 200 ms",
        "{ preset = \"bsd\", tick = \"200 ms\", min_rto = \"400 ms\" }",
        1024.0,
    ),
    source("`linux-3`", "{ preset = \"linux-3\" }", 1460.0),
    Reading {
        pressure: &[("flow_control.notify", "others")],
        ..source("notify others", "{ preset = \"bsd\" }", 1024.0)
    },
    Reading {
        pressure: &[("flow_control.notify", "contributing")],
        ..source("notify contributing", "{ preset = \"bsd\" }", 1024.0)
    },
];

/// What is compared: heading, unit, meaning, digits, and what a claim accepts of it, if any does.
struct Compared(
    &'static str,
    &'static str,
    &'static str,
    usize,
    Option<(f64, f64)>,
);

const COMPARED: [Compared; 10] = [
    Compared(
        "Figure 2, none",
        "of the limit",
        "files of 200 kB, the minimum of 2 to 4 connections",
        2,
        Some((0.4, 0.7)),
    ),
    Compared(
        "Figure 2, simple",
        "of the limit",
        "files of 200 kB, 3 connections",
        3,
        Some((0.97, 1.0)),
    ),
    Compared(
        "Figure 6, S1, none",
        "kbps",
        "files of 500 kB, 10 connections",
        0,
        None,
    ),
    Compared(
        "Figure 6, ratio, simple",
        "",
        "files of 500 kB, 10 connections",
        2,
        Some((7.0, 9.0)),
    ),
    Compared(
        "Figure 9, D2, simple",
        "of D2 without",
        "3 connections",
        2,
        Some((0.0, 0.5)),
    ),
    Compared(
        "Figure 11, D2, simple",
        "Mbps",
        "files of 500 kB, 2 connections",
        1,
        Some((0.0, 40.0)),
    ),
    Compared(
        "Figure 11, D2, destination",
        "Mbps",
        "files of 500 kB, 10 connections",
        1,
        Some((0.0, 60.0)),
    ),
    Compared(
        "Figure 11, D2, one at random",
        "Mbps",
        "files of 500 kB, 10 connections",
        1,
        Some((65.0, 93.0)),
    ),
    Compared(
        "Figure 11, D2, blocked share 70 %",
        "Mbps",
        "files of 500 kB, 10 connections",
        1,
        Some((75.0, 93.0)),
    ),
    Compared(
        "Figure 13, late",
        "share",
        "3 connections, simple control",
        3,
        Some((0.03, 0.25)),
    ),
];

const WORDS: &str = "The text gives neither segment size nor acknowledgement strategy, nor the \
    state that a file inherits from the previous one. A star marks values that a claim would \
    not accept. The loss of half in Figure 2 needs BSD's MSS/8 in congestion avoidance, and \
    segments large enough for one window to fit in 70 kB. With delayed acknowledgements and an \
    initial window of one segment every file begins with a wait, and no control can reach the \
    maximum. Segments near 1 KB give the 8:1 of Figure 6, and a fresh window for each file \
    gives Figure 13. No single source agrees with all of the text. Ticks are 500 ms in BSD. A \
    modern TCP is not the paper's: its window is 4 MiB, not 64 KB. Nor are switches that \
    know the input of each frame: the paper assumes that they do not.";

/// Settings of a run: its scheme and what differs.
type Case<'a> = (Scheme, Vec<(&'static str, &'a str)>);

pub fn readings(lab: &Lab) -> Result<Evidence, LabError> {
    let rows = lab.each(&READINGS, |reading| compared(lab, reading))?;
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table(&rows))],
    })
}

fn sets(reading: &Reading, (scheme, more): &Case) -> Sets {
    let mut sets = scheme.with(more.iter().copied());
    sets.push(("tcp".into(), reading.tcp.into()));
    if scheme.name != NONE.name {
        let pressure = reading.pressure.iter();
        sets.extend(pressure.map(|(key, value)| ((*key).into(), (*value).into())));
    }
    sets
}

/// Values by column and seed.
fn compared(lab: &Lab, reading: &Reading) -> Result<Vec<Vec<f64>>, LabError> {
    let run = |file: &str, cases: &[Case]| {
        let all: Vec<Sets> = cases.iter().map(|case| sets(reading, case)).collect();
        each(lab, file, &all, SEEDS_CONTRAST)
    };
    let count = |n: &'static str| vec![("flows.data.count", n)];
    let mut mismatch = ["2", "3", "4"].map(|n| (NONE, count(n))).to_vec();
    mismatch.push((SIMPLE, count("3")));
    let mismatch = run(MISMATCH, &mismatch)?;
    let shorter = |seconds: &'static str| ("run.duration", seconds);
    let inputs = run(
        INPUTS,
        &[NONE, SIMPLE].map(|scheme| (scheme, vec![shorter("30 s")])),
    )?;
    let three = vec![("flows.D1.count", "3"), shorter("20 s")];
    let unnecessary = run(UNNECESSARY, &[(NONE, three.clone()), (SIMPLE, three)])?;
    let two = (SIMPLE, vec![("flows.D1.count", "2"), shorter("8 s")]);
    let ten = [DESTINATION, RANDOM, BLOCKED_70].map(|scheme| (scheme, vec![shorter("8 s")]));
    let upstream = run(UPSTREAM, &[vec![two], ten.to_vec()].concat())?;
    let video = run(VIDEO, &[(SIMPLE, Vec::new())])?;
    Ok(values(
        limit_mbps(10.0, reading.mss),
        &[mismatch, inputs, unnecessary, upstream, video],
    ))
}

fn values(limit: f64, found: &[Vec<Seeds>; 5]) -> Vec<Vec<f64>> {
    let [mismatch, inputs, unnecessary, upstream, video] = found;
    let shares = |at: &Seeds| at.kept("data").shares(limit);
    let none: Vec<Vec<f64>> = mismatch[..3].iter().map(shares).collect();
    let mut values = vec![
        least_of(&none),
        shares(&mismatch[3]),
        inputs[0].each(|run| 1000.0 * run.mbps("S1")),
        ratios(&inputs[1].mbps("S1"), &inputs[1].mbps("S2")),
        ratios(&unnecessary[1].mbps("D2"), &unnecessary[0].mbps("D2")),
    ];
    values.extend(upstream.iter().map(|at| at.mbps("D2")));
    values.push(video[0].each(late_share));
    values
}

/// The value, with a star if no claim would accept it.
fn marked(values: &[f64], digits: usize, accepted: Option<(f64, f64)>) -> Cell {
    let shown = cell(values, digits);
    let value = mean(values);
    match (accepted, shown) {
        (Some((low, high)), Cell::Text(text)) if !(low..=high).contains(&value) => {
            format!("{text} *").into()
        }
        (_, shown) => shown,
    }
}

fn table(rows: &[Vec<Vec<f64>>]) -> Table {
    let mut columns = vec![words("reading", "what differs")];
    columns.extend(COMPARED.map(|Compared(name, unit, meaning, ..)| {
        let meaning = format!("{meaning}: mean [min, max] over seeds");
        column(name, unit, &meaning)
    }));
    let row = |(reading, values): (&Reading, &Vec<Vec<f64>>)| {
        let mut row = vec![reading.what.into()];
        let both = COMPARED.iter().zip(values);
        row.extend(both.map(|(Compared(.., digits, accepted), at)| marked(at, *digits, *accepted)));
        row
    };
    Table {
        name: "readings".into(),
        caption: format!(
            "{SEEDS_CONTRAST} seeds; runs of 60 s, for Figure 6 of 30 s, Figure 9 of 20 s, \
             Figure 11 of 8 s. The first row is used by all figures except Figure 4."
        ),
        columns,
        rows: READINGS.iter().zip(rows).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs::made;
    use super::*;

    #[test]
    fn what_no_claim_accepts_is_marked() {
        let text = |value: f64| marked(&[value; 2], 1, Some((1.0, 2.0)));
        assert_eq!(text(1.5), Cell::Text("1.5".into()));
        assert_eq!(text(2.5), Cell::Text("2.5 *".into()));
        assert_eq!(marked(&[9.0], 0, None), Cell::Text("9".into()));
    }

    #[test]
    fn columns_are_of_the_runs_they_name() {
        // Goodput of every flow in bytes of a millisecond: 125 bytes are 1 Mbps.
        let of = |file: &str, mbps: f64| {
            let run = made::run(file, |name, flow| {
                let factor = if name == "S2" { 2.0 } else { 1.0 };
                flow.ends.goodput_bytes = (125.0 * mbps * factor) as u64;
                (flow.ends.late, flow.ends.due) = (mbps as u64, 10);
            });
            Seeds(vec![run])
        };
        let all = |file: &str, mbps: &[f64]| mbps.iter().map(|mbps| of(file, *mbps)).collect();
        let found = [
            all(MISMATCH, &[2.0, 1.0, 3.0, 4.0]),
            all(INPUTS, &[1.0, 4.0]),
            all(UNNECESSARY, &[8.0, 2.0]),
            all(UPSTREAM, &[5.0, 6.0, 7.0, 8.0]),
            all(VIDEO, &[3.0]),
        ];
        // Three connections share the figure's port, ten of S1 face one of S2.
        let found: Vec<f64> = values(6.0, &found).concat();
        let expected = [0.5, 2.0, 10_000.0, 5.0, 0.25, 5.0, 6.0, 7.0, 8.0, 0.3];
        assert_eq!(found.len(), expected.len());
        for (value, expected) in found.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-9, "{found:?}");
        }
    }
}
