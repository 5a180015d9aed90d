//! What is said about circuits that can't move.

use crate::sample;

use backwater_kernel::{Stop, Time};
use backwater_net::outcome::{MissingCredit, Outcome, Reason, Standstill, Wait, WaitPlace};
use backwater_results::{Block, Findings, Table, run_report, terminal_summary};

/// `cells` cell times of the sample.
fn at(cells: u64) -> Time {
    Time(sample::CELL.ps() * cells)
}

fn wait(flow: u32, leg: Option<u32>, reason: Reason) -> Wait {
    Wait {
        flow,
        place: leg.map_or(WaitPlace::Source, WaitPlace::Leg),
        units: if leg.is_some() { 5 } else { u64::MAX },
        since: leg.map(|_| at(2_000)),
        reason,
    }
}

/// A chain of each kind: over a buffer to lost credit, a sink, a window.
fn standing() -> Outcome {
    let missing = MissingCredit {
        control_lost: 16,
        last_lost: Some(at(1_900)),
        data_lost: 1,
        untold: 3,
        told_every: 10,
    };
    let legs = vec![1];
    let full = Reason::Window {
        unacknowledged: 7,
        legs: vec![6, 7, 8, 0, 1],
        units_lost: 0,
        answers_lost: 2,
    };
    let mut outcome = sample::outcome();
    outcome.standstill = Some(Standstill {
        since: at(2_000),
        found_at: at(2_000),
        is_circle: false,
        others_move: true,
        waits: vec![
            wait(0, Some(0), Reason::Buffer { stored: 12, legs }),
            wait(0, Some(1), Reason::Credit(missing)),
            wait(1, Some(5), Reason::Sink { stored: 9 }),
            wait(2, None, full),
        ],
    });
    outcome
}

fn terminal(outcome: &Outcome) -> String {
    terminal_summary(
        &sample::info(),
        &Findings::new(&sample::spec(), outcome.clone(), sample::CELL),
    )
}

const LINES: &str = "\
3 flows have not moved since 2,000 cells, though others have
  bursty, first: 5 units waiting for host 1 -> switch 1: no credit; 12 units ahead, held up at \
switch 1 -> switch 2
  bursty, first: 5 units waiting for switch 1 -> switch 2: no credit; 16 control units lost, the \
last at 1,900 cells; 1 data unit lost, and credit with them
  greedy: 5 units waiting for switch 2 -> sink 2: no credit; the destination does not consume the \
9 units it holds
  </script><b>: units waiting at its source: window full, 7 units unacknowledged; held up at \
host 2 -> switch 1, switch 1 -> switch 2, switch 2 -> sink 2, 2 more, 2 acknowledgements lost
";

#[test]
fn the_terminal_follows_the_waits() {
    let text = terminal(&standing());
    assert!(text.ends_with(LINES), "{text}");
    assert!(!terminal(&sample::outcome()).contains("moved"));
}

#[test]
fn a_stuck_run_says_so_once_and_lists_a_few() {
    let mut outcome = standing();
    outcome.stop = Stop::Standstill;
    if let Some(found) = &mut outcome.standstill {
        found.others_move = false;
        for _ in 0..100 {
            found.waits.push(found.waits[3].clone());
        }
    }
    let text = terminal(&outcome);
    assert!(text.contains("\nstuck since 2,000 cells"), "{text}");
    assert!(!text.contains("not moved"), "{text}");
    assert!(text.ends_with("  ... and 100 more places\n"), "{text}");
    assert!(text.lines().count() <= 31, "{text}");
}

fn standstill_table(outcome: &Outcome) -> Option<Table> {
    let tables = Findings::new(&sample::spec(), outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    tables.into_iter().find(|table| table.name == "standstill")
}

#[test]
fn the_table_has_a_row_for_each_wait() {
    let table = standstill_table(&standing()).expect("something stands still");
    assert_eq!(table.rows.len(), 4);
    let start = "3 flows have not moved since 2,000 cells";
    assert!(table.caption.starts_with(start), "{}", table.caption);
    let headers: Vec<String> = table.columns.iter().map(|column| column.key()).collect();
    let column = headers.iter().position(|name| name == "control_lost_units");
    let lost = &table.rows[1][column.expect("it is counted")];
    assert_eq!(*lost, 16u64.into());
    assert!(standstill_table(&sample::outcome()).is_none());
}

#[test]
fn the_summary_and_the_page_tell_it() {
    let (info, spec) = (sample::info(), sample::spec());
    let summary = sample::summary(&info, &spec, &standing(), None);
    assert_eq!(summary["stuck"]["since_ps"], at(2_000).ps());
    assert_eq!(summary["stuck"]["others_move"], true);
    let waits = &summary["standstill"];
    assert_eq!(waits.as_array().map(Vec::len), Some(4));
    assert_eq!(waits[1]["control_lost_units"], 16);
    assert!(waits[3]["waiting_cells"].is_null());
    let without = sample::summary(&info, &spec, &sample::outcome(), None);
    assert!(without.get("standstill").is_none() && without["stuck"].is_null());
    let notes = |outcome: &Outcome| {
        let report = run_report(
            &info,
            &Findings::new(&spec, outcome.clone(), sample::CELL),
            &[],
        );
        let notes = report.blocks.into_iter();
        notes
            .filter(|block| matches!(block, Block::Note { .. }))
            .count()
    };
    assert_eq!((notes(&standing()), notes(&sample::outcome())), (1, 0));
}
