//! Everything a probe is told, and laws checked on it with books of its own.

use std::collections::BTreeMap;

use backwater_kernel::{Channels, Time};
use backwater_net::frames::Network;
use backwater_net::frames::probe::{Content, Frame, FrameView, Gate, LossCause, Probe};
use backwater_net::frames::spec::{ChannelSpec, EthernetSpec, SchedulerSpec};
use backwater_net::watched;

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Created(u32, FrameView),
    Joined(u32, FrameView, u64),
    Start(u32, FrameView),
    /// Channel, class, bytes left in the queue.
    Sent(u32, u8, u64),
    Arrival(u32, FrameView),
    Drop(u32, FrameView, LossCause),
    Delivered(FrameView),
    Gate(u32, Gate, bool),
    /// TCP positions of a flow, at its source and destination.
    Positions(u32, [(u64, u64, u64); 2]),
    /// Flow, forward, bytes.
    Payload(u32, bool, u64),
    End,
}

#[derive(Default)]
struct Watch {
    events: Vec<(u64, Event)>,
    flows: u32,
}

impl Watch {
    fn note(&mut self, at: Time, event: Event) {
        self.events.push((at.ps(), event));
    }
}

impl Probe for Watch {
    fn on_frame_created(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        self.note(at, Event::Created(channel, *frame));
    }
    fn on_frame_joined(&mut self, at: Time, channel: u32, frame: &Frame<'_>, queue_bytes: u64) {
        let frame = frame.view();
        self.note(at, Event::Joined(channel, *frame, queue_bytes));
    }
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        self.note(at, Event::Start(channel, *frame));
    }
    fn on_frame_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        self.note(at, Event::Sent(channel, class, queue_bytes));
    }
    fn on_frame_arrival(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        self.note(at, Event::Arrival(channel, *frame));
    }
    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &Frame<'_>, cause: LossCause) {
        let frame = frame.view();
        self.note(at, Event::Drop(channel, *frame, cause));
    }
    fn on_frame_delivered(&mut self, at: Time, frame: &Frame<'_>) {
        let frame = frame.view();
        self.note(at, Event::Delivered(*frame));
    }
    fn on_payload(&mut self, at: Time, flow: u32, is_forward: bool, bytes: u64) {
        self.note(at, Event::Payload(flow, is_forward, bytes));
    }
    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        self.note(at, Event::Gate(channel, gate, is_stopped));
    }
    fn after_instant(&mut self, at: Time, network: &Network) {
        for flow in 0..self.flows {
            if let Some(positions) = network.positions(flow) {
                self.note(at, Event::Positions(flow, positions));
            }
        }
        self.note(at, Event::End);
    }
}

pub type Events = Vec<(u64, Event)>;

/// All events of a run.
pub fn events_of(spec: &EthernetSpec) -> Events {
    let watch = Watch {
        events: Vec::new(),
        flows: spec.flows.len() as u32,
    };
    watched(spec, watch).expect("a sound network").0.events
}

pub fn channel_spec(spec: &EthernetSpec, channel: u32) -> &ChannelSpec {
    spec.links.channel(channel)
}

/// Node a channel leaves.
pub fn tail(spec: &EthernetSpec, channel: u32) -> u32 {
    spec.links.ends(channel).0
}

type Law = Result<(), String>;

fn fail(at: u64, what: String) -> Law {
    Err(format!("{at} ps: {what}"))
}

/// Where a frame of data is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spot {
    /// With the node the channel leaves, about to join or to be dropped.
    At(u32),
    Queue(u32),
    Wire(u32),
    Gone,
}

/// What a frame is for each station that is still to get it.
fn copies(frame: &FrameView) -> impl Iterator<Item = (u32, u64, u32)> + Clone {
    let (first, count) = frame.receivers;
    let (flow, number) = (frame.flow, frame.number);
    (first..first + count).map(move |place| (flow, number, place))
}

