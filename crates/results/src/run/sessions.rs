//! Set-ups, warnings and what shaping at the source cost.

use backwater_kernel::Time;
use backwater_net::outcome::{Outcome, SessionAnswer, SessionOutcome};

use super::Circuits;
use crate::events::transfers::MS;
use crate::lines::listed;
use crate::model::{Cell, Table};
use crate::number::{grouped, rate};
use crate::table_of::TableOf;
use backwater_kernel::words::counted;

/// Refusals listed in a sentence; the rest are counted.
const REFUSALS: usize = 3;

fn sessions(outcome: &Outcome) -> impl Iterator<Item = (u32, &SessionOutcome)> {
    let flows = (0..).zip(&outcome.flows);
    flows.filter_map(|(flow, found)| Some((flow, found.session.as_ref()?)))
}

/// What became of each set-up.
pub fn table(run: &Circuits<'_>) -> Table {
    let at = |time: Option<Time>| time.map(|time| Cell::float(time.ps() as f64 / 1e9, 3));
    let refusal = |found: &SessionOutcome| match found.answer {
        SessionAnswer::Refused { channel, missing } => Some((channel, missing)),
        SessionAnswer::Pending | SessionAnswer::Admitted => None,
    };
    TableOf::of(sessions(&run.outcome))
        .called("sessions: Flows that were set up during the run, and the port that refused them.")
        .flow(run, |(flow, _)| *flow)
        .number("asked [ms]: when its source asked")
        .of(|(_, found)| at(found.asked_at))
        .number("answered [ms]: when the answer reached the source")
        .of(|(_, found)| at(found.answered_at))
        .text("answer: admitted, refused, or none yet")
        .of(|(_, found)| answer(found))
        .text("refused at: the port that could not reserve the rate")
        .of(|(_, found)| refusal(found).map(|(channel, _)| run.port(channel)))
        .number("missing [kbps]: how much rate was missing there")
        .of(|(_, found)| refusal(found).map(|(_, missing)| Cell::float(missing.0 as f64 / 1e3, 3)))
        .number("closed [ms]: when the tear-down reached the destination")
        .of(|(_, found)| at(found.closed_at))
        .done()
}

fn answer(session: &SessionOutcome) -> &'static str {
    match session.answer {
        SessionAnswer::Pending => "none",
        SessionAnswer::Admitted => "admitted",
        SessionAnswer::Refused { .. } => "refused",
    }
}

/// Flows whose sources were warned.
pub fn warnings_table(run: &Circuits<'_>) -> Table {
    let warned = (0..).zip(run.outcome.flows.iter().map(|found| found.alarms_total));
    TableOf::of(warned.filter(|(_, warnings)| *warnings > 0))
        .called(
            "warnings: Flows that exceeded their reservation, and how often their sources were \
             warned.",
        )
        .flow(run, |(flow, _)| *flow)
        .number("warnings: warnings that reached the source; whole run")
        .of(|(_, warnings)| *warnings)
        .done()
}

/// Flows whose units waited before they entered the network.
pub fn shaping_table(run: &Circuits<'_>) -> Table {
    let shaped = (0..).zip(run.outcome.flows.iter().map(|found| &found.shaping));
    TableOf::of(shaped.filter(|(_, shaping)| shaping.count > 0))
        .called(
            "shaping: Time that units waited for their source's envelope, the policer at the edge \
             and the spacing after a warning. Delays start after that.",
        )
        .flow(run, |(flow, _)| *flow)
        .number("samples [units]: units passed after the warm-up")
        .of(|(_, shaping)| shaping.count)
        .times("shaping", ("ms", MS), |(_, shaping)| *shaping)
        .done()
}

/// Set-ups and warnings, a sentence each where there were any.
pub fn sentences(run: &Circuits<'_>) -> Vec<String> {
    let both = [sentence(run), warnings_sentence(&run.outcome)];
    both.into_iter().flatten().collect()
}

/// Set-ups in a sentence; `None` where no flow has a session.
fn sentence(run: &Circuits<'_>) -> Option<String> {
    sessions(&run.outcome).next()?;
    let asked = sessions(&run.outcome).filter(|(_, found)| found.asked_at.is_some());
    let asked = asked.count();
    let admitted =
        sessions(&run.outcome).filter(|(_, found)| found.answer == SessionAnswer::Admitted);
    let mut text = format!(
        "{} requested, {} admitted",
        counted(asked, "session"),
        grouped(admitted.count() as u64)
    );
    let refusals: Vec<String> = sessions(&run.outcome)
        .filter_map(|(flow, found)| match found.answer {
            SessionAnswer::Refused { channel, missing } => Some(format!(
                "{} at {}, {} short",
                run.flow(flow),
                run.port(channel),
                rate(missing.0 as f64)
            )),
            _ => None,
        })
        .collect();
    if !refusals.is_empty() {
        text += &format!(
            ", {} refused ({})",
            grouped(refusals.len() as u64),
            listed(&refusals, REFUSALS, ["; ", "; and "], "flow")
        );
    }
    Some(text)
}

/// Warnings in a sentence; `None` where there were none.
fn warnings_sentence(outcome: &Outcome) -> Option<String> {
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
