//! Delay bounds of frames beside the delays that were seen.

use backwater_kernel::{Duration, Place, Violations};
use backwater_net::bound::frames::{Bound, NoBound, bounds};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec};
use backwater_net::outcome::{FlowOutcome, Outcome};

use crate::events::bounds::{self as promised, Promised};
use crate::events::{names, us};
use crate::model::Table;
use crate::number::span;

/// What is promised to a flow, and what came of it.
struct Promise {
    bound: Result<Bound, NoBound>,
    common: Promised,
}

/// One for each flow, if the frames of some come at a constant rate.
fn promises(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Promise> {
    let is_even = |flow: &FlowSpec| matches!(flow.traffic, TrafficSpec::Constant { .. });
    if !spec.flows.iter().any(is_even) {
        return Vec::new();
    }
    let channels = names::channels(spec);
    let words = |reason: NoBound| {
        reason.words(
            |channel| names::channel(&channels, channel),
            |flow| names::flow(spec, flow),
        )
    };
    let found = (0..).zip(bounds(spec)).zip(&outcome.flows);
    let promise = |((flow, bound), found): ((u32, Result<Bound, NoBound>), &FlowOutcome)| {
        let delay = &found.delay;
        let least = bound.map(|bound| span(bound.least.ps() as f64));
        Promise {
            bound,
            common: Promised {
                flow: names::flow(spec, flow),
                bound: bound.map(|bound| bound.delay).map_err(words),
                largest: (delay.count > 0).then_some(Duration(delay.max)),
                rounding: Duration::ZERO,
                detail: least.unwrap_or_default(),
            },
        }
    };
    found.map(promise).collect()
}

/// What is promised, and what came of it.
pub fn common(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Promised> {
    let promises = promises(spec, outcome).into_iter();
    promises.map(|promise| promise.common).collect()
}

/// Adds each flow that took longer than its bound to what the run broke. Once a run: it counts.
pub fn note_late_frames(spec: &EthernetSpec, outcome: &mut Outcome) {
    let mut violations = Violations::default();
    for (flow, promised) in (0..).zip(common(spec, outcome)) {
        if let Some(what) = promised.broken("a frame") {
            violations.note(outcome.ended_at, Place::Flow(flow), || what);
        }
    }
    outcome.violations.append(&violations);
}

/// A row for each flow, if some have a bound or could.
pub fn table(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    promised::table(promises(spec, outcome), |promise| &promise.common)
        .number(
            "alone",
            "us",
            "the part of the bound that is not waiting",
            |promise| promise.bound.ok().map(|bound| us(bound.least.ps())),
        )
        .number("ports", "", "on its path", |promise| {
            promise.bound.ok().map(|bound| bound.ports)
        })
        .done()
}

/// The flows nearest their bound and why others have none, behind an empty line; at most nine
/// lines, none where no flow has a bound.
pub fn terminal_lines(spec: &EthernetSpec, outcome: &Outcome) -> Vec<String> {
    let all = common(spec, outcome);
    match all.iter().any(|promised| promised.bound.is_ok()) {
        true => promised::terminal_lines(&all, "alone"),
        false => Vec::new(),
    }
}
