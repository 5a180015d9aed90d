//! Beyond the paper: which neighbours are stopped decides whether a network can deadlock.

use backwater_net::outcome::{Standstill, Wait};
use backwater_results::{Block, Cell, Table};

use super::runs::{Seeds, Sets, cell, each, finding, mean};
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
    case("tree, simple, notify all", TREE, &[]),
    case(
        "tree, simple, notify others",
        TREE,
        &[("flow_control.notify", "others")],
    ),
    case(
        "tree, simple, notify contributing",
        TREE,
        &[("flow_control.notify", "contributing")],
    ),
    case(
        "tree, by class, notify all",
        TREE,
        &[("flow_control.kind", "pfc")],
    ),
    case(
        "tree, by destination, notify all",
        TREE,
        &[("flow_control.kind", "destination")],
    ),
    case("ring at 60 Mbps, simple", RING, &[]),
    case(
        "ring at 60 Mbps, simple, notify contributing",
        RING,
        &[("flow_control.notify", "contributing")],
    ),
    case(
        "ring at 60 Mbps, by destination",
        RING,
        &[("flow_control.kind", "destination")],
    ),
    case(
        "ring at 40 Mbps, simple",
        RING,
        &[("flows.round.traffic.rate", "40 Mbps")],
    ),
];

const WORDS: &str = "The paper notifies all neighbours and has no example of two congested \
    switches. Here two switches with four hosts each send in both directions over their \
    trunk. Each stops the other: it cannot send the trunk's frames, its own port to the trunk \
    stays congested, and so it never resumes the other: a deadlock in a tree. If the neighbour \
    behind the congested port is not stopped, no cycle is possible there; so that is the \
    default (`notify = \"others\"`). With PFC it is the same as long as there is one class. A \
    ring of three, two hops clockwise from each host, deadlocks under any control that \
    ignores destinations, once its trunks are congested. The detector stops the run and names \
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
            Block::Table(cycle("tree-cycle", "tree", &found[0].0[0])),
            Block::Table(cycle("ring-cycle", "ring", &found[5].0[0])),
        ],
    })
}

fn standstill(run: &EthernetRun) -> Option<&Standstill> {
    run.outcome.standstill.as_ref()
}

/// By seed: 1 if the run ends in a cycle, else 0.
fn cycles(found: &Seeds) -> Vec<f64> {
    let is_cycle = |run: &EthernetRun| standstill(run).is_some_and(|one| one.is_circle);
    found.each(|run| f64::from(u8::from(is_cycle(run))))
}

/// Seconds to the standstill, by seed; not a number where there is none.
fn seconds(found: &Seeds) -> Vec<f64> {
    found.each(|run| standstill(run).map_or(f64::NAN, |one| one.since.seconds()))
}

/// Queues that the detector names, by seed.
fn named(found: &Seeds) -> Vec<f64> {
    found.each(|run| standstill(run).map_or(0.0, |one| one.waits.len() as f64))
}

fn measured(found: &[Seeds]) -> Finding {
    let share = |name: &str, at: usize, expected: f64| {
        Measured::share_over_seeds(name, &cycles(&found[at])).within(expected, expected)
    };
    let queues = |name: &str, at: usize, expected: f64| {
        Measured::rate_over_seeds(name, &named(&found[at])).within(expected, expected)
    };
    let after = Measured::rate_over_seeds("tree_after_s", &seconds(&found[0]));
    let measured = vec![
        share("tree_all_deadlocks", 0, 1.0),
        after.within(0.0, 1.0),
        queues("tree_queues_in_cycle", 0, 2.0),
        share("tree_others_deadlocks", 1, 0.0),
        share("tree_contributing_deadlocks", 2, 0.0),
        share("ring_60_deadlocks", 5, 1.0),
        queues("ring_queues_in_cycle", 5, 3.0),
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
            Cell::float(mean(&cycles(at)), 1),
            if mean(&seconds).is_nan() {
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
            column("after", "s", "until the last queue of the cycle stopped"),
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
        .map(|flow| flow.ends.goodput_bytes)
        .sum();
    bytes as f64 * 8e-6 / run.seconds().max(1e-9)
}

fn cycle(name: &str, what: &str, run: &EthernetRun) -> Table {
    let row = |wait: &Wait| {
        let flow = run.spec.flows.get(wait.flow as usize);
        let queue = wait.queue()?;
        Some(vec![
            run.channel_name(queue.channel).into(),
            wait.units.into(),
            queue.bytes.into(),
            flow.map_or(Cell::Empty, |flow| flow.name.as_str().into()),
            Cell::float(wait.since?.seconds(), 6),
        ])
    };
    let waits = standstill(run).map_or(&[][..], |one| one.waits.as_slice());
    Table {
        name: name.into(),
        caption: format!(
            "The cycle that the detector names in the {what} (seed 1): each queue waits for the \
             next, the last for the first."
        ),
        columns: vec![
            words("queue in front of", "the channel it can't send on"),
            column("frames", "", "that wait"),
            column("bytes", "", "of those"),
            words("first", "flow of the first frame"),
            column("stopped since", "s", "into the run"),
        ],
        rows: waits.iter().filter_map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs::made;
    use super::*;
    use backwater_kernel::{Stop, Time};
    use backwater_net::outcome::{Reason, StuckQueue, WaitPlace};

    /// A run that ends in a standstill of `waits` queues, or none.
    fn ended(waits: usize, is_circle: bool) -> EthernetRun {
        let mut run = made::run(RING, |_, _| ());
        if waits > 0 {
            let wait = Wait {
                flow: 0,
                place: WaitPlace::Queue(StuckQueue {
                    channel: 0,
                    class: 0,
                    destination: None,
                    lane: None,
                    bytes: 64,
                }),
                units: 1,
                since: Some(Time::ZERO),
                reason: Reason::Shut,
            };
            run.outcome.stop = Stop::Standstill;
            run.outcome.standstill = Some(Standstill {
                since: Time(500_000_000_000),
                is_circle,
                waits: vec![wait; waits],
                ..Standstill::default()
            });
        }
        run
    }

    #[test]
    fn cycles_are_counted_chains_and_runs_that_go_on_are_not() {
        let seeds = Seeds(vec![ended(2, true), ended(3, false), ended(0, false)]);
        assert_eq!(cycles(&seeds), [1.0, 0.0, 0.0]);
        assert_eq!(named(&seeds), [2.0, 3.0, 0.0]);
        let seconds = seconds(&seeds);
        assert_eq!(seconds[..2], [0.5, 0.5]);
        assert!(seconds[2].is_nan());
    }

    #[test]
    fn what_must_deadlock_and_what_must_not() {
        let all = |waits: [usize; 9]| waits.map(|waits| Seeds(vec![ended(waits, true)]));
        let broken = |waits: [usize; 9]| {
            let found = measured(&all(waits)).measured;
            let is_outside = |one: &&Measured| {
                let bounds = one.bounds.expect("all are bounded");
                !(bounds.low..=bounds.high).contains(&one.value)
            };
            found.iter().filter(is_outside).count()
        };
        assert_eq!(broken([2, 0, 0, 2, 0, 3, 3, 0, 0]), 0);
        assert_eq!(broken([2, 2, 2, 2, 0, 3, 3, 3, 3]), 4);
        // Alive: no share, no time, no cycle.
        assert_eq!(broken([0, 0, 0, 2, 0, 3, 3, 0, 0]), 3);
        assert_eq!(broken([2, 0, 0, 2, 0, 2, 0, 0, 0]), 2);
    }
}
