//! What circuits and frames have in common: units, wires and what happens next.

use std::collections::BTreeMap;

use backwater_kernel::words::{counted, grouped};
use backwater_net::inspect::{Due, Inspection, OnWire, Source, Unit};

use super::{Item, Line, Named, Queue, Scene, Wire};

impl Named {
    /// What there is, with these queues; `source` says what a source waits for.
    pub(super) fn scene(
        &self,
        seen: &Inspection,
        queues: Vec<Queue>,
        source: impl Fn(&Named, u32, &Source, &Inspection) -> Line,
    ) -> Scene {
        let leg = |leg: u32| {
            let of = seen.queues.iter().find(|queue| queue.leg == Some(leg));
            of.map_or((0, None), |queue| (queue.channel, queue.flow))
        };
        let next = self.upcoming(seen, leg);
        let sources = (0..).zip(&seen.sources);
        Scene {
            clock: self.clock,
            at: seen.at.ps(),
            queues,
            wires: self.wires(seen),
            sources: sources
                .map(|(id, own)| source(self, id, own, seen))
                .collect(),
            later: seen.events - next.len(),
            next,
        }
    }

    /// A unit that waits.
    pub(super) fn waiting(&self, unit: &Unit) -> Item {
        let made = match unit.born == unit.since {
            true => String::new(),
            false => format!("made at {}", self.clock.at(unit.born.ps())),
        };
        Item {
            at: Some(unit.since.ps()),
            note: made,
            ..self.item(unit)
        }
    }

    fn item(&self, unit: &Unit) -> Item {
        Item {
            what: self.unit(unit),
            flow: unit.flow.map(|flow| self.flow(flow).to_owned()),
            number: unit.number,
            size: unit.bytes.into(),
            at: None,
            note: String::new(),
        }
    }

    fn on_wire(&self, own: &OnWire) -> Item {
        let note = if own.is_lost {
            "is lost on the way"
        } else {
            ""
        };
        Item {
            at: Some(own.arrives.ps()),
            note: note.into(),
            ..self.item(&own.unit)
        }
    }

    /// `5 frames, 7,590 bytes`.
    pub(super) fn amount(&self, units: &[Unit]) -> String {
        let bytes: u64 = units.iter().map(|unit| u64::from(unit.bytes)).sum();
        match units.len() {
            0 => "nothing waits".into(),
            count => format!("{}, {}", counted(count, self.unit), counted(bytes, "byte")),
        }
    }

    /// Wires with something on them, and ports with control units that wait.
    fn wires(&self, seen: &Inspection) -> Vec<Wire> {
        let mut wires = Vec::new();
        for (channel, port) in (0..).zip(&seen.ports) {
            if port.wire.is_empty() && port.controls.is_empty() {
                continue;
            }
            let mut items: Vec<Item> = port.wire.iter().map(|own| self.on_wire(own)).collect();
            items.extend(port.controls.iter().map(|kind| Item {
                what: format!("a {}", kind.words()),
                note: "waits for the wire, before all data".into(),
                ..Item::default()
            }));
            wires.push(Wire {
                name: self.port(channel).into(),
                known: self.known(channel),
                busy_until: port.busy_until.map(|at| at.ps()),
                items,
            });
        }
        wires
    }

    /// What lets a queue that nothing holds up go on.
    pub(super) fn turn(&self, seen: &Inspection, channel: u32) -> String {
        let busy = seen.ports[channel as usize].busy_until;
        let rate = &self.rates[channel as usize];
        match busy {
            Some(until) => format!(
                "waits its turn: {} sends at {rate}, the unit now on it until {}",
                self.port(channel),
                self.clock.at(until.ps())
            ),
            None => format!("may go now: {} is free ({rate})", self.port(channel)),
        }
    }

