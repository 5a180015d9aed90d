//! What clients waited for: responses of requests over circuits.

use backwater_kernel::words::counted;
use backwater_kernel::{DelayOutcome, Duration};
use backwater_net::alone;
use backwater_net::outcome::Outcome;
use backwater_net::spec::NetworkSpec;

use super::Circuits;
use crate::distribution::Statistics;
use crate::events::transfers::{self, ALONE, MS};
use crate::groups::of_name;
use crate::model::{Cell, Table};
use crate::number::{significant, span};

/// Responses of a flow.
struct Answered<'a> {
    flow: u32,
    times: &'a DelayOutcome,
    /// What one takes on an idle network, ps, where all are alike.
    alone_ps: Option<f64>,
}

fn answered<'a>(
    outcome: &'a Outcome,
    alone: impl Fn(u32) -> Option<Duration>,
) -> impl Iterator<Item = Answered<'a>> {
    let flows = (0..).zip(&outcome.flows);
    let flows = flows.filter(|(_, found)| found.responses.count > 0);
    flows.map(move |(flow, found)| {
        let alone = alone(flow).map(|time| time.ps() as f64);
        Answered {
            flow,
            times: &found.responses,
            alone_ps: alone.filter(|ps| *ps > 0.0),
        }
    })
}

/// What the responses of a group take alone, if that is the same for all.
pub fn alone_of_group(spec: &NetworkSpec, name: &str) -> Option<Duration> {
    let flows = (0..).zip(&spec.flows);
    let found = of_name(flows, |(_, flow)| &flow.name, name);
    let mut times = found.into_iter().map(|(id, _)| alone::response(spec, id));
    let first = times.next()?;
    times.all(|time| time == first).then_some(first)?
}

/// A row for each flow with responses; `alone` says what those of a flow take alone.
pub fn table(run: &Circuits<'_>, alone: impl Fn(u32) -> Option<Duration>) -> Table {
    let all = answered(&run.outcome, alone);
    let count = (|_: &Answered| "requests", |one: &Answered| one.times.count);
    transfers::table(run, all, |one| one.flow, count)
        .times("FCT", ("ms", MS), |one| one.times)
        .number(format!("FCT alone [ms]: {ALONE}"))
        .of(|one| one.alone_ps.map(|ps| Cell::float(ps / MS, 3)))
        .columns(<DelayOutcome>::columns("slowdown", ""), |one| {
            let alone = one.alone_ps;
            alone.map_or(Vec::new(), |alone| one.times.cells(alone))
        })
        .done()
}

/// All together, for a terminal.
pub fn line(run: &Circuits<'_>) -> Option<String> {
    let alone = |flow| alone::response(run.network, flow);
    let all: Vec<Answered> = answered(&run.outcome, alone).collect();
    let times = DelayOutcome::merged(all.iter().map(|one| one.times));
    if times.count == 0 {
        return None;
    }
    let mut line = format!(
        "{}: mean {}, p99 {}",
        counted(times.count, "response"),
        span(times.mean),
        span(times.percentiles[2] as f64)
    );
    let known = all.iter().filter_map(|one| {
        let slowdown = one.times.mean / one.alone_ps?;
        Some((one.times.count as f64, slowdown))
    });
    let (count, sum) = known.fold((0.0, 0.0), |(count, sum), (own, mean)| {
        (count + own, sum + own * mean)
    });
    if count > 0.0 {
        line.push_str(&format!("; slowdown mean {}", significant(sum / count, 4)));
    }
    Some(line)
}
