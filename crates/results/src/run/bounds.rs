//! Delay bounds beside the delays that were seen.

use backwater_kernel::{Duration, Place, Rate, Violations};
use backwater_net::bound::{self, Bound, NoBound};
use backwater_net::outcome::{Outcome, PortsOutcome};
use backwater_net::spec::{FlowSpec, NetworkSpec};

use crate::events::bounds::{self as promised, Promised};
use crate::events::names;
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
fn promises(spec: &NetworkSpec, outcome: &Outcome) -> Vec<Promise> {
    if spec.flows.iter().all(|flow| flow.reserve.is_none()) {
        return Vec::new();
    }
    let mut started = vec![0u64; 2 * spec.links.len()];
    for leg in &outcome.legs {
        if let Some(started) = started.get_mut(leg.channel as usize) {
            *started += leg.sent_total;
        }
    }
    let channels = names::channels(spec);
    let words = |reason: NoBound| reason.words(|channel| names::channel(&channels, channel));
    let flows = (0..).zip(&spec.flows).zip(bound::bounds(spec));
    let promise = |((index, flow), bound): ((u32, &FlowSpec), Result<Bound, NoBound>)| {
        let found = outcome.flows.get(index as usize);
        let delay = found
            .map(|found| &found.delay)
            .filter(|delay| delay.count > 0);
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
                flow: names::flow(spec, index),
                bound: bound.map(|bound| bound.delay).map_err(words),
                largest: delay.map(|delay| Duration(delay.max)),
                // Picoseconds that transmission times may have been rounded up by, in all.
                rounding: Duration(on_the_way.sum()),
                detail: rate(reserved.0 as f64),
            },
        })
    };
    flows.filter_map(promise).collect()
}

/// Adds each flow that took longer than its bound to what the run broke. Once a run: it counts.
///
/// Every unit that was sent on the flow's way may have taken a picosecond more than on paper, and
/// so much more is not late.
pub fn note_broken_bounds(spec: &NetworkSpec, outcome: &mut Outcome) {
    let promises = promises(spec, outcome);
    let late = promises.iter().filter_map(|promise| {
        let what = promise.common.broken("a unit")?;
        let last_leg = outcome
            .legs
            .iter()
            .rposition(|leg| leg.flow == promise.flow);
        Some((last_leg.unwrap_or(0) as u32, what))
    });
    let mut violations = Violations::default();
    for (leg, what) in late {
        violations.note(outcome.ended_at, Place::Leg(leg), || what);
    }
    outcome.violations.append(&violations);
}

/// A row for each flow that reserves.
pub fn table(
    spec: &NetworkSpec,
    outcome: &Outcome,
    measured: Option<&PortsOutcome>,
    cell: Duration,
) -> Table {
    let in_cells = |time: Duration| Cell::float(time.ps() as f64 / cell.ps().max(1) as f64, 2);
    let seen = |one: &Promise| measured?.flows.get(one.flow as usize)?.burst_seen_bytes;
    promised::table(promises(spec, outcome), |one| &one.common)
        .number("bound", "cells", "the same in cell times", |one| {
            one.bound.ok().map(|bound| in_cells(bound.delay))
        })
        .number("delay max", "cells", "the same in cell times", |one| {
            one.common.largest.map(in_cells)
        })
        .number("reserved", "kbps", "rho", |one| {
            Cell::float(one.reserved.0 as f64 / 1e3, 3)
        })
        .number(
            "sigma",
            "bytes",
            "largest burst that its envelope, policer or source permits",
            Promise::burst_bytes,
        )
        .number(
            "burst",
            "bytes",
            "largest burst at its first port, whole run; empty if ports were not measured",
            seen,
        )
        .number(
            "servers",
            "",
            "K: ports on its path that it shares with others",
            |one| one.bound.ok().map(|bound| bound.servers),
        )
        .done()
}

/// What is promised, and what came of it.
pub fn common(spec: &NetworkSpec, outcome: &Outcome) -> Vec<Promised> {
    let promises = promises(spec, outcome).into_iter();
    promises.map(|promise| promise.common).collect()
}

/// The flows nearest their bound and why others have none, behind an empty line; at most nine
/// lines, none where no flow reserves.
pub fn terminal_lines(spec: &NetworkSpec, outcome: &Outcome) -> Vec<String> {
    promised::terminal_lines(&common(spec, outcome), "reserved")
}
