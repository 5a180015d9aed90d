//! Flows that begin when others were received or sent.
//!
//! What a flow waits for its source sees itself: that all of a flow to it came, or that all of one
//! from it went to the port. So each of them is one message to one destination.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use backwater_kernel::Duration;
use backwater_net::frames::spec::{FlowSpec, Happened, MessageSpec, MessagesSpec, TrafficSpec};

use super::collectives::room_of_messages;
use super::net::Net;
use crate::given::Named;
use crate::given::frames::flows::Flows;
use crate::language::suggest;
use crate::network::patterns::Room;
use crate::prelude::*;

mod lines;

pub(crate) use lines::connect_lines;

/// Flows of a circle that a message names.
const NAMED: usize = 12;

/// A table of flows, and which of all flows are its own.
pub(crate) type Made<'f> = (&'f Placed<Flows>, Range<usize>);

/// Makes messages of the flows that wait, and of those that are waited for.
pub(crate) fn connect(
    made: &[Made<'_>],
    specs: &mut [FlowSpec],
    (net, room): (&Net<'_>, Room),
    mistakes: &mut Diagnostics,
) {
    let waits = Waits { made, specs, net };
    let mut after: BTreeMap<usize, Vec<Happened>> = BTreeMap::new();
    for (table, own) in made {
        for named in table.after.iter().flatten() {
            let Some(others) = waits.others(named, mistakes) else {
                return;
            };
            let seen = own.clone().map(|flow| waits.seen(flow, &others));
            let seen: Vec<Vec<Happened>> = seen.collect();
            let total: usize = seen.iter().map(Vec::len).sum();
            if room_of_messages(room).refuses(&named.1, total as u64, mistakes) {
                return;
            }
            if let Some(blind) = seen.iter().position(Vec::is_empty) {
                return mistakes.push(waits.unseen(own.start + blind, named));
            }
            for flow in own.clone().chain(others) {
                after.entry(flow).or_default();
            }
            for (flow, seen) in own.clone().zip(seen) {
                after.entry(flow).or_default().extend(seen);
            }
        }
    }
    let wrong = after
        .keys()
        .find(|flow| bytes(&waits.specs[**flow]).is_none());
    if let Some(flow) = wrong {
        return mistakes.push(waits.unfit(*flow));
    }
    if let Some(circle) = circle(&after) {
        return mistakes.push(waits.circle(&circle));
    }
    for (flow, after) in after {
        make_wait(&mut specs[flow], after);
    }
}

/// Makes a message of a flow that waits, or is waited for.
fn make_wait(spec: &mut FlowSpec, after: Vec<Happened>) {
    let Some((start, bytes)) = bytes(spec) else {
        return;
    };
    let message = MessageSpec {
        bytes,
        after,
        think: Duration::ZERO,
        step: 0,
    };
    spec.traffic = TrafficSpec::Messages(MessagesSpec {
        start,
        messages: vec![message],
        ..MessagesSpec::default()
    });
}

/// What the source of a flow sees of another.
fn seen(own: &FlowSpec, other: &FlowSpec, number: u32) -> Option<Happened> {
    let (flow, message) = (number, 0);
    if other.destination == own.source {
        return Some(Happened::Received { flow, message });
    }
    (other.source == own.source).then_some(Happened::Sent { flow, message })
}

/// Its start and size, if it is a number of bytes to one destination.
fn bytes(flow: &FlowSpec) -> Option<(backwater_kernel::Time, u64)> {
    match flow.traffic {
        TrafficSpec::Infinite {
            start,
            bytes: Some(bytes),
        } if !flow.is_multicast() => Some((start, bytes)),
        TrafficSpec::Infinite { .. }
        | TrafficSpec::Files { .. }
        | TrafficSpec::Requests { .. }
        | TrafficSpec::Constant { .. }
        | TrafficSpec::Poisson { .. }
        | TrafficSpec::SelfSimilar { .. }
        | TrafficSpec::Video(_)
        | TrafficSpec::Messages(_)
        | TrafficSpec::Outside(_) => None,
    }
}

/// Flows that wait for each other in a circle, if some do: each for the next.
fn circle(after: &BTreeMap<usize, Vec<Happened>>) -> Option<Vec<usize>> {
    let mut done: BTreeSet<usize> = BTreeSet::new();
    for first in after.keys() {
        // The way from the first to one that is looked at, and what of each was looked at.
        let mut way: Vec<(usize, usize)> = vec![(*first, 0)];
        let mut on_way: BTreeSet<usize> = BTreeSet::from([*first]);
        while let Some((flow, at)) = way.last_mut() {
            let next = after.get(flow).and_then(|waits| waits.get(*at));
            *at += 1;
            let Some(next) = next.map(|what| what.flow() as usize) else {
                done.insert(*flow);
                on_way.remove(flow);
                way.pop();
                continue;
            };
            if on_way.contains(&next) {
                let way = way.iter().map(|own| own.0);
                return Some(way.skip_while(|flow| *flow != next).collect());
            }
            if !done.contains(&next) {
                on_way.insert(next);
                way.push((next, 0));
            }
        }
    }
    None
}

struct Waits<'a> {
    made: &'a [Made<'a>],
    specs: &'a [FlowSpec],
    net: &'a Net<'a>,
}