/// Every frame goes from its making to its delivery or drop in whole steps, none vanishes and
/// none appears; what a queue is said to hold is the sum of what joined it and has not left.
pub fn conserves(spec: &EthernetSpec, events: &Events) -> Law {
    let mut places: BTreeMap<(u32, u64, u32), Spot> = BTreeMap::new();
    let mut queues: BTreeMap<(u32, u8), u64> = BTreeMap::new();
    let mut sending: BTreeMap<u32, (u8, u64)> = BTreeMap::new();
    for (at, event) in events {
        let (frame, from, to): (&FrameView, &[Option<Spot>], Spot) = match event {
            Event::Created(channel, frame) => (frame, &[None], Spot::At(tail(spec, *channel))),
            Event::Joined(channel, frame, bytes) => {
                let held = queues.entry((*channel, frame.class)).or_default();
                *held += u64::from(frame.bytes);
                if held != bytes {
                    return fail(*at, format!("channel {channel} holds {held}, not {bytes}"));
                }
                let here = Some(Spot::At(tail(spec, *channel)));
                (frame, &[here], Spot::Queue(*channel))
            }
            Event::Start(channel, frame) if !frame.is_control() => {
                sending.insert(*channel, (frame.class, u64::from(frame.bytes)));
                (frame, &[Some(Spot::Queue(*channel))], Spot::Wire(*channel))
            }
            Event::Sent(channel, class, bytes) => {
                if let Some((class, sent)) = sending.remove(channel) {
                    *queues.entry((*channel, class)).or_default() -= sent;
                }
                let held = queues.get(&(*channel, *class)).copied().unwrap_or(0);
                if held != *bytes {
                    return fail(*at, format!("channel {channel} holds {held}, not {bytes}"));
                }
                continue;
            }
            Event::Arrival(channel, frame) if !frame.is_control() => {
                let node = tail(spec, channel ^ 1);
                (frame, &[Some(Spot::Wire(*channel))], Spot::At(node))
            }
            Event::Drop(channel, frame, cause) if !frame.is_control() => {
                if *cause == LossCause::Watchdog {
                    // It may have waited.
                    let held = queues.entry((*channel, frame.class)).or_default();
                    let copies = copies(frame);
                    let waits = |copy| places.get(&copy) == Some(&Spot::Queue(*channel));
                    if copies.clone().all(waits) {
                        *held -= u64::from(frame.bytes);
                        places.extend(copies.map(|copy| (copy, Spot::Gone)));
                        continue;
                    }
                }
                let was = match cause {
                    LossCause::Wire => Spot::Wire(*channel),
                    _ => Spot::At(tail(spec, *channel)),
                };
                (frame, &[Some(was)], Spot::Gone)
            }
            Event::Delivered(frame) => (frame, &[Some(Spot::At(frame.destination))], Spot::Gone),
            _ => continue,
        };
        for copy in copies(frame) {
            let was = places.insert(copy, to);
            if !from.contains(&was) {
                return fail(*at, format!("{event:?}: it was {was:?}"));
            }
        }
    }
    Ok(())
}

/// Nothing is left in queues, on wires or between.
pub fn drained(events: &Events) -> Law {
    let mut inside: BTreeMap<(u32, u64, u32), u64> = BTreeMap::new();
    for (at, event) in events {
        match event {
            Event::Created(_, frame) => {
                inside.extend(copies(frame).map(|copy| (copy, *at)));
            }
            Event::Drop(_, frame, _) | Event::Delivered(frame) => {
                copies(frame).for_each(|copy| {
                    inside.remove(&copy);
                });
            }
            _ => {}
        }
    }
    match inside.iter().next() {
        Some((frame, born)) => fail(*born, format!("{frame:?} never ends, of {}", inside.len())),
        None => Ok(()),
    }
}

/// What is stopped on each channel.
#[derive(Default)]
struct Gates(BTreeMap<(u32, Gate), ()>);

impl Gates {
    fn note(&mut self, channel: u32, gate: Gate, is_stopped: bool) {
        match is_stopped {
            true => self.0.insert((channel, gate), ()),
            false => self.0.remove(&(channel, gate)),
        };
    }

    fn stops(&self, channel: u32, frame: &FrameView) -> bool {
        let destination = Gate::Destination(frame.class, frame.destination);
        let gates = [Gate::Port, Gate::Class(frame.class), destination];
        gates
            .iter()
            .any(|gate| self.0.contains_key(&(channel, *gate)))
    }
}

