//! Delay bounds beside the delays that were seen.

use backwater_kernel::{Duration, Place};
use backwater_net::bound::{self, Account, Bound, NoBound};
use backwater_net::spec::{FlowSpec, NetworkSpec};

use super::Circuits;
use crate::events::bounds::{self, DelayBounds, Promised};
use crate::events::hops::Terms;
use crate::model::{Cell, Table};
use crate::number::rate;

impl DelayBounds for NetworkSpec {
    fn terms(&self) -> Vec<(u32, Terms)> {
        let accounts = (0..).zip(bound::accounts(self));
        let accounts = accounts.filter_map(|(flow, own)| Some((flow, own.ok()?)));
        accounts
            .map(|(flow, own)| (flow, Terms::of(&own)))
            .collect()
    }

    /// One for each flow that reserves.
    fn promised(run: &Circuits<'_>) -> Vec<Promised> {
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
        let flows = (0..).zip(&run.network.flows);
        let flows = flows.zip(bound::accounts(run.network));
        type Found = Result<Account<Bound>, NoBound>;
        let promised = |((flow, own), account): ((u32, &FlowSpec), Found)| {
            let terms = account.as_ref().map(Terms::of).unwrap_or_default();
            let bound = account.map(|own| own.bound);
            let legs = own.legs.iter();
            let on_the_way = legs.filter_map(|leg| started.get(leg.channel as usize));
            Some(Promised {
                flow,
                name: run.flow(flow),
                place: Place::Leg(last_legs[flow as usize]),
                bound: bound.map(|bound| bound.delay).map_err(words),
                terms,
                could: true,
                own: bound.ok().map(|bound| bound.burst),
                ports: bound.ok().map(|bound| bound.servers),
                largest: bounds::largest(run, flow),
                // Every unit that was sent on the flow's way may have taken a picosecond more than
                // on paper.
                rounding: Duration(on_the_way.sum()),
                detail: ("reserved", rate(own.reserve?.rate.0 as f64)),
            })
        };
        flows.filter_map(promised).collect()
    }
}

/// A row for each flow that reserves.
pub fn table(run: &Circuits<'_>) -> Table {
    let at_ports = run.at_ports.as_ref();
    let seen = |one: &&Promised| at_ports?.flows.get(one.flow as usize)?.burst_seen_bytes;
    let reserved = |one: &Promised| run.network.flows[one.flow as usize].reserve;
    let sigma_bytes = |one: &&Promised| {
        let burst_ps = u128::from(one.own?.ps());
        let bytes = burst_ps * u128::from(reserved(one)?.rate.0) / 8_000_000_000_000;
        u64::try_from(bytes).ok()
    };
    bounds::table(run)
        .number("reserved [kbps]: rho")
        .of(|one| reserved(one).map(|own| Cell::float(own.rate.0 as f64 / 1e3, 3)))
        .number("sigma [bytes]: largest burst that its envelope, policer or source permits")
        .of(sigma_bytes)
        .number(
            "burst [bytes]: largest burst at its first port, whole run; empty if ports were not \
             measured",
        )
        .of(seen)
        .number("servers: K: ports on its path that it shares with others")
        .of(|one| one.ports)
        .done()
}
