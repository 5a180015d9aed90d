//! Delay bounds beside the delays that were seen.

use backwater_kernel::{Duration, Place, Rate, Violations};
use backwater_net::bound::{self, Bound, NoBound};
use backwater_net::outcome::{Outcome, PortsOutcome};
use backwater_net::spec::NetworkSpec;
use serde_json::{Value, json};

use super::names;
use crate::lines::{aligned, shortened};
use crate::model::{Axis, Cell, Column, Curve, OtherUnit, Plot, Style, Table};
use crate::number::{grouped, rate, significant, span};
use backwater_kernel::words::counted;

/// Flows in the terminal's table: those nearest their bound.
const NEAREST: usize = 3;
/// Reasons in the terminal; the rest are counted.
const REASONS: usize = 2;
/// Values further apart than this are shown on a logarithmic scale.
const WIDE: f64 = 30.0;

/// What is promised to a flow that reserves, and what came of it.
struct Promise {
    flow: u32,
    reserved: Rate,
    bound: Result<Bound, NoBound>,
    /// Largest delay seen, if any unit was delivered after the warm-up.
    largest: Option<Duration>,
    /// Picoseconds that transmission times may have been rounded up by, in all.
    rounding: Duration,
}

impl Promise {
    fn kept(&self) -> Option<(Bound, Duration)> {
        Some((self.bound.ok()?, self.largest?))
    }

    /// The largest delay seen over the bound.
    fn ratio(&self) -> Option<f64> {
        let (bound, largest) = self.kept()?;
        Some(largest.ps() as f64 / bound.delay.ps().max(1) as f64)
    }

    fn is_broken(&self) -> bool {
        self.kept()
            .is_some_and(|(bound, largest)| largest > bound.delay + self.rounding)
    }

    /// sigma in bytes.
    fn burst_bytes(&self) -> Option<u64> {
        let burst_ps = u128::from(self.bound.ok()?.burst.ps());
        let bytes = burst_ps * u128::from(self.reserved.0) / 8_000_000_000_000;
        u64::try_from(bytes).ok()
    }

    fn reason(&self, channels: &[String]) -> Option<String> {
        let reason = self.bound.err()?;
        Some(reason.words(|channel| names::channel(channels, channel)))
    }
}

/// One for each flow that reserves.
fn promises(spec: &NetworkSpec, outcome: &Outcome) -> Vec<Promise> {
    if spec.flows.iter().all(|flow| flow.reserve.is_none()) {
        return Vec::new();
    }
    let mut started = vec![0u64; 2 * spec.links.len()];
    for leg in &outcome.legs {
        if let Some(started) = started.get_mut(leg.channel as usize) {
            *started += leg.sent_total;
        }
    }
    let flows = (0..).zip(&spec.flows).zip(bound::bounds(spec));
    let promise = |((index, flow), bound): ((u32, &backwater_net::spec::FlowSpec), _)| {
        let found = outcome.flows.get(index as usize);
        let delay = found
            .map(|found| &found.delay)
            .filter(|delay| delay.count > 0);
        let on_the_way = flow
            .legs
            .iter()
            .filter_map(|leg| started.get(leg.channel as usize));
        Some(Promise {
            flow: index,
            reserved: flow.reserve?.rate,
            bound,
            largest: delay.map(|delay| Duration(delay.max)),
            rounding: Duration(on_the_way.sum()),
        })
    };
    flows.filter_map(promise).collect()
}

/// Adds each flow that took longer than its bound to what the run broke. Once a run: it counts.
///
/// Every unit that was sent on the flow's way may have taken a picosecond more than on paper, and
/// so much more is not late.
pub fn note_broken_bounds(spec: &NetworkSpec, outcome: &mut Outcome) {
    let promises = promises(spec, outcome);
    let broken = promises.iter().filter(|promise| promise.is_broken());
    let late = broken.filter_map(|promise| {
        let (bound, largest) = promise.kept()?;
        let last_leg = outcome
            .legs
            .iter()
            .rposition(|leg| leg.flow == promise.flow);
        let what = format!(
            "a unit of {} took {}, beyond its delay bound of {}",
            names::flow(spec, promise.flow),
            span(largest.ps() as f64),
            span(bound.delay.ps() as f64)
        );
        Some((last_leg.unwrap_or(0) as u32, what))
    });
    let mut violations = Violations::default();
    for (leg, what) in late {
        violations.note(outcome.ended_at, Place::Leg(leg), || what);
    }
    outcome.violations.append(&violations);
}

