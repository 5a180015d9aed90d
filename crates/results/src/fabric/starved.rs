//! Classes and terminals of the cycle engine that got next to nothing through.

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::{Arbiter, FabricSpec};

use super::{FabricNames, fair};
use crate::number::grouped;
use crate::starved::{got_nothing, told};

/// A sentence for each of the first classes or, if there are none, of the first terminals.
pub fn sentences(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<String> {
    let classes = classes(outcome);
    if classes.is_empty() {
        return of_terminals(spec, outcome);
    }
    told(&classes, |class| {
        let found = &outcome.classes[*class as usize];
        format!(
            "{}: {} flits created, {} delivered: {}",
            class_name(spec, *class),
            grouped(found.created_total),
            grouped(found.delivered_total),
            reason(spec, outcome, *class as usize)
        )
    })
}

/// All classes of them by name or, if there are none, all terminals.
pub fn all(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<String> {
    let classes = classes(outcome);
    if classes.is_empty() {
        let names = FabricNames::new(&spec.graph);
        let terminals = terminals(spec, outcome).into_iter();
        return terminals.map(|(one, _)| names.terminal(one)).collect();
    }
    let names = classes.iter().map(|class| class_name(spec, *class));
    names.collect()
}

fn classes(outcome: &FabricOutcome) -> Vec<u32> {
    let classes = (0_u32..).zip(&outcome.classes);
    classes
        .filter(|(_, found)| got_nothing(found.created_total, found.delivered_total))
        .map(|(class, _)| class)
        .collect()
}

fn class_name(spec: &FabricSpec, class: u32) -> String {
    let own = spec.classes.get(class as usize);
    match own.map_or("", |own| &own.name) {
        "" => format!("class {class}"),
        name => name.to_owned(),
    }
}

/// Who goes before a class.
fn reason(spec: &FabricSpec, outcome: &FabricOutcome, class: usize) -> String {
    let waits = format!(
        "{} wait at sources, {} are in the network",
        grouped(outcome.queued_total),
        grouped(outcome.inside_total)
    );
    let router = &spec.router;
    let arbiters = [router.channel_arbiter, router.lane_arbiter];
    let Some(own) = spec.classes.get(class) else {
        return waits;
    };
    let urgent = spec.classes.iter().filter(|o| o.priority > own.priority);
    match urgent.count() {
        count @ 1.. if arbiters.contains(&Arbiter::Earliest) => format!(
            "{count} of the other classes go before it, its priority is {}; larger numbers are \
             served first",
            own.priority
        ),
        _ => waits,
    }
}

/// Sources that don't get in, and what does.
fn terminals(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<(u32, u64)> {
    let Some(entered) = fair::entered(spec, outcome) else {
        return Vec::new();
    };
    let got_in = |terminal: u32| {
        let share = entered.get(terminal as usize).copied().unwrap_or(0.0);
        (share * outcome.window as f64).round() as u64
    };
    let all = (0_u32..).zip(&outcome.terminals);
    all.map(|(terminal, found)| (terminal, found, got_in(terminal)))
        .filter(|(_, found, got_in)| got_nothing(found.created, *got_in))
        .map(|(terminal, _, got_in)| (terminal, got_in))
        .collect()
}

fn of_terminals(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<String> {
    let names = FabricNames::new(&spec.graph);
    told(&terminals(spec, outcome), |(terminal, got_in)| {
        let found = &outcome.terminals[*terminal as usize];
        format!(
            "{}: {} flits created in the window, {} entered the network: {} wait there",
            names.terminal(*terminal),
            grouped(found.created),
            grouped(*got_in),
            grouped(found.queued)
        )
    })
}
