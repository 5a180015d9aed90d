//! The page of a run of the Ethernet engine.

use backwater_kernel::Series;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;

use super::completion::{Completion, times};
use super::groups::{fairness, goodputs};
use super::tables::ethernet_tables;
use super::words;
use super::{bounds, fair, plots, promises, standstill};
use crate::distribution::tail;
use crate::events::control::Control;
use crate::events::page::{Page, fact, report};
use crate::info::RunInfo;
use crate::model::{Fact, Report, Tone};
use crate::number::{fixed, grouped, rate};
use backwater_kernel::words::counted;

/// A page that explains the run: the numbers that matter, what went wrong, figures, series, every
/// table, the scenario and the command.
pub fn ethernet_report(
    info: &RunInfo,
    spec: &EthernetSpec,
    outcome: &Outcome,
    series: &[Series],
) -> Report {
    let control = Control::of(outcome).sentence();
    let control = control.map(|control| format!("control frames: {control}"));
    let fairness = fair::shares(spec, outcome).plot();
    let page = Page {
        stop: words::stop_short(outcome),
        facts: facts(spec, outcome),
        bounds: bounds::common(spec, outcome),
        still: standstill_note(outcome),
        sentences: control.into_iter().collect(),
        figures: vec![
            ("Figures", plots::plots(spec, outcome)),
            ("Fairness", fairness.into_iter().collect()),
            ("Time series", plots::series_plots(series)),
        ],
        tables: ethernet_tables(spec, outcome),
        end: promises::blocks(info, spec, outcome),
    };
    report((info, spec, outcome), page)
}

/// The numbers that matter of frames alone.
fn facts(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Fact> {
    let goodputs = goodputs(spec, outcome);
    let mut facts = vec![fact(
        "Goodput",
        rate(goodputs.iter().sum()),
        format!(
            "over {}, fairness {}",
            counted(goodputs.len(), "flow"),
            fixed(fairness(&goodputs), 3)
        ),
    )];
    if let Some((complete, last)) = words::transfers(outcome) {
        facts.push(fact("Transfers", grouped(complete), last));
    }
    let slowdown = Completion::of(outcome.flows.iter()).slowdown;
    if let Some((mean, tail)) = slowdown.mean().zip(tail(&slowdown, times)) {
        let tail = match slowdown.percentile(99.0) {
            Some(_) => format!("p99 {tail}"),
            None => tail,
        };
        facts.push(fact("Slowdown", times(mean), format!("mean; {tail}")));
    }
    let control = Control::of(outcome);
    if control.stops > 0 {
        facts.push(fact(
            "Stops",
            grouped(control.stops),
            format!("{} resumes", grouped(control.resumes)),
        ));
    }
    facts
}

fn standstill_note(outcome: &Outcome) -> Option<(Tone, String)> {
    let found = outcome.standstill.as_ref()?;
    let text = format!(
        "The run ended in a {}. The table below shows which queue waits for which.",
        standstill::sentence(found)
    );
    Some((Tone::Problem, text))
}
