//! The page of a run of the Ethernet engine.

use backwater_kernel::Series;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;

use super::completion::{Completion, times};
use super::groups::{fairness, goodputs};
use super::tables::{long_tables, short_tables};
use super::words::{self, Control};
use super::{bounds, fair, plots, promises, standstill, starved};
use crate::distribution::tail;
use crate::events::page::{fact, facts, notes};
use crate::events::summary::trace_hash;
use crate::events::words::paragraphs;
use crate::info::RunInfo;
use crate::model::{Block, Fact, Report, Tone};
use crate::number::{fixed, grouped, rate};
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
    let run = (info, spec, outcome);
    let stop = words::stop_short(outcome);
    let own = own_facts(spec, outcome);
    let mut blocks = vec![Block::Facts(facts(run, stop, own))];
    let (late, still) = (bounds::warning(spec, outcome), standstill_note(outcome));
    blocks.extend(notes(spec, outcome, late, still));
    blocks.extend(crate::starved::notes(starved::sentences(spec, outcome)));
    let control = Control::of(outcome).sentence();
    let control = control.map(|control| format!("control frames: {control}"));
    let text = paragraphs(run, &words::stop(outcome), control);
    blocks.push(Block::Text(text));
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

/// The numbers that matter of frames alone.
fn own_facts(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Fact> {
    let goodputs = goodputs(spec, outcome);
    let mut facts = vec![fact(
        "Goodput",
        rate(goodputs.iter().sum()),
        format!(
            "over {}, fairness {}",
            counted(goodputs.len(), "flow"),
            fixed(fairness(&goodputs), 3)
        ),
    )];
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
    facts
}

fn standstill_note(outcome: &Outcome) -> Option<(Tone, String)> {
    let found = outcome.standstill.as_ref()?;
    let text = format!(
        "The run ended in a {}. The table below shows which queue waits for which.",
        standstill::sentence(found)
    );
    Some((Tone::Problem, text))
}
