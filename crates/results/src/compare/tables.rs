//! Everything as tables, and for programs.

use serde_json::{Value, json};

use super::conditions::differing;
use super::measures::{Measure, measures, shares, throughput};
use super::recovery::recoveries;
use super::{SchemeRuns, Workload};
use crate::model::{Cell, Column, Table};

/// Decimals shown.
const DIGITS: u8 = 3;

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
    Column::number(&measure.full_name(), measure.shown.unit(), &measure.meaning)
}

fn number(value: f64) -> Cell {
    match value.is_finite() {
        true => Cell::float(value, DIGITS),
        false => Cell::Empty,
    }
}

/// One row a scheme: means over the seeds.
fn by_scheme(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let measures = measures(workload);
    let has_interval = schemes.iter().any(|scheme| scheme.runs.len() > 1);
    let mut columns = vec![Column::text("scheme", "flow control scheme")];
    for measure in &measures {
        columns.push(column(measure));
        if has_interval {
            let meaning = "half the width of the 95 % interval over the seeds";
            columns.push(Column::interval(
                &measure.full_name(),
                measure.shown.unit(),
                meaning,
            ));
        }
    }
    let mut table = Table::new("schemes", "Each scheme under the same workload.", columns);
    for scheme in schemes {
        let mut row = vec![Cell::from(scheme.name.as_str())];
        for measure in &measures {
            let (mean, half_width) = measure.over(workload, scheme);
            row.push(number(measure.shown.scaled(mean)));
            if has_interval {
                let width = half_width.unwrap_or(f64::NAN);
                row.push(number(measure.shown.scaled(width)));
            }
        }
        table.rows.push(row);
    }
    table
}

/// What each scheme ran on, as it was built: one row a switch.
fn conditions(schemes: &[SchemeRuns]) -> Table {
    let mut table = Table::new(
        "conditions",
        "What each scheme ran on, read from the network that was built for it.",
        vec![
            Column::text("scheme", "flow control scheme"),
            Column::number(
                "unit wire",
                "bytes",
                "a full unit on the wire, preamble and gap included",
            ),
            Column::number("unit payload", "bytes", "payload of a full unit"),
            Column::text("service", "in which order ports of switches serve"),
            Column::text("switch", "its name"),
            Column::number("memory", "kB", "memory of the switch"),
            Column::text("divided", "how the memory of switches is divided"),
            Column::text("slowed by", "who slows the sources"),
        ],
    );
    for scheme in schemes {
        let own = &scheme.conditions;
        for memory in &own.memory {
            table.rows.push(vec![
                scheme.name.as_str().into(),
                own.wire_bytes.into(),
                own.payload_bytes.into(),
                own.order.as_str().into(),
                memory.switch.as_str().into(),
                number(memory.bytes as f64 * 1e-3),
                own.divided.as_str().into(),
                own.slowed_by.as_str().into(),
            ]);
        }
    }
    table
}

fn by_run(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let measures = measures(workload);
    let mut columns = vec![
        Column::text("scheme", "flow control scheme"),
        Column::number("seed", "", "root of all random streams"),
        Column::text("trace hash", "fingerprint of the run"),
        Column::number("events", "", "events handled"),
        Column::number("promises broken", "", "by the engine's own count"),
    ];
    columns.extend(measures.iter().map(column));
    let mut table = Table::new("runs", "Each run.", columns);
    for scheme in schemes {
        for run in &scheme.runs {
            let mut row = vec![
                Cell::from(scheme.name.as_str()),
                run.seed.into(),
                format!("{:016x}", run.trace_hash).into(),
                run.events.into(),
                run.broken.into(),
            ];
            row.extend(measures.iter().map(|measure| {
                let value = measure.value(workload, &run.seen);
                number(measure.shown.scaled(value))
            }));
            table.rows.push(row);
        }
    }
    table
}

