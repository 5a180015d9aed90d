//! The tables of a run of the cycle engine that don't grow with the network.

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::FabricSpec;

use super::words::LOAD;
use super::{FabricFindings, deadlock, fair, groups, network, zero_load};
use crate::fairness::FairShares;
use crate::model::{Cell, Column, Table};
use crate::table_of::TableOf;
use backwater_kernel::words::counted;

/// Tables that are read as a whole: of the whole run, latencies, classes, groups of channels, VCs,
/// the deadlock and violations. Then those in which something is looked up: terminals, fair shares,
/// channels, the course and the latency histogram.
pub fn tables(run: &FabricFindings<'_>) -> Vec<Table> {
    let outcome = &run.outcome;
    vec![
        summary(run),
        latencies(run),
        classes(run),
        groups::table(run),
        vcs(outcome),
        deadlock::table(run),
        violations(outcome),
        network::terminals(run),
        run.shares().map(FairShares::table).unwrap_or_default(),
        network::channels(run),
        network::map(run),
        course(outcome),
        histogram(outcome),
    ]
}

/// The run as a whole, number by number.
pub fn numbers(run: &FabricFindings<'_>) -> Vec<(Column, Cell)> {
    let outcome = &run.outcome;
    let measured = |value: f64| (outcome.window > 0).then_some(value);
    let load = |value: Option<f64>| value.map(|value| Cell::float(value, 4)).into();
    let hops = (outcome.latency.count > 0).then_some(outcome.hops_mean);
    let fairness = fair::of_sources(run).map(|found| found.0);
    let number = |name: &str, unit: &str, value: Cell| (Column::number(name, unit, ""), value);
    let count = |name: &str, unit: &str, value: u64| number(name, unit, value.into());
    vec![
        number("offered", LOAD, load(measured(outcome.offered))),
        number("accepted", LOAD, load(measured(outcome.accepted))),
        (
            Column::interval("accepted", LOAD, ""),
            load(outcome.accepted_half_width),
        ),
        number(
            "accepted by one terminal, min",
            LOAD,
            load(measured(outcome.accepted_least)),
        ),
        number("Jain index of sources", "", load(fairness)),
        number(
            "channels crossed mean",
            "",
            hops.map(|hops| Cell::float(hops, 3)).into(),
        ),
        number(
            "latency at zero load",
            "cycles",
            zero_load(run).map(|cycles| Cell::float(cycles, 3)).into(),
        ),
        count("cycles", "cycles", outcome.cycles),
        count("window start", "cycle", outcome.window_start),
        count("window", "cycles", outcome.window),
        count("created", "flits", outcome.created_total),
        count("delivered", "flits", outcome.delivered_total),
        count("queued", "flits", outcome.queued_total),
        count("inside", "flits", outcome.inside_total),
        count("delivered", "packets", outcome.packets_total),
        count("unfinished", "packets", outcome.unfinished),
        count("flit hops", "", outcome.flit_hops),
    ]
}

fn summary(run: &FabricFindings<'_>) -> Table {
    TableOf::of(numbers(run))
        .called(
            "summary: The whole network. Loads, hops and unfinished packets are of the window, \
             flits of the whole run.",
        )
        .text("quantity: what")
        .of(|(column, _)| column.heading())
        .number("value: the value; empty if not measured")
        .of(|(_, value)| value.clone())
        .text("unit: of the value")
        .of(|(column, _)| column.unit.clone())
        .done()
}

fn latencies(run: &FabricFindings<'_>) -> Table {
    let mut rows = vec![
        ("all, from creation".to_owned(), &run.outcome.latency),
        (
            "all, from entering".to_owned(),
            &run.outcome.network_latency,
        ),
    ];
    if run.outcome.classes.len() > 1 {
        rows.extend(
            run.outcome
                .classes
                .iter()
                .enumerate()
                .map(|(index, class)| {
                    let name = format!("{}, from creation", class_name(run.spec, index));
                    (name, &class.latency)
                }),
        );
    }
    rows.retain(|(_, found)| found.count > 0);
    TableOf::of(rows)
        .called(
            "latency: Packets created in the window. Those that have not arrived count with their \
             age: then mean, percentiles and max are bounds from below, and a percentile is empty \
             while more than the share above it have not.",
        )
        .text("of: which packets, and from when on")
        .of(|(name, _)| name.clone())
        .number("packets [packets]: how many")
        .of(|(_, found)| found.count)
        .times("latency", ("cycles", 1.0), |(_, found)| *found)
        .done()
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

impl FabricFindings<'_> {
    /// The tables of a class, each with a row; nothing if there is none of the name.
    pub fn class_tables(&self, name: &str) -> Option<Vec<Table>> {
        let class = class_names(self.spec).iter().position(|own| own == name)?;
        let mut table = classes(self);
        table.rows = vec![std::mem::take(table.rows.get_mut(class)?)];
        Some(vec![table])
    }
}

