//! Classes and terminals of the cycle engine that got next to nothing through.

use flit::outcome::FabricOutcome;
use flit::spec::{Arbiter, FabricSpec};

use super::{FabricNames, fair};
use crate::number::grouped;
use crate::starved::{got_nothing, told};

/// A sentence for each of the first classes, and for each of the first terminals.
pub fn sentences(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<String> {
    let mut all = classes(spec, outcome);
    if all.is_empty() {
        all = terminals(spec, outcome);
    }
    all
}

fn classes(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<String> {
    let classes = (0_u32..).zip(&outcome.classes);
    let starved: Vec<u32> = classes
        .filter(|(_, found)| got_nothing(found.created_total, found.delivered_total))
        .map(|(class, _)| class)
        .collect();
    told(&starved, |class| {
        let found = &outcome.classes[class as usize];
        let own = spec.classes.get(class as usize);
        let name = own.map_or("", |own| &own.name);
        format!(
            "{}: {} flits created, {} delivered: {}",
            match name {
                "" => format!("class {class}"),
                name => name.to_owned(),
            },
            grouped(found.created_total),
            grouped(found.delivered_total),
            reason(spec, outcome, class as usize)
        )
    })
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
             served first here",
            own.priority
        ),
        _ => waits,
    }
}

/// Sources that don't get in.
fn terminals(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<String> {
    let Some(entered) = fair::entered(spec, outcome) else {
        return Vec::new();
    };
    let got_in = |terminal: u32| {
        let share = entered.get(terminal as usize).copied().unwrap_or(0.0);
        (share * outcome.window as f64).round() as u64
    };
    let all = (0_u32..).zip(&outcome.terminals);
    let starved: Vec<u32> = all
        .filter(|(terminal, found)| got_nothing(found.created, got_in(*terminal)))
        .map(|(terminal, _)| terminal)
        .collect();
    let names = FabricNames::new(&spec.graph);
    told(&starved, |terminal| {
        let found = &outcome.terminals[terminal as usize];
        format!(
            "{}: {} flits created in the window, {} got into the network: {} wait there",
            names.terminal(terminal),
            grouped(found.created),
            grouped(got_in(terminal)),
            grouped(found.queued)
        )
    })
}
