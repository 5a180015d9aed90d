//! Cyclic buffer dependency: may stopped queues come to wait for each other in a cycle?
//!
//! A frame that waits for ever waits before a channel `X->Y` that `Y` stops, or gives no credit.
//! Then some queue of `Y` never empties: one of those that asked for the stop, or that hold what
//! came over `X->Y`. A frame in it that never leaves waits in turn, and so on; there are finitely
//! many channels, so the waits close a cycle. The graph has an edge for every such wait:
//!
//! | what holds `X->Y` | queues of `Y` it may wait for |
//! |---|---|
//! | stops for outputs, `others` | all ports but the one back to `X` |
//! | stops for outputs, `all` | that one too |
//! | stops for outputs, `contributing`; for inputs; credit | those that frames of `X->Y` go on to |
//! | stops by destination | the same |
//!
//! A stop by destination holds frames to one host alone. But a congested queue stops every host
//! that it has held frames for since it became congested (Nouredine and Tobagi 1999, section 2.2:
//! all flows found in the buffer, until congestion ends), and what keeps it congested may be frames
//! to another host. So the wait goes on with any frame that shares the queue: where the paths of
//! two hosts share two queues in opposite order, each host waits for the other.
//!
//! Left out are queues that can't fill up to their threshold, because all that can be in flight
//! through them is less (`flight`), credit of lanes, if there is nothing else, and hosts: they take
//! what comes and forward nothing. A cycle is necessary for a deadlock, not sufficient (Hu et
//! al., HotNets 2016).

use std::collections::BTreeMap;

use backwater_kernel::Channels;
use backwater_net::frames::lane_counts;
use backwater_net::frames::spec::{
    BackPressureSpec, CLASSES_MAX, Choose, Detect, Notify, Owner, Select,
};

use super::crossings::{TooMany, cycle_from};
use super::flight::Flight;
use super::lossless::{Whole, switch_of};
use crate::given::frames::flow_control;
use crate::language::diagnostics::Diagnostic;
use crate::language::suggest;

/// Channel and class; with PAUSE the class is 0: it stops all.
type Place = (u32, u8);
const CLASSES: u32 = CLASSES_MAX as u32;

/// Channels that a message names.
const NAMED: usize = 12;
/// Waits of one channel for another that are looked at: some seconds, and enough for each port of a
/// fat tree of 65,536 hosts to wait for every other one of its switch.
const MOST_STEPS: usize = 20_000_000;

/// Is everything that holds frames credit of lanes, of flows or of hosts? A lane waits only for
/// what goes on along its own way, which ends at a host. A lane that flows share is like a class:
/// its first frame may wait for others than those behind it.
fn goes_by_lane(look: &Whole<'_>) -> bool {
    let channels = look.spec.links.channels();
    let mut credits = channels.flat_map(|id| look.spec.links.channel(id).credits.iter().flatten());
    let first = credits.next().map(|credit| credit.owner);
    first.is_some_and(|first| first != Owner::Class && credits.all(|own| own.owner == first))
        && !lanes_are_shared(look)
        && look.all_stops().next().is_none()
}

/// Has a hash given some flows one lane?
fn lanes_are_shared(look: &Whole<'_>) -> bool {
    let mut apart = look.spec.clone();
    let links = apart.links.iter_mut();
    let channels = links.flat_map(|link| &mut link.channels);
    let mut hashed = 0;
    for credit in channels.flat_map(|own| own.credits.iter_mut().flatten()) {
        hashed += u32::from(credit.owner.hash_lanes().is_some());
        credit.owner = Owner::Flow;
    }
    hashed > 0 && lane_counts(&apart).ok().as_ref() != Some(&look.lanes)
}

