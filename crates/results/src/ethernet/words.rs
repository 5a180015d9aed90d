//! A run of the Ethernet engine in sentences.

use backwater_net::outcome::{FlowOutcome, Outcome};

use super::standstill;
use crate::events::names;
use crate::number::{grouped, span};
use crate::stop;

/// Why the run ended, as the rest of "the run ended: ...".
pub fn stop(outcome: &Outcome) -> String {
    let standstill = || outcome.standstill.as_ref().map(standstill::sentence);
    stop::sentence(outcome.stop, || standstill().unwrap_or_default())
}

/// Why the run ended, in a word or two.
pub fn stop_short(outcome: &Outcome) -> &'static str {
    let is_circle = outcome
        .standstill
        .as_ref()
        .is_some_and(|found| found.is_circle);
    stop::short(
        outcome.stop,
        if is_circle { "deadlock" } else { "standstill" },
    )
}

/// Transfers of the whole run: how many, and the rest of the sentence, `complete, the last at
/// 1.3 ms`, with those that wait for an acknowledgement; `None` without any.
pub fn transfers(outcome: &Outcome) -> Option<(u64, String)> {
    let total = |of: fn(&FlowOutcome) -> u64| outcome.flows.iter().map(of).sum::<u64>();
    let last = outcome
        .flows
        .iter()
        .map(|flow| flow.ends.last_transfer)
        .max()?;
    let complete = total(|flow| flow.ends.transfers_total);
    if complete == 0 {
        return None;
    }
    let mut text = format!("complete, the last at {}", span(last.ps() as f64));
    if total(|flow| flow.ends.transfers) == 0 {
        text.push_str(", all in the warm-up: rates and times are without them");
    }
    match total(|flow| flow.ends.unacknowledged_total) {
        0 => {}
        waiting => text.push_str(&format!("; {} not acknowledged yet", grouped(waiting))),
    }
    Some((complete, text))
}

/// The name of a queue: its channel, and its class where there are several.
pub fn queue(channels: &[String], channel: u32, class: usize, classes: usize) -> String {
    let name = names::channel(channels, channel);
    match classes {
        0 | 1 => name,
        _ => format!("{name}, class {class}"),
    }
}
