//! Lines of a list of flows that begin when those of other lines were received or sent.

use std::collections::BTreeMap;

use backwater_net::frames::spec::{FlowSpec, Happened};

use super::{NAMED, circle, make_wait, seen};
use crate::frames::collectives::room_of_messages;
use crate::frames::flow_list::{Chained, Other, Seen};
use crate::frames::net::Net;
use crate::language::suggest;
use crate::network::patterns::Room;
use crate::prelude::*;

/// What a list says of those that wait, by place in the file the flow of each line, and the number
/// of the first of them.
pub(crate) type Listed<'a> = (&'a Chained, &'a [Option<usize>], usize);

/// Makes messages of the flows of a list that wait, and of those that are waited for: `specs` are
/// those of the list alone.
pub(crate) fn connect_lines(
    (list, places, first): Listed<'_>,
    specs: &mut [FlowSpec],
    (net, room, at): (&Net<'_>, Room, &At),
    mistakes: &mut Diagnostics,
) {
    let waits = list.waits.iter();
    let total: u64 = waits.map(|own| own.others.len() as u64).sum();
    if room_of_messages(room).refuses(at, total, mistakes) {
        return;
    }
    let mut after: BTreeMap<usize, Vec<Happened>> = BTreeMap::new();
    let mut names: BTreeMap<usize, (u32, &str)> = BTreeMap::new();
    for own in &list.waits {
        // One that begins too late does not begin at all.
        let Some(flow) = places[own.flow] else {
            continue;
        };
        names.insert(flow, (own.line, &own.id));
        for other in &own.others {
            let happened = places[other.flow].ok_or_else(|| {
                let name = clip(&other.name);
                format!("`{name}` does not begin between `start` and `stop`")
            });
            let happened = happened.and_then(|place| {
                after.entry(place).or_default();
                let number = (first + place) as u32;
                seen_as((&specs[flow], &specs[place]), number, other, net)
            });
            match happened {
                Ok(happened) => after.entry(flow).or_default().push(happened),
                Err(what) => return mistakes.push(wrong(list, own.line, &what)),
            }
        }
    }
    if let Some(circle) = circle_of(&after, first) {
        let name = |flow: &usize| names.get(flow).map_or_else(String::new, |own| clip(own.1));
        let all = suggest::first(&circle, NAMED, name, |more| format!(", {more} more"));
        let (line, id) = names.get(&circle[0]).map_or((1, ""), |known| *known);
        let what = format!("`{}` waits for itself", clip(id));
        let mistake = wrong(list, line, &what);
        return mistake
            .note(format!("each waits for the next: {all}, {}", clip(id)))
            .help("leave one of them out of `after`")
            .tell(mistakes);
    }
    for (flow, mut after) in after {
        after.sort_unstable();
        after.dedup();
        make_wait(&mut specs[flow], after);
    }
}

/// Flows of the list that wait for each other in a circle.
fn circle_of(after: &BTreeMap<usize, Vec<Happened>>, first: usize) -> Option<Vec<usize>> {
    let numbered = after.iter();
    let numbered = numbered.map(|(flow, waits)| (first + flow, waits.clone()));
    let circle = circle(&numbered.collect())?;
    Some(circle.into_iter().map(|flow| flow - first).collect())
}

/// What the source of a flow sees of the other; what is wrong, if that is not what is said.
fn seen_as(
    (own, other): (&FlowSpec, &FlowSpec),
    number: u32,
    said: &Other,
    net: &Net<'_>,
) -> Result<Happened, String> {
    let (name, host) = (clip(&said.name), clip(net.name(own.source)));
    let happened = seen(own, other, number);
    let happened = happened.ok_or_else(|| {
        format!("its host `{host}` does not see `{name}`, which neither begins nor ends there")
    })?;
    let is = match happened {
        Happened::Received { .. } => Seen::Received,
        Happened::Sent { .. } | Happened::Computed { .. } => Seen::Sent,
    };
    match said.seen {
        Some(Seen::Received) if is == Seen::Sent => Err(format!(
            "`{name}` is sent by its host `{host}`, not received"
        )),
        Some(Seen::Sent) if is == Seen::Received => Err(format!(
            "`{name}` is received by its host `{host}`, not sent"
        )),
        Some(Seen::Received | Seen::Sent) | None => Ok(happened),
    }
}

fn wrong(list: &Chained, line: u32, what: &str) -> Diagnostic {
    let message = format!("a flow of `{}` never begins", clip(&list.file.name));
    let mistake = Diagnostic::error("bad-after", message);
    let mistake = list.file.of_line(line, what, mistake);
    mistake.note("a host sees that a flow to it was received, and that one of its own was sent")
}
