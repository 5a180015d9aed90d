//! Queues that state rates: from what the file says to a congestion point, and who hears it.

use std::collections::BTreeSet;

use backwater_ends::control::Ratio;
use backwater_kernel::{Channels, Rate};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, RoccPointSpec};

use super::lossless::Whole;
use super::roce::chosen;
use crate::given::frames::rates::Rocc;
use crate::prelude::*;

/// Rates count in this.
const UNIT: u64 = 10_000_000;

/// The congestion point of a queue in front of a channel of this rate.
pub(crate) fn point(
    own: &Rocc,
    port: Rate,
    name: &str,
    mistakes: &mut Diagnostics,
) -> RoccPointSpec {
    let usual = RoccPointSpec::of(port);
    let whole = |rate: Rate| Rate((rate.0 / UNIT).max(1) * UNIT);
    let spec = RoccPointSpec {
        interval: own.interval.unwrap_or(usual.interval),
        least: own.least.map_or(usual.least, whole),
        most: own.most.map_or(usual.most, whole),
        reference_bytes: own.reference.unwrap_or(usual.reference_bytes),
        growth_bytes: own.growth.unwrap_or(usual.growth_bytes),
        most_bytes: own.max.unwrap_or(usual.most_bytes),
        offset_gain: own.offset_gain.map_or(usual.offset_gain, Ratio::new),
        growth_gain: own.growth_gain.map_or(usual.growth_gain, Ratio::new),
        rate_bits: own.rate_bits,
        max_cut: own.max_cut.into(),
    };
    if spec.least > spec.most
        && let Some(at) = own.least.place().or(own.most.place())
    {
        let gbps = |rate: Rate| rate.0 as f64 / 1e9;
        Diagnostic::error(
            "bad-rates",
            "the least rate that a queue states is above the most",
        )
        .at(
            at,
            format!("from {} to {} Gbps", gbps(spec.least), gbps(spec.most)),
        )
        .note(format!("queue `{name}`"))
        .help("lower `least`, or raise `most`")
        .tell(mistakes);
    }
    if spec.reference_bytes >= spec.most_bytes
        && let Some(at) = own.reference.place().or(own.max.place())
    {
        Diagnostic::error(
            "bad-threshold",
            "a queue at its reference would cut all rates",
        )
        .at(
            at,
            format!(
                "the reference is {} B, `max` {} B",
                spec.reference_bytes, spec.most_bytes
            ),
        )
        .note(format!("queue `{name}`"))
        .help("raise `max` above `reference`")
        .tell(mistakes);
    }
    spec
}

/// Sources that obey rates need switches that state them, and the other way round.
pub(crate) fn check(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let has_points = points(look.spec);
    let obeys = look.spec.flows.iter().any(FlowSpec::hears_rates);
    if obeys {
        unguided(look, mistakes);
    }
    for (at, class) in given(look) {
        let heard =
            |flow: &FlowSpec| flow.hears_rates() && class.is_none_or(|class| class == flow.class);
        if has_points && !look.spec.flows.iter().any(heard) {
            Diagnostic::warning(
                "unheard-rates",
                "no source obeys the rates that queues state",
            )
            .at(at, "states rates to sources under `control = \"rocc\"`")
            .note("other sources, and datagrams, are told nothing")
            .help("add `control = \"rocc\"` to `[roce]`, for flows with `transport = \"roce\"`")
            .tell(mistakes);
        }
    }
}

fn points(spec: &EthernetSpec) -> bool {
    let mut channels = spec.links.iter().flat_map(|link| &link.channels);
    channels.any(|channel| channel.queues.iter().any(|queue| queue.rocc.is_some()))
}

/// Where the file asks for congestion points, and of which class.
fn given<'a>(look: &Whole<'a>) -> Vec<(&'a At, Option<u8>)> {
    let file = look.file;
    let mut all = Vec::new();
    all.extend(file.buffer.rocc.place().map(|at| (at, None)));
    for own in &file.classes {
        let class = own.class.sure().copied();
        all.extend(own.queues.rocc.place().map(|at| (at, class)));
    }
    let links = file.links.iter();
    let channels = links.flat_map(|own| {
        let ways = [&own.forward, &own.backward].into_iter().flatten();
        ways.chain([&own.channel])
    });
    let trunk = file.topology.iter().filter_map(|own| own.trunk.as_ref());
    let queues = channels.chain(trunk).map(|own| &own.queues);
    all.extend(queues.filter_map(|own| Some((own.rocc.place()?, None))));
    all
}

/// Flows that obey, and whose frames meet no queue that states a rate.
fn unguided(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let Ok(tables) = Tables::new(look.spec) else {
        return;
    };
    let mut told = BTreeSet::new();
    for (flow, table) in look.flows.each() {
        if !flow.hears_rates() || meets_point(look.spec, &tables, flow) {
            continue;
        }
        let at = chosen(look.file, table);
        if !told.insert((at.source, at.start)) {
            continue;
        }
        Diagnostic::warning(
            "no-rates",
            "nothing states a rate to sources that wait for one",
        )
        .at(at, "obeys rates that switches state")
        .note("without any it stays at line rate")
        .help("add `rocc = {}` to `[buffer]`: queues with the published values")
        .tell(mistakes);
    }
}

/// Is there one on some shortest way?
fn meets_point(spec: &EthernetSpec, tables: &Tables, flow: &FlowSpec) -> bool {
    let mut reached = vec![flow.source];
    let mut known: BTreeSet<u32> = BTreeSet::from([flow.source]);
    while let Some(node) = reached.pop() {
        for hop in tables.next_hops(node, flow.destination) {
            let queue = spec.links.channel(*hop).queues.get(usize::from(flow.class));
            if node != flow.source && queue.is_some_and(|queue| queue.rocc.is_some()) {
                return true;
            }
            let next = spec.links.ends(*hop).1;
            if known.insert(next) {
                reached.push(next);
            }
        }
    }
    false
}
