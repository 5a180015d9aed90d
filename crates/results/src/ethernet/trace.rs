//! Every frame of a run of the Ethernet engine, as CSV.

use std::collections::BTreeMap;
use std::io::{self, Write};

use backwater_ends::queue_pair::PacketKind;
use backwater_kernel::Time;
use backwater_net::frames::probe::{
    Content, CreditMessage, Frame, FrameView, Gate, LossCause, Probe, counters,
};
use backwater_net::frames::spec::{EthernetSpec, GROUP};

use super::fct::MemberNames;
use crate::csv;
use crate::events::drops::cause;
use crate::events::names;
use crate::sink::Sink;
use crate::trace::TraceFile;

/// Header row of a trace.
const HEADER: &str = "time_ps,event,port,flow,kind,number,class,bytes,from,to,marked,\
                          position,payload,acknowledges,flags,value,cause";

/// A probe that writes a line for each frame that starts on a channel (`out`), takes effect at its
/// far end (`in`) or is dropped in front of one (`drop`), and for each gate that closes or opens
/// (`stop`, `resume`).
#[derive(Debug)]
pub struct EthernetTrace<W: Write> {
    file: Sink<W>,
    nodes: Vec<String>,
    flows: Vec<String>,
    members: MemberNames,
    /// Names of groups of hosts, by the flow that goes to them.
    groups: BTreeMap<u32, String>,
}

impl<W: Write> EthernetTrace<W> {
    /// Of a run of this network; without a file yet.
    pub fn new(spec: &EthernetSpec) -> EthernetTrace<W> {
        let nodes = (0..).take(spec.nodes.len());
        let flows = (0..).take(spec.flows.len());
        let groups = (0..).zip(&spec.flows);
        let groups = groups.filter(|(_, flow)| flow.is_multicast());
        let groups = groups.map(|(id, flow)| flow.address(id));
        EthernetTrace {
            file: Sink::new(None),
            nodes: nodes.map(|id| csv::field(&names::node(spec, id))).collect(),
            flows: flows.map(|id| csv::field(&names::flow(spec, id))).collect(),
            members: MemberNames::new(spec),
            groups: groups
                .map(|group| (group, csv::field(&names::node(spec, group))))
                .collect(),
        }
    }

    /// A line; of a message about several classes one each, since a value is a number.
    fn frame(&mut self, at: Time, event: &str, channel: u32, frame: &FrameView, cause: &str) {
        match frame.content {
            Content::Counters {
                is_update,
                first,
                classes,
                words,
            } => {
                for (class, value) in counters(classes, &words) {
                    let content = Content::Counters {
                        is_update,
                        first,
                        classes: 1 << class,
                        words: [value, 0, 0, 0, 0, 0],
                    };
                    let of_class = FrameView { content, ..*frame };
                    self.line(at, event, channel, &of_class, cause);
                }
            }
            _ => self.line(at, event, channel, frame, cause),
        }
    }

    fn line(&mut self, at: Time, event: &str, channel: u32, frame: &FrameView, cause: &str) {
        let name = |names: &[String], index: u32| names.get(index as usize).cloned();
        let flow = name(&self.flows, frame.flow).or_else(|| self.members.name(frame.flow));
        let flow = flow.filter(|_| !frame.is_control()).unwrap_or_default();
        let node = |index: u32| {
            let known = match index & GROUP {
                0 => name(&self.nodes, index),
                _ => self.groups.get(&index).cloned(),
            };
            known.unwrap_or_else(|| index.to_string())
        };
        let from = node(frame.source);
        // The one a control frame goes to is the one at the end of the channel.
        let to = match frame.content {
            Content::Tcp { .. } | Content::Roce { .. } | Content::Udp { .. } => {
                node(frame.destination)
            }
            Content::StopDestination { destination, .. } => node(destination),
            Content::Pause { .. }
            | Content::Pfc { .. }
            | Content::Credit { .. }
            | Content::Counters { .. } => String::new(),
        };
        let rest = match frame.content {
            Content::Tcp { segment, .. } => format!(
                "{},{},{},{},",
                segment.seq, segment.bytes, segment.ack, segment.flags
            ),
            Content::Roce { packet, .. } if packet.kind == PacketKind::Data => {
                format!("{},{},,,", packet.seq, packet.bytes)
            }
            Content::Roce { packet, .. } => format!(",,{},,", packet.seq),
            Content::Udp { bytes, number, .. } => format!("{number},{bytes},,,"),
            Content::Pause { quanta } => format!(",,,,{quanta}"),
            Content::Pfc {
                stops,
                resumes,
                quanta,
            } => format!(",,,{},{quanta}", stops | resumes),
            Content::StopDestination { class, quanta, .. } => {
                format!(",,,{},{quanta}", 1u32 << (class & 31))
            }
            Content::Credit { lane, value, .. } => {
                format!(",,,{},{value}", 1u32 << (lane.class().unwrap_or(0) & 31))
            }
            Content::Counters { classes, words, .. } => format!(",,,{classes},{}", words[0]),
        };
        self.file.write(|file| {
            writeln!(
                file,
                "{},{event},{channel},{flow},{},{},{},{},{from},{to},{},{rest},{cause}",
                at.ps(),
                kind(&frame.content),
                frame.number,
                frame.class,
                frame.bytes,
                u8::from(frame.is_marked),
            )
        });
    }