impl Waits<'_> {
    /// The flows of this name: all of a table, or one of them.
    fn others(&self, (name, at): &Named, mistakes: &mut Diagnostics) -> Option<Vec<usize>> {
        let mut tables = self.made.iter();
        if let Some((_, own)) = tables.find(|(table, _)| table.name.as_str() == name) {
            return Some(own.clone().collect());
        }
        let mut all = self.made.iter().flat_map(|(_, own)| own.clone());
        if let Some(flow) = all.find(|flow| self.specs[*flow].name == *name) {
            return Some(vec![flow]);
        }
        let known: Vec<&str> = self
            .made
            .iter()
            .map(|(table, _)| table.name.as_str())
            .collect();
        Diagnostic::error("unknown-flow", format!("there is no flow `{}`", clip(name)))
            .at(at, "not the name of a `[[flows]]`")
            .note(format!("flows: {}", clip(&known.join(", "))))
            .help("name a flow of `[[flows]]`, or one of several as `name[1]`")
            .tell(mistakes);
        None
    }

    /// What the source of a flow sees of others.
    fn seen(&self, flow: usize, others: &[usize]) -> Vec<Happened> {
        let one = |other: &usize| match *other == flow {
            true => None,
            false => seen(&self.specs[flow], &self.specs[*other], *other as u32),
        };
        others.iter().filter_map(one).collect()
    }

    fn table(&self, flow: usize) -> &Placed<Flows> {
        let mut tables = self.made.iter();
        let found = tables.find(|(_, own)| own.contains(&flow));
        found.map_or(self.made[0].0, |(table, _)| table)
    }

    fn unseen(&self, flow: usize, (name, at): &Named) -> Diagnostic {
        let host = clip(self.net.name(self.specs[flow].source));
        let (name, own) = (clip(name), clip(&self.specs[flow].name));
        if name == own {
            return Diagnostic::error("bad-after", format!("`{own}` waits for itself"))
                .at(at, "it would never begin")
                .help("name another flow, or leave `after` out");
        }
        let what = format!("`{own}` waits for what its host does not see");
        Diagnostic::error("bad-after", what)
            .at(at, format!("`{name}` neither begins nor ends at `{host}`"))
            .note("a host sees that a flow to it was received, and that one of its own was sent")
            .help(format!("name a flow from or to `{host}`"))
    }

    fn unfit(&self, flow: usize) -> Diagnostic {
        let (spec, table) = (&self.specs[flow], self.table(flow));
        let (at, why) = match spec.is_multicast() {
            false => (&table.sends.traffic.kind.at, "it has no one end"),
            true => (&table.at, "it goes to several hosts"),
        };
        let what = format!(
            "`{}` can't wait for others, or be waited for",
            clip(&spec.name)
        );
        Diagnostic::error("bad-after", what)
            .at(at, why)
            .help("use greedy traffic with a `total`, to one host")
    }

    fn circle(&self, circle: &[usize]) -> Diagnostic {
        let name = |flow: &usize| clip(&self.specs[*flow].name);
        let names = suggest::first(circle, NAMED, name, |more| format!(", {more} more"));
        let first = name(&circle[0]);
        let table = self.table(circle[0]);
        Diagnostic::error("bad-after", format!("`{first}` waits for itself"))
            .at(&table.after.at, "none of them ever begins")
            .note(format!("each waits for the next: {names}, {first}"))
            .help("leave one of them out")
    }
}
