//! Flits.

use std::collections::BTreeMap;

use backwater_flit::inspect::{Buffer, Flight, Inspection, Place, Vc, Wait};
use backwater_flit::probe::Tag;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::words::{counted, grouped};
use serde_json::{Value, json};

use super::{Clock, Hold, Item, Line, Queue, Scene, Wire};
use crate::fabric::{FabricNames, class_names};

/// What there is in a run of flits; `since` says since when the front packet of a buffer, by its
/// place in the inspection, can't go on.
pub fn of_flits(
    spec: &FabricSpec,
    seen: &Inspection,
    since: impl Fn(usize) -> Option<u64>,
) -> Scene {
    let words = Words {
        names: FabricNames::new(&spec.graph),
        classes: class_names(spec),
        seen,
    };
    let mut places = vec![None; seen.buffers.len()];
    let mut shown = Vec::new();
    for (at, own) in seen.buffers.iter().enumerate() {
        let is_channel = matches!(own.place, Place::Buffer { .. });
        if !own.packets.is_empty() || is_channel && own.credits < own.depth {
            places[at] = Some(shown.len());
            shown.push((own, since(at)));
        }
    }
    let mut queues: Vec<Queue> = shown
        .iter()
        .map(|(own, since)| words.queue(own, *since))
        .collect();
    for (queue, (own, _)) in queues.iter_mut().zip(&shown) {
        queue.waits_for = own.waits_for.iter().filter_map(|at| places[*at]).collect();
    }
    Scene {
        clock: Clock::Cycles,
        at: seen.cycle,
        queues,
        wires: words.wires(),
        sources: words.sources(spec.graph.inject.len()),
        next: words.next(),
        later: 0,
    }
}

/// All that something can be called: channels, routers, terminals, classes.
pub fn names(spec: &FabricSpec) -> Vec<String> {
    let names = FabricNames::new(&spec.graph);
    let (routers, terminals) = (spec.graph.routers, spec.graph.inject.len() as u32);
    let channels = spec.graph.channels.len() as u32 + 2 * terminals;
    let mut all: Vec<String> = (0..channels).map(|id| names.channel(id)).collect();
    all.extend((0..routers).map(|id| names.router(id)));
    all.extend((0..terminals).map(|id| names.terminal(id)));
    all.extend(class_names(spec));
    all.sort();
    all.dedup();
    all
}

/// ``packet 3 -> 7 of cycle 12``: born then; with its class where there are several.
pub(super) fn packet(tag: &Tag, classes: &[String]) -> String {
    let of = match classes {
        [_] | [] => String::new(),
        several => format!(" (`{}`)", several[usize::from(tag.class)]),
    };
    format!(
        "packet {} -> {}{of} of cycle {}",
        tag.source,
        tag.destination,
        grouped(tag.birth)
    )
}

struct Words<'a> {
    names: FabricNames<'a>,
    classes: Vec<String>,
    seen: &'a Inspection,
}

