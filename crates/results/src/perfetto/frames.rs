//! Frames by class.

use std::io::{self, Write};

use backwater_kernel::{Channels, Time};
use backwater_net::Network;
use backwater_net::frames::spec::{CLASSES_MAX, EthernetSpec, wire_bytes};
use backwater_net::probe::{Content, Frame, FrameView, Gate, LegState, LossCause, Probe, counters};

use super::scene::{Below, Counted, Scene};
use super::writer::{Name, Slice, Value};
use crate::ethernet::kind;
use crate::events::names;
use crate::trace::TraceFile;

/// Classes that a port may have.
const CLASSES: usize = CLASSES_MAX;

/// A stop that has come and may not be obeyed yet.
#[derive(Clone, Copy, Debug)]
struct Order {
    at: Time,
    gate: Gate,
    arrow: u64,
}

/// A probe that writes what every port does as a trace for Perfetto: sending, stopped, blocked;
/// what stops it, and whence that comes; queues, credit and windows.
#[derive(Debug)]
pub struct PerfettoFrames<'a, W: Write> {
    spec: &'a EthernetSpec,
    scene: Scene<W, (u32, Gate)>,
    /// By channel: stops that came for it within the response time.
    orders: Vec<Vec<Order>>,
    /// By channel and class, if it has credit: the arrow from the frame that started last.
    spent: Vec<[Option<u64>; CLASSES]>,
    /// Arrows of frames with credit so far.
    arrows: u64,
    /// Flows whose window may have changed at this instant.
    flows: Vec<u32>,
    /// Legs, each a class of a port, whose credit may have changed at this instant.
    legs: Vec<u32>,
    /// Channel, class and bytes of queues that have changed at this instant.
    queues: Vec<(u32, u8, u64)>,
}

impl<'a, W: Write> PerfettoFrames<'a, W> {
    /// Of a run of this network; without a file yet.
    pub fn new(spec: &'a EthernetSpec) -> PerfettoFrames<'a, W> {
        let channels = spec.links.len() * 2;
        PerfettoFrames {
            spec,
            scene: Scene::new(spec),
            orders: vec![Vec::new(); channels],
            spent: vec![[None; CLASSES]; channels],
            arrows: 0,
            flows: Vec::new(),
            legs: Vec::new(),
            queues: Vec::new(),
        }
    }

    /// A queue holds so much; of several numbers of an instant the last one counts.
    fn queue(&mut self, channel: u32, class: u8, bytes: u64) {
        self.scene.touch(channel);
        let is_it = |known: &&mut (u32, u8, u64)| (known.0, known.1) == (channel, class);
        match self.queues.iter_mut().find(is_it) {
            Some(known) => known.2 = bytes,
            None => self.queues.push((channel, class, bytes)),
        }
    }

    fn count_queues(&mut self, at: Time) {
        for (channel, class, bytes) in self.queues.drain(..) {
            let what = Counted::Queue(channel, class.into());
            let name = || (format!("queue, class {class}"), "bytes");
            let what = (what, Below::Port(channel));
            self.scene.count(at, what, bytes as i64, name);
        }
    }

    fn credit(&mut self, at: Time, leg: LegState, id: u32) {
        let what = (Counted::Credit(id), Below::Port(leg.channel));
        let of_flow = match leg.gate {
            Some(Gate::Flow(_, way)) => format!(", {}", flow_name(self.spec, way)),
            Some(Gate::Lane(_, number)) => format!(", lane {number}"),
            _ => String::new(),
        };
        let name = || (format!("credit, class {}{of_flow}", leg.class), "units");
        let credit = leg.credit.unwrap_or(0);
        self.scene.count(at, what, credit, name);
    }

    /// The arrow that begins with a frame, if it stops something or spends credit.
    fn arrow(&mut self, channel: u32, frame: &FrameView) -> Option<u64> {
        if frame.is_control() {
            return frame.stops().then(|| order_arrow(frame));
        }
        let spent = &mut self.spent[channel as usize][usize::from(frame.class) % CLASSES];
        spent.as_mut().map(|arrow| {
            self.arrows += 1;
            *arrow = self.arrows << 1;
            *arrow
        })
    }

    /// What closed a gate now: a stop that came one response time ago, or else the frame that spent
    /// credit last.
    fn closed_by(&mut self, at: Time, channel: u32, gate: Gate) -> Option<u64> {
        let response = self.spec.links.channel(channel).stopped.response;
        let orders = &mut self.orders[channel as usize];
        orders.retain(|order| order.at + response >= at);
        let is_it = |order: &&Order| order.gate == gate && order.at + response == at;
        if let Some(order) = orders.iter().find(is_it) {
            return Some(order.arrow);
        }
        let (Gate::Class(class) | Gate::Flow(class, _) | Gate::Lane(class, _)) = gate else {
            return None;
        };
        let spent = self.spent[channel as usize][usize::from(class) % CLASSES];
        spent.filter(|arrow| *arrow != 0)
    }
}

/// The flow of a way.
fn flow_name(spec: &EthernetSpec, way: u32) -> &str {
    let flow = spec.flows.get(way as usize / 2);
    flow.map_or("", |flow| &flow.name)
}

/// Stops have odd numbers, by that of their frame.
fn order_arrow(frame: &FrameView) -> u64 {
    frame.number << 1 | 1
}

/// The gates that a stop shuts.
fn gates(content: &Content) -> Vec<Gate> {
    match *content {
        Content::Pause { .. } => vec![Gate::Port],
        Content::Pfc { stops, .. } => {
            let classes = (0..8).filter(|class| stops & 1 << class != 0);
            classes.map(Gate::Class).collect()
        }
        Content::StopDestination {
            class, destination, ..
        } => vec![Gate::Destination(class, destination)],
        Content::Tcp { .. }
        | Content::Roce { .. }
        | Content::Udp { .. }
        | Content::Credit { .. }
        | Content::Counters { .. } => Vec::new(),
    }
}

impl<W: Write> TraceFile<W> for PerfettoFrames<'_, W> {
    const NAME: &'static str = super::NAME;

