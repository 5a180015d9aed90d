//! Delay bounds beside the delays that were seen.

use backwater_kernel::{Duration, Place, Rate};
use backwater_net::bound::{self, Bound, NoBound};
use backwater_net::spec::{FlowSpec, NetworkSpec};

use super::Circuits;
use crate::events::bounds::{self, DelayBounds, Promised};
use crate::model::{Cell, Table};
use crate::number::rate;

/// What is promised to a flow that reserves, and what came of it.
struct Promise {
    flow: u32,
    reserved: Rate,
    bound: Result<Bound, NoBound>,
    common: Promised,
}

impl Promise {
    /// sigma in bytes.
    fn burst_bytes(&self) -> Option<u64> {
        let burst_ps = u128::from(self.bound.ok()?.burst.ps());
        let bytes = burst_ps * u128::from(self.reserved.0) / 8_000_000_000_000;
        u64::try_from(bytes).ok()
    }
}

/// One for each flow that reserves.
fn promises(run: &Circuits<'_>) -> Vec<Promise> {
    if run.network.flows.iter().all(|flow| flow.reserve.is_none()) {
        return Vec::new();
    }
    let mut started = vec![0u64; 2 * run.network.links.len()];
    let mut last_legs = vec![0; run.network.flows.len()];
    for (id, leg) in (0..).zip(&run.outcome.legs) {
        if let Some(started) = started.get_mut(leg.channel as usize) {
            *started += leg.sent_total;
        }
        if let Some(last) = last_legs.get_mut(leg.flow as usize) {
            *last = id;
        }
    }
    let words = |reason: NoBound| reason.words(|channel| run.port(channel));
    let found = |flow: u32| run.outcome.flows.get(flow as usize);
    let flows = (0..).zip(&run.network.flows);
    let flows = flows.zip(bound::bounds(run.network));
    let promise = |((index, flow), bound): ((u32, &FlowSpec), Result<Bound, NoBound>)| {
        let on_the_way = flow
            .legs
            .iter()
            .filter_map(|leg| started.get(leg.channel as usize));
        let reserved = flow.reserve?.rate;
        Some(Promise {
            flow: index,
            reserved,
            bound,
            common: Promised {
                flow: run.flow(index),
                place: Place::Leg(last_legs[index as usize]),
                bound: bound.map(|bound| bound.delay).map_err(words),
                largest: found(index).and_then(bounds::largest),
                // Every unit that was sent on the flow's way may have taken a picosecond more than
                // on paper.
                rounding: Duration(on_the_way.sum()),
                detail: ("reserved", rate(reserved.0 as f64)),
            },
        })
    };
    flows.filter_map(promise).collect()
}

/// A row for each flow that reserves.
pub fn table(run: &Circuits<'_>) -> Table {
    let at_ports = run.at_ports.as_ref();
    let seen = |one: &Promise| at_ports?.flows.get(one.flow as usize)?.burst_seen_bytes;
    bounds::table(promises(run), run.cell, |one| &one.common)
        .number("reserved [kbps]: rho")
        .of(|one| Cell::float(one.reserved.0 as f64 / 1e3, 3))
        .number("sigma [bytes]: largest burst that its envelope, policer or source permits")
        .of(Promise::burst_bytes)
        .number(
            "burst [bytes]: largest burst at its first port, whole run; empty if ports were not \
             measured",
        )
        .of(seen)
        .number("servers: K: ports on its path that it shares with others")
        .of(|one| one.bound.ok().map(|bound| bound.servers))
        .done()
}

impl DelayBounds for NetworkSpec {
    /// What is promised, and what came of it.
    fn promised(run: &Circuits<'_>) -> Vec<Promised> {
        let promises = promises(run).into_iter();
        promises.map(|promise| promise.common).collect()
    }
}
