//! Cyclic buffer dependency: may stopped queues come to wait for each other in a cycle?
//!
//! A channel `X->Y` that `Y` stops waits for the queues of `Y` that asked for the stop: under
//! detection at outputs those of all ports but the one back to `X` (`others`), that one too
//! (`all`), or those that frames of `X->Y` go on to (`contributing`, and detection at inputs).
//! Queues that can't fill up to their XOFF threshold, because all windows of the flows through
//! them together are less, are left out. A cycle is necessary for a deadlock, not sufficient
//! (Hu et al., HotNets 2016).
//!
//! Under the destination scheme frames to one host wait only for frames to the same one, and
//! paths to a host have no cycles.

use std::collections::{BTreeMap, BTreeSet};

use backwater_net::frames::spec::{BackPressureSpec, Detect, Notify, Select};

use super::crossings::cycle;
use super::lossless::{Whole, switch_of};
use crate::diagnostics::Diagnostic;
use crate::given::ethernet::flow_control::{self, FlowControl};
use crate::suggest;

/// Channel and class; with PAUSE the class is 0: it stops all.
type Place = (u32, u8);

/// Channels that a message names.
const NAMED: usize = 12;
/// Waits of one channel for another that are looked at: a second.
const MOST_STEPS: usize = 10_000_000;

/// Warns of a cycle.
pub(crate) fn check(look: &Whole<'_>) -> Option<Diagnostic> {
    let pressure = &look.file.flow_control.value;
    let notify = pressure.stops().map(|stops| &stops.notify);
    let Some(graph) = waits(look) else {
        return Some(too_many(look));
    };
    let around = cycle(&graph)?;
    let credited = around.iter().filter(|place| {
        let (channel, class) = (**place / 8, (**place % 8) as u8);
        look.has_credit(channel, class)
    });
    let credited = credited.count();
    let (has_credit, is_mixed) = (credited > 0, credited < around.len());
    let by_class = has_credit || matches!(pressure.value, FlowControl::Pfc(_));
    let name = |place: &u32| {
        let (channel, class) = (place / 8, place % 8);
        let name = look.net.channel_name(channel);
        match by_class {
            true => format!("`{name}` class {class}"),
            false => format!("`{name}`"),
        }
    };
    let named = suggest::first(&around, NAMED, name, |more| format!(", {more} more"));
    let at = match (around.len(), notify) {
        (2, Some(notify)) => &notify.at,
        _ => &pressure.at,
    };
    let is_mutual = around.len() == 2 && around[0] / 16 == around[1] / 16;
    let message = match (has_credit, is_mixed) {
        (true, false) => "queues without credit may wait for each other in a cycle",
        (true, true) => "queues, stopped or without credit, may wait for each other in a cycle",
        (false, _) => "stopped queues may wait for each other in a cycle",
    };
    let mut diagnostic = Diagnostic::warning("deadlock", message)
        .at(at, format!("{} channels in a cycle", around.len()))
        .note(format!(
            "each may wait for the next: {named}, and the first again"
        ))
        .note("the run ends when such a cycle is stuck for `run.stall`, and reports its frames");
    let tells_all = notify.is_some_and(|notify| **notify == Some(flow_control::Notify::All));
    if is_mutual && tells_all {
        diagnostic = diagnostic.help(
            "say `notify = \"others\"`: a port then never waits for the opposite port of its link",
        );
    } else {
        diagnostic = diagnostic
            .help("give some of the flows other paths, by `[[routes]]`, until no cycle is left");
        if by_class {
            diagnostic = diagnostic.help(
                "or give flows different classes, so that those of no class close the cycle: a \
                 frame keeps the class of its flow on its whole path",
            );
        }
        diagnostic = diagnostic.help("or stop by destination: `kind = \"destination\"`");
    }
    if is_mixed {
        diagnostic = diagnostic
            .help("a `[watchdog]` or `flow_control.time_out` ends it, at the price of frames");
    }
    Some(diagnostic)
}

/// Where every port may wait for every other one of a switch with very many.
fn too_many(look: &Whole<'_>) -> Diagnostic {
    let message = "switches have too many ports to look for cycles of stopped queues";
    Diagnostic::warning("not-checked", message)
        .at(&look.file.flow_control.at, "cycles were not examined")
        .note("the run reports deadlocks")
        .help("say `notify = \"contributing\"`: a port then waits for few others")
}

/// Where to look on from each channel and class.
struct Onward<'a> {
    look: &'a Whole<'a>,
    /// Channels between switches that frames of a channel and class go on to.
    fed: BTreeMap<Place, Vec<u32>>,
    /// Of a node, the queues in front of channels to switches that may fill up.
    filling: BTreeMap<u32, Vec<Place>>,
}

