//! Delay bounds beside the delays that were seen, of either engine with events.

use backwater_kernel::words::{capital, counted};
use backwater_kernel::{Duration, Place, Violations};

use super::hops::{self, Terms};
use super::{Findings, Network, names, us};
use crate::groups::in_order;
use crate::lines::{aligned, left_out, listed, shortened};
use crate::model::{Axis, Cell, Curve, Plot, Style, Table};
use crate::number::{grouped, significant, span};
use crate::table_of::TableOf;

/// Flows in the terminal's table: those nearest their bound.
const NEAREST: usize = 3;
/// Flows in the figure.
const DRAWN: usize = 128;
/// Reasons in the terminal; the rest are counted.
const REASONS: usize = 2;
/// Values further apart than this are shown on a logarithmic scale.
const WIDE: f64 = 30.0;

/// What a network promises of delays.
pub trait DelayBounds: Sized {
    /// The terms of each flow that has a bound, in the order of flows.
    fn terms(&self) -> Vec<(u32, Terms)>;
    /// What is promised to each flow that has a bound or could, and what came of it.
    fn promised(run: &Findings<'_, Self>) -> Vec<Promised>;
}

/// What is promised to a flow, and what came of it.
#[derive(Clone, Debug)]
pub struct Promised {
    /// Which.
    pub flow: u32,
    /// As the scenario calls it.
    pub name: String,
    /// Where a promise is broken.
    pub place: Place,
    /// The bound, or why there is none.
    pub bound: Result<Duration, String>,
    /// What the bound is the sum of; nothing where there is none.
    pub terms: Terms,
    /// Its source permits one: where it has none something else is the reason.
    pub could: bool,
    /// The part of the bound that is the flow's own: its burst (circuits), or all but waiting
    /// (frames).
    pub own: Option<Duration>,
    /// Ports on its way that the bound counts.
    pub ports: Option<u32>,
    /// Largest delay seen, if anything was delivered after the warm-up.
    pub largest: Option<Duration>,
    /// So much more is not late.
    pub rounding: Duration,
    /// What else the terminal says of it, below its title.
    pub detail: (&'static str, String),
}

impl Promised {
    /// Bound and largest delay, where both are known.
    pub fn kept(&self) -> Option<(Duration, Duration)> {
        Some((self.bound.as_ref().ok().copied()?, self.largest?))
    }

    /// The largest delay seen over the bound.
    pub fn ratio(&self) -> Option<f64> {
        let (bound, largest) = self.kept()?;
        Some(largest.ps() as f64 / bound.ps().max(1) as f64)
    }

    /// A unit was late.
    pub fn is_broken(&self) -> bool {
        self.kept()
            .is_some_and(|(bound, largest)| largest > bound + self.rounding)
    }