/// Warns of a cycle.
pub(crate) fn check(look: &Whole<'_>) -> Option<Diagnostic> {
    if goes_by_lane(look) {
        return None;
    }
    if only_onward(look) && !look.crossings.may_close() {
        return None;
    }
    let flight = Flight::new(look);
    let Ok(found) = cycle_of_waits(look, &flight, |rules| rules) else {
        return Some(too_many(look));
    };
    let around = found?;
    let rules = |place: &u32| look.stops_over(*place / CLASSES);
    let is_credited = |place: &&u32| look.has_credit(**place / CLASSES, (**place % CLASSES) as u8);
    let credited = around.iter().filter(is_credited).count();
    let (has_credit, is_mixed) = (credited > 0, credited < around.len());
    let by_class = has_credit || around.iter().filter_map(rules).any(|own| own.is_of_class());
    let name = |place: &u32| {
        let (channel, class) = (place / CLASSES, place % CLASSES);
        let name = look.net.channel_name(channel);
        match by_class {
            true => format!("`{name}` class {class}"),
            false => format!("`{name}`"),
        }
    };
    let named = suggest::first(&around, NAMED, name, |more| format!(", {more} more"));
    let general = &look.file.flow_control.value;
    let notify = general.stops().map(|stops| &stops.notify);
    let of_link = around
        .iter()
        .find_map(|place| look.controls.own_at(place / CLASSES));
    let at = match (around.len(), notify) {
        (2, Some(notify)) => &notify.at,
        _ => of_link.unwrap_or(&general.at),
    };
    let message = match (has_credit, is_mixed) {
        (true, false) => "queues without credit may wait for each other in a cycle",
        (true, true) => "queues, stopped or without credit, may wait for each other in a cycle",
        (false, _) => "stopped queues may wait for each other in a cycle",
    };
    let mut diagnostic = Diagnostic::warning("deadlock", message)
        .at(at, format!("{} channels in a cycle", around.len()))
        .note(format!(
            "each may wait for the next: {named}, and the first again"
        ));
    if look.all_stops().any(BackPressureSpec::is_by_destination) {
        diagnostic = diagnostic.note(
            "a queue stops every host that it held frames for, as long as frames to any of them \
             keep it congested",
        );
    }
    if is_of_copies(look) {
        diagnostic = diagnostic
            .note("windows alone would not fill these queues: what time-outs send again may");
    }
    diagnostic = diagnostic
        .note("the run ends when such a cycle is stuck for `run.stall`, and reports its frames");
    Some(with_help(
        look,
        &flight,
        diagnostic,
        &around,
        (by_class, is_mixed),
    ))
}

/// Is the cycle there only because frames may be sent again?
fn is_of_copies(look: &Whole<'_>) -> bool {
    let alone = cycle_of_waits(look, &Flight::of_windows(look), |rules| rules);
    alone == Ok(None)
}

/// What helps: of other rules only those under which no cycle is left.
fn with_help(
    look: &Whole<'_>,
    flight: &Flight<'_>,
    mut diagnostic: Diagnostic,
    around: &[u32],
    (by_class, is_mixed): (bool, bool),
) -> Diagnostic {
    let notify = look.file.flow_control.stops().map(|stops| *stops.notify);
    let ends = |change: &OtherRules| cycle_of_waits(look, flight, change) == Ok(None);
    let told = |notify| move |rules| BackPressureSpec { notify, ..rules };
    let is_mutual = around.len() == 2 && around[0] / (2 * CLASSES) == around[1] / (2 * CLASSES);
    let tells_all = notify.is_some_and(|notify| notify == Some(flow_control::Notify::All));
    if is_mutual && tells_all && ends(&told(Notify::Others)) {
        return finished(
            diagnostic.help(
                "say `notify = \"others\"`: a port then never waits for the opposite port of its \
                 link",
            ),
            is_mixed,
        );
    }
    diagnostic = diagnostic
        .help("give some of the flows other paths, by `[[routes]]`, until no cycle is left");
    if by_class {
        diagnostic = diagnostic.help(
            "or give flows different classes, so that those of no class close the cycle: a \
             frame keeps the class of its flow on its whole path",
        );
    }
    let is_hashed = |place: &u32| {
        let credit = look.credit(*place / CLASSES, (*place % CLASSES) as u8);
        credit.is_some_and(|credit| credit.owner.hash_lanes().is_some())
    };
    if around.iter().any(is_hashed) {
        diagnostic = diagnostic.help(
            "or say `lanes = \"flow\"`, or raise `hash_lanes` until no two flows share a lane: \
             those that do wait behind each other",
        );
    }
    if is_of_copies(look) {
        diagnostic = diagnostic.help(
            "or raise `min_rto` and `initial_rto` in `[tcp]` above the longest wait, so that only \
             what is lost is sent again",
        );
    }
    finished(with_other_rules(look, diagnostic, &ends), is_mixed)
}

