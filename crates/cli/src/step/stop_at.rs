//! `backwater run --stop-at`: what there is at one instant.

use backwater_kernel::words::printable;
use backwater_run::stepping::{Condition, ended};
use backwater_scenario::{Scenario, Source, instant, nearest};
use serde_json::Value;

use super::named;
use crate::{FAILED, SUCCESS, document};

/// Where a run is to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// At this instant.
    At(u64),
    /// When this happens first.
    First(Condition),
    /// When this happens next.
    Next(Condition),
}

const GOALS: [(&str, Goal); 5] = [
    ("first-stop", Goal::First(Condition::Stop)),
    ("first-drop", Goal::First(Condition::Drop)),
    ("deadlock", Goal::First(Condition::Deadlock)),
    ("next-stop", Goal::Next(Condition::Stop)),
    ("next-drop", Goal::Next(Condition::Drop)),
];

/// What `text` names.
///
/// # Errors
/// If it is neither an instant nor something to wait for.
pub fn goal(text: &str, scenario: &Scenario) -> Result<Goal, String> {
    let text = text.trim();
    if let Some((_, goal)) = GOALS.iter().find(|(name, _)| *name == text) {
        return Ok(*goal);
    }
    if text.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        let names = GOALS.map(|(name, _)| name);
        let meant =
            nearest(text, names).map_or(String::new(), |name| format!("did you mean `{name}`? "));
        return Err(format!(
            "`{text}` is neither an instant nor something to wait for: {meant}There are {}",
            names.join(", ")
        ));
    }
    instant(text, scenario).map(Goal::At)
}

/// It never happens.
pub fn never(text: &str, wanted: Condition) -> String {
    let what = match wanted {
        Condition::Stop => "nothing is stopped or out of credit",
        Condition::Drop => "nothing is lost or dropped",
        Condition::Deadlock => "nothing is stuck",
    };
    format!("`{text}` never comes: to the end of this run {what}")
}

/// Prints what there is then.
///
/// # Errors
/// If there is no such instant or no such name.
pub fn stop_at(
    when: &str,
    show: &[String],
    source: &Source,
    scenario: &Scenario,
) -> Result<u8, String> {
    let engine = backwater_run::engine(scenario);
    let mut run = engine.stepped()?;
    let known = run.names();
    let mut names = Vec::new();
    for pattern in show {
        names.extend(named::find(named::ANY, pattern, &known)?);
    }
    let at = match goal(when, scenario)? {
        Goal::At(at) => at,
        Goal::First(wanted) | Goal::Next(wanted) => match engine.first(wanted, None)? {
            Some(at) => at,
            None => {
                eprintln!("error: {}", never(when, wanted));
                return Ok(FAILED);
            }
        },
    };
    run.run_to(at);
    let mut scene = run.scene();
    if !show.is_empty() {
        scene = scene.narrowed(&names);
    }
    let is_over = run.is_over();
    if document::is_wanted() {
        if let Value::Object(fields) = scene.json() {
            fields
                .into_iter()
                .for_each(|(name, value)| document::put(&name, value));
        }
        document::put("scenario", source.name.as_str());
        document::put("is_over", is_over);
        return Ok(SUCCESS);
    }
    let more = match is_over {
        true => format!("The run is over: {}.", ended(run.head().stop)),
        false => String::new(),
    };
    print!("{}", scene.titled(&printable(&source.name), &more));
    Ok(SUCCESS)
}