    fn begin(&mut self, file: W, _: &str) -> io::Result<()> {
        self.scene.begin_file(file);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.scene.flush()
    }

    fn finish(&mut self, at: u64) -> io::Result<()> {
        self.scene.finish(Time(at))
    }
}

impl<W: Write> PerfettoFrames<'_, W> {
    /// The window of its flow may have changed; those of flows without a row are not drawn.
    fn note_window(&mut self, frame: &FrameView) {
        let has_row = (frame.flow as usize) < self.spec.flows.len();
        if let (Content::Tcp { .. }, true) = (&frame.content, has_row) {
            self.flows.push(frame.flow);
        }
    }
}

impl<W: Write> Probe for PerfettoFrames<'_, W> {
    fn on_begin(&mut self, network: &Network) {
        for id in 0..network.legs() {
            let leg = network.leg(id);
            self.spent[leg.channel as usize][usize::from(leg.class) % CLASSES] = Some(0);
            self.credit(Time::ZERO, leg, id);
        }
    }

    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        let from = self.arrow(channel, frame);
        let rate = self.spec.links.channel(channel).rate;
        let bytes = u64::from(frame.bytes);
        let span = rate.serialization(u64::from(wire_bytes(frame.bytes)));
        let number = |name, value| (name, Value::Number(value));
        let (name, last) = match frame.content {
            Content::Tcp { .. } | Content::Roce { .. } | Content::Udp { .. } => {
                let marked = u64::from(frame.is_marked);
                (Name::Flow(frame.flow), number("marked", marked))
            }
            Content::Pause { quanta }
            | Content::Pfc { quanta, .. }
            | Content::StopDestination { quanta, .. } => {
                let word = Name::Word(kind(&frame.content));
                (word, number("quanta", quanta.into()))
            }
            Content::Credit { value, .. } => {
                let word = Name::Word(kind(&frame.content));
                (word, number("value", value))
            }
            Content::Counters { classes, words, .. } => {
                let first = counters(classes, &words).next();
                let word = Name::Word(kind(&frame.content));
                (word, number("value", first.map_or(0, |(_, value)| value)))
            }
        };
        let slice = Slice {
            name,
            category: "sending",
            arguments: &[
                number("class", frame.class.into()),
                number("bytes", bytes),
                number("number", frame.number),
                last,
            ],
            from,
            to: None,
        };
        self.scene.start(at, channel, span, &slice);
    }

    fn on_frame_joined(&mut self, _at: Time, channel: u32, frame: &Frame<'_>, queue_bytes: u64) {
        self.queue(channel, frame.class, queue_bytes);
    }

    fn on_frame_sent(&mut self, _at: Time, channel: u32, class: u8, queue_bytes: u64) {
        self.queue(channel, class, queue_bytes);
    }

    fn on_frame_arrival(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        if frame.stops() {
            let arrow = order_arrow(frame);
            let stopped = channel ^ 1;
            let response = self.spec.links.channel(stopped).stopped.response;
            let orders = &mut self.orders[stopped as usize];
            orders.retain(|order| order.at + response >= at);
            let shut = gates(&frame.content).into_iter();
            orders.extend(shut.map(|gate| Order { at, gate, arrow }));
        }
    }

    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &Frame<'_>, why: LossCause) {
        let frame = frame.view();
        let unit = (frame.flow, frame.number);
        self.scene.lost(at, channel, why, unit);
    }

    fn on_frame_created(&mut self, _at: Time, _channel: u32, frame: &Frame<'_>) {
        self.note_window(frame.view());
    }

    fn on_frame_delivered(&mut self, _at: Time, frame: &Frame<'_>) {
        self.note_window(frame.view());
    }

    fn on_credit(&mut self, _at: Time, leg: u32, _credit: i64, _renewed: bool) {
        self.legs.push(leg);
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        let by = match is_stopped {
            true => self.closed_by(at, channel, gate),
            false => None,
        };
        let has_credit = match gate {
            Gate::Class(class) | Gate::Flow(class, _) | Gate::Lane(class, _) => {
                self.spent[channel as usize][usize::from(class) % CLASSES].is_some()
            }
            Gate::Port | Gate::Destination(..) => false,
        };
        let word = if has_credit { "no credit" } else { "stopped" };
        let spec = self.spec;
        let name = || match gate {
            Gate::Port => "stops".into(),
            Gate::Class(class) if has_credit => format!("credit, class {class}"),
            Gate::Class(class) => format!("stops, class {class}"),
            Gate::Destination(class, host) => {
                format!("stops, class {class} to {}", names::node(spec, host))
            }
            Gate::Flow(class, way) => {
                format!("credit, class {class}, {}", flow_name(spec, way))
            }
            Gate::Lane(class, number) => format!("credit, class {class}, lane {number}"),
        };
        let key = (channel, (channel, gate));
        self.scene.stop(at, key, (is_stopped, word), by, name);
        self.scene.touch(channel);
    }

    fn after_instant(&mut self, at: Time, network: &Network) {
        self.count_queues(at);
        for id in core::mem::take(&mut self.legs) {
            self.credit(at, network.leg(id), id);
        }
        for channel in self.scene.take_touched() {
            self.scene.hold(at, channel, network.hold(channel));
        }
        let mut flows = core::mem::take(&mut self.flows);
        flows.sort_unstable();
        flows.dedup();
        for flow in flows.drain(..) {
            let window = network.window_bytes(flow) as i64;
            let flow_spec = &self.spec.flows[flow as usize];
            let name = || (format!("window of {}", flow_spec.name), "bytes");
            let below = Below::Node(flow_spec.source);
            let what = (Counted::Window(flow), below);
            self.scene.count(at, what, window, name);
        }
        self.flows = flows;
    }
}
