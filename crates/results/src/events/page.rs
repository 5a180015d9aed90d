//! The page of a run.

use backwater_kernel::words::counted;
use backwater_kernel::{Balance, Series, Stop};
use backwater_net::outcome::Outcome;

use super::ports::busiest;
use super::summary::trace_hash;
use super::words::{balance, both_times, paragraphs};
use super::{Measured, Network, bounds, ended, run_tables, starved, still};
use crate::info::RunInfo;
use crate::model::{Block, Fact, Plot, Report, Tone};
use crate::number::{grouped, percent, significant};
use crate::records::LOOKED_UP;
use crate::sections::{closing_blocks, heading, page_of};
use crate::series::{series_plots, time_axis};

/// What the page of one kind of network has of its own.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Numbers that matter, beside those of every run.
    pub facts: Vec<Fact>,
    /// Sentences on the run, without a full stop.
    pub sentences: Vec<String>,
    /// Sections of figures, by their headings; those without one are left out.
    pub figures: Vec<(&'static str, Vec<Plot>)>,
    /// What comes after the tables.
    pub end: Vec<Block>,
}

/// A page that explains the run: the numbers that matter, what went wrong, figures, series, every
/// table, the scenario and the command.
pub fn run_report<'a>(
    info: &RunInfo,
    network: &impl Network,
    outcome: &Outcome,
    measured: impl Into<Measured<'a>>,
    series: &[Series],
) -> Report {
    let run = (info, network, outcome);
    let measured = measured.into();
    let page = network.page(info, outcome, measured);
    let promised = network.promised(outcome);
    let (stop, why) = ended(network, outcome, info.cell);
    let mut blocks = vec![Block::Facts(facts(run, stop, page.facts))];
    blocks.extend(notes(run, bounds::warning(network, &promised)));
    blocks.extend(crate::starved::notes(starved::sentences(network, outcome)));
    blocks.push(Block::Text(paragraphs(run, &why, page.sentences)));
    let shares = network.shares(outcome).plot();
    let bounds = bounds::plot(&promised, info.cell);
    let common = [
        ("Fairness", shares.into_iter().collect()),
        (
            "Time series",
            series_plots(series, |end| time_axis(end, info.cell)),
        ),
        ("Delay bounds", bounds.into_iter().collect()),
    ];
    let figures = page.figures.into_iter().chain(common);
    for (title, plots) in figures.filter(|(_, plots)| !plots.is_empty()) {
        blocks.push(heading(title));
        blocks.extend(plots.into_iter().map(Block::Plot));
    }
    blocks.push(heading("Tables"));
    for table in run_tables(network, outcome, measured, info.cell) {
        let (name, is_folded) = (table.name.clone(), LOOKED_UP.contains(&&*table.name));
        let block = Block::Table(table);
        blocks.push(match is_folded {
            false => block,
            true => Block::Fold {
                summary: format!("Table of {}", if name == "tcp" { "TCP" } else { &name }),
                blocks: vec![block],
            },
        });
    }
    blocks.extend(page.end);
    blocks.extend(closing_blocks(info, network.seed(), &trace_hash(outcome)));
    page_of(info, blocks)
}

/// A number that matters, and a remark on it.
pub fn fact(label: &str, value: String, detail: String) -> Fact {
    Fact {
        label: label.into(),
        value,
        detail,
    }
}

fn facts<N: Network>(
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
/// still, units that are missing, a run that is cut short.
fn notes(
    (info, network, outcome): (&RunInfo, &impl Network, &Outcome),
    late: Option<String>,
) -> Vec<Block> {
    let broken = outcome.violations.total();
    let broken = (broken > 0).then(|| {
        format!(
            "{} broken; the table of violations says which, when and where.",
            counted(broken, "promise")
        )
    });
    let missing = !outcome.balances().iter().all(Balance::holds);
    let missing = missing.then(|| format!("Units are missing: {}.", balance(network, outcome)));
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
        still(network, outcome, info.cell).and_then(|still| still.note),
        problem(missing),
        cut_short.map(|text| (Tone::Warning, text.into())),
    ];
    let all = all.into_iter().flatten();
    all.map(|(tone, text)| Block::Note { tone, text }).collect()
}