/// A row for each flow that reserves.
pub fn table(
    spec: &NetworkSpec,
    outcome: &Outcome,
    measured: Option<&PortsOutcome>,
    cell: Duration,
) -> Table {
    let mut table = Table::new(
        "bounds",
        "Flows with a reservation: the maximum delay of a unit, computed before the run, and \
         the largest delay seen.",
        columns(),
    );
    let channels = names::channels(spec);
    let cell_ps = cell.ps().max(1) as f64;
    let cells = |time: Option<Duration>| match time {
        Some(time) => Cell::float(time.ps() as f64 / cell_ps, 2),
        None => Cell::Empty,
    };
    let micros = |time: Option<Duration>| match time {
        Some(time) => Cell::float(time.ps() as f64 / 1e6, 3),
        None => Cell::Empty,
    };
    for promise in promises(spec, outcome) {
        let bound = promise.bound.ok();
        let delay = bound.map(|bound| bound.delay);
        let at_port = measured.and_then(|ports| ports.flows.get(promise.flow as usize));
        let percent = promise.ratio().map(|ratio| Cell::float(ratio * 100.0, 2));
        table.rows.push(vec![
            names::flow(spec, promise.flow).into(),
            cells(delay),
            cells(promise.largest),
            percent.unwrap_or_default(),
            micros(delay),
            micros(promise.largest),
            Cell::float(promise.reserved.0 as f64 / 1e3, 3),
            promise.burst_bytes().into(),
            at_port.and_then(|port| port.burst_seen_bytes).into(),
            bound.map(|bound| bound.servers).into(),
            promise.reason(&channels).into(),
        ]);
    }
    table
}

fn columns() -> Vec<Column> {
    let bound = |unit: &str, meaning: &str| Column::number("bound", unit, meaning);
    let largest = |unit: &str, meaning: &str| Column::number("delay max", unit, meaning);
    vec![
        Column::text("flow", "name in the scenario"),
        bound("cells", "no unit can take longer; in cell times"),
        largest("cells", "of units delivered after the warm-up"),
        Column::number(
            "delay max of bound",
            "%",
            "the largest delay seen over the bound; more than 100 is a broken promise",
        ),
        bound("us", "the same in microseconds"),
        largest("us", "the same in microseconds"),
        Column::number("reserved", "kbps", "rho"),
        Column::number(
            "sigma",
            "bytes",
            "largest burst that its envelope, policer or source permits",
        ),
        Column::number(
            "burst",
            "bytes",
            "largest burst at its first port, whole run; empty if ports were not measured",
        ),
        Column::number(
            "servers",
            "",
            "K: ports on its path that it shares with others",
        ),
        Column::text("why none", "what rules a bound out"),
    ]
}

/// The largest delay beside the bound of each flow; `None` with less than two such flows.
pub fn plot(spec: &NetworkSpec, outcome: &Outcome, cell: Duration) -> Option<Plot> {
    let mut kept: Vec<(Bound, Duration)> = promises(spec, outcome)
        .iter()
        .filter_map(Promise::kept)
        .collect();
    if kept.len() < 2 {
        return None;
    }
    kept.sort_by_key(|(bound, _)| bound.delay);
    let cell_ps = cell.ps().max(1) as f64;
    let x: Vec<f64> = (1..=kept.len()).map(|place| place as f64).collect();
    let of = |time: fn(&(Bound, Duration)) -> Duration| -> Vec<f64> {
        let times = kept.iter().map(time);
        times.map(|time| time.ps() as f64 / cell_ps).collect()
    };
    let bounds = of(|(bound, _)| bound.delay);
    let largest = of(|(_, largest)| *largest);
    let values = || bounds.iter().chain(&largest).copied();
    let low = values().fold(f64::INFINITY, f64::min);
    let log = low > 0.0 && values().fold(0.0, f64::max) > low * WIDE;
    let end = x.len() as f64 + 0.5;
    Some(Plot {
        id: "delay-bounds".into(),
        title: "Delay bounds and largest delays".into(),
        x: Axis {
            min: Some(0.5),
            max: Some(end),
            at: if x.len() <= 20 { x.clone() } else { Vec::new() },
            ..Axis::new("Flow", "by its bound, smallest first")
        },
        y: Axis {
            other: Some(OtherUnit {
                unit: "us".into(),
                per_unit: cell_ps / 1e6,
            }),
            min: (!log).then_some(0.0),
            log,
            ..Axis::new("Delay", "cells")
        },
        curves: vec![
            Curve::new("bound", Style::Points, x.clone(), bounds),
            Curve::new("largest delay seen", Style::Points, x, largest),
        ],
        note: "A delay above its bound would be a broken promise. The table of bounds names the \
               flows."
            .into(),
        ..Plot::default()
    })
}

