//! Everything as tables, and for programs.

use serde_json::{Value, json};

use super::conditions::differing;
use super::measures::{Measure, measures, shares, throughput};
use super::meter::Seen;
use super::recovery::recoveries;
use super::{SchemeRun, SchemeRuns, Workload, WorkloadFlow};
use crate::model::{Cell, Column, Table};
use crate::number::hash;
use crate::table_of::TableOf;

/// Decimals shown.
const DIGITS: u8 = 3;
/// The column of schemes.
const SCHEME: &str = "scheme: flow control scheme";

/// Schemes, runs, flows and bursts, each a table.
pub fn compare_tables(workload: &Workload, schemes: &[SchemeRuns]) -> Vec<Table> {
    let mut tables = vec![
        by_scheme(workload, schemes),
        conditions(schemes),
        by_run(workload, schemes),
        by_flow(workload, schemes),
    ];
    if !workload.bursts.is_empty() {
        tables.push(by_burst(workload, schemes));
    }
    tables
}

fn column(measure: &Measure) -> Column {
    Column::number(&measure.full_name(), measure.unit(), &measure.meaning)
}

fn number(value: f64) -> Cell {
    match value.is_finite() {
        true => Cell::float(value, DIGITS),
        false => Cell::Empty,
    }
}

/// One row a scheme: means over the seeds.
fn by_scheme(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let has_interval = schemes.iter().any(|scheme| scheme.runs.len() > 1);
    let mut table = TableOf::of(schemes)
        .called("schemes: Each scheme under the same workload.")
        .text(SCHEME)
        .of(|scheme| scheme.name.as_str());
    for measure in measures(workload) {
        let shown = |value: f64| number(measure.scaled(value));
        let over = |scheme: &SchemeRuns| measure.over(workload, scheme);
        table = table
            .column(column(&measure))
            .of(|scheme| match measure.is_bound(scheme) {
                true => Cell::at_least(measure.scaled(over(scheme).0), DIGITS),
                false => shown(over(scheme).0),
            });
        if has_interval {
            let half_width = Column::interval(
                &measure.full_name(),
                measure.unit(),
                "half the width of the 95 % interval over the seeds",
            );
            table = table
                .column(half_width)
                .of(|scheme| over(scheme).1.map(shown));
        }
    }
    table.done()
}

/// What each scheme ran on, as it was built: one row a switch.
fn conditions(schemes: &[SchemeRuns]) -> Table {
    let rows = schemes.iter().flat_map(|scheme| {
        let memory = scheme.conditions.memory.iter();
        memory.map(move |memory| (scheme, &scheme.conditions, memory))
    });
    TableOf::of(rows)
        .called("conditions: What each scheme ran on, read from the network that was built for it.")
        .text(SCHEME)
        .of(|(scheme, ..)| scheme.name.as_str())
        .number("unit wire [bytes]: a full unit on the wire, preamble and gap included")
        .of(|(_, own, _)| own.wire_bytes)
        .number("unit payload [bytes]: payload of a full unit")
        .of(|(_, own, _)| own.payload_bytes)
        .text("service: in which order ports of switches serve")
        .of(|(_, own, _)| own.order.as_str())
        .text("switch: its name")
        .of(|(.., memory)| memory.switch.as_str())
        .number("memory [kB]: memory of the switch")
        .of(|(.., memory)| number(memory.bytes as f64 * 1e-3))
        .text("divided: how the memory of switches is divided")
        .of(|(_, own, _)| own.divided.as_str())
        .text("slowed by: who slows the sources")
        .of(|(_, own, _)| own.slowed_by.as_str())
        .done()
}

fn by_run(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let rows = schemes
        .iter()
        .flat_map(|scheme| scheme.runs.iter().map(move |run| (scheme, run)));
    let mut table = TableOf::of(rows)
        .called("runs: Each run.")
        .text(SCHEME)
        .of(|(scheme, _)| scheme.name.as_str())
        .number("seed: root of all random streams")
        .of(|(_, run)| run.seed)
        .text("trace hash: fingerprint of the run")
        .of(|(_, run)| hash(run.trace_hash))
        .number("events: events handled")
        .of(|(_, run)| run.events)
        .number("promises broken: by the engine's own count")
        .of(|(_, run)| run.broken);
    for measure in measures(workload) {
        table = table
            .column(column(&measure))
            .of(|(_, run)| number(measure.scaled(measure.value(workload, &run.seen))));
    }
    table.done()
}

/// The first run of each scheme that has one.
fn first_runs(schemes: &[SchemeRuns]) -> impl Iterator<Item = (&SchemeRuns, &SchemeRun)> {
    schemes
        .iter()
        .filter_map(|scheme| Some((scheme, scheme.runs.first()?)))
}

