//! Delay bounds of frames beside the delays that were seen.

use backwater_kernel::{Duration, Place};
use backwater_net::bound::frames::{self, Bound, NoBound};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec};

use super::Frames;
use crate::events::bounds::{self, DelayBounds, Promised};
use crate::events::us;
use crate::model::Table;
use crate::number::span;

impl DelayBounds for EthernetSpec {
    const REASONS_ALONE: bool = false;

    /// One for each flow, if the frames of some come at a constant rate.
    fn promised(run: &Frames<'_>) -> Vec<Promised> {
        let is_even = |flow: &FlowSpec| matches!(flow.traffic, TrafficSpec::Constant { .. });
        if !run.network.flows.iter().any(is_even) {
            return Vec::new();
        }
        let words =
            |reason: NoBound| reason.words(|channel| run.port(channel), |flow| run.flow(flow));
        let promised = |(flow, bound): (u32, Result<Bound, NoBound>)| {
            let least = bound.map(|bound| span(bound.least.ps() as f64));
            Promised {
                flow,
                name: run.flow(flow),
                place: Place::Flow(flow),
                bound: bound.map(|bound| bound.delay).map_err(words),
                own: bound.ok().map(|bound| bound.least),
                ports: bound.ok().map(|bound| bound.ports),
                largest: bounds::largest(run, flow),
                rounding: Duration::ZERO,
                detail: ("alone", least.unwrap_or_default()),
            }
        };
        let bounds = (0..).zip(frames::bounds(run.network));
        bounds.map(promised).collect()
    }
}

/// A row for each flow, if some have a bound or could.
pub fn table(run: &Frames<'_>) -> Table {
    bounds::table(run)
        .number("alone [us]: the part of the bound that is not waiting")
        .of(|one| one.own.map(|least| us(least.ps())))
        .number("ports: on its path")
        .of(|one| one.ports)
        .done()
}