    /// What a broken promise says.
    fn broken<N: Network>(&self) -> Option<String> {
        let (bound, largest) = self.kept().filter(|_| self.is_broken())?;
        Some(format!(
            "a {} of {} took {}, beyond its delay bound of {}",
            N::UNIT,
            self.name,
            span(largest.ps() as f64),
            span(bound.ps() as f64)
        ))
    }
}

/// The largest delay of a flow, if anything was delivered after the warm-up.
pub fn largest<N: Network>(run: &Findings<'_, N>, flow: u32) -> Option<Duration> {
    let delay = &run.outcome.flows.get(flow as usize)?.delay;
    (delay.count > 0).then_some(Duration(delay.max))
}

/// Adds each flow that took longer than its bound to what the run broke. Once a run: it counts.
pub fn note_broken_bounds<N: Network>(run: &mut Findings<'_, N>) {
    let mut violations = Violations::default();
    for promised in run.promised() {
        if let Some(what) = promised.broken::<N>() {
            violations.note(run.outcome.ended_at, promised.place, || what);
        }
    }
    run.outcome.violations.append(&violations);
}

/// A row for each flow to which something is promised or could be; in cell times too, where those
/// are the unit of time.
pub fn table<'a, N: Network>(run: &'a Findings<'_, N>) -> TableOf<&'a Promised> {
    let time = |time: Option<Duration>| time.map(|time| us(time.ps()));
    let ps = |time: Option<Duration>| time.map(|time| time.ps() as f64);
    let bound = |row: &Promised| row.bound.as_ref().ok().copied();
    TableOf::of(run.promised())
        .called(
            "bounds: The maximum delay of what a flow sends, computed before the run, and the \
             largest delay seen.",
        )
        .text("flow: name in the scenario")
        .of(|row| row.name.clone())
        .number("bound [us]: nothing can take longer")
        .of(|row| time(bound(row)))
        .number("delay max [us]: of what was delivered after the warm-up")
        .of(|row| time(row.largest))
        .number(
            "delay max of bound [%]: the largest delay seen over the bound; more than 100 is a \
             broken promise",
        )
        .of(|row| row.ratio().map(|ratio| Cell::float(ratio * 100.0, 2)))
        .text("why none: what rules a bound out")
        .of(|row| row.bound.clone().err())
        .in_cells("bound", run.cell, |row| ps(bound(row)))
        .in_cells("delay max", run.cell, |row| ps(row.largest))
}

/// A row for each link on the way of each flow that has a bound: what the bound is made of.
pub fn hops<N: Network>(run: &Findings<'_, N>) -> Table {
    let promised = run.promised().iter().filter(|own| own.bound.is_ok());
    let terms = promised.map(|own| (own.name.as_str(), &own.terms));
    hops::table(run.network, terms)
}

/// What each bound is made of, before a run; `None` where no flow has a bound.
pub fn hops_before<N: Network>(network: &N) -> Option<Table> {
    let terms = network.terms();
    let named = terms
        .iter()
        .map(|(flow, own)| (names::flow(network, *flow), own));
    let named: Vec<(String, &Terms)> = named.collect();
    let rows = named.iter().map(|(name, own)| (name.as_str(), *own));
    Some(hops::table(network, rows)).filter(|table| !table.rows.is_empty())
}

/// The largest delay beside the bound of each flow, in cells of this time or without one in
/// microseconds; `None` with less than two such flows.
pub fn plot(all: &[Promised], cell: Duration) -> Option<Plot> {
    let (y, unit_ps) = match cell.ps() {
        0 => (Axis::new("Delay", "us"), 1e6),
        ps => {
            let y = Axis::new("Delay", "cells").or("us", ps as f64 / 1e6);
            (y, ps as f64)
        }
    };
    let kept = all.iter();
    let kept = kept.filter_map(|one| Some((one.kept()?, one.name.clone())));
    let mut kept: Vec<((Duration, Duration), String)> = kept.collect();
    if kept.len() < 2 {
        return None;
    }
    kept.sort_by_key(|((bound, _), _)| *bound);
    let all_kept = kept.len();
    kept.truncate(DRAWN);
    let units = |time: &Duration| time.ps() as f64 / unit_ps;
    let largest = kept
        .iter()
        .map(|((_, largest), _)| units(largest))
        .collect();
    let largest = Curve::in_order("largest delay seen", Style::Bars, largest);
    let bounds = kept.iter().map(|((bound, _), _)| units(bound)).collect();
    let bounds = Curve::in_order("bound", Style::Points, bounds);
    let values = || bounds.y.iter().chain(&largest.y).copied();
    let low = values().fold(f64::INFINITY, f64::min);
    let log = low > 0.0 && values().fold(0.0, f64::max) > low * WIDE;
    let names = kept.iter().map(|(_, name)| name.clone());
    let places = Axis::of_names("Flow, the smallest bound first", names);
    let left_out = left_out(all_kept, DRAWN, "flows", "those with the smallest bounds");
    Some(
        Plot::new(
            "delay-bounds",
            "Delay bounds and largest delays",
            vec![largest, bounds],
        )
        .x(places)
        .y(Axis {
            min: (!log).then_some(0.0),
            log,
            ..y
        })
        .note(format!(
            "A delay above its bound would be a broken promise.{left_out}"
        )),
    )
}

/// What the page warns of, in a sentence; `None` where every bound holds.
pub fn warning<N: Network>(all: &[Promised]) -> Option<String> {
    let late = all.iter().filter(|promised| promised.is_broken());
    let late: Vec<&str> = late.map(|promised| promised.name.as_str()).collect();
    (!late.is_empty()).then(|| {
        format!(
            "{} of {} exceeded the delay bound; the table of bounds has the numbers.",
            capital(N::UNITS),
            listed(&late, NEAREST, [", ", " and "], "flow")
        )
    })
}

/// The flows nearest their bound and why others have none, behind an empty line; at most nine
/// lines, none where no source permits a bound.
pub fn terminal_lines<N: Network>(run: &Findings<'_, N>) -> Vec<String> {
    let all = run.promised();
    let is_told = all.iter().any(|one| one.could);
    let Some(first) = all.first().filter(|_| is_told) else {
        return Vec::new();
    };
    let mut lines = vec![String::new()];
    let mut kept: Vec<(usize, f64)> = (0..)
        .zip(all)
        .filter_map(|(at, promised)| Some((at, promised.ratio()?)))
        .collect();
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    if !kept.is_empty() {
        let verdict = match all.iter().filter(|promised| promised.is_broken()).count() {
            0 => "none exceeded".into(),
            late => format!("{} EXCEEDED", grouped(late as u64)),
        };
        lines.push(format!(
            "delay bounds of {}, {verdict}; nearest:",
            counted(kept.len(), "flow")
        ));
        let titles = ["flow", "bound", "delay max", "of bound", first.detail.0];
        let mut rows = vec![titles.map(String::from).to_vec()];
        rows.extend(kept.iter().take(NEAREST).filter_map(|(at, ratio)| {
            let promised = &all[*at];
            let (bound, largest) = promised.kept()?;
            Some(vec![
                shortened(&promised.name),
                span(bound.ps() as f64),
                span(largest.ps() as f64),
                format!("{} %", significant(ratio * 100.0, 4)),
                promised.detail.1.clone(),
            ])
        }));
        lines.extend(aligned(&rows));
    }
    lines.extend(reason_lines(all));
    lines
}

/// Reasons with how many flows have no bound for it, most first, each with the first of its flows.
fn reason_lines(all: &[Promised]) -> Vec<String> {
    let without = all.iter();
    let without = without.filter_map(|one| Some((one.bound.as_ref().err()?, &one.name)));
    let mut groups = in_order(without);
    groups.sort_by_key(|(_, flows)| std::cmp::Reverse(flows.len()));
    let line = |(reason, flows): &(&String, Vec<&String>)| {
        let name = shortened(flows[0]);
        let flows = match flows.len() {
            1 => name,
            count => format!("{name} and {}", counted(count - 1, "other")),
        };
        format!("no delay bound for {flows}: {reason}")
    };
    let mut lines: Vec<String> = groups.iter().take(REASONS).map(line).collect();
    let rest = groups.iter().skip(REASONS).map(|(_, flows)| flows.len());
    let rest: usize = rest.sum();
    if rest > 0 {
        lines.push(format!(
            "... nor for {}, for other reasons",
            counted(rest, "more flow")
        ));
    }
    lines
}
