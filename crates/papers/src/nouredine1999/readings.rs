//! What the paper leaves open, and what each reading does.

use results::{Block, Table};

use super::runs::{NONE, SIMPLE, Seeds, Sets, cell, each};
use super::{INPUTS, MISMATCH, SEEDS_CONTRAST, VIDEO};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::ratios;
use crate::lab::{EthernetRun, Lab, LabError};

/// One change to the source or the switch.
struct Reading {
    what: &'static str,
    tcp: &'static str,
    pressure: &'static [(&'static str, &'static str)],
}

const fn source(what: &'static str, tcp: &'static str) -> Reading {
    Reading {
        what,
        tcp,
        pressure: &[],
    }
}

const READINGS: [Reading; 11] = [
    source("as the figures: `bsd`", "{ preset = \"bsd\" }"),
    source("`bsd-full`", "{ preset = \"bsd-full\" }"),
    source("segments of 536 bytes", "{ mss = \"536 B\" }"),
    source("segments of 1460 bytes", "{ mss = \"1460 B\" }"),
    source("no MSS/8 in congestion avoidance", "{ eighth = false }"),
    source("delayed acknowledgements", "{ acks = \"delayed-tick\" }"),
    source("first window of 2", "{ initial_window = 2 }"),
    source("persistent connections", "{ reuse = \"persistent\" }"),
    source("a handshake for every file", "{ reuse = \"handshake\" }"),
    source("`modern`", "{ preset = \"modern\" }"),
    Reading {
        what: "port's own neighbour not told",
        tcp: "{ preset = \"bsd\" }",
        pressure: &[("back_pressure.notify", "others")],
    },
];

const WORDS: &str = "The text names neither segment size nor acknowledgement strategy, nor what a \
    file takes over from the one before. The loss of half in Figure 2 needs BSD's MSS/8 in \
    congestion avoidance, and segments large enough for one window to fit in 70 kB: with 536 \
    bytes two thirds are lost. \"A few 100 kbps\" in Figure 6 needs delayed acknowledgements, the \
    8:1 of the same figure segments near 1 KB, and Figure 13 a fresh window for each file. No \
    single source meets all the prose. A modern TCP loses nothing in Figure 2, and in Figure 6 \
    its S2, with a window of 4 MiB, leaves S1 nothing.";

pub fn readings(lab: &Lab) -> Result<Evidence, LabError> {
    let none: Vec<Sets> = READINGS
        .iter()
        .map(|reading| NONE.with([("tcp", reading.tcp)]))
        .collect();
    let simple: Vec<Sets> = READINGS
        .iter()
        .map(|reading| {
            let pressure = reading.pressure.iter().copied();
            SIMPLE.with(std::iter::once(("tcp", reading.tcp)).chain(pressure))
        })
        .collect();
    let found = [
        each(lab, MISMATCH, &none, SEEDS_CONTRAST)?,
        each(lab, MISMATCH, &simple, SEEDS_CONTRAST)?,
        each(lab, INPUTS, &none, SEEDS_CONTRAST)?,
        each(lab, INPUTS, &simple, SEEDS_CONTRAST)?,
        each(lab, VIDEO, &simple, SEEDS_CONTRAST)?,
    ];
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table(&found))],
    })
}

fn late(run: &EthernetRun) -> f64 {
    let mut flows = run.flows("video");
    let video = flows.next();
    video.map_or(0.0, |flow| flow.late as f64 / flow.due.max(1) as f64)
}

fn table(found: &[Vec<Seeds>; 5]) -> Table {
    let row = |(at, reading): (usize, &Reading)| {
        let [none, simple, starved, shared, video] = found;
        let ratio = ratios(&shared[at].mbps("S1"), &shared[at].mbps("S2"));
        vec![
            reading.what.into(),
            cell(&none[at].mbps("data"), 2),
            cell(&simple[at].mbps("data"), 2),
            cell(&starved[at].each(|run| 1000.0 * run.mbps("S1")), 0),
            cell(&ratio, 2),
            cell(&video[at].each(late), 3),
        ]
    };
    let over = "mean [least, most] over seeds";
    Table {
        name: "readings".into(),
        caption: format!("{SEEDS_CONTRAST} seeds; the first row is what the figures use."),
        columns: vec![
            words("reading", "what differs"),
            column("Figure 2, n = 3, none", "Mbps", over),
            column("Figure 2, n = 3, simple", "Mbps", over),
            column("Figure 6, S1, n = 10, none", "kbps", over),
            column("Figure 6, ratio, simple", "", over),
            column("Figure 13, late at n = 3", "", over),
        ],
        rows: READINGS.iter().enumerate().map(row).collect(),
    }
}