/// What each channel between switches may wait for: `8 * channel + class`. No other is part of a
/// cycle: a host waits for no one further on, and no one waits for what a host sends. `None` where
/// that would be too much to look at.
fn waits(look: &Whole<'_>) -> Option<BTreeMap<u32, Vec<u32>>> {
    let mut graph: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut onward = Onward::new(look);
    let mut steps = 0;
    for (channel, class) in look.crossings.crossed() {
        let (from, node) = look.net.ends(channel);
        if switch_of(look.spec, from).is_none() {
            continue;
        }
        if let Some(credit) = look.credit(channel, class) {
            let zones = u64::from(credit.rule.n2) + u64::from(credit.rule.n3);
            if look.may_exceed(channel, class, zones * u64::from(credit.unit_bytes)) {
                let fed = onward.fed((channel, class)).iter();
                let to = fed.map(|out| 8 * out + u32::from(class));
                let own = 8 * channel + u32::from(class);
                graph.entry(own).or_default().extend(to);
            }
            continue;
        }
        let pressure = switch_of(look.spec, node).and_then(|s| s.back_pressure.as_ref());
        let Some(pressure) = pressure.filter(|p| !matches!(p.select, Select::Destination(_)))
        else {
            continue;
        };
        let is_port = pressure.select == Select::Port;
        if !is_port && pressure.classes & 1 << class == 0 {
            continue;
        }
        let index = |(channel, class): Place| 8 * channel + if is_port { 0 } else { class.into() };
        let to = onward.next(pressure, channel, class);
        steps += to.len();
        if steps > MOST_STEPS {
            return None;
        }
        let own = graph.entry(index((channel, class))).or_default();
        own.extend(to.into_iter().map(index));
    }
    let graph = graph.into_iter();
    let graph = graph.map(|(from, to)| (from, to.into_iter().collect()));
    Some(graph.collect())
}

impl<'a> Onward<'a> {
    fn new(look: &'a Whole<'a>) -> Self {
        let mut fed: BTreeMap<Place, Vec<u32>> = BTreeMap::new();
        for (out, class, input) in look.crossings.passed_on() {
            if switch_of(look.spec, look.net.ends(out).1).is_some() {
                fed.entry((input, class)).or_default().push(out);
            }
        }
        Onward {
            look,
            fed,
            filling: BTreeMap::new(),
        }
    }

    fn fed(&self, place: Place) -> &[u32] {
        self.fed.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The queues at the far end of a channel that may have it stopped.
    fn next(&mut self, pressure: &BackPressureSpec, channel: u32, class: u8) -> Vec<Place> {
        let look = self.look;
        let classes: Vec<u8> = match pressure.select {
            Select::Port => (0..8).filter(|c| pressure.classes & 1 << c != 0).collect(),
            Select::Class | Select::Destination(_) => vec![class],
        };
        let fed = classes.iter().flat_map(|class| {
            let out = self.fed((channel, *class)).iter();
            out.map(|out| (*out, *class))
        });
        if pressure.detect == Detect::Inputs {
            let mut classes = classes.iter();
            return match classes.any(|class| fills_input(look, channel, *class)) {
                true => fed.collect(),
                false => Vec::new(),
            };
        }
        let fills = |(out, class): &Place| fills(look, *out, *class);
        if pressure.notify == Notify::Contributing {
            return fed.filter(fills).collect();
        }
        let node = look.net.ends(channel).1;
        let filling = self.filling.entry(node).or_insert_with(|| {
            let around = look.net.neighbours[node as usize].iter();
            let around = around.filter(|(other, _)| switch_of(look.spec, *other).is_some());
            let queues = around.flat_map(|(_, out)| (0..8).map(move |class| (*out, class)));
            queues.filter(fills).collect()
        });
        let counts = |(out, class): &&Place| {
            let may_be_back = pressure.notify == Notify::All || *out != channel ^ 1;
            may_be_back && classes.contains(class)
        };
        filling.iter().filter(counts).copied().collect()
    }
}

/// May the flows through an output queue fill it to its XOFF threshold?
fn fills(look: &Whole<'_>, channel: u32, class: u8) -> bool {
    let queue = look.queue(channel, class);
    queue.is_some_and(|queue| look.may_exceed(channel, class, queue.high_bytes))
}

/// The same for the counter of an input; shared memory has no threshold of its own.
fn fills_input(look: &Whole<'_>, channel: u32, class: u8) -> bool {
    let input = look.input(channel, class);
    look.may_exceed(channel, class, input.map_or(0, |input| input.high_bytes))
}
