//! What the paper leaves open, and what each reading does to Test One.

use backwater_results::{Block, Cell, Table};

use super::seen::{Seeds, Sets, each, hops, sets};
use super::test_one::HOPS;
use super::{SEEDS_SHOWN, TEST_ONE};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{Lab, LabError};

/// One change to Test One.
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

const LENGTH: &str = "flows.*.traffic.length";
const TRAFFIC: &str = "flows.*.traffic";
const INTERVAL: &str = "flows.*.reserve.interval";
const ENVELOPE: &str = "flows.*.envelope";
const EXCESS: &str = "flows.*.envelope.excess";

const READINGS: [Reading; 15] = [
    reading("as Test One", "", &[]),
    reading("train length", "1.25", &[(LENGTH, "1.25")]),
    reading("train length", "2", &[(LENGTH, "2.0")]),
    reading("train length", "3", &[(LENGTH, "3.0")]),
    reading(
        "gap",
        "none: a Poisson process",
        &[(TRAFFIC, "{ kind = \"poisson\", rate = \"20 kbps\" }")],
    ),
    reading(
        "gap",
        "after every packet: \"Poisson\" of section 4.2.5",
        &[(
            TRAFFIC,
            "{ kind = \"poisson\", rate = \"20 kbps\", min_gap = \"50 ms\" }",
        )],
    ),
    reading("AI", "2 s", &[(INTERVAL, "2 s")]),
    reading("AI", "4 s", &[(INTERVAL, "4 s")]),
    reading("AI", "10 s", &[(INTERVAL, "10 s")]),
    reading("excess", "delayed at the source", &[(EXCESS, "delay")]),
    reading(
        "excess",
        "the source stops (`freeze`)",
        &[(EXCESS, "freeze")],
    ),
    reading(
        "envelope",
        "sliding windows",
        &[(ENVELOPE, "{ kind = \"sliding-window\" }")],
    ),
    reading("auxVC set back", "never", &[("scheduler.resync", "none")]),
    reading(
        "auxVC set back",
        "as written in section 3.1",
        &[("scheduler.resync", "literal")],
    ),
    reading(
        "stamp",
        "VirtualClock",
        &[("scheduler.stamp", "virtual-clock")],
    ),
];

const WORDS: &str = "The gap after every packet, including the last of a train, has the largest \
    effect: without it delays are two thirds longer. Train length and AI change all figures \
    together. No reading gives the printed split of delay between path lengths: one-hop flows \
    wait 13 % longer than printed, three-hop flows 7 % less, while the wait per hop agrees.";

pub fn readings(lab: &Lab) -> Result<Evidence, LabError> {
    let settings: Vec<Sets> = READINGS
        .iter()
        .map(|reading| sets(reading.sets.iter().copied()))
        .collect();
    let found = each(lab, TEST_ONE, &settings, SEEDS_SHOWN)?;
    let row = |(reading, found): (&Reading, &Seeds)| {
        let mut row = vec![Cell::from(reading.what), Cell::from(reading.choice)];
        row.extend(HOPS.map(|n| cell(&found.waits_ms(|flow| hops(flow) == n), 2)));
        row.push(cell(&found.each(|seen| seen.wait_per_hop_ms()), 2));
        row.push(cell(&found.rates(|_| true), 2));
        row.push(cell(
            &found.each(|seen| seen.middle(|port| port.queue.mean())),
            2,
        ));
        row.push(cell(&found.losses(|_| true), 0));
        row
    };
    let mut rows = vec![vec![
        Cell::from("printed"),
        Cell::Empty,
        Cell::float(7.76, 2),
        Cell::float(14.58, 2),
        Cell::float(22.37, 2),
        Cell::float(7.45, 2),
        Cell::float(9.59, 2),
        Cell::float(2.63, 2),
        Cell::float(0.0, 0),
    ]];
    rows.extend(READINGS.iter().zip(&found).map(row));
    let table = Table {
        name: "readings".into(),
        caption: format!(
            "Test One, each row with one change to the run above; {SEEDS_SHOWN} seeds."
        ),
        columns: vec![
            words("open point", "what the paper does not say"),
            words("reading", "what is assumed instead"),
            column("1 hop", "ms", "waiting over one trunk"),
            column("2 hops", "ms", "over two"),
            column("3 hops", "ms", "over three"),
            column("per hop", "ms", "waiting per packet and trunk"),
            column("rate", "packets/s", "of a flow"),
            column("queue", "packets", "at arrivals"),
            column("lost", "packets", "in switches"),
        ],
        rows,
    };
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table)],
    })
}
