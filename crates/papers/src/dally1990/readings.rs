//! What the paper leaves open, and what each reading does to the 2-ary 8-fly.

use backwater_results::{Block, Cell, Table};

use super::point::{Point, Sets, cell, points, ratios};
use super::{FIG08, FIG09, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};

/// One change to the scenarios of Figures 8 and 9.
struct Reading {
    what: &'static str,
    choice: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

const fn reading(
    what: &'static str,
    choice: &'static str,
    sets: &'static [(&'static str, &'static str)],
) -> Reading {
    Reading { what, choice, sets }
}

const READINGS: [Reading; 15] = [
    reading("as Figures 8 and 9", "", &[]),
    reading(
        "header delay",
        "none",
        &[("router.header_delay", "\"0 cycles\"")],
    ),
    reading(
        "header delay",
        "1 cycle",
        &[("router.header_delay", "\"1 cycles\"")],
    ),
    reading(
        "header delay",
        "3 cycles",
        &[("router.header_delay", "\"3 cycles\"")],
    ),
    reading(
        "header delay",
        "4 cycles",
        &[("router.header_delay", "\"4 cycles\"")],
    ),
    reading(
        "credit",
        "1 cycle later",
        &[("router.credit_delay", "\"1 cycles\"")],
    ),
    reading(
        "credit",
        "2 cycles later",
        &[("router.credit_delay", "\"2 cycles\"")],
    ),
    reading(
        "VC free",
        "when the tail was sent",
        &[("router.release", "\"tail-sent\"")],
    ),
    reading(
        "switch",
        "Figure 6B",
        &[("router.switch", "\"multiplexed\"")],
    ),
    reading(
        "switch",
        "Figure 6B, output buffer of 2 flits",
        &[
            ("router.switch", "\"multiplexed\""),
            ("router.output_buffer", "2"),
        ],
    ),
    reading(
        "switch",
        "the same, working twice a cycle",
        &[
            ("router.switch", "\"multiplexed\""),
            ("router.output_buffer", "2"),
            ("router.speedup", "2"),
        ],
    ),
    reading(
        "injection",
        "one packet after another",
        &[("traffic.sources", "\"one\"")],
    ),
    reading(
        "channel arbitration",
        "round robin",
        &[("router.arbiter", "\"round-robin\"")],
    ),
    reading(
        "channel arbitration",
        "oldest first",
        &[("router.arbiter", "\"earliest\"")],
    ),
    reading(
        "VC allocation",
        "oldest first",
        &[("router.vc_arbiter", "\"earliest\"")],
    ),
];

const WORDS: &str = "The figures depend on the header delay, on when a VC is free again and \
    on the switch; hardly on the arbiters. A single VC is saturated at 0.3, as in Figure 9, \
    only if headers take time. The paper proposes a small output buffer for the switch of its \
    Figure 6B. Alone it has no effect here, since a switch that works once a cycle gives a \
    channel one flit a cycle with or without it; one that works twice is close to the full \
    switch. Sources that send one packet after another starve the VCs. Ejection channels \
    always have as many VCs as the others.";

/// What of the scenarios is changed for all readings: shorter than the figures.
const FULL: [(&str, &str); 3] = [
    ("topology.n", "8"),
    ("run.warm_up", "\"3000 cycles\""),
    ("run.measure", "\"1200 cycles\""),
];
const NEARLY_EMPTY: [(&str, &str); 3] = [
    ("traffic.load", "0.1"),
    ("run.warm_up", "\"1000 cycles\""),
    ("run.measure", "\"1000 cycles\""),
];
const NEAR_SATURATION: [(&str, &str); 3] = [
    ("traffic.load", "0.3"),
    ("run.warm_up", "\"3000 cycles\""),
    ("run.measure", "\"1200 cycles\""),
];

pub fn readings(lab: &Lab) -> Result<Evidence, LabError> {
    let full = each(lab, FIG08, &FULL, &[1, 8, 16])?;
    let low = each(lab, FIG09, &NEARLY_EMPTY, &[1, 16])?;
    let near = each(lab, FIG09, &NEAR_SATURATION, &[1])?;
    let row = |(at, reading): (usize, &Reading)| {
        let [one, eight, sixteen] = [0, 1, 2].map(|vcs| full[at][vcs].throughputs());
        vec![
            Cell::from(reading.what),
            Cell::from(reading.choice),
            cell(&one, 3),
            cell(&sixteen, 3),
            cell(&ratios(&sixteen, &one), 2),
            cell(&ratios(&sixteen, &eight), 2),
            cell(&low[at][0].latencies(), 1),
            cell(&low[at][1].latencies(), 1),
            cell(&near[at][0].delivered_shares(), 3),
        ]
    };
    let table = Table {
        name: "readings".into(),
        caption: format!(
            "2-ary 8-fly, each row with one change to the router of Figures 8 and 9; {SEEDS} \
             seeds, 1,200 cycles after 3,000 (1,000 after 1,000 at 0.1)."
        ),
        columns: vec![
            words("open point", "what the paper does not say"),
            words("reading", "what is assumed instead"),
            column("one VC", "of capacity", "saturation throughput"),
            column("16 VCs", "of capacity", "saturation throughput"),
            column("gain", "", "16 VCs over one"),
            column("8 to 16", "", "16 VCs over 8"),
            column(
                "one VC at 0.1",
                "cycles",
                "mean latency at a tenth of the capacity",
            ),
            column("16 VCs at 0.1", "cycles", "the same with 16 VCs"),
            column(
                "one VC at 0.3",
                "of offered",
                "delivered at three tenths of the capacity",
            ),
        ],
        rows: READINGS.iter().enumerate().map(row).collect(),
    };
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table)],
    })
}

/// Every reading with each of `vcs`.
fn each(
    lab: &Lab,
    file: &str,
    base: &[(&'static str, &str)],
    vcs: &[u32],
) -> Result<Vec<Vec<Point>>, LabError> {
    let settings = READINGS.iter().flat_map(|reading| {
        vcs.iter().map(|vcs| {
            let own = base.iter().chain(reading.sets);
            let mut sets: Sets = own.map(|(key, value)| (*key, (*value).into())).collect();
            sets.push(("router.vcs", vcs.to_string()));
            sets
        })
    });
    let mut found = points(lab, file, &settings.collect::<Vec<_>>(), SEEDS)?.into_iter();
    let reading = |_| found.by_ref().take(vcs.len()).collect();
    Ok(READINGS.iter().map(reading).collect())
}