/// A stopped frame does not start; a port with one that is not stopped is never idle, and under
/// strict priority sends the highest class that may; within a class and destination the first.
pub fn serves_what_may_go(spec: &EthernetSpec, events: &Events) -> Law {
    let mut gates = Gates::default();
    let mut waiting: BTreeMap<u32, Vec<FrameView>> = BTreeMap::new();
    let mut busy: BTreeMap<u32, u64> = BTreeMap::new();
    for (at, event) in events {
        match event {
            Event::Gate(channel, gate, is_stopped) => gates.note(*channel, *gate, *is_stopped),
            Event::Joined(channel, frame, _) => waiting.entry(*channel).or_default().push(*frame),
            Event::Drop(channel, frame, LossCause::Watchdog) => {
                waiting
                    .entry(*channel)
                    .or_default()
                    .retain(|it| !is_same(it, frame));
            }
            Event::Start(channel, frame) => {
                let channel_spec = channel_spec(spec, *channel);
                let wire = channel_spec.rate.serialization(u64::from(frame.bytes) + 20);
                if busy
                    .insert(*channel, at + wire.ps())
                    .is_some_and(|until| until > *at)
                {
                    return fail(*at, format!("channel {channel} sends two frames"));
                }
                if frame.is_control() {
                    continue;
                }
                let queue = waiting.entry(*channel).or_default();
                if gates.stops(*channel, frame) {
                    return fail(*at, format!("channel {channel}: {frame:?} is stopped"));
                }
                let may_go = |it: &&FrameView| !gates.stops(*channel, it);
                let highest = queue.iter().filter(may_go).map(|it| it.class).max();
                let is_strict = channel_spec.scheduler == SchedulerSpec::StrictPriority;
                if is_strict && highest.is_some_and(|class| class > frame.class) {
                    return fail(*at, format!("channel {channel}: {highest:?} must go first"));
                }
                let same = |it: &&FrameView| it.class == frame.class && may_go(it);
                if !queue.iter().find(same).is_some_and(|it| is_same(it, frame)) {
                    return fail(
                        *at,
                        format!("channel {channel}: {frame:?} is not the first"),
                    );
                }
                queue.retain(|it| !is_same(it, frame));
            }
            Event::End => {
                for (channel, queue) in &waiting {
                    let is_idle = busy.get(channel).is_none_or(|until| until <= at);
                    if is_idle && queue.iter().any(|frame| !gates.stops(*channel, frame)) {
                        return fail(*at, format!("channel {channel} is idle"));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_same(left: &FrameView, right: &FrameView) -> bool {
    (left.flow, left.number) == (right.flow, right.number)
}

/// Frames of a flow reach their station in the order in which they were made.
pub fn keeps_order(events: &Events) -> Law {
    let mut last: BTreeMap<(u32, u32, u32), u64> = BTreeMap::new();
    for (at, event) in events {
        if let Event::Delivered(frame) = event {
            let ends = (frame.flow, frame.source, frame.destination);
            let before = last.insert(ends, frame.number);
            if before.is_some_and(|before| before >= frame.number) {
                return fail(*at, format!("{frame:?} comes after {before:?}"));
            }
        }
    }
    Ok(())
}

/// What a control frame says: its gates, and whether each is stopped.
fn said(frame: &FrameView) -> Vec<(Gate, bool)> {
    match frame.content {
        Content::Pause { quanta } => vec![(Gate::Port, quanta > 0)],
        Content::Pfc { stops, resumes, .. } => {
            let named = (0..8).filter(|class| (stops | resumes) >> class & 1 == 1);
            named
                .map(|class| (Gate::Class(class), stops >> class & 1 == 1))
                .collect()
        }
        Content::StopDestination {
            class,
            destination,
            quanta,
        } => vec![(Gate::Destination(class, destination), quanta > 0)],
        Content::Tcp { .. }
        | Content::Roce { .. }
        | Content::Udp { .. }
        | Content::Credit { .. }
        | Content::Counters { .. } => Vec::new(),
    }
}

/// Stops and resumes alternate for each neighbour and gate; a stop may follow a stop only where
/// `refreshes` says that they are sent again, or in a frame that says something new of another
/// class. The first is a stop.
pub fn alternates(events: &Events, refreshes: bool) -> Law {
    let mut last: BTreeMap<(u32, Gate), bool> = BTreeMap::new();
    for (at, event) in events {
        let Event::Start(channel, frame) = event else {
            continue;
        };
        let said = said(frame);
        let was = |gate: &Gate| last.get(&(*channel, *gate)).copied().unwrap_or(false);
        let is_new = said.iter().any(|(gate, is_stop)| was(gate) != *is_stop);
        for (gate, is_stop) in said {
            let before = last.insert((*channel, gate), is_stop).unwrap_or(false);
            if before == is_stop && !(is_stop && (refreshes || is_new)) {
                return fail(
                    *at,
                    format!("channel {channel}, {gate:?}: stop {is_stop} again"),
                );
            }
        }
    }
    Ok(())
}

/// At the end nobody is told to stop, and nothing is stopped.
pub fn all_is_cancelled(events: &Events) -> Law {
    let mut told: BTreeMap<(u32, Gate), u64> = BTreeMap::new();
    let mut gates = Gates::default();
    for (at, event) in events {
        match event {
            Event::Start(channel, frame) => {
                for (gate, is_stop) in said(frame) {
                    match is_stop {
                        true => told.insert((*channel, gate), *at),
                        false => told.remove(&(*channel, gate)),
                    };
                }
            }
            Event::Gate(channel, gate, is_stopped) => gates.note(*channel, *gate, *is_stopped),
            _ => {}
        }
    }
    match (told.iter().next(), gates.0.keys().next()) {
        (Some((stop, at)), _) => fail(*at, format!("{stop:?} is never cancelled")),
        (None, Some(gate)) => Err(format!("{gate:?} stays closed")),
        (None, None) => Ok(()),
    }
}

/// Control frames go before data that starts later, and all arrive, in order (but for those
/// under way at the end).
pub fn control_gets_through(events: &Events) -> Law {
    let mut data_starts: BTreeMap<u32, u64> = BTreeMap::new();
    let mut under_way: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
    for (at, event) in events {
        match event {
            Event::Start(channel, frame) if frame.is_control() => {
                let data = data_starts.get(channel).copied();
                if data.is_some_and(|data| frame.born.ps() <= data) {
                    return fail(
                        *at,
                        format!("channel {channel}: data went before {frame:?}"),
                    );
                }
                under_way
                    .entry(*channel)
                    .or_default()
                    .push((frame.number, *at));
            }
            Event::Start(channel, _) => {
                data_starts.insert(*channel, *at);
            }
            Event::Arrival(channel, frame) if frame.is_control() => {
                let flying = under_way.entry(*channel).or_default();
                if flying.first().map(|(number, _)| *number) != Some(frame.number) {
                    return fail(*at, format!("channel {channel}: {frame:?}, not {flying:?}"));
                }
                flying.remove(0);
            }
            Event::Drop(_, frame, _) if frame.is_control() => {
                return fail(*at, format!("{frame:?} is dropped"));
            }
            _ => {}
        }
    }
    // The slowest takes less than half a millisecond on its way.
    let end = events.last().map_or(0, |(at, _)| *at);
    let mut left = under_way.values().flatten();
    match left.all(|(_, start)| start + 500_000_000 > end) {
        true => Ok(()),
        false => Err("control frames are lost".into()),
    }
}

/// What is acknowledged has been received, what is received has been sent, both ways; what
/// applications got is what was received.
pub fn delivers_in_order(events: &Events) -> Law {
    let mut got: BTreeMap<(u32, bool), u64> = BTreeMap::new();
    // A sender goes back after a time-out; what it sent once counts.
    let mut sent: BTreeMap<(u32, bool), u64> = BTreeMap::new();
    for (at, event) in events {
        match event {
            Event::Payload(flow, is_forward, bytes) => {
                *got.entry((*flow, *is_forward)).or_default() += bytes;
            }
            Event::Positions(flow, [source, destination]) => {
                for (here, there, is_forward) in
                    [(source, destination, true), (destination, source, false)]
                {
                    let read = got.get(&(*flow, is_forward)).copied().unwrap_or(0);
                    let sent = sent.entry((*flow, is_forward)).or_default();
                    *sent = here.1.max(*sent);
                    if !(here.0 <= there.2 && there.2 <= *sent && read == there.2) {
                        let text = format!("flow {flow}: {here:?}, {there:?}, {read} read");
                        return fail(*at, text);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// No frame of these classes is dropped.
pub fn loses_nothing(events: &Events, classes: u32) -> Law {
    for (at, event) in events {
        if let Event::Drop(channel, frame, cause) = event
            && classes >> frame.class & 1 == 1
        {
            return fail(*at, format!("channel {channel}: {cause:?} drops {frame:?}"));
        }
    }
    Ok(())
}