/// Rules of stops made into others.
type OtherRules = dyn Fn(BackPressureSpec) -> BackPressureSpec;

/// Other rules of stops under which no cycle is left.
fn with_other_rules(
    look: &Whole<'_>,
    mut diagnostic: Diagnostic,
    ends: &dyn Fn(&OtherRules) -> bool,
) -> Diagnostic {
    let contributing = |rules: BackPressureSpec| BackPressureSpec {
        notify: Notify::Contributing,
        ..rules
    };
    if ends(&contributing) {
        diagnostic = diagnostic.help(
            "or say `notify = \"contributing\"`: a port then waits only for queues that its frames \
             go on to",
        );
    }
    let at_inputs = |rules: BackPressureSpec| BackPressureSpec {
        detect: Detect::Inputs,
        ..rules
    };
    let is_other = !look.all_stops().any(BackPressureSpec::is_by_destination);
    if is_other && stops_at_outputs(look) && ends(&at_inputs) {
        diagnostic = diagnostic.help(
            "or say `detect = \"inputs\"`, as switches with PFC do: a port is then stopped for \
             what it brought itself, and waits only for queues that its frames go on to",
        );
    }
    let by_destination = |rules: BackPressureSpec| BackPressureSpec {
        select: Select::Destination(Choose::AllFound),
        ..rules
    };
    if is_other && stops_at_outputs(look) && ends(&by_destination) {
        diagnostic = diagnostic.help("or stop by destination: `kind = \"destination\"`");
    }
    diagnostic
}

fn finished(diagnostic: Diagnostic, is_mixed: bool) -> Diagnostic {
    let help = "a `[watchdog]` or `flow_control.time_out` ends it, at the price of frames";
    diagnostic.help_if(is_mixed.then(|| help.into()))
}

/// All stops are for queues at outputs, and nothing has credit: others may select by destination.
fn stops_at_outputs(look: &Whole<'_>) -> bool {
    let mut channels = look.spec.links.channels();
    look.all_stops()
        .all(|rules| rules.detect == Detect::Outputs)
        && !channels.any(|channel| (0..CLASSES as u8).any(|class| look.has_credit(channel, class)))
}

/// Where every port may wait for every other one of a switch with very many.
fn too_many(look: &Whole<'_>) -> Diagnostic {
    let message = "switches have too many ports to look for cycles of stopped queues";
    Diagnostic::warning("not-checked", message)
        .at(&look.file.flow_control.at, "cycles were not examined")
        .note("the run reports deadlocks")
        .help("say `notify = \"contributing\"`: a port then waits for few others")
}

/// Does all that waits wait only for queues that frames of its channel go on to?
fn only_onward(look: &Whole<'_>) -> bool {
    look.all_stops().all(|rules| {
        rules.detect == Detect::Inputs
            || rules.notify == Notify::Contributing
            || rules.is_by_destination()
    })
}

/// A cycle of channels between switches of which each may wait for the next, if the rules of
/// switches were changed so. No other channel is part of a cycle: a host waits for no one further
/// on, and no one waits for what a host sends.
fn cycle_of_waits(
    look: &Whole<'_>,
    flight: &Flight<'_>,
    change: impl Fn(BackPressureSpec) -> BackPressureSpec,
) -> Result<Option<Vec<u32>>, TooMany> {
    let rules = look.spec.links.channels();
    let rules = rules.map(|channel| look.stops_over(channel).copied().map(&change));
    let mut onward = Onward {
        look,
        flight,
        rules: rules.collect(),
        filling: BTreeMap::new(),
        steps: 0,
    };
    let leaves_switch = |channel: u32| switch_of(look.spec, look.net.ends(channel).0).is_some();
    let places = look.crossings.crossed();
    let places = places.filter(|(channel, _)| leaves_switch(*channel));
    let mut places: Vec<u32> = places.map(|place| onward.index(place)).collect();
    places.dedup();
    cycle_from(places.into_iter(), |place| onward.after(place))
}

