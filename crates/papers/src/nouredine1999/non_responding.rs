//! Section 3.2.1: a source that does not respond to control.

use backwater_results::{Block, Table};

use super::runs::{
    DESTINATION, NONE, SIMPLE, SIMPLE_OTHERS, Scheme, Seeds, Sets, TIME_OUT, cell, each, finding,
};
use super::{NON_RESPONDING, SEEDS, SEEDS_CONTRAST};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::ratios;
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const SCHEMES: [Scheme; 5] = [NONE, SIMPLE, SIMPLE_OTHERS, DESTINATION, TIME_OUT];
const FLOWS: [&str; 3] = ["D1", "D2", "D3"];
/// Sources that are not judged run for half the time.
const SHORTER: (&str, &str) = ("run.duration", "30 s");
/// What S1, which ignores stops, sends.
const SOURCES: [(&str, &str, u64); 4] = [
    ("datagrams at 12 Mbps", "", SEEDS),
    (
        "datagrams at 20 Mbps",
        "{ kind = \"constant\", rate = \"20 Mbps\", phase = \"random\" }",
        SEEDS_CONTRAST,
    ),
    ("TCP, 1 connection", TCP, SEEDS_CONTRAST),
    ("TCP, 10 connections", TCP_TEN, SEEDS_CONTRAST),
];
const TCP: &str = "{ name = \"D1\", from = \"S1\", to = \"D1\", count = 1, \
    traffic = { kind = \"files\", size = \"1000 kB\", \
    think = { mean = \"10 ms\", law = \"uniform\" } } }";
const TCP_TEN: &str = "{ name = \"D1\", from = \"S1\", to = \"D1\", count = 10, \
    traffic = { kind = \"files\", size = \"1000 kB\", \
    think = { mean = \"10 ms\", law = \"uniform\" } } }";

const WORDS: &str = "The topology of Figure 7, with S1 ignoring stops. Under simple control \
    D1's port never falls below its XON threshold, so the trunk stays stopped and D2 and D3 get \
    nothing. Destination control stops only frames to D1. With a time-out the switch releases, \
    after 20 ms of congestion, every neighbour that has been silent for 5 ms: the trunk, not \
    S1. An S1 that ignores stops but sends over TCP is throttled nevertheless, by its window \
    and, while D1 obeys stops, by acknowledgements that wait: congestion ends before the \
    time-out, and the other destinations lose as much as in Figure 9.";

pub fn section_321(lab: &Lab) -> Result<Evidence, LabError> {
    let mut found = Vec::new();
    for (_, what, seeds) in SOURCES {
        let settings = SCHEMES.map(|scheme| settings(&scheme, what));
        found.push(each(lab, NON_RESPONDING, &settings, seeds)?);
    }
    let mut blocks = vec![Block::Text(WORDS.into())];
    let tables = SOURCES.iter().zip(&found).enumerate();
    blocks.extend(tables.map(|(at, (source, found))| Block::Table(table(at, source, found))));
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.sec321.non-responding-source",
            NON_RESPONDING,
            measured(&found[0]),
        )],
        blocks,
    })
}

fn settings(scheme: &Scheme, what: &str) -> Sets {
    let mut sets = scheme.with::<String>([]);
    if !what.is_empty() {
        let key = if what.contains("name") {
            "flows.D1"
        } else {
            "flows.D1.traffic"
        };
        sets.push((key.into(), what.into()));
        sets.push((SHORTER.0.into(), SHORTER.1.into()));
    }
    sets
}

fn measured(found: &[Seeds]) -> Vec<Measured> {
    let by_flow = [("D2", "d2"), ("D3", "d3")].map(|(flow, name)| {
        let rates: Vec<Vec<f64>> = found.iter().map(|at| at.mbps(flow)).collect();
        shares(name, &rates)
    });
    by_flow.into_iter().flatten().collect()
}

/// What is left of one flow's throughput without control, from that by scheme and seed.
fn shares(name: &str, rates: &[Vec<f64>]) -> Vec<Measured> {
    let share = |what: &str, scheme: usize| {
        let shares = ratios(&rates[scheme], &rates[0]);
        Measured::rate_over_seeds(&format!("{name}_{what}"), &shares)
    };
    vec![
        share("simple", 1).within(0.0, 0.0),
        share("destination", 3).within(0.95, 1.05),
        share("time_out", 4).within(0.95, 1.05),
    ]
}

fn table(at: usize, source: &(&str, &str, u64), found: &[Seeds]) -> Table {
    let (what, _, seeds) = source;
    let mut columns = vec![words("back-pressure", "the scheme")];
    columns.extend(
        FLOWS.map(|flow| column(flow, "Mbps", "payload it got: mean [min, max] over seeds")),
    );
    columns.push(column("drops", "frames", "in the whole run"));
    let row = |(scheme, at): (&Scheme, &Seeds)| {
        let mut row = vec![scheme.name.into()];
        row.extend(FLOWS.map(|flow| cell(&at.mbps(flow), 2)));
        row.push(cell(&at.drops_each(), 0));
        row
    };
    Table {
        name: format!("sec321-{at}"),
        caption: format!(
            "S1 ignores stops and sends {what}; {seeds} seeds{}.",
            if at == 0 { "" } else { " of 30 s" }
        ),
        columns,
        rows: SCHEMES.iter().zip(found).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_same_seed_without_control() {
        let rates = [[4.0, 8.0], [0.0, 0.4], [1.0, 1.0], [2.0, 8.0], [4.0, 6.0]];
        let rates = rates.map(|rates| rates.to_vec());
        let found = shares("d2", &rates);
        let values: Vec<(&str, f64)> = found.iter().map(|one| (&*one.name, one.value)).collect();
        assert_eq!(
            values,
            [
                ("d2_simple", 0.025),
                ("d2_destination", 0.75),
                ("d2_time_out", 0.875)
            ]
        );
        // Even a little is not nothing.
        assert!(
            found[0]
                .bounds
                .is_some_and(|bounds| found[0].value > bounds.high)
        );
    }
}
