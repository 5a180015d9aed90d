//! Nodes, their ports and what is seen of them: what traces of cells and of frames have in common.

use std::collections::BTreeMap;
use std::io::{self, Write};

use backwater_kernel::{Channels, Duration, Time};
use backwater_net::probe::{Hold, LossCause};

use super::writer::{Slice, Value, Writer};
use crate::events::drops::cause;
use crate::events::{Network, names};

/// One port: a track with what it sends and, in between, what holds it up.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    track: u64,
    /// What it shows.
    shown: Hold,
    /// What holds it up once it has sent what it sends, as far as is known.
    next: Option<Hold>,
    /// The last bit of what it sent last leaves.
    free_at: Time,
}

/// What may stop units at a port, and has a track of its own.
#[derive(Clone, Copy, Debug)]
struct Stop {
    track: u64,
    is_on: bool,
    /// The arrow to it.
    by: Option<u64>,
}

/// A number over time.
#[derive(Clone, Copy, Debug)]
struct Counter {
    track: u64,
    value: i64,
}

/// What a counter counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Counted {
    /// What waits for a channel, of a class or a leg.
    Queue(u32, u32),
    /// Credit of a leg.
    Credit(u32),
    /// Congestion window of a flow.
    Window(u32),
    /// What a source is allowed to send.
    Rate(u32),
}

/// Where a track belongs.
#[derive(Clone, Copy, Debug)]
pub enum Below {
    /// A node.
    Node(u32),
    /// A port, by its channel.
    Port(u32),
}

/// Writes what nodes and ports do.
#[derive(Debug)]
pub struct Scene<W: Write, K> {
    writer: Writer<W>,
    nodes: Vec<u64>,
    /// By channel.
    ports: Vec<Port>,
    stops: BTreeMap<K, Stop>,
    counters: BTreeMap<Counted, Counter>,
    /// Channels of which something has changed at this instant.
    touched: Vec<u32>,
}

impl<W: Write, K: Ord + Copy> Scene<W, K> {
    /// Nodes of a network, and their ports; without a file yet.
    pub fn new<N: Network>(network: &N) -> Scene<W, K> {
        let flows = (0..).map_while(|flow| network.flow(flow));
        let mut writer = Writer::new(flows.map(String::from).collect());
        let nodes = (0..).map_while(|node| Some((node, network.node(node)?.0)));
        let nodes: Vec<u64> = nodes.map(|(id, name)| writer.node(id, name)).collect();
        let ports = network.links().channels().zip(names::channels(network));
        let port = |(channel, name): (u32, String)| Port {
            track: writer.slices(nodes[network.links().ends(channel).0 as usize], &name),
            ..Port::default()
        };
        Scene {
            ports: ports.map(port).collect(),
            writer,
            nodes,
            stops: BTreeMap::new(),
            counters: BTreeMap::new(),
            touched: Vec::new(),
        }
    }

    /// Begins the file; it is written to in large pieces.
    pub fn begin_file(&mut self, file: W) {
        self.writer.begin_file(file);
    }