/// Where to look on from each channel and class.
struct Onward<'a> {
    look: &'a Whole<'a>,
    flight: &'a Flight<'a>,
    /// By channel.
    rules: Vec<Option<BackPressureSpec>>,
    /// Of a node, the queues in front of channels to switches that may fill up.
    filling: BTreeMap<u32, Vec<Place>>,
    /// Waits that were looked at.
    steps: usize,
}

impl Onward<'_> {
    /// What is stopped as a whole waits as a whole.
    fn index(&self, (channel, class): Place) -> u32 {
        let rules = self.rules[channel as usize].as_ref();
        let is_port = rules.is_some_and(BackPressureSpec::is_of_port);
        CLASSES * channel + if is_port { 0 } else { u32::from(class) }
    }

    /// What a place may wait for, in ascending order; `None` where that is too much to look at.
    fn after(&mut self, place: u32) -> Option<Vec<u32>> {
        let look = self.look;
        let channel = place / CLASSES;
        let rules = self.rules[channel as usize];
        let is_own = |class: &u8| self.index((channel, *class)) == place;
        let crossing =
            (0..CLASSES as u8).filter(|class| look.crossings.on(channel, *class).is_some());
        let classes: Vec<u8> = crossing.filter(is_own).collect();
        let mut all = Vec::new();
        for class in classes {
            if self.flight.lacks_credit(channel, class) {
                let to = self.fed((channel, class)).into_iter();
                all.extend(to.map(|out| self.index((out, class))));
            }
            let holds = |rules: &BackPressureSpec| rules.holds(class);
            let Some(rules) = rules.filter(holds) else {
                continue;
            };
            if !look.has_credit(channel, class) {
                let to = self.next(&rules, channel, class);
                self.steps += to.len();
                if self.steps > MOST_STEPS {
                    return None;
                }
                all.extend(to.into_iter().map(|place| self.index(place)));
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Channels between switches that frames of a channel and class go on to.
    fn fed(&self, (channel, class): Place) -> Vec<u32> {
        let look = self.look;
        let onward = look.crossings.onward(look.net, channel, class);
        let inner = onward.filter(|out| switch_of(look.spec, look.net.ends(*out).1).is_some());
        inner.collect()
    }

    /// The queues at the far end of a channel that may have it stopped.
    fn next(&mut self, pressure: &BackPressureSpec, channel: u32, class: u8) -> Vec<Place> {
        let (look, flight) = (self.look, self.flight);
        let watched = pressure.watched_for(class);
        let classes: Vec<u8> = (0..CLASSES as u8)
            .filter(|c| watched & 1 << c != 0)
            .collect();
        let fed = classes.iter().flat_map(|class| {
            let out = self.fed((channel, *class)).into_iter();
            out.map(|out| (out, *class))
        });
        if pressure.detect == Detect::Inputs {
            let mut classes = classes.iter();
            return match classes.any(|class| flight.fills_input(channel, *class)) {
                true => fed.collect(),
                false => Vec::new(),
            };
        }
        let fills = |(out, class): &Place| flight.fills(pressure, *out, *class);
        if pressure.notify == Notify::Contributing || pressure.is_by_destination() {
            return fed.filter(fills).collect();
        }
        let node = look.net.ends(channel).1;
        let filling = self.filling.entry(node).or_insert_with(|| {
            let around = look.net.neighbours[node as usize].iter();
            let around = around.filter(|(other, _)| switch_of(look.spec, *other).is_some());
            let queues =
                around.flat_map(|(_, out)| (0..CLASSES as u8).map(move |class| (*out, class)));
            queues.filter(fills).collect()
        });
        let counts = |(out, class): &&Place| {
            let may_be_back = pressure.notify == Notify::All || *out != channel ^ 1;
            may_be_back && classes.contains(class)
        };
        filling.iter().filter(counts).copied().collect()
    }
}
