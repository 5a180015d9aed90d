//! Names of a network of circuits or frames, made once.

use backwater_ends::queue_pair::PacketKind;
use backwater_kernel::Channels;
use backwater_net::frames::probe::{Content, CreditMessage, FrameView, Gate, counters};
use backwater_net::frames::spec::GROUP;
use backwater_net::inspect::Unit;
use backwater_net::probe::{ControlKind, UnitKind};

use super::Clock;
use crate::events::{Network, names};

/// Names of a network.
#[derive(Clone, Debug)]
pub struct Named {
    /// How instants are told.
    pub clock: Clock,
    /// Of channels.
    pub ports: Vec<String>,
    /// Nodes that a channel leaves and enters.
    pub ends: Vec<(u32, u32)>,
    /// Of nodes.
    pub nodes: Vec<String>,
    /// Of flows.
    pub flows: Vec<String>,
    /// A unit: `cell` or `frame`.
    pub unit: &'static str,
    /// Line rates, in words, by channel.
    pub rates: Vec<String>,
}

impl Named {
    /// Of this network.
    pub fn of<N: Network>(network: &N, clock: Clock) -> Named {
        let links = network.links();
        let nodes = (0..).map_while(|id| network.node(id).map(|(name, _)| name.to_owned()));
        let flows = (0..).map_while(|id| network.flow(id).map(str::to_owned));
        let rates = links.iter().flat_map(|link| &link.channels);
        Named {
            clock,
            ports: names::channels(network),
            ends: links
                .channels()
                .map(|channel| links.ends(channel))
                .collect(),
            nodes: nodes.collect(),
            flows: flows.collect(),
            unit: N::UNIT,
            rates: rates
                .map(|channel| crate::number::rate(N::line(channel).0.0 as f64))
                .collect(),
        }
    }

    /// All that something can be called: ports, nodes, flows.
    pub fn all(&self) -> Vec<String> {
        let all = self.ports.iter().chain(&self.nodes).chain(&self.flows);
        let mut all: Vec<String> = all.cloned().collect();
        all.sort();
        all.dedup();
        all
    }

    /// A channel.
    pub fn port(&self, channel: u32) -> &str {
        self.ports
            .get(channel as usize)
            .map_or("a port", String::as_str)
    }

    /// A node, or the hosts of a multicast.
    pub fn node(&self, node: u32) -> &str {
        let of_group = || self.flows.get((node & !GROUP) as usize);
        let name = match node & GROUP {
            0 => self.nodes.get(node as usize),
            _ => of_group(),
        };
        name.map_or("a node", String::as_str)
    }

    /// The node that a channel leaves.
    pub fn from(&self, channel: u32) -> &str {
        self.ends
            .get(channel as usize)
            .map_or("a node", |ends| self.node(ends.0))
    }

    /// The node that a channel enters.
    pub fn to(&self, channel: u32) -> &str {
        self.ends
            .get(channel as usize)
            .map_or("a node", |ends| self.node(ends.1))
    }

    /// What a channel is known by.
    pub fn known(&self, channel: u32) -> Vec<String> {
        [self.port(channel), self.from(channel), self.to(channel)]
            .map(str::to_owned)
            .into()
    }

    /// A flow.
    pub fn flow(&self, flow: u32) -> &str {
        self.flows
            .get(flow as usize)
            .map_or("a flow", String::as_str)
    }

    /// A unit: ``frame 17 of `to slow` ``, `credit of VC1`.
    pub fn unit(&self, unit: &Unit) -> String {
        match &unit.frame {
            Some(view) => self.frame(view),
            None => self.cell(unit.kind, unit.flow, unit.number, unit.value),
        }
    }

    /// A unit of a circuit.
    pub fn cell(&self, kind: UnitKind, flow: Option<u32>, number: u64, value: u64) -> String {
        let of = flow.map_or("a circuit", |flow| self.flow(flow));
        match kind {
            UnitKind::Data => format!("{} {number} of `{of}`", self.unit),
            UnitKind::ForwardRm | UnitKind::BackwardRm => {
                format!("{} {number} of `{of}`", kind.words())
            }
            UnitKind::Control(ControlKind::Credit) => {
                format!("a credit unit of `{of}` that says {}", value as i64)
            }
            UnitKind::Control(ControlKind::Sync) => {
                format!("a statement that {value} of `{of}` were sent")
            }
            UnitKind::Control(ControlKind::Session) => format!("a session message of `{of}`"),
            UnitKind::Control(ControlKind::Alarm) => format!("a warning for the source of `{of}`"),
            UnitKind::Control(ControlKind::Notice) => {
                format!("an RM cell of a switch for the source of `{of}`")
            }
            UnitKind::Control(_) => format!("a {} of `{of}`", kind.words()),
        }
    }

