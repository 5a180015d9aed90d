//! Delay bounds of frames beside the delays that were seen.

use backwater_kernel::{Duration, Place};
use backwater_net::bound::Account;
use backwater_net::bound::frames::{self, Bound, NoBound};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec};

use super::Frames;
use crate::events::bounds::{self, DelayBounds, Promised};
use crate::events::hops::Terms;
use crate::events::us;
use crate::model::Table;
use crate::number::span;

impl DelayBounds for EthernetSpec {
    fn terms(&self) -> Vec<(u32, Terms)> {
        let accounts = (0..).zip(frames::accounts(self));
        let accounts = accounts.filter_map(|(flow, own)| Some((flow, own.ok()?)));
        accounts
            .map(|(flow, own)| (flow, Terms::of(&own)))
            .collect()
    }

    /// One for each flow, if the frames of some come at a constant rate.
    fn promised(run: &Frames<'_>) -> Vec<Promised> {
        let is_even = |flow: &FlowSpec| matches!(flow.traffic, TrafficSpec::Constant { .. });
        if !run.network.flows.iter().any(is_even) {
            return Vec::new();
        }
        let accounts = frames::accounts(run.network);
        let bounds = accounts.iter();
        let bounds = bounds.map(|own| own.as_ref().map(|own| own.bound).map_err(|why| *why));
        let bounds: Vec<Result<Bound, NoBound>> = bounds.collect();
        let why = |flow| {
            let words =
                frames::why_none(&bounds, flow, |port| run.port(port), |flow| run.flow(flow));
            words.unwrap_or_default()
        };
        let promised = |(flow, account): (u32, &Result<Account<Bound>, NoBound>)| {
            let bound = bounds[flow as usize];
            let least = bound.map(|bound| span(bound.least.ps() as f64));
            Promised {
                flow,
                name: run.flow(flow),
                place: Place::Flow(flow),
                bound: bound.map(|bound| bound.delay).map_err(|_| why(flow)),
                terms: account.as_ref().map(Terms::of).unwrap_or_default(),
                could: !bound.is_err_and(|reason| reason.is_of_source()),
                own: bound.ok().map(|bound| bound.least),
                ports: bound.ok().map(|bound| bound.ports),
                largest: bounds::largest(run, flow),
                rounding: Duration::ZERO,
                detail: ("alone", least.unwrap_or_default()),
            }
        };
        (0..).zip(&accounts).map(promised).collect()
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
