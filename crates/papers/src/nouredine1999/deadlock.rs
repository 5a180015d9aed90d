//! Beyond the paper: which neighbours are told decides whether a network can deadlock.

use ethernet::outcome::{Standstill, Stop, Wait};
use results::{Block, Cell, Table};

use super::runs::{Seeds, Sets, cell, each, finding};
use super::{RING, SEEDS, TREE};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{EthernetRun, Lab, LabError};
use crate::measured::{Finding, Measured};

/// What is run: words, scenario, settings.
struct Case {
    what: &'static str,
    file: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

const fn case(
    what: &'static str,
    file: &'static str,
    sets: &'static [(&'static str, &'static str)],
) -> Case {
    Case { what, file, sets }
}

const CASES: [Case; 9] = [
    case("tree, simple, all told", TREE, &[]),
    case(
        "tree, simple, port's own neighbour not told",
        TREE,
        &[("back_pressure.notify", "others")],
    ),
    case(
        "tree, simple, inputs told apart",
        TREE,
        &[("back_pressure.notify", "contributing")],
    ),
    case(
        "tree, by class, all told",
        TREE,
        &[("back_pressure.kind", "class")],
    ),
    case(
        "tree, by destination, all told",
        TREE,
        &[("back_pressure.kind", "destination")],
    ),
    case("ring at 60 Mbps, simple", RING, &[]),
    case(
        "ring at 60 Mbps, simple, inputs told apart",
        RING,
        &[("back_pressure.notify", "contributing")],
    ),
    case(
        "ring at 60 Mbps, by destination",
        RING,
        &[("back_pressure.kind", "destination")],
    ),
    case(
        "ring at 40 Mbps, simple",
        RING,
        &[("flows.round.traffic.rate", "40 Mbps")],
    ),
];

const WORDS: &str = "The paper notifies all neighbours and shows no two switches that both \
    congest. Here two switches with four stations each send both ways over their trunk. Told to \
    stop by the other, each holds the trunk's frames, its own port to the trunk stays congested, \
    and it does not let the other go: a deadlock in a tree. If the neighbour behind the congested \
    port is not told, no circle is possible there, which is why that is the default of the \
    language. By class it is the same as long as there is one class. \
    A ring of three, two hops clockwise from each station, deadlocks under any control that does \
    not look at destinations, once its trunks are congested. The detector stops the run and names \
    the queues, each of which waits for the next.";

pub fn deadlock(lab: &Lab) -> Result<Evidence, LabError> {
    let one = |case: &Case| {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let sets: Sets = case.sets.iter().map(owned).collect();
        let mut found = each(lab, case.file, &[sets], SEEDS)?;
        Ok(found.remove(0))
    };
    let found: Result<Vec<Seeds>, LabError> = CASES.iter().map(one).collect();
    let found = found?;
    Ok(Evidence {
        findings: vec![measured(&found)],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&found)),
            Block::Table(circle("tree-circle", "tree", &found[0].0[0])),
            Block::Table(circle("ring-circle", "ring", &found[5].0[0])),
        ],
    })
}

fn standstill(run: &EthernetRun) -> Option<&Standstill> {
    match &run.outcome.stop {
        Stop::Deadlocked(standstill) => Some(standstill),
        _ => None,
    }
}

/// Share of seeds that deadlock in a circle.
fn share(found: &Seeds) -> f64 {
    let is_circle = |run: &&EthernetRun| standstill(run).is_some_and(|one| one.is_circle);
    found.0.iter().filter(is_circle).count() as f64 / found.0.len() as f64
}

/// Seconds to the standstill, by run.
fn seconds(found: &Seeds) -> Vec<f64> {
    let found = found.0.iter().filter_map(standstill);
    found.map(|one| one.since.seconds()).collect()
}

fn measured(found: &[Seeds]) -> Finding {
    let share = |name: &str, at: usize, expected: f64| {
        Measured::new(name, share(&found[at])).within(expected, expected)
    };
    let latest = seconds(&found[0]).into_iter().fold(0.0, f64::max);
    let named = |at: usize| {
        let waits = standstill(&found[at].0[0]).map_or(0, |one| one.waits.len());
        waits as f64
    };
    let measured = vec![
        share("tree_all_told_deadlocks", 0, 1.0),
        Measured::new("tree_latest_s", latest).within(0.0, 1.0),
        Measured::new("tree_queues_in_circle", named(0)).within(2.0, 2.0),
        share("tree_others_told_deadlocks", 1, 0.0),
        share("tree_contributing_told_deadlocks", 2, 0.0),
        share("ring_60_deadlocks", 5, 1.0),
        Measured::new("ring_queues_in_circle", named(5)).within(3.0, 3.0),
        share("ring_60_contributing_deadlocks", 6, 1.0),
        share("ring_60_destination_deadlocks", 7, 0.0),
        share("ring_40_deadlocks", 8, 0.0),
    ];
    finding("nouredine1999.beyond.tree-deadlock", TREE, measured)
}

fn table(found: &[Seeds]) -> Table {
    let row = |(case, at): (&Case, &Seeds)| {
        let seconds = seconds(at);
        vec![
            case.what.into(),
            Cell::float(share(at), 1),
            if seconds.is_empty() {
                Cell::Empty
            } else {
                cell(&seconds, 3)
            },
            cell(&at.each(total), 1),
            cell(&at.drops_each(), 0),
        ]
    };
    Table {
        name: "deadlocks".into(),
        caption: format!("Trees and rings, {SEEDS} seeds."),
        columns: vec![
            words("network", "topology and scheme"),
            column("deadlocked", "", "share of seeds"),
            column("after", "s", "until the last queue of the circle stood"),
            column("delivered", "Mbps", "payload of all flows until the end"),
            column("drops", "frames", "in the whole run"),
        ],
        rows: CASES.iter().zip(found).map(row).collect(),
    }
}

fn total(run: &EthernetRun) -> f64 {
    let bytes: u64 = run
        .outcome
        .flows
        .iter()
        .map(|flow| flow.goodput_bytes)
        .sum();
    bytes as f64 * 8e-6 / run.seconds().max(1e-9)
}

fn circle(name: &str, what: &str, run: &EthernetRun) -> Table {
    let row = |wait: &Wait| {
        let flow = run.spec.flows.get(wait.first_flow as usize);
        vec![
            run.channel_name(wait.channel).into(),
            wait.frames.into(),
            wait.bytes.into(),
            flow.map_or(Cell::Empty, |flow| flow.name.as_str().into()),
            Cell::float(wait.since.seconds(), 6),
        ]
    };
    let waits = standstill(run).map_or(&[][..], |one| one.waits.as_slice());
    Table {
        name: name.into(),
        caption: format!(
            "The circle that the detector names in the {what} (seed 1): each queue waits for the \
             next, the last for the first."
        ),
        columns: vec![
            words("queue in front of", "the channel it can't send on"),
            column("frames", "", "that wait"),
            column("bytes", "", "of those"),
            words("first", "flow of the first frame"),
            column("stopped since", "s", "into the run"),
        ],
        rows: waits.iter().map(row).collect(),
    }
}
