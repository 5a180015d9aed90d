//! Set-ups, warnings and what shaping at the source cost.

use backwater_net::outcome::{Outcome, SessionAnswer, SessionOutcome};
use backwater_net::spec::NetworkSpec;
use serde_json::{Value, json};

use super::delays::{delay_cells, delay_columns};
use super::names;
use crate::model::{Cell, Column, Table};
use crate::number::{grouped, rate};
use backwater_kernel::words::counted;

/// Refusals listed in a sentence; the rest are counted.
const REFUSALS: usize = 3;

fn sessions(outcome: &Outcome) -> impl Iterator<Item = (u32, &SessionOutcome)> {
    let flows = (0..).zip(&outcome.flows);
    flows.filter_map(|(flow, found)| Some((flow, found.session.as_ref()?)))
}

/// What became of each set-up.
pub fn table(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let channels = names::channels(spec);
    let time = |name: &str, meaning: &str| Column::number(name, "ms", meaning);
    let mut table = Table::new(
        "sessions",
        "Flows that were set up during the run, and the port that refused them.",
        vec![
            Column::text("flow", "name in the scenario"),
            time("asked", "when its source asked"),
            time("answered", "when the answer reached the source"),
            Column::text("answer", "admitted, refused, or none yet"),
            Column::text("refused at", "the port that could not reserve the rate"),
            Column::number("missing", "kbps", "how much rate was missing there"),
            time("closed", "when the tear-down reached the destination"),
        ],
    );
    let at = |time: Option<backwater_kernel::Time>| match time {
        Some(time) => Cell::float(time.ps() as f64 / 1e9, 3),
        None => Cell::Empty,
    };
    for (flow, found) in sessions(outcome) {
        let (answer, channel, missing) = match found.answer {
            SessionAnswer::Pending => ("none", Cell::Empty, Cell::Empty),
            SessionAnswer::Admitted => ("admitted", Cell::Empty, Cell::Empty),
            SessionAnswer::Refused { channel, missing } => (
                "refused",
                names::channel(&channels, channel).into(),
                Cell::float(missing.0 as f64 / 1e3, 3),
            ),
        };
        table.rows.push(vec![
            names::flow(spec, flow).into(),
            at(found.asked_at),
            at(found.answered_at),
            answer.into(),
            channel,
            missing,
            at(found.closed_at),
        ]);
    }
    table
}

/// Flows whose sources were warned.
pub fn warnings_table(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "warnings",
        "Flows that exceeded their reservation, and how often their sources were warned.",
        vec![
            Column::text("flow", "name in the scenario"),
            Column::number(
                "warnings",
                "",
                "warnings that reached the source; whole run",
            ),
        ],
    );
    for (flow, found) in (0..).zip(&outcome.flows) {
        if found.alarms_total > 0 {
            let name = names::flow(spec, flow);
            table
                .rows
                .push(vec![name.into(), found.alarms_total.into()]);
        }
    }
    table
}

/// Flows whose units waited before they entered the network.
pub fn shaping_table(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::number("samples", "units", "units passed after the warm-up"),
    ];
    columns.extend(delay_columns("shaping", "ms"));
    let mut table = Table::new(
        "shaping",
        "Time that units waited for their source's envelope, the policer at the edge and the \
         spacing after a warning. Delays start after that.",
        columns,
    );
    for (flow, found) in (0..).zip(&outcome.flows) {
        if found.shaping.count > 0 {
            let mut row = vec![names::flow(spec, flow).into(), found.shaping.count.into()];
            row.extend(delay_cells(&found.shaping, 1e9, 3));
            table.rows.push(row);
        }
    }
    table
}

/// Set-ups in a sentence; `None` where no flow has a session.
pub fn sentence(spec: &NetworkSpec, outcome: &Outcome) -> Option<String> {
    sessions(outcome).next()?;
    let channels = names::channels(spec);
    let asked = sessions(outcome).filter(|(_, found)| found.asked_at.is_some());
    let asked = asked.count();
    let admitted = sessions(outcome).filter(|(_, found)| found.answer == SessionAnswer::Admitted);
    let mut text = format!(
        "{} requested, {} admitted",
        counted(asked, "session"),
        grouped(admitted.count() as u64)
    );
    let refusals: Vec<String> = sessions(outcome)
        .filter_map(|(flow, found)| match found.answer {
            SessionAnswer::Refused { channel, missing } => Some(format!(
                "{} at {}, {} short",
                names::flow(spec, flow),
                names::channel(&channels, channel),
                rate(missing.0 as f64)
            )),
            _ => None,
        })
        .collect();
    if !refusals.is_empty() {
        let shown = refusals.len().min(REFUSALS);
        let more = match refusals.len() - shown {
            0 => String::new(),
            more => format!("; and {}", counted(more, "more flow")),
        };
        text += &format!(
            ", {} refused ({}{more})",
            grouped(refusals.len() as u64),
            refusals[..shown].join("; ")
        );
    }
    Some(text)
}

/// Warnings in a sentence; `None` where there were none.
pub fn warnings_sentence(outcome: &Outcome) -> Option<String> {
    let warned = || outcome.flows.iter().filter(|flow| flow.alarms_total > 0);
    let total: u64 = warned().map(|flow| flow.alarms_total).sum();
    (total > 0).then(|| {
        format!(
            "{} reached {}",
            counted(total, "warning"),
            counted(warned().count(), "source")
        )
    })
}

/// Set-ups, for `summary.json`; `None` where no flow has a session.
pub fn json(spec: &NetworkSpec, outcome: &Outcome) -> Option<Value> {
    sessions(outcome).next()?;
    let channels = names::channels(spec);
    let session = |(flow, found): (u32, &SessionOutcome)| {
        let (answer, refused_at, missing_bps) = match found.answer {
            SessionAnswer::Pending => ("none", None, None),
            SessionAnswer::Admitted => ("admitted", None, None),
            SessionAnswer::Refused { channel, missing } => (
                "refused",
                Some(names::channel(&channels, channel)),
                Some(missing.0),
            ),
        };
        json!({
            "flow": names::flow(spec, flow),
            "asked_at_ps": found.asked_at.map(|at| at.ps()),
            "answered_at_ps": found.answered_at.map(|at| at.ps()),
            "answer": answer,
            "refused_at": refused_at,
            "missing_bps": missing_bps,
            "closed_at_ps": found.closed_at.map(|at| at.ps()),
        })
    };
    Some(sessions(outcome).map(session).collect())
}
