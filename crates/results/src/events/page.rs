//! The page of a run.

use backwater_kernel::{Balance, Series, Stop};

use super::ports::busiest;
use super::summary::trace_hash;
use super::terminal::Terminal;
use super::words::{balance, both_times, paragraphs};
use super::{Findings, Network, bounds, ended, starved, still};
use crate::info::RunInfo;
use crate::model::{Block, Fact, Plot, Report};
use crate::number::{grouped, percent};
use crate::records::LOOKED_UP;
use crate::sections::{INTERRUPTED, broken, closing_blocks, folded, page_of};
use crate::series::{series_plots, time_axis};

/// What page and terminal have of one kind of network alone.
pub trait Presented: Sized {
    /// What the page of a run has of its own.
    fn page(run: &Findings<'_, Self>, info: &RunInfo) -> Page;
    /// What a terminal is told that has no place in every run.
    fn terminal(run: &Findings<'_, Self>, info: &RunInfo) -> Terminal;
}

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
pub fn run_report<N: Network>(info: &RunInfo, run: &Findings<'_, N>, series: &[Series]) -> Report {
    let page = N::page(run, info);
    let promised = run.promised();
    let (stop, why) = ended(run);
    let mut blocks = vec![Block::Facts(facts(run, info, stop, page.facts))];
    blocks.extend(notes(run, bounds::warning::<N>(promised)));
    blocks.extend(crate::starved::notes(starved::sentences(run)));
    blocks.push(Block::Text(paragraphs(run, &why, page.sentences)));
    let shares = run.shares().plot();
    let bounds = bounds::plot(promised, run.cell);
    let common = [
        ("Fairness", shares.into_iter().collect()),
        (
            "Time series",
            series_plots(series, |end| time_axis(end, run.cell)),
        ),
        ("Delay bounds", bounds.into_iter().collect()),
    ];
    let figures = page.figures.into_iter().chain(common);
    blocks.extend(figures.flat_map(|(title, plots)| Block::figures(title, plots)));
    blocks.push(Block::heading("Tables"));
    let tables = run.tables().iter().cloned();
    blocks.extend(tables.map(|table| match LOOKED_UP.contains(&&*table.name) {
        false => Block::Table(table),
        true => folded(table),
    }));
    blocks.extend(page.end);
    blocks.extend(closing_blocks(
        info,
        run.network.seed(),
        &trace_hash(&run.outcome),
    ));
    page_of([&info.name, &info.description, &info.version], blocks)
}

fn facts<N: Network>(
    run: &Findings<'_, N>,
    info: &RunInfo,
    stop: &str,
    own: Vec<Fact>,
) -> Vec<Fact> {
    let outcome = &run.outcome;
    let balance = outcome.balance();
    let mut facts = vec![
        Fact::new(
            "Simulated",
            both_times(run.cell, outcome.ended_at.ps()),
            stop,
        ),
        Fact::new(
            "Delivered",
            grouped(balance.delivered),
            format!("of {} {}", grouped(balance.offered), N::UNITS),
        ),
        Fact::new(
            "Dropped",
            grouped(balance.dropped),
            format!("{} inside at the end", grouped(balance.inside)),
        ),
    ];
    facts.extend(own);
    if let Some((name, data, control)) = busiest(run) {
        facts.push(Fact::new("Busiest port", percent(data + control), name));
    }
    let speed = info.speed(outcome.unit_hops);
    let speed = speed.unwrap_or_else(|| format!("{} events", grouped(outcome.events)));
    facts.push(Fact::new("Hops", grouped(outcome.unit_hops), speed));
    facts
}

/// What must not be missed: broken promises, delays beyond their bounds (`late`), what stands
/// still, units that are missing, a run that is cut short.
fn notes<N: Network>(run: &Findings<'_, N>, late: Option<String>) -> Vec<Block> {
    let outcome = &run.outcome;
    let missing = !outcome.balances().iter().all(Balance::holds);
    let missing = missing.then(|| format!("Units are missing: {}.", balance(run)));
    let cut_short = match outcome.stop {
        Stop::Interrupted => Some(INTERRUPTED),
        _ if outcome.ended_at <= run.network.warm_up() => {
            Some("The run ended in its warm-up: rates, delays and shares were not measured.")
        }
        _ => None,
    };
    let still = still(run).and_then(|still| still.note);
    let all = [
        broken(outcome.violations.total()),
        late.map(Block::problem),
        still.map(|(tone, text)| Block::note(tone, text)),
        missing.map(Block::problem),
        cut_short.map(Block::warning),
    ];
    all.into_iter().flatten().collect()
}