fn by_flow(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let shares = shares(workload);
    let mut table = Table::new(
        "flows",
        "Each flow under each scheme, first seed.",
        vec![
            Column::text("scheme", "flow control scheme"),
            Column::text("flow", "its name"),
            Column::text("group", "flows of the group"),
            Column::number("throughput", "Mbps", "payload delivered after the warm-up"),
            Column::number(
                "fair share",
                "Mbps",
                "max-min fair rate on the link, of greedy and constant flows; payload is less",
            ),
            Column::number("delay p50", "ms", "first bit sent to delivery"),
            Column::number("delay p99", "ms", "first bit sent to delivery"),
            Column::number("delay max", "ms", "first bit sent to delivery"),
            Column::number(
                "sent",
                "kB",
                "payload that left, retransmissions included, whole run",
            ),
            Column::number("lost", "kB", "payload of it that was dropped"),
            Column::number("messages complete", "", "that began after the warm-up"),
            Column::number("messages incomplete", "", "that began after the warm-up"),
        ],
    );
    for scheme in schemes {
        let Some(run) = scheme.runs.first() else {
            continue;
        };
        for (index, flow) in workload.flows.iter().enumerate() {
            let seen = &run.seen.flows[index];
            let delay = |percent: f64| match seen.delay.count() {
                0 => Cell::Empty,
                _ => number(seen.delay.percentile(percent) as f64 * 1e-9),
            };
            let share = match shares[index] {
                0.0 => Cell::Empty,
                share => number(share * 1e-6),
            };
            table.rows.push(vec![
                scheme.name.as_str().into(),
                flow.name.as_str().into(),
                flow.group.as_str().into(),
                number(throughput(workload, &run.seen, &[index]) * 1e-6),
                share,
                delay(50.0),
                delay(99.0),
                delay(100.0),
                number(seen.sent as f64 * 1e-3),
                number(seen.lost as f64 * 1e-3),
                (seen.times(workload.warm_up_ps).len() as u64).into(),
                seen.open(workload.warm_up_ps).into(),
            ]);
        }
    }
    table
}

fn by_burst(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let mut table = Table::new(
        "recovery",
        "Recovery after each burst, first seed. Empty: not before the next burst or the end.",
        vec![
            Column::text("scheme", "flow control scheme"),
            Column::number("burst at", "ms", "its start"),
            Column::number("victim recovery", "ms", "after the end of the burst"),
            Column::number("memory recovery", "ms", "after the end of the burst"),
        ],
    );
    for scheme in schemes {
        let Some(run) = scheme.runs.first() else {
            continue;
        };
        for found in recoveries(workload, &run.seen) {
            let ms = |time: Option<u64>| time.map_or(Cell::Empty, |ps| number(ps as f64 * 1e-9));
            let victim = found.victim.filter(|_| found.has_victim);
            table.rows.push(vec![
                scheme.name.as_str().into(),
                number(found.start as f64 * 1e-9),
                ms(victim),
                ms(found.memory),
            ]);
        }
    }
    table
}

/// The same for programs: by scheme, in the units of tables.
pub fn compare_summary(workload: &Workload, schemes: &[SchemeRuns]) -> Value {
    let measures = measures(workload);
    let one = |scheme: &SchemeRuns| {
        let values = measures.iter().map(|measure| {
            let (mean, half_width) = measure.over(workload, scheme);
            let mean = Some(measure.shown.scaled(mean)).filter(|value| value.is_finite());
            let half_width = half_width.map(|width| measure.shown.scaled(width));
            let value = json!({
                "value": mean, "ci95": half_width, "unit": measure.shown.unit(),
            });
            (column(measure).key(), value)
        });
        let runs = scheme.runs.iter().map(|run| {
            json!({
                "seed": run.seed, "trace_hash": format!("{:016x}", run.trace_hash),
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
        "schemes": schemes.iter().map(one).collect::<Vec<_>>(),
        "conditions_that_differ": differs,
    })
}
