//! What clients waited for: responses of requests over circuits.

use std::borrow::Cow;

use backwater_kernel::words::counted;
use backwater_kernel::{Distribution, Duration};
use backwater_net::alone;
use backwater_net::outcome::Outcome;
use backwater_net::spec::NetworkSpec;

use super::Circuits;
use crate::distribution::{Statistics, bound, cell, tail, without_p99};
use crate::events::transfers::{self, ALONE, MS, UNFINISHED};
use crate::groups::of_name;
use crate::model::{Cell, Table};
use crate::number::{significant, span};

/// Responses of a flow.
struct Answered<'a> {
    flow: u32,
    times: Cow<'a, Distribution>,
    /// What one takes on an idle network, ps, where all are alike.
    alone_ps: Option<f64>,
}

fn answered<'a>(
    outcome: &'a Outcome,
    alone: impl Fn(u32) -> Option<Duration>,
) -> impl Iterator<Item = Answered<'a>> {
    let flows = (0..).zip(&outcome.flows);
    let flows = flows.filter(|(_, found)| found.responses.count() + found.responses.open() > 0);
    flows.map(move |(flow, found)| {
        let alone = alone(flow).map(|time| time.ps() as f64);
        let alone_ps = alone.filter(|ps| *ps > 0.0);
        let times = match alone_ps {
            Some(least) if found.responses.open() > 0 => {
                Cow::Owned(found.responses.clone().none_below(least))
            }
            _ => Cow::Borrowed(&found.responses),
        };
        Answered {
            flow,
            times,
            alone_ps,
        }
    })
}

/// What the responses of a group take alone, if that is the same for all.
pub fn alone_of_group(spec: &NetworkSpec, name: &str) -> Option<Duration> {
    let flows = (0..).zip(&spec.flows);
    let members = of_name(flows, |(_, flow)| &flow.name, name);
    let mut times = members.into_iter().map(|(id, _)| alone::response(spec, id));
    let first = times.next()?;
    times.all(|time| time == first).then_some(first)?
}

/// A row for each flow with responses; `alone` says what those of a flow take alone.
pub fn table(run: &Circuits<'_>, alone: impl Fn(u32) -> Option<Duration>) -> Table {
    let all = answered(&run.outcome, alone);
    let count = (
        |_: &Answered| "requests",
        |one: &Answered| one.times.count(),
    );
    transfers::table(run, all, |one| one.flow, count)
        .number(UNFINISHED[0])
        .of(|one| one.times.open())
        .number(UNFINISHED[1])
        .of(|one| cell(one.times.oldest(), MS))
        .times("FCT", ("ms", MS), |one| &*one.times)
        .number(format!("FCT alone [ms]: {ALONE}"))
        .of(|one| one.alone_ps.map(|ps| Cell::float(ps / MS, 3)))
        .columns(Distribution::columns("slowdown", ""), |one| {
            let alone = one.alone_ps;
            alone.map_or(Vec::new(), |alone| one.times.cells(alone))
        })
        .done()
}

/// `p99 3 ms`, or the largest of few.
fn tail_words(times: &Distribution, words: impl Fn(f64) -> String) -> Option<String> {
    let p99 = if times.percentile(99.0).is_some() {
        "p99 "
    } else {
        ""
    };
    let why = without_p99(times).map_or_else(String::new, |why| format!("; {why}"));
    Some(format!("{p99}{}{why}", tail(times, words)?))
}

/// Requests not answered that are too many for a p99.
pub fn warning(run: &Circuits<'_>) -> Option<String> {
    let responses = run.outcome.flows.iter().map(|flow| &flow.responses);
    let all = Distribution::merged(responses);
    let stands = run.outcome.standstill.is_some();
    transfers::warning(&all, run.seconds(), "request", stands)
}

/// All together, for a terminal.
pub fn line(run: &Circuits<'_>) -> Option<String> {
    let alone = |flow| alone::response(run.network, flow);
    let all: Vec<Answered> = answered(&run.outcome, alone).collect();
    let times = Distribution::merged(all.iter().map(|one| &*one.times));
    let (open, is) = (times.open(), bound(times.open() > 0));
    let mut line = format!(
        "{}: mean {is}{}, {}",
        counted(times.count(), "response"),
        span(times.mean()?),
        tail_words(&times, span)?
    );
    if let Some(age) = times.oldest() {
        let open = counted(open, "request");
        line += &format!("; {open} unanswered, the oldest {} old", span(age));
    }
    let known = all.iter().filter_map(|one| {
        let slowdown = one.times.mean()? / one.alone_ps?;
        Some(((one.times.count() + one.times.open()) as f64, slowdown))
    });
    let (count, sum) = known.fold((0.0, 0.0), |(count, sum), (own, mean)| {
        (count + own, sum + own * mean)
    });
    if count > 0.0 {
        line.push_str(&format!(
            "; slowdown mean {is}{}",
            significant(sum / count, 4)
        ));
    }
    Some(line)
}