/// What the page warns of, in a sentence; `None` where every bound holds.
pub fn warning(spec: &NetworkSpec, outcome: &Outcome) -> Option<String> {
    let promises = promises(spec, outcome);
    let late: Vec<String> = promises
        .iter()
        .filter(|promise| promise.is_broken())
        .map(|promise| names::flow(spec, promise.flow))
        .collect();
    let shown = late.len().min(NEAREST);
    let more = match late.len() - shown {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more flow")),
    };
    (shown > 0).then(|| {
        format!(
            "Units of {}{more} exceeded the delay bound; the table of bounds has the numbers.",
            late[..shown].join(", ")
        )
    })
}

/// The flows nearest their bound and why others have none, behind an empty line; at most nine
/// lines, none where no flow reserves.
pub fn terminal_lines(spec: &NetworkSpec, outcome: &Outcome) -> Vec<String> {
    let promises = promises(spec, outcome);
    if promises.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new()];
    let mut kept: Vec<(&Promise, f64)> = promises
        .iter()
        .filter_map(|promise| Some((promise, promise.ratio()?)))
        .collect();
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.flow.cmp(&b.0.flow)));
    if !kept.is_empty() {
        let broken = kept.iter().filter(|(promise, _)| promise.is_broken());
        let verdict = match broken.count() {
            0 => "none exceeded".into(),
            late => format!("{} EXCEEDED", grouped(late as u64)),
        };
        lines.push(format!(
            "delay bounds of {}, {verdict}; nearest:",
            counted(kept.len(), "flow")
        ));
        lines.extend(aligned(&rows(spec, &kept)));
    }
    lines.extend(reason_lines(spec, &promises));
    lines
}

fn rows(spec: &NetworkSpec, kept: &[(&Promise, f64)]) -> Vec<Vec<String>> {
    let titles = ["flow", "bound", "delay max", "of bound", "reserved"];
    let mut rows = vec![titles.map(String::from).to_vec()];
    for (promise, ratio) in kept.iter().take(NEAREST) {
        let Some((bound, largest)) = promise.kept() else {
            continue;
        };
        rows.push(vec![
            shortened(&names::flow(spec, promise.flow)),
            span(bound.delay.ps() as f64),
            span(largest.ps() as f64),
            format!("{} %", significant(ratio * 100.0, 4)),
            rate(promise.reserved.0 as f64),
        ]);
    }
    rows
}

/// Reasons with how many flows have no bound for it, most first, each with the first of its flows.
fn reason_lines(spec: &NetworkSpec, promises: &[Promise]) -> Vec<String> {
    let channels = names::channels(spec);
    let mut groups: Vec<(String, u32, usize)> = Vec::new();
    for promise in promises {
        let Some(reason) = promise.reason(&channels) else {
            continue;
        };
        match groups.iter_mut().find(|(known, ..)| *known == reason) {
            Some((.., count)) => *count += 1,
            None => groups.push((reason, promise.flow, 1)),
        }
    }
    groups.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    let line = |(reason, first, count): &(String, u32, usize)| {
        let name = shortened(&names::flow(spec, *first));
        let flows = match count {
            1 => name,
            count => format!("{name} and {}", counted(count - 1, "other")),
        };
        format!("no delay bound for {flows}: {reason}")
    };
    let mut lines: Vec<String> = groups.iter().take(REASONS).map(line).collect();
    let rest: usize = groups.iter().skip(REASONS).map(|(.., count)| count).sum();
    if rest > 0 {
        lines.push(format!(
            "... nor for {}, for other reasons",
            counted(rest, "more flow")
        ));
    }
    lines
}

/// For `summary.json`; `None` where no flow reserves.
pub fn json(spec: &NetworkSpec, outcome: &Outcome) -> Option<Value> {
    let promises = promises(spec, outcome);
    let channels = names::channels(spec);
    let entry = |promise: &Promise| {
        let bound = promise.bound.ok();
        json!({
            "flow": names::flow(spec, promise.flow),
            "bound_ps": bound.map(|bound| bound.delay.ps()),
            "delay_max_ps": promise.largest.map(Duration::ps),
            "exceeded": promise.is_broken(),
            "sigma_bytes": promise.burst_bytes(),
            "servers": bound.map(|bound| bound.servers),
            "why_none": promise.reason(&channels),
        })
    };
    (!promises.is_empty()).then(|| promises.iter().map(entry).collect())
}
