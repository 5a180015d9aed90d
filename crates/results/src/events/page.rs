//! What the page of a run begins with.

use backwater_kernel::words::counted;
use backwater_kernel::{Balance, Stop};
use backwater_net::outcome::Outcome;

use super::Network;
use super::ports::busiest;
use super::words::{balance, both_times};
use crate::info::RunInfo;
use crate::model::{Block, Fact, Tone};
use crate::number::{grouped, percent, significant};

/// A number that matters, and a remark on it.
pub fn fact(label: &str, value: String, detail: String) -> Fact {
    Fact {
        label: label.into(),
        value,
        detail,
    }
}

/// The numbers that matter most; `own` are those of one kind of network.
pub fn facts<N: Network>(
    (info, network, outcome): (&RunInfo, &N, &Outcome),
    stop: &str,
    own: Vec<Fact>,
) -> Vec<Fact> {
    let balance = outcome.balance();
    let mut facts = vec![
        fact(
            "Simulated",
            both_times(info, outcome.ended_at.ps()),
            stop.into(),
        ),
        fact(
            "Delivered",
            grouped(balance.delivered),
            format!("of {} {}", grouped(balance.offered), N::UNITS),
        ),
        fact(
            "Dropped",
            grouped(balance.dropped),
            format!("{} inside at the end", grouped(balance.inside)),
        ),
    ];
    facts.extend(own);
    if let Some((name, data, control)) = busiest(network, outcome) {
        facts.push(fact("Busiest port", percent(data + control), name));
    }
    let speed = match info.wall_seconds.filter(|wall| *wall > 0.0) {
        Some(wall) => format!(
            "{} million a second",
            significant(outcome.unit_hops as f64 / wall / 1e6, 3)
        ),
        None => format!("{} events", grouped(outcome.events)),
    };
    facts.push(fact("Hops", grouped(outcome.unit_hops), speed));
    facts
}

/// What must not be missed: broken promises, delays beyond their bounds (`late`), what stands
/// `still`, units that are missing, a run that is cut short.
pub fn notes<N: Network>(
    network: &N,
    outcome: &Outcome,
    late: Option<String>,
    still: Option<(Tone, String)>,
) -> Vec<Block> {
    let broken = outcome.violations.total();
    let broken = (broken > 0).then(|| {
        format!(
            "{} broken; the table of violations says which, when and where.",
            counted(broken, "promise")
        )
    });
    let missing = !outcome.balances().iter().all(Balance::holds);
    let missing = missing.then(|| format!("Units are missing: {}.", balance::<N>(outcome)));
    let cut_short = match outcome.stop {
        Stop::Interrupted => {
            Some("The run was interrupted: everything here covers only the time until then.")
        }
        _ if outcome.ended_at <= network.warm_up() => {
            Some("The run ended in its warm-up: rates, delays and shares were not measured.")
        }
        _ => None,
    };
    let problem = |text: Option<String>| text.map(|text| (Tone::Problem, text));
    let all = [
        problem(broken),
        problem(late),
        still,
        problem(missing),
        cut_short.map(|text| (Tone::Warning, text.into())),
    ];
    let all = all.into_iter().flatten();
    all.map(|(tone, text)| Block::Note { tone, text }).collect()
}
