//! The tables of a run of the cycle engine that don't grow with the network.

use backwater_flit::outcome::{CyclesOutcome, FabricOutcome};
use backwater_flit::spec::FabricSpec;

use super::words::LOAD;
use super::{deadlock, fair, groups, network, zero_load};
use crate::model::{Cell, Column, Table};
use backwater_kernel::words::counted;

/// Tables of the whole run, latencies, classes, terminals, fair shares, channels, VCs, the
/// course, the latency histogram, the deadlock and violations; those without a row are left out.
pub fn fabric_tables(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<Table> {
    let mut tables = summary_tables(spec, outcome);
    tables.extend(long_tables(spec, outcome));
    tables
}

/// Those that are read as a whole.
pub fn summary_tables(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<Table> {
    with_rows(vec![
        summary(spec, outcome),
        latencies(spec, outcome),
        classes(spec, outcome),
        groups::table(spec, outcome),
        vcs(outcome),
        deadlock::table(spec, outcome),
        violations(outcome),
    ])
}

/// Those in which something is looked up.
pub fn long_tables(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<Table> {
    let shares = fair::shares(spec, outcome).unwrap_or_default();
    with_rows(vec![
        network::terminals(spec, outcome),
        shares.table(),
        network::channels(spec, outcome),
        network::map(spec, outcome),
        course(outcome),
        histogram(outcome),
    ])
}

fn with_rows(mut tables: Vec<Table>) -> Vec<Table> {
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn summary(spec: &FabricSpec, outcome: &FabricOutcome) -> Table {
    let mut table = Table::new(
        "summary",
        "The whole network. Loads and hops are of the window, flits of the whole run.",
        vec![
            Column::text("quantity", "what"),
            Column::number("value", "", "the value; empty if not measured"),
            Column::text("unit", "of the value"),
        ],
    );
    let measured = |value: f64| (outcome.window > 0).then_some(value);
    let float = |value: Option<f64>, digits| match value {
        Some(value) => Cell::float(value, digits),
        None => Cell::Empty,
    };
    let rows: [(&str, Cell, &str); 17] = [
        ("offered", float(measured(outcome.offered), 4), LOAD),
        ("accepted", float(measured(outcome.accepted), 4), LOAD),
        (
            "accepted, 95 % interval",
            float(outcome.accepted_half_width, 4),
            LOAD,
        ),
        (
            "accepted by one terminal, min",
            float(measured(outcome.accepted_least), 4),
            LOAD,
        ),
        (
            "Jain's index of the flits injected by sources",
            float(fair::of_sources(spec, outcome).map(|found| found.0), 4),
            "",
        ),
        (
            "channels crossed",
            float((outcome.latency.count > 0).then_some(outcome.hops_mean), 3),
            "hops",
        ),
        (
            "latency at zero load",
            float(zero_load(spec, outcome), 3),
            "cycles",
        ),
        ("cycles", outcome.cycles.into(), "cycles"),
        ("start of the window", outcome.window_start.into(), "cycles"),
        ("window", outcome.window.into(), "cycles"),
        ("created", outcome.created_total.into(), "flits"),
        ("delivered", outcome.delivered_total.into(), "flits"),
        ("queued", outcome.queued_total.into(), "flits"),
        ("inside", outcome.inside_total.into(), "flits"),
        ("delivered packets", outcome.packets_total.into(), "packets"),
        (
            "created in the window and not arrived",
            outcome.unfinished.into(),
            "packets",
        ),
        ("crossed a channel", outcome.flit_hops.into(), "flits"),
    ];
    let row = |(name, value, unit): (&str, Cell, &str)| vec![name.into(), value, unit.into()];
    table.rows.extend(rows.map(row));
    table
}

fn latencies(spec: &FabricSpec, outcome: &FabricOutcome) -> Table {
    let cycles = |name: &str, meaning: &str| Column::number(name, "cycles", meaning);
    let mut table = Table::new(
        "latency",
        "Packets created in the window that have arrived.",
        vec![
            Column::text("of", "which packets, and from when on"),
            Column::number("packets", "packets", "how many"),
            cycles("latency mean", "mean"),
            Column::interval(
                "latency mean",
                "cycles",
                "half width of the interval of the mean, by batch means; empty if the run is too \
                 short for one",
            ),
            cycles("latency deviation", "standard deviation"),
            cycles("latency min", "shortest"),
            cycles("latency p50", "half of the packets took no longer"),
            cycles("latency p90", "nine in ten took no longer"),
            cycles("latency p99", "99 in 100 took no longer"),
            cycles("latency p99.9", "999 in 1000 took no longer"),
            cycles("latency max", "longest"),
        ],
    );
    let mut add = |name: String, found: &CyclesOutcome| {
        if found.count > 0 {
            table.rows.push(latency_row(name, found));
        }
    };
    add("all, from creation".into(), &outcome.latency);
    add("all, from entering".into(), &outcome.network_latency);
    if outcome.classes.len() > 1 {
        for (index, class) in outcome.classes.iter().enumerate() {
            let name = format!("{}, from creation", class_name(spec, index));
            add(name, &class.latency);
        }
    }
    table
}

fn latency_row(name: String, found: &CyclesOutcome) -> Vec<Cell> {
    let mut row: Vec<Cell> = vec![
        name.into(),
        found.count.into(),
        Cell::float(found.mean, 2),
        match found.half_width {
            Some(half) => Cell::float(half, 2),
            None => Cell::Empty,
        },
        Cell::float(found.deviation, 2),
        found.min.into(),
    ];
    row.extend(found.percentiles.map(Cell::from));
    row.push(found.max.into());
    row
}

/// A class as the scenario calls it.
pub fn class_name(spec: &FabricSpec, class: usize) -> String {
    match spec.classes.get(class) {
        Some(class) if !class.name.is_empty() => class.name.clone(),
        _ => format!("class {class}"),
    }
}

/// The names of classes.
pub fn class_names(spec: &FabricSpec) -> Vec<String> {
    let classes = 0..spec.classes.len();
    classes.map(|class| class_name(spec, class)).collect()
}

/// The tables of a class; nothing if there is none of the name.
pub fn class_tables(spec: &FabricSpec, outcome: &FabricOutcome, name: &str) -> Option<Vec<Table>> {
    let class = class_names(spec).iter().position(|own| own == name)?;
    let mut table = classes(spec, outcome);
    table.rows = vec![std::mem::take(table.rows.get_mut(class)?)];
    Some(vec![table])
}

fn classes(spec: &FabricSpec, outcome: &FabricOutcome) -> Table {
    let mut table = Table::new(
        "classes",
        "What each class sent, and how much was delivered.",
        vec![
            Column::text("class", "name in the scenario"),
            Column::number("created", "flits", "flits of packets created; whole run"),
            Column::number("delivered", "flits", "flits that arrived; whole run"),
            Column::number(
                "inside",
                "flits",
                "created and not delivered: queued at sources or inside",
            ),
            Column::number("arrived", "packets", "created in the window"),
            Column::number(
                "latency mean",
                "cycles",
                "from creation to the arrival of the tail",
            ),
            Column::number("latency p99", "cycles", "99 in 100 of them took no longer"),
            Column::number("deadline", "cycles", "within which a packet should arrive"),
            Column::number(
                "late",
                "packets",
                "created in the window and missed the deadline",
            ),
        ],
    );
    for (index, found) in outcome.classes.iter().enumerate() {
        let deadline = spec.classes.get(index).and_then(|class| class.deadline);
        let some = found.latency.count > 0;
        table.rows.push(vec![
            class_name(spec, index).into(),
            found.created_total.into(),
            found.delivered_total.into(),
            found
                .created_total
                .saturating_sub(found.delivered_total)
                .into(),
            found.latency.count.into(),
            if some {
                Cell::float(found.latency.mean, 2)
            } else {
                Cell::Empty
            },
            some.then_some(found.latency.percentiles[2]).into(),
            deadline.into(),
            deadline.map(|_| found.late).into(),
        ]);
    }
    table
}

/// Use of each VC; nothing before the window.
pub fn vc_shares(outcome: &FabricOutcome) -> &[f64] {
    match outcome.window {
        0 => &[],
        _ => &outcome.lane_utilization,
    }
}

fn vcs(outcome: &FabricOutcome) -> Table {
    let mut table = Table::new(
        "vcs",
        "Use of each virtual channel in the window, mean over all channels.",
        vec![
            Column::number("vc", "", "index of the virtual channel"),
            Column::number("use", "%", "share of the window's cycles it carried a flit"),
        ],
    );
    for (vc, share) in vc_shares(outcome).iter().enumerate() {
        table
            .rows
            .push(vec![(vc as u64).into(), Cell::float(share * 100.0, 3)]);
    }
    table
}

fn course(outcome: &FabricOutcome) -> Table {
    let mut table = Table::new(
        "course",
        "The run in intervals, warm-up included.",
        vec![
            Column::number("until", "cycle", "last cycle of the interval"),
            Column::number("offered", LOAD, "created in it"),
            Column::number("accepted", LOAD, "delivered in it"),
            Column::number("latency mean", "cycles", "of the packets delivered in it"),
        ],
    );
    for point in &outcome.course {
        table.rows.push(vec![
            point.cycle.into(),
            Cell::float(point.offered, 4),
            Cell::float(point.accepted, 4),
            if point.latency > 0.0 {
                Cell::float(point.latency, 2)
            } else {
                Cell::Empty
            },
        ]);
    }
    table
}

fn histogram(outcome: &FabricOutcome) -> Table {
    let mut caption =
        String::from("Number of packets created in the window, by latency from creation.");
    if outcome.latency.histogram.beyond_exact() > 0 {
        caption.push_str(&format!(
            " {} took longer than the last row.",
            counted(outcome.latency.histogram.beyond_exact(), "packet")
        ));
    }
    let mut table = Table::new(
        "latency histogram",
        caption,
        vec![
            Column::number(
                "latency",
                "cycles",
                "from creation to the arrival of the tail",
            ),
            Column::number("packets", "packets", "number of packets with this latency"),
        ],
    );
    for (cycles, packets) in outcome.latency.histogram.exact() {
        table.rows.push(vec![cycles.into(), packets.into()]);
    }
    table
}

fn violations(outcome: &FabricOutcome) -> Table {
    let mut table = Table::new(
        "violations",
        format!(
            "Promises broken, oldest first: {} in all.",
            crate::number::grouped(outcome.violations.total())
        ),
        vec![
            Column::number("cycle", "", "when"),
            Column::text("what", "which promise, with numbers"),
        ],
    );
    for violation in outcome.violations.kept() {
        table
            .rows
            .push(vec![violation.at.into(), violation.what.clone().into()]);
    }
    table
}