/// A flow under a scheme.
struct FlowRow<'a> {
    scheme: &'a str,
    flow: &'a WorkloadFlow,
    seen: &'a Seen,
    throughput_bps: f64,
    /// 0 where it has none.
    share_bps: f64,
}

fn by_flow(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let shares = &shares(workload);
    let rows = first_runs(schemes).flat_map(|(scheme, run)| {
        let flows = workload.flows.iter().enumerate();
        flows.map(move |(index, flow)| FlowRow {
            scheme: &scheme.name,
            flow,
            seen: &run.seen.flows[index],
            throughput_bps: throughput(workload, &run.seen, &[index]),
            share_bps: shares[index],
        })
    });
    let mut table = TableOf::of(rows)
        .called("flows: Each flow under each scheme, first seed.")
        .text(SCHEME)
        .of(|row| row.scheme)
        .text("flow: its name")
        .of(|row| row.flow.name.as_str())
        .text("group: flows of the group")
        .of(|row| row.flow.group.as_str())
        .number("throughput [Mbps]: payload delivered after the warm-up")
        .of(|row| number(row.throughput_bps * 1e-6))
        .number(
            "fair share [Mbps]: max-min fair rate on the link, of greedy and constant flows; \
             payload is less",
        )
        .of(|row| match row.share_bps {
            0.0 => Cell::Empty,
            share => number(share * 1e-6),
        });
    for (name, percent) in [
        ("delay p50", 50.0),
        ("delay p99", 99.0),
        ("delay max", 100.0),
    ] {
        table = table
            .number(format!("{name} [ms]: first bit sent to delivery"))
            .of(|row| {
                let delay = &row.seen.delay;
                (delay.count() > 0).then(|| number(delay.percentile(percent) as f64 * 1e-9))
            });
    }
    table
        .number("sent [kB]: payload that left, retransmissions included, whole run")
        .of(|row| number(row.seen.sent as f64 * 1e-3))
        .number("lost [kB]: payload of it that was dropped")
        .of(|row| number(row.seen.lost as f64 * 1e-3))
        .number("messages complete: that began after the warm-up")
        .of(|row| row.seen.times(workload.warm_up_ps).len() as u64)
        .number("messages incomplete: whenever they began")
        .of(|row| row.seen.open())
        .done()
}

fn by_burst(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let rows = first_runs(schemes).flat_map(|(scheme, run)| {
        let recovered = recoveries(workload, &run.seen).into_iter();
        recovered.map(move |recovered| (scheme, recovered))
    });
    let ms = |ps: u64| number(ps as f64 * 1e-9);
    TableOf::of(rows)
        .called(
            "recovery: Recovery after each burst, first seed. Empty: not before the next burst or \
             the end.",
        )
        .text(SCHEME)
        .of(|(scheme, _)| scheme.name.as_str())
        .number("burst at [ms]: its start")
        .of(|(_, found)| ms(found.start))
        .number("victim recovery [ms]: after the end of the burst")
        .of(|(_, found)| found.victim.filter(|_| found.has_victim).map(ms))
        .number("memory recovery [ms]: after the end of the burst")
        .of(|(_, found)| found.memory.map(ms))
        .done()
}

/// What the tables hold, for programs: an object a scheme, in the units of tables.
pub fn compare_summary(workload: &Workload, schemes: &[SchemeRuns]) -> Value {
    let measures = measures(workload);
    let object = |scheme: &SchemeRuns| {
        let values = measures.iter().map(|measure| {
            let (mean, half_width) = measure.over(workload, scheme);
            let mean = Some(measure.scaled(mean)).filter(|value| value.is_finite());
            let half_width = half_width.map(|width| measure.scaled(width));
            let value = json!({
                "value": mean, "ci95": half_width, "unit": measure.unit(),
                "is_bound": measure.is_bound(scheme),
            });
            (column(measure).key(), value)
        });
        let runs = scheme.runs.iter().map(|run| {
            json!({
                "seed": run.seed, "trace_hash": hash(run.trace_hash),
                "events": run.events, "promises_broken": run.broken,
                "standstill": run.standstill,
            })
        });
        json!({
            "scheme": scheme.name, "note": scheme.note,
            "conditions": scheme.conditions.json(),
            "measures": values.collect::<serde_json::Map<String, Value>>(),
            "runs": runs.collect::<Vec<_>>(),
        })
    };
    let differs: Vec<&str> = differing(schemes).collect();
    json!({
        "schemes": schemes.iter().map(object).collect::<Vec<_>>(),
        "conditions_that_differ": differs,
    })
}
