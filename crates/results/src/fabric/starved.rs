//! Classes and terminals of the cycle engine that got next to nothing through.

use backwater_flit::spec::Arbiter;
use backwater_kernel::words::{agreed, counted};

use super::tables::class_name;
use super::{FabricFindings, fair};
use crate::number::grouped;
use crate::starved::{got_nothing, told};

/// Who got next to nothing.
#[derive(Debug)]
pub enum Starved {
    /// These classes.
    Classes(Vec<usize>),
    /// Where no class did: sources that don't get in, and what does.
    Terminals(Vec<(u32, u64)>),
}

/// Who got next to nothing through.
pub fn starved(run: &FabricFindings<'_>) -> Starved {
    let classes = run.outcome.classes.iter().enumerate();
    let classes = classes.filter(|(_, own)| got_nothing(own.created_total, own.delivered_total));
    let classes: Vec<usize> = classes.map(|(class, _)| class).collect();
    match classes.is_empty() {
        true => Starved::Terminals(terminals(run)),
        false => Starved::Classes(classes),
    }
}

fn terminals(run: &FabricFindings<'_>) -> Vec<(u32, u64)> {
    let Some(entered) = fair::entered(run) else {
        return Vec::new();
    };
    let got_in = |terminal: u32| {
        let share = entered.get(terminal as usize).copied().unwrap_or(0.0);
        (share * run.outcome.window as f64).round() as u64
    };
    let all = (0_u32..).zip(&run.outcome.terminals);
    all.map(|(terminal, found)| (terminal, found, got_in(terminal)))
        .filter(
            |(terminal, found, got_in)| match fair::is_greedy(run.spec, *terminal) {
                true => got_nothing(due(run, *terminal).unwrap_or(1), *got_in),
                false => got_nothing(found.created, *got_in),
            },
        )
        .map(|(terminal, _, got_in)| (terminal, got_in))
        .collect()
}

/// Flits of the window that are the max-min share of a terminal, if that is known.
fn due(run: &FabricFindings<'_>, terminal: u32) -> Option<u64> {
    let share = run.shares().ok()?.rows.get(terminal as usize)?.share?;
    Some((share * run.outcome.window as f64).round() as u64)
}

/// All of them by name.
pub fn all(run: &FabricFindings<'_>) -> Vec<String> {
    let names = run.names();
    match run.starved() {
        Starved::Classes(all) => all.iter().map(|one| class_name(run.spec, *one)).collect(),
        Starved::Terminals(all) => all.iter().map(|(one, _)| names.terminal(*one)).collect(),
    }
}

/// A sentence for each of the first.
pub fn sentences(run: &FabricFindings<'_>) -> Vec<String> {
    let names = run.names();
    match run.starved() {
        Starved::Classes(all) => told(all, |class| {
            let class_outcome = &run.outcome.classes[*class];
            format!(
                "{}: {} created, {} delivered: {}",
                class_name(run.spec, *class),
                counted(class_outcome.created_total, "flit"),
                grouped(class_outcome.delivered_total),
                reason(run, *class)
            )
        }),
        Starved::Terminals(all) => told(all, |(terminal, got_in)| {
            let terminal_outcome = &run.outcome.terminals[*terminal as usize];
            if fair::is_greedy(run.spec, *terminal) {
                return greedy(run, *terminal, *got_in);
            }
            format!(
                "{}: {} created in the window, {} entered the network: {} {} there",
                names.terminal(*terminal),
                counted(terminal_outcome.created, "flit"),
                grouped(*got_in),
                grouped(terminal_outcome.queued),
                agreed(terminal_outcome.queued, "waits", "wait")
            )
        }),
    }
}

/// What is said of a source that always has a packet.
fn greedy(run: &FabricFindings<'_>, terminal: u32, got_in: u64) -> String {
    let name = run.names().terminal(terminal);
    let entered = counted(got_in, "flit");
    let sentence = format!(
        "{name}: it always has a packet to send, and {entered} entered the network in the window"
    );
    match due(run, terminal) {
        Some(due) => format!("{sentence}; its max-min share is {}", grouped(due)),
        None => sentence,
    }
}

/// Who goes before a class.
fn reason(run: &FabricFindings<'_>, class: usize) -> String {
    let waits = format!(
        "{} {} at sources, {} {} in the network",
        grouped(run.outcome.queued_total),
        agreed(run.outcome.queued_total, "waits", "wait"),
        grouped(run.outcome.inside_total),
        agreed(run.outcome.inside_total, "is", "are")
    );
    let router = &run.spec.router;
    let arbiters = [router.channel_arbiter, router.lane_arbiter];
    let Some(own) = run.spec.classes.get(class) else {
        return waits;
    };
    let urgent = run
        .spec
        .classes
        .iter()
        .filter(|o| o.priority > own.priority);
    match urgent.count() {
        count @ 1.. if arbiters.contains(&Arbiter::Earliest) => format!(
            "{count} of the other classes go before it, its priority is {}; larger numbers are \
             served first",
            own.priority
        ),
        _ => waits,
    }
}