    fn gate(&mut self, at: Time, event: &str, channel: u32, gate: Gate) {
        let (kind, class, to) = match gate {
            Gate::Port => ("port", String::new(), String::new()),
            Gate::Class(class) => ("class", class.to_string(), String::new()),
            Gate::Destination(class, host) => {
                let name = self.nodes.get(host as usize).cloned();
                ("destination", class.to_string(), name.unwrap_or_default())
            }
            Gate::Flow(class, way) => {
                let name = self.flows.get(way as usize / 2).cloned();
                ("flow", class.to_string(), name.unwrap_or_default())
            }
            Gate::Lane(class, number) => ("lane", class.to_string(), number.to_string()),
        };
        let at = at.ps();
        self.file.write(|file| {
            writeln!(
                file,
                "{at},{event},{channel},,{kind},,{class},,,{to},,,,,,,"
            )
        });
    }
}

/// What a frame is in a word.
pub fn kind(content: &Content) -> &'static str {
    match content {
        Content::Tcp { .. } => "tcp",
        Content::Roce { packet, .. } => match packet.kind {
            PacketKind::Data if packet.is_trimmed => "roce-trimmed",
            PacketKind::Data => "roce",
            PacketKind::Ack => "roce-ack",
            PacketKind::Nack => "roce-nack",
            PacketKind::Trimmed => "roce-trim-nack",
            PacketKind::Notification => "cnp",
            PacketKind::Rate => "rate",
        },
        Content::Udp { has_rtp: true, .. } => "rtp",
        Content::Udp { .. } => "udp",
        Content::Pause { .. } => "pause",
        Content::Pfc { .. } => "pfc",
        Content::StopDestination { .. } => "stop-destination",
        Content::Credit { message, .. } => match message {
            CreditMessage::Credit => "credit",
            CreditMessage::Request => "credit-request",
            CreditMessage::Sync => "credit-sync",
        },
        Content::Counters {
            is_update: true, ..
        } => "credit-update",
        Content::Counters { .. } => "credit-statement",
    }
}

impl<W: Write> TraceFile<W> for EthernetTrace<W> {
    const NAME: &'static str = "trace.csv";

    fn begin(&mut self, file: W, _: &str) -> io::Result<()> {
        self.file = Sink::with_header(file, HEADER)?;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<W: Write> Probe for EthernetTrace<W> {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        self.frame(at, "out", channel, frame.view(), "");
    }

    fn on_frame_arrival(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        self.frame(at, "in", channel, frame.view(), "");
    }

    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &Frame<'_>, why: LossCause) {
        self.frame(at, "drop", channel, frame.view(), cause(why));
    }

    fn on_frame_trimmed(&mut self, at: Time, channel: u32, frame: &Frame<'_>, _bytes: u32) {
        self.frame(at, "trim", channel, frame.view(), "");
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        let event = if is_stopped { "stop" } else { "resume" };
        self.gate(at, event, channel, gate);
    }
}