fn classes(run: &FabricFindings<'_>) -> Table {
    let rows = run
        .outcome
        .classes
        .iter()
        .enumerate()
        .map(|(index, found)| {
            let deadline = run.spec.classes.get(index).and_then(|class| class.deadline);
            (index, found, deadline)
        });
    TableOf::of(rows)
        .called("classes: What each class sent, and how much was delivered.")
        .text("class: name in the scenario")
        .of(|(index, ..)| class_name(run.spec, *index))
        .number("created [flits]: flits of packets created; whole run")
        .of(|(_, found, _)| found.created_total)
        .number("delivered [flits]: flits that arrived; whole run")
        .of(|(_, found, _)| found.delivered_total)
        .number("inside [flits]: created and not delivered: queued at sources or inside")
        .of(|(_, found, _)| found.created_total.saturating_sub(found.delivered_total))
        .number("arrived [packets]: created in the window")
        .of(|(_, found, _)| found.latency.count)
        .number("latency mean [cycles]: from creation to the arrival of the tail")
        .of(|(_, found, _)| {
            let (mean, open) = (found.latency.mean, found.latency.open);
            (found.latency.count > 0).then(|| match open {
                0 => Cell::float(mean, 2),
                _ => Cell::at_least(mean, 2),
            })
        })
        .number("latency p99 [cycles]: 99 in 100 of them took no longer")
        .of(|(_, found, _)| found.latency.told()[2].filter(|_| found.latency.count > 0))
        .number("deadline [cycles]: within which a packet should arrive")
        .of(|(.., deadline)| *deadline)
        .number("late [packets]: created in the window and missed the deadline")
        .of(|(_, found, deadline)| deadline.map(|_| found.late))
        .done()
}

/// Use of each VC; nothing before the window.
pub fn vc_shares(outcome: &FabricOutcome) -> &[f64] {
    match outcome.window {
        0 => &[],
        _ => &outcome.lane_utilization,
    }
}

fn vcs(outcome: &FabricOutcome) -> Table {
    TableOf::of((0_u64..).zip(vc_shares(outcome)))
        .called("vcs: Use of each virtual channel in the window, mean over all channels.")
        .number("vc: index of the virtual channel")
        .of(|(vc, _)| *vc)
        .number("use [%]: share of the window's cycles it carried a flit")
        .of(|(_, share)| Cell::float(*share * 100.0, 3))
        .done()
}

fn course(outcome: &FabricOutcome) -> Table {
    TableOf::of(&outcome.course)
        .called("course: The run in intervals, warm-up included.")
        .number("until [cycle]: last cycle of the interval")
        .of(|point| point.cycle)
        .number(format!("offered [{LOAD}]: created in it"))
        .of(|point| Cell::float(point.offered, 4))
        .number(format!("accepted [{LOAD}]: delivered in it"))
        .of(|point| Cell::float(point.accepted, 4))
        .number("latency mean [cycles]: of the packets delivered in it")
        .of(|point| (point.latency > 0.0).then(|| Cell::float(point.latency, 2)))
        .done()
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
    TableOf::of(outcome.latency.histogram.exact())
        .called(format!("latency-histogram: {caption}"))
        .number("latency [cycles]: from creation to the arrival of the tail")
        .of(|(cycles, _)| *cycles)
        .number("packets [packets]: number of packets with this latency")
        .of(|(_, packets)| *packets)
        .done()
}

fn violations(outcome: &FabricOutcome) -> Table {
    TableOf::of(outcome.violations.kept())
        .called(format!(
            "violations: Promises broken, oldest first: {} in all.",
            crate::number::grouped(outcome.violations.total())
        ))
        .number("cycle: when")
        .of(|violation| violation.at)
        .text("what: which promise, with numbers")
        .of(|violation| violation.what.clone())
        .done()
}
