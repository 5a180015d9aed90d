//! Delay bounds of frames beside the delays that were seen.

use backwater_kernel::{Duration, Place};
use backwater_net::bound::frames::{self, Bound, NoBound};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec};
use backwater_net::outcome::FlowOutcome;

use super::Frames;
use crate::events::bounds::{self, DelayBounds, Promised};
use crate::events::us;
use crate::model::Table;
use crate::number::span;

/// What is promised to a flow, and what came of it.
struct Promise {
    bound: Result<Bound, NoBound>,
    common: Promised,
}

/// One for each flow, if the frames of some come at a constant rate.
fn promises(run: &Frames<'_>) -> Vec<Promise> {
    let is_even = |flow: &FlowSpec| matches!(flow.traffic, TrafficSpec::Constant { .. });
    if !run.network.flows.iter().any(is_even) {
        return Vec::new();
    }
    let words = |reason: NoBound| reason.words(|channel| run.port(channel), |flow| run.flow(flow));
    let found = (0..)
        .zip(frames::bounds(run.network))
        .zip(&run.outcome.flows);
    let promise = |((flow, bound), found): ((u32, Result<Bound, NoBound>), &FlowOutcome)| {
        let least = bound.map(|bound| span(bound.least.ps() as f64));
        Promise {
            bound,
            common: Promised {
                flow: run.flow(flow),
                place: Place::Flow(flow),
                bound: bound.map(|bound| bound.delay).map_err(words),
                largest: bounds::largest(found),
                rounding: Duration::ZERO,
                detail: ("alone", least.unwrap_or_default()),
            },
        }
    };
    found.map(promise).collect()
}

/// A row for each flow, if some have a bound or could.
pub fn table(run: &Frames<'_>) -> Table {
    bounds::table(promises(run), run.cell, |promise| &promise.common)
        .number("alone [us]: the part of the bound that is not waiting")
        .of(|promise| promise.bound.ok().map(|bound| us(bound.least.ps())))
        .number("ports: on its path")
        .of(|promise| promise.bound.ok().map(|bound| bound.ports))
        .done()
}

impl DelayBounds for EthernetSpec {
    /// What is promised, and what came of it; nothing where no flow has a bound.
    fn promised(run: &Frames<'_>) -> Vec<Promised> {
        let promises = promises(run).into_iter();
        let all: Vec<Promised> = promises.map(|promise| promise.common).collect();
        let has_bounds = all.iter().any(|one| one.bound.is_ok());
        if has_bounds { all } else { Vec::new() }
    }
}
