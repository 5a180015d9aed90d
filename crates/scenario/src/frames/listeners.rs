//! Who hears the rates that queues state.

use std::collections::BTreeSet;

use backwater_kernel::Channels;
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, RATE_BYTES};

use super::lossless::Whole;
use super::packets::frame;
use super::roce::chosen;
use super::trims;
use crate::prelude::*;

/// Sources that obey rates need switches that state them, and the other way round.
pub(crate) fn check(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let has_points = points(look.spec);
    let obeys = look.spec.kinds().any(FlowSpec::hears_rates);
    if obeys {
        unguided(look, mistakes);
    }
    for (at, class) in given(look) {
        let heard =
            |flow: &FlowSpec| flow.hears_rates() && class.is_none_or(|class| class == flow.class);
        if has_points && !look.spec.kinds().any(heard) {
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

/// Trimming where nothing can be trimmed.
pub(crate) fn trimmed(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let mut flows = look.spec.kinds();
    if flows.any(|flow| flow.transport.is_pairs()) {
        return;
    }
    for (_, at) in trims::given(look.file) {
        Diagnostic::warning("nothing-trimmed", "no flow has packets that are trimmed")
            .at(at, "cuts packets of RoCE")
            .note("frames of TCP and UDP that find their queue full are dropped")
            .help("give flows `transport = \"roce\"`, or leave `when_full` out")
            .tell(mistakes);
    }
}

/// Bytes of the frames that state rates, where queues do and sources obey.
pub(crate) fn message_bytes(spec: &EthernetSpec) -> Option<u32> {
    let listeners = || spec.kinds().filter(|flow| flow.hears_rates());
    let largest = || {
        listeners()
            .map(|flow| frame(RATE_BYTES, flow.is_tagged))
            .max()
    };
    points(spec).then(largest).flatten()
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
    let own = file.own_queues().into_iter();
    all.extend(own.filter_map(|(queues, class)| Some((queues.rocc.place()?, class))));
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
