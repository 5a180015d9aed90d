//! A run of circuits or frames as its manifest, summary, page and a terminal tell it.

use backwater_kernel::{Balance, Series, Stop};
use serde_json::{Value, json};

use super::control::Control;
use super::ports::busiest;
use super::words::{balance, both_times, busiest_port, dropped, paragraphs, time};
use super::{Findings, Network, bounds, ended, starved, still, violations};
use crate::directory::Manifest;
use crate::fairness::jain;
use crate::info::RunInfo;
use crate::lines;
use crate::model::{Block, Fact, Table};
use crate::number::{grouped, hash, percent};
use crate::reported::{About, Reported, Sheet};
use crate::sections::{INTERRUPTED, broken};
use crate::series::{series_plots, time_axis};

/// Violations listed in a terminal; the rest are counted.
const VIOLATIONS: usize = 3;

impl<N: Network> Reported for Findings<'_, N> {
    const FOLDED: &'static [&'static str] = &["operations", "critical path"];

    fn about(&self) -> About {
        let outcome = &self.outcome;
        let control = grouped(outcome.control_hops);
        About {
            seed: self.network.seed(),
            trace_hash: outcome.trace_hash,
            stop: outcome.stop,
            ended: ended(self),
            simulated: both_times(self.cell, outcome.ended_at.ps()),
            hops: (
                outcome.unit_hops,
                format!("{} hops, {control} of them control", N::UNIT),
            ),
        }
    }

    fn tables(&self) -> &[Table] {
        Findings::tables(self)
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = N::warnings(self);
        warnings.extend(starved::sentences(self));
        warnings
    }

    /// Its unit hops are units, data and control, that crossed a channel.
    fn manifest(&self, info: &RunInfo) -> Manifest {
        Manifest {
            events: self.outcome.events,
            unit_hops: self.outcome.unit_hops,
            events_per_second: info.per_second(self.outcome.events),
            ended_at_ps: self.outcome.ended_at.ps(),
            promises: Some(N::promises(self, info)),
            ..Manifest::default()
        }
    }

    /// Times of the run as a whole are in picoseconds.
    fn summary(&self, info: &RunInfo) -> Value {
        let (jain_rates, jain_ratios) = self.shares().indices().unzip();
        let goodputs = N::goodputs(self);
        let stuck = self.outcome.standstill.as_ref().map(|found| {
            json!({
                "since_ps": found.since.ps(),
                "found_at_ps": found.found_at.ps(),
                "is_circle": found.is_circle,
                "others_move": found.others_move,
            })
        });
        json!({
            "name": info.name,
            "stop": ended(self).1,
            "ended_at_ps": self.outcome.ended_at.ps(),
            "warm_up_ps": self.network.warm_up().ps(),
            "cell_ps": Some(self.cell.ps()).filter(|ps| *ps > 0),
            "trace_hash": hash(self.outcome.trace_hash),
            "events": self.outcome.events,
            "unit_hops": self.outcome.unit_hops,
            "control_hops": self.outcome.control_hops,
            "control_frames": Some(Control::of(&self.outcome)).filter(Control::is_any),
            "balanced": self.outcome.balances().iter().all(Balance::holds),
            "promises_broken": self.outcome.violations.total(),
            "stuck": stuck,
            "starved": starved::all(self),
            "jain_rates": jain_rates,
            "jain_ratios": jain_ratios,
            "jain_goodputs": (!goodputs.is_empty()).then(|| jain(&goodputs)),
        })
    }

    /// Figures of its own, fair shares, series and delay bounds.
    fn sheet(&self, info: &RunInfo, series: &[Series]) -> Sheet {
        let sheet = N::page(self, info);
        let promised = self.promised();
        let (stop, why) = ended(self);
        let bounds = bounds::plot(promised, self.cell);
        let series = series_plots(series, |end| time_axis(end, self.cell));
        let mut figures = sheet.figures;
        figures.extend([
            ("Fairness", self.shares().plot().into_iter().collect()),
            ("Time series", series),
            ("Delay bounds", bounds.into_iter().collect()),
        ]);
        Sheet {
            facts: facts(self, info, stop, sheet.facts),
            notes: notes(self, bounds::warning::<N>(promised)),
            text: paragraphs(self, &why, sheet.sentences),
            figures,
            end: sheet.end,
        }
    }

    /// Its flows, their delay bounds and fair shares, the balance, what was dropped, what stood
    /// still; promises, and what broke.
    fn lines(&self, info: &RunInfo) -> [Vec<String>; 2] {
        let more = N::terminal(self, info);
        let mut lines = more.flows;
        lines.extend(bounds::terminal_lines(self));
        lines.extend(self.shares().terminal_lines());
        lines.push(String::new());
        lines.extend(more.through);
        lines.push(balance(self));
        lines.push(dropped(&self.outcome));
        lines.extend(more.in_the_way);
        lines.extend(busiest_port(self));
        lines.extend(still(self).unwrap_or_default().lines);
        if ended_in_warm_up(self) {
            lines.push(NOTHING_MEASURED.into());
        }
        let all = &self.outcome.violations;
        let kept = all.kept().iter().take(VIOLATIONS);
        let kept = kept.map(|one| (time(self.cell, one.at.ps()), violations::told(self, one)));
        let broken = lines::broken(all.total(), kept);
        [lines, more.promises.into_iter().chain(broken).collect()]
    }
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

const NOTHING_MEASURED: &str =
    "The run ended in its warm-up: rates, delays and fair shares were not measured.";

fn ended_in_warm_up<N: Network>(run: &Findings<'_, N>) -> bool {
    run.outcome.stop != Stop::Interrupted && run.outcome.ended_at <= run.network.warm_up()
}

/// What must not be missed: broken promises, delays beyond their bounds (`late`), what stands
/// still, units that are missing, a run that is cut short.
fn notes<N: Network>(run: &Findings<'_, N>, late: Option<String>) -> Vec<Block> {
    let outcome = &run.outcome;
    let missing = !outcome.balances().iter().all(Balance::holds);
    let missing = missing.then(|| format!("Units are missing: {}.", balance(run)));
    let cut_short = match outcome.stop {
        Stop::Interrupted => Some(INTERRUPTED),
        _ if ended_in_warm_up(run) => Some(NOTHING_MEASURED),
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