    /// A frame.
    pub fn frame(&self, view: &FrameView) -> String {
        let number = view.number;
        let of = self.flow(view.flow);
        match view.content {
            Content::Tcp { segment, .. } if segment.bytes == 0 => {
                format!("frame {number} of `{of}` (an acknowledgement)")
            }
            Content::Roce { packet, .. } if packet.is_trimmed => {
                format!("frame {number} of `{of}` (a trimmed header)")
            }
            Content::Roce { packet, .. } if packet.kind != PacketKind::Data => {
                let what = match packet.kind {
                    PacketKind::Notification => "a CNP",
                    PacketKind::Rate => "a rate stated by a switch",
                    PacketKind::Nack => "a NACK",
                    PacketKind::Trimmed => "a NACK of a trimmed packet",
                    PacketKind::Data | PacketKind::Ack => "an acknowledgement",
                };
                format!("frame {number} of `{of}` ({what})")
            }
            Content::Tcp { .. } | Content::Roce { .. } | Content::Udp { .. } => {
                format!("frame {number} of `{of}`")
            }
            Content::Pause { quanta: 0 } => "a PAUSE that resumes the port".into(),
            Content::Pause { .. } => "a PAUSE that stops the port".into(),
            Content::Pfc { stops, resumes, .. } => pfc(stops, resumes),
            Content::StopDestination {
                class,
                destination,
                quanta,
            } => {
                let verb = if quanta > 0 { "stops" } else { "resumes" };
                let to = self.node(destination);
                format!("a message that {verb} class {class} to {to}")
            }
            Content::Credit {
                lane,
                message,
                value,
            } => match message {
                CreditMessage::Credit => {
                    format!("credit for {} that says {}", self.lane(lane), value as i64)
                }
                CreditMessage::Request => format!("a request for credit of {}", self.lane(lane)),
                CreditMessage::Sync => format!("a statement of what {} sent", self.lane(lane)),
            },
            Content::Counters {
                is_update,
                first,
                classes,
                words,
            } => {
                let says = counters(classes, &words);
                let says = says.map(|(at, value)| match first {
                    None => format!("class {at}: {value}"),
                    Some(first) => format!("lane {}: {value}", first + u32::from(at)),
                });
                let what = if is_update {
                    "an update of credit"
                } else {
                    "a statement of what was sent"
                };
                format!("{what} ({})", says.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// What a gate of a channel concerns: `class 3 of A -> S`.
    pub fn gate(&self, channel: u32, gate: Gate) -> String {
        let port = self.port(channel);
        match gate {
            Gate::Port => port.into(),
            Gate::Class(class) => format!("class {class} of {port}"),
            Gate::Destination(class, host) => {
                format!("class {class} of {port} to {}", self.node(host))
            }
            Gate::Flow(class, way) => {
                format!("{} of class {class} of {port}", self.way(way))
            }
            Gate::Lane(class, number) => format!("lane {number} of class {class} of {port}"),
        }
    }

    /// What of a port's frames has credit of its own.
    fn lane(&self, lane: Gate) -> String {
        match lane {
            Gate::Port => "the port".into(),
            Gate::Class(class) => format!("class {class}"),
            Gate::Destination(class, host) => format!("class {class} to {}", self.node(host)),
            Gate::Flow(class, way) => format!("{} of class {class}", self.way(way)),
            Gate::Lane(class, number) => format!("lane {number} of class {class}"),
        }
    }

    /// A flow, one way.
    fn way(&self, way: u32) -> String {
        let back = if way % 2 == 1 { ", back" } else { "" };
        format!("{}{back}", self.flow(way / 2))
    }
}

/// A frame of PFC.
fn pfc(stops: u8, resumes: u8) -> String {
    let classes = |bits: u8| -> String {
        let of_it = (0..8).filter(|class| bits >> class & 1 == 1);
        let words: Vec<String> = of_it.map(|class| class.to_string()).collect();
        let noun = if words.len() == 1 { "class" } else { "classes" };
        format!("{noun} {}", words.join(", "))
    };
    match (stops, resumes) {
        (0, 0) => "a PFC frame that says nothing".into(),
        (stops, 0) => format!("a PFC frame that stops {}", classes(stops)),
        (0, resumes) => format!("a PFC frame that resumes {}", classes(resumes)),
        (stops, _) => format!("a PFC frame that stops {} and no other", classes(stops)),
    }
}
