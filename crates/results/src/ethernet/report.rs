//! The page of a run of the Ethernet engine.

use backwater_kernel::{Balance, Series, Stop};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;

use super::completion::{Completion, times};
use super::groups::{fairness, goodputs};
use super::tables::{long_tables, short_tables};
use super::words::{self, Control};
use super::{bounds, fair, plots, promises, standstill, starved};
use crate::distribution::tail;
use crate::events::ports::busiest;
use crate::events::summary::trace_hash;
use crate::info::RunInfo;
use crate::model::{Block, Fact, Report, Tone};
use crate::number::{fixed, grouped, rate, significant, span};
use crate::sections::{closing_blocks, heading};
use backwater_kernel::words::counted;

/// A page that explains the run: the numbers that matter, what went wrong, figures, series, every
/// table, the scenario and the command.
pub fn ethernet_report(
    info: &RunInfo,
    spec: &EthernetSpec,
    outcome: &Outcome,
    series: &[Series],
) -> Report {
    let mut blocks = vec![Block::Facts(facts(info, spec, outcome))];
    blocks.extend(notes(spec, outcome));
    blocks.extend(crate::starved::notes(starved::sentences(spec, outcome)));
    blocks.push(Block::Text(words::paragraphs(spec, outcome)));
    let sections = [
        ("Figures", plots::plots(spec, outcome)),
        (
            "Fairness",
            fair::shares(spec, outcome).plot().into_iter().collect(),
        ),
        (
            "Delay bounds",
            bounds::plot(spec, outcome).into_iter().collect(),
        ),
        ("Time series", plots::series_plots(series)),
    ];
    for (title, plots) in sections {
        if !plots.is_empty() {
            blocks.push(heading(title));
            blocks.extend(plots.into_iter().map(Block::Plot));
        }
    }
    blocks.push(heading("Tables"));
    let tables = short_tables(spec, outcome);
    blocks.extend(tables.into_iter().map(Block::Table));
    for table in long_tables(spec, outcome) {
        let name = match table.name.as_str() {
            "tcp" => "TCP",
            name => name,
        };
        blocks.push(Block::Fold {
            summary: format!("Table of {name}"),
            blocks: vec![Block::Table(table)],
        });
    }
    blocks.extend(promises::blocks(info, spec, outcome));
    blocks.extend(closing_blocks(info, spec.seed, &trace_hash(outcome)));
    Report {
        title: info.name.clone(),
        subtitle: info.description.clone(),
        command: String::new(),
        version: info.version.clone(),
        blocks,
    }
}

fn fact(label: &str, value: String, detail: String) -> Fact {
    Fact {
        label: label.into(),
        value,
        detail,
    }
}

fn facts(info: &RunInfo, spec: &EthernetSpec, outcome: &Outcome) -> Vec<Fact> {
    let [balance, _] = outcome.balances();
    let goodputs = goodputs(spec, outcome);
    let mut facts = vec![
        fact(
            "Simulated",
            span(outcome.ended_at.ps() as f64),
            words::stop_short(outcome).into(),
        ),
        fact(
            "Goodput",
            rate(goodputs.iter().sum()),
            format!(
                "over {}, fairness {}",
                counted(goodputs.len(), "flow"),
                fixed(fairness(&goodputs), 3)
            ),
        ),
        fact(
            "Dropped",
            grouped(balance.dropped),
            format!("of {} frames", grouped(balance.offered)),
        ),
    ];
    if let Some((complete, last)) = words::transfers(outcome) {
        facts.push(fact("Transfers", grouped(complete), last));
    }
    let slowdown = Completion::of(outcome.flows.iter()).slowdown;
    if let Some((mean, tail)) = slowdown.mean().zip(tail(&slowdown, times)) {
        let tail = match slowdown.percentile(99.0) {
            Some(_) => format!("p99 {tail}"),
            None => tail,
        };
        facts.push(fact("Slowdown", times(mean), format!("mean; {tail}")));
    }
    let control = Control::of(outcome);
    if control.stops > 0 {
        facts.push(fact(
            "Stops",
            grouped(control.stops),
            format!("{} resumes", grouped(control.resumes)),
        ));
    }
    if let Some((name, data, control)) = busiest(spec, outcome) {
        facts.push(fact("Busiest port", words::percent(data + control), name));
    }
    let speed = match info.wall_seconds.filter(|wall| *wall > 0.0) {
        Some(wall) => format!(
            "{} million a second",
            significant(outcome.unit_hops as f64 / wall / 1e6, 3)
        ),
        None => format!("{} events", grouped(outcome.events)),
    };
    facts.push(fact("Frame hops", grouped(outcome.unit_hops), speed));
    facts
}

fn notes(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Block> {
    let mut notes = Vec::new();
    let mut note = |tone, text: String| notes.push(Block::Note { tone, text });
    if outcome.violations.total() > 0 {
        note(
            Tone::Problem,
            format!(
                "{} broken; the table of violations says which, when and where.",
                counted(outcome.violations.total(), "promise")
            ),
        );
    }
    if let Some(late) = bounds::warning(spec, outcome) {
        note(Tone::Problem, late);
    }
    if let Some(found) = &outcome.standstill {
        note(
            Tone::Problem,
            format!(
                "The run ended in a {}. The table below shows which queue waits for which.",
                standstill::sentence(found)
            ),
        );
    }
    let balances = outcome.balances();
    if !balances.iter().all(Balance::holds) {
        let text = words::conservation(&balances);
        note(Tone::Problem, format!("Frames are missing: {text}."));
    }
    if outcome.stop == Stop::Interrupted {
        note(
            Tone::Warning,
            "The run was interrupted: everything here covers only the time until then.".into(),
        );
    }
    if outcome.ended_at <= spec.warm_up {
        note(
            Tone::Warning,
            "The run ended in its warm-up: rates, delays and shares were not measured.".into(),
        );
    }
    notes
}
