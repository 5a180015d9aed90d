//! What the page says of frames alone.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;

use super::completion::{Completion, times};
use super::groups::{fairness, goodputs};
use super::{plots, promises, transfers};
use crate::distribution::tail;
use crate::events::control::Control;
use crate::events::page::Page;
use crate::info::RunInfo;
use crate::model::Fact;
use crate::number::{fixed, grouped, rate};

/// Goodput, transfers, slowdown and stops; figures of queues and groups; promises.
pub fn page(spec: &EthernetSpec, info: &RunInfo, outcome: &Outcome) -> Page {
    let control = Control::of(outcome).sentence();
    let control = control.map(|control| format!("control frames: {control}"));
    Page {
        facts: facts(spec, outcome),
        sentences: control.into_iter().collect(),
        figures: vec![("Figures", plots::plots(spec, outcome))],
        end: promises::blocks(info, spec, outcome),
    }
}

/// The numbers that matter of frames alone.
fn facts(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Fact> {
    let goodputs = goodputs(spec, outcome);
    let mut facts = vec![Fact::new(
        "Goodput",
        rate(goodputs.iter().sum()),
        format!(
            "over {}, fairness {}",
            counted(goodputs.len(), "flow"),
            fixed(fairness(&goodputs), 3)
        ),
    )];
    if let Some((complete, last)) = transfers::sentence(outcome) {
        facts.push(Fact::new("Transfers", grouped(complete), last));
    }
    let slowdown = Completion::of(outcome.flows.iter()).slowdown;
    if let Some((mean, tail)) = slowdown.mean().zip(tail(&slowdown, times)) {
        let tail = match slowdown.percentile(99.0) {
            Some(_) => format!("p99 {tail}"),
            None => tail,
        };
        facts.push(Fact::new("Slowdown", times(mean), format!("mean; {tail}")));
    }
    let control = Control::of(outcome);
    if control.stops > 0 {
        facts.push(Fact::new(
            "Stops",
            grouped(control.stops),
            format!("{} resumes", grouped(control.resumes)),
        ));
    }
    facts
}