    /// What happens next; `leg` names a leg's channel and flow.
    fn upcoming(&self, seen: &Inspection, leg: impl Fn(u32) -> (u32, Option<u32>)) -> Vec<Line> {
        let mut arrived: BTreeMap<u32, usize> = BTreeMap::new();
        let mut lines = Vec::new();
        for next in &seen.upcoming {
            let (text, known) = match next.due {
                Due::Arrival(channel) => {
                    let nth = arrived.entry(channel).or_default();
                    let port = &seen.ports[channel as usize];
                    let (text, flow) = self.arrival(channel, port.wire.get(*nth));
                    *nth += 1;
                    let mut known = self.known(channel);
                    known.extend(flow);
                    (text, known)
                }
                due => self.due(due, &leg),
            };
            lines.push(Line {
                at: Some(next.at.ps()),
                text,
                known,
                is_idle: false,
            });
        }
        lines
    }

    fn arrival(&self, channel: u32, own: Option<&OnWire>) -> (String, Option<String>) {
        let (port, to) = (self.port(channel), self.to(channel));
        let Some(own) = own else {
            return (format!("something arrives over {port}"), None);
        };
        let what = self.unit(&own.unit);
        let text = match own.is_lost {
            true => format!("{what} would arrive at {to} over {port}, but is lost on the way"),
            false => format!("{what} arrives at {to} over {port}"),
        };
        (text, own.unit.flow.map(|flow| self.flow(flow).to_owned()))
    }

    fn due(&self, due: Due, leg: impl Fn(u32) -> (u32, Option<u32>)) -> (String, Vec<String>) {
        let port = |channel: u32, text: &str| {
            (text.replace("{}", self.port(channel)), self.known(channel))
        };
        let flow = |flow: u32, text: &str| {
            (
                text.replace("{}", self.flow(flow)),
                vec![self.flow(flow).to_owned()],
            )
        };
        let of_leg = |own: u32, text: &str| {
            let (channel, flow) = leg(own);
            let of = flow.map_or(String::new(), |flow| format!(" of `{}`", self.flow(flow)));
            port(channel, &text.replace("{of}", &of))
        };
        match due {
            Due::Arrival(channel) => port(channel, "something arrives over {}"),
            Due::LastBit(channel) => port(channel, "the last bit leaves on {}, which is free then"),
            Due::Choice(channel) => port(channel, "{} is free, and chooses what goes next"),
            Due::Source(own) => flow(own, "the source of `{}` acts"),
            Due::Station(own, true) => flow(own, "the source of `{}` acts"),
            Due::Station(own, false) => flow(own, "the destination of `{}` acts"),
            Due::Session(own) => flow(own, "the session of `{}` opens or closes"),
            Due::Sink(own) => of_leg(own, "the destination behind {} takes a unit{of}"),
            Due::Request(own) => of_leg(own, "the sender{of} on {} asks for credit if it has none"),
            Due::Refresh(own) => of_leg(own, "the receiver{of} on {} repeats its credit if silent"),
            Due::Update(channel) => {
                port(channel, "the port behind {} may send an update of credit")
            }
            Due::Statement(channel) => port(channel, "{} states what its classes have sent"),
            Due::Response(channel) => port(channel, "{} obeys what a control frame has asked for"),
            Due::Expiry(channel) => port(channel, "a stop of {} expires, unless renewed"),
            Due::Repeat(channel) => port(channel, "a stop is said again over {}"),
            Due::Storm(channel) => port(channel, "a storm goes on over {}"),
            Due::Watchdog(channel, class) => port(
                channel,
                &format!("a time-out or the watchdog of class {class} of {{}} looks"),
            ),
            Due::Port(channel) => port(channel, "the port {} measures, or lets go what it holds"),
            Due::Alarm => ("hosts of flows of a list act".into(), Vec::new()),
            Due::Arrivals(_) => ("flows of a list begin".into(), Vec::new()),
            Due::Ended(_) => ("a flow of a list has ended".into(), Vec::new()),
            Due::Lookout => (
                "the run looks for queues that wait for each other".into(),
                Vec::new(),
            ),
        }
    }
}

/// `12 made, 10 delivered, 2 lost`.
pub(super) fn course(made: u64, delivered: u64, lost: u64) -> String {
    let lost = match lost {
        0 => String::new(),
        lost => format!(", {} lost", grouped(lost)),
    };
    format!(
        "{} made, {} delivered{lost}",
        grouped(made),
        grouped(delivered)
    )
}