impl Words<'_> {
    fn packet(&self, tag: &Tag) -> String {
        packet(tag, &self.classes)
    }

    fn vc(&self, (channel, lane): Vc) -> String {
        format!("{}, VC {lane}", self.names.channel(channel))
    }

    fn name(&self, place: Place) -> String {
        match place {
            Place::Buffer { vc } => self.vc(vc),
            Place::Source { terminal, lane } => {
                format!("source at {}, lane {lane}", self.names.terminal(terminal))
            }
        }
    }

    fn known(&self, place: Place) -> Vec<String> {
        match place {
            Place::Buffer { vc } => self.known_channel(vc.0),
            Place::Source { terminal, .. } => vec![self.names.terminal(terminal)],
        }
    }

    fn known_channel(&self, channel: u32) -> Vec<String> {
        let mut known = vec![self.names.channel(channel)];
        if let Some((from, to)) = self.names.ends(channel) {
            known.extend([from, to].map(|end| self.names.end(end)));
        }
        known
    }

    fn item(&self, (tag, flits): &(Tag, u16)) -> Item {
        Item {
            what: self.packet(tag),
            flow: self.classes.get(usize::from(tag.class)).cloned(),
            number: tag.birth,
            size: (*flits).into(),
            at: None,
            note: match *flits < tag.length {
                true => format!("{flits} of its {}", counted(tag.length, "flit")),
                false => format!("all of its {}", counted(tag.length, "flit")),
            },
        }
    }

    fn queue(&self, own: &Buffer, since: Option<u64>) -> Queue {
        let mut notes = Vec::new();
        if let Place::Buffer { .. } = own.place {
            notes.push(self.credit(own));
        }
        let mut more = vec![("flits", json!(own.flits())), ("left", json!(own.left))];
        if let Place::Buffer { vc } = own.place {
            more.push(("port", json!(self.names.channel(vc.0))));
            more.push(("vc", json!(vc.1)));
            more.push((
                "credit",
                json!({ "has": own.credits, "room": own.depth, "on_the_wire": own.on_wire,
                    "in_the_switch": own.switched, "stored": own.flits(),
                    "on_the_way_back": own.back }),
            ));
        }
        let more = more
            .into_iter()
            .map(|(key, value): (_, Value)| (key.to_owned(), value));
        Queue {
            name: self.name(own.place),
            known: self.known(own.place),
            items: own.packets.iter().map(|own| self.item(own)).collect(),
            holds: match own.packets.len() {
                0 => "no flit".into(),
                count => format!(
                    "{} of {}",
                    counted(own.flits(), "flit"),
                    counted(count, "packet")
                ),
            },
            hold: self.hold(own, since),
            notes,
            free: self.free(own),
            waits_for: Vec::new(),
            more: more.collect(),
        }
    }

    fn hold(&self, own: &Buffer, since: Option<u64>) -> Option<Hold> {
        let since_when = since.map_or(String::new(), |at| {
            format!(" since {}", Clock::Cycles.at(at))
        });
        let (kind, text) = match &own.wait {
            Wait::Credit(vc) => (
                "credit",
                format!("no credit for {}{since_when}", self.vc(*vc)),
            ),
            Wait::Lane(wanted) => {
                let held = |place: &usize| {
                    self.seen.buffers[*place]
                        .packets
                        .first()
                        .map(|own| self.packet(&own.0))
                };
                let by = own.waits_for.first().and_then(held);
                let which = match own.waits_for.len() {
                    1 => "which",
                    _ => "one of which",
                };
                let by = by.map_or(String::new(), |packet| {
                    format!(", {which} {packet} holds now")
                });
                let wanted = self.one_of(wanted);
                (
                    "vc",
                    format!("its header waits for {wanted}{since_when}{by}"),
                )
            }
            Wait::Empty | Wait::Routing(_) | Wait::Ask(_) | Wait::Turn(_) | Wait::Flit(_) => {
                return None;
            }
        };
        Some(Hold {
            kind,
            text,
            by: None,
            since,
        })
    }

    /// VCs of which one is enough: `(x=0) -> (x=1), VC 0 or 1`.
    fn one_of(&self, wanted: &[Vc]) -> String {
        let mut channels: Vec<(u32, Vec<String>)> = Vec::new();
        for (channel, lane) in wanted {
            match channels.last_mut() {
                Some((own, lanes)) if own == channel => lanes.push(lane.to_string()),
                _ => channels.push((*channel, vec![lane.to_string()])),
            }
        }
        let one = |(channel, lanes): &(u32, Vec<String>)| {
            format!(
                "{}, VC {}",
                self.names.channel(*channel),
                lanes.join(" or ")
            )
        };
        let all: Vec<String> = channels.iter().map(one).collect();
        all.join(", or ")
    }

    fn free(&self, own: &Buffer) -> String {
        match &own.wait {
            Wait::Empty | Wait::Credit(_) | Wait::Lane(_) => "nothing stands here".into(),
            Wait::Routing(until) => format!(
                "its header is routed and gets a VC, until cycle {}",
                grouped(*until)
            ),
            Wait::Ask(wanted) => format!("asks for {}", self.one_of(wanted)),
            Wait::Turn(vc) => format!("may go on to {}, at its turn", self.vc(*vc)),
            Wait::Flit(vc) => format!("holds {}, and its next flit has not come yet", self.vc(*vc)),
        }
    }

    fn credit(&self, own: &Buffer) -> String {
        let mut places = vec![
            format!("credit of its sender: {} of {}", own.credits, own.depth),
            format!("{} on the wire", own.on_wire),
            format!("{} in the buffer", grouped(own.flits())),
        ];
        if own.switched > 0 {
            places.push(format!("{} between switch and wire", own.switched));
        }
        match own.back.first() {
            Some(first) => places.push(format!(
                "{} on the way back, the first to arrive at the end of cycle {}",
                own.back.len(),
                grouped(*first)
            )),
            None => places.push("none on the way back".into()),
        }
        if let Some((tag, place)) = &own.holder {
            let from = self.name(self.seen.buffers[*place].place);
            places.push(format!("held by {} from {from}", self.packet(tag)));
        }
        places.join("; ")
    }

    fn wires(&self) -> Vec<Wire> {
        let mut wires: BTreeMap<Vc, Wire> = BTreeMap::new();
        for flight in &self.seen.flights {
            let header = flight.header;
            let class = header.and_then(|tag| self.classes.get(usize::from(tag.class)));
            let wire = wires.entry(flight.vc).or_insert_with(|| Wire {
                name: self.vc(flight.vc),
                known: self.known_channel(flight.vc.0),
                busy_until: None,
                items: Vec::new(),
            });
            wire.items.push(Item {
                what: self.flit(flight),
                flow: class.cloned(),
                number: header.map_or(0, |tag| tag.birth),
                size: 1,
                at: Some(flight.arrives),
                note: String::new(),
            });
        }
        wires.into_values().collect()
    }

    fn flit(&self, flight: &Flight) -> String {
        match &flight.header {
            Some(tag) => format!("the header of {}", self.packet(tag)),
            None => "a flit".into(),
        }
    }

    fn sources(&self, terminals: usize) -> Vec<Line> {
        let mut waiting = vec![(0, 0); terminals];
        for own in &self.seen.buffers {
            if let Place::Source { terminal, .. } = own.place {
                let (packets, flits) = &mut waiting[terminal as usize];
                *packets += own.packets.len();
                *flits += own.flits();
            }
        }
        for ((packets, flits), shared) in waiting.iter_mut().zip(&self.seen.shared) {
            *packets += shared.len();
            *flits += shared.iter().map(|tag| u64::from(tag.length)).sum::<u64>();
        }
        let mut lines = Vec::new();
        for (terminal, (packets, flits)) in (0..).zip(waiting) {
            let name = self.names.terminal(terminal);
            let waits = match packets {
                0 => "nothing waits to enter".into(),
                count => format!(
                    "{} of {} wait to enter",
                    counted(flits, "flit"),
                    counted(count, "packet")
                ),
            };
            lines.push(Line {
                at: None,
                text: format!("{name}: {waits}"),
                known: vec![name],
                is_idle: packets == 0,
            });
        }
        lines
    }

    fn next(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for flight in &self.seen.flights {
            let what = self.flit(flight);
            lines.push(Line {
                at: Some(flight.arrives),
                text: format!("{what} joins the buffer of {}", self.vc(flight.vc)),
                known: self.known_channel(flight.vc.0),
                is_idle: false,
            });
        }
        for (cycle, tag) in &self.seen.ending {
            let to = self.names.terminal(tag.destination);
            lines.push(Line {
                // At its end: before the next one.
                at: Some(cycle + 1),
                text: format!("{} is complete at {to}", self.packet(tag)),
                known: vec![to],
                is_idle: false,
            });
        }
        for own in &self.seen.buffers {
            if let Wait::Turn(vc) = own.wait {
                let packet = own.packets.first().map(|own| self.packet(&own.0));
                let what = packet.unwrap_or_default();
                let from = self.name(own.place);
                lines.push(Line {
                    at: Some(self.seen.cycle),
                    text: format!("{what} may send a flit from {from} to {}", self.vc(vc)),
                    known: self.known(own.place),
                    is_idle: false,
                });
            }
        }
        if let Some(cycle) = self.seen.next_birth {
            lines.push(Line {
                at: Some(cycle),
                text: "a packet is born".into(),
                ..Line::default()
            });
        }
        lines.sort_by_key(|line| line.at);
        lines
    }
}