    /// Hands on what is still in memory.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// The run is over: what has begun ends.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    pub fn finish(&mut self, at: Time) -> io::Result<()> {
        for channel in 0..self.ports.len() as u32 {
            self.settle(at, channel);
            self.show(at, channel, Hold::Nothing);
        }
        let open = self.stops.values_mut().filter(|stop| stop.is_on);
        for stop in open {
            stop.is_on = false;
            self.writer.end(at, stop.track);
        }
        self.flush()
    }

    /// Something has changed at a port: it will be asked after this instant what holds it up.
    pub fn touch(&mut self, channel: u32) {
        self.touched.push(channel);
    }

    /// Ports that were touched since the last call.
    pub fn take_touched(&mut self) -> Vec<u32> {
        self.touched.sort_unstable();
        self.touched.dedup();
        core::mem::take(&mut self.touched)
    }

    /// A unit starts, whose last bit leaves after `span`.
    pub fn start(&mut self, at: Time, channel: u32, span: Duration, slice: &Slice<'_>) {
        self.settle(at, channel);
        self.show(at, channel, Hold::Nothing);
        let port = &mut self.ports[channel as usize];
        (port.free_at, port.next) = (at + span, None);
        let (track, end) = (port.track, port.free_at);
        self.writer.begin(at, track, slice);
        self.writer.end(end, track);
        self.touch(channel);
    }

    /// After an instant: this holds up a port, or will once it is free.
    pub fn hold(&mut self, at: Time, channel: u32, hold: Hold) {
        self.settle(at, channel);
        let port = &mut self.ports[channel as usize];
        port.next = None;
        match port.free_at > at {
            true => port.next = Some(hold),
            false => self.show(at, channel, hold),
        }
    }

    /// What was to be shown from when the port was free on, and has been since.
    fn settle(&mut self, at: Time, channel: u32) {
        let port = &mut self.ports[channel as usize];
        let free_at = port.free_at;
        if free_at < at
            && let Some(hold) = port.next.take()
        {
            self.show(free_at, channel, hold);
        }
    }

    fn show(&mut self, at: Time, channel: u32, hold: Hold) {
        let port = &mut self.ports[channel as usize];
        let before = core::mem::replace(&mut port.shown, hold);
        let track = port.track;
        if before == hold {
            return;
        }
        if before != Hold::Nothing {
            self.writer.end(at, track);
        }
        let word = match hold {
            Hold::Nothing => return,
            Hold::Stopped => "stopped",
            Hold::Blocked => "blocked",
        };
        self.writer.begin(at, track, &Slice::plain(word));
    }

    /// A unit of this flow and number is lost in front of a port or behind it.
    pub fn lost(&mut self, at: Time, channel: u32, why: LossCause, (flow, number): (u32, u64)) {
        let slice = Slice {
            arguments: &[
                ("flow", Value::Flow(flow)),
                ("number", Value::Number(number)),
            ],
            category: "lost",
            ..Slice::plain(cause(why))
        };
        let track = self.ports[channel as usize].track;
        self.writer.instant(at, track, &slice);
        self.touch(channel);
    }

    /// Part of what leaves a port is stopped, by what an arrow comes from, or may go again; or it
    /// was let go within this instant and is stopped anew. Its track is named when it is first
    /// stopped.
    pub fn stop(
        &mut self,
        at: Time,
        (channel, key): (u32, K),
        (is_on, word): (bool, &'static str),
        by: Option<u64>,
        name: impl FnOnce() -> String,
    ) {
        if !self.stops.contains_key(&key) && is_on {
            let parent = self.ports[channel as usize].track;
            let track = self.writer.slices(parent, &name());
            let (is_on, by) = (false, None);
            self.stops.insert(key, Stop { track, is_on, by });
        }
        let Some(stop) = self.stops.get_mut(&key) else {
            return;
        };
        let was_on = core::mem::replace(&mut stop.is_on, is_on);
        if was_on && !(is_on && by == stop.by) {
            self.writer.end(at, stop.track);
        }
        if is_on && !(was_on && by == stop.by) {
            stop.by = by;
            let slice = Slice {
                to: by,
                ..Slice::plain(word)
            };
            self.writer.begin(at, stop.track, &slice);
        }
    }

    /// Has it a track?
    pub fn counts(&self, counted: Counted) -> bool {
        self.counters.contains_key(&counted)
    }

    /// A counter has this value. Its track, below a node or port, has this name and unit.
    pub fn count(
        &mut self,
        at: Time,
        (counted, below): (Counted, Below),
        value: i64,
        name: impl FnOnce() -> (String, &'static str),
    ) {
        if let Some(counter) = self.counters.get_mut(&counted) {
            if core::mem::replace(&mut counter.value, value) != value {
                self.writer.value(at, counter.track, value);
            }
            return;
        }
        let (name, unit) = name();
        let parent = match below {
            Below::Node(node) => self.nodes[node as usize],
            Below::Port(channel) => self.ports[channel as usize].track,
        };
        let track = self.writer.counter(parent, &name, unit);
        self.counters.insert(counted, Counter { track, value });
        self.writer.value(at, track, value);
    }
}
