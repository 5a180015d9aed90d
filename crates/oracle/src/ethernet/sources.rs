//! What stations send and do with what they get. Datagrams at even gaps and without end are made
//! here; all other traffic, and TCP, is that of [`backwater_ends::stations`].

use backwater_ends::application::{Outgoing, Payload};
use backwater_ends::queue_pair::PacketKind;
use backwater_ends::spec::Ecn;
use backwater_ends::stations::{Delivery, End};
use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Purpose, Rate, Stream, Time};
use backwater_net::frames::frame_bytes;
use backwater_net::frames::spec::{
    EthernetSpec, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, FlowSpec, GROUP, TAG_BYTES, TrafficSpec,
    TransportSpec, UDP_IP_BYTES,
};

use super::network::{Frame, Network};
use super::nics;

/// Both ends of a flow.
const ENDS: [End; 2] = [End::Opener, End::Answerer];
/// Bytes of an RTP header.
const RTP_BYTES: u32 = 12;

/// The sending application of a flow.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Datagrams at even gaps that do not drift.
    Constant {
        first: Time,
        rate: Rate,
        sent: u64,
        payload_bytes: u32,
    },
    /// A datagram whenever none waits.
    Infinite {
        start: Time,
        has_started: bool,
        left: Option<u64>,
        payload_bytes: u32,
    },
    /// Runs elsewhere.
    Elsewhere,
}

/// Time of so many payloads at a rate, rounded down.
fn time_of(payloads: u64, payload_bytes: u32, rate: Rate) -> u64 {
    let bits = u128::from(payloads) * u128::from(payload_bytes) * 8;
    (bits * u128::from(PS_PER_SECOND) / u128::from(rate.0)) as u64
}

impl Source {
    pub fn new(spec: &EthernetSpec, flow: usize) -> Source {
        let TransportSpec::Udp { payload_bytes, .. } = spec.flows[flow].transport else {
            return Source::Elsewhere;
        };
        match spec.flows[flow].traffic {
            TrafficSpec::Constant {
                start,
                rate,
                random_phase,
            } => {
                let mut stream = Stream::new(spec.seed, flow as u64, Purpose::Start);
                let phase = match random_phase {
                    true => stream.below(time_of(1, payload_bytes, rate).max(1)),
                    false => 0,
                };
                Source::Constant {
                    first: Time(start.ps() + phase),
                    rate,
                    sent: 0,
                    payload_bytes,
                }
            }
            TrafficSpec::Infinite { start, bytes } => Source::Infinite {
                start,
                has_started: false,
                left: bytes,
                payload_bytes,
            },
            _ => Source::Elsewhere,
        }
    }

    pub fn next_timer(&self) -> Option<Time> {
        match self {
            Source::Constant {
                first,
                rate,
                sent,
                payload_bytes,
            } => Some(Time(first.ps() + time_of(*sent, *payload_bytes, *rate))),
            Source::Infinite {
                start, has_started, ..
            } => (!has_started).then_some(*start),
            Source::Elsewhere => None,
        }
    }
}

/// Bytes of a frame with a datagram.
fn datagram_frame_bytes(payload: u32, has_rtp: bool, is_tagged: bool) -> u64 {
    let rtp = if has_rtp { RTP_BYTES } else { 0 };
    let tag = if is_tagged { TAG_BYTES } else { 0 };
    let bytes = payload + UDP_IP_BYTES + rtp + FRAME_OVERHEAD_BYTES + tag;
    u64::from(bytes.max(FRAME_LEAST_BYTES))
}

impl Network {
    /// When the timers of flows are due.
    pub fn flow_times(&self) -> Vec<Time> {
        let flows = 0..self.sources.len();
        flows.filter_map(|flow| self.flow_timer(flow)).collect()
    }

    fn flow_timer(&self, flow: usize) -> Option<Time> {
        match &self.sources[flow] {
            Source::Elsewhere => {
                let timers = ENDS.map(|end| self.elsewhere.next_timer(flow as u32, end));
                timers.into_iter().flatten().min()
            }
            source => source.next_timer(),
        }
    }

    /// Timers of flows, in order of flows.
    pub fn act_stations(&mut self, now: Time) {
        for flow in 0..self.sources.len() {
            if self.flow_timer(flow) != Some(now) {
                continue;
            }
            match &mut self.sources[flow] {
                Source::Constant {
                    sent,
                    payload_bytes,
                    ..
                } => {
                    *sent += 1;
                    let bytes = *payload_bytes;
                    self.send_datagram(now, flow, bytes);
                }
                Source::Infinite { has_started, .. } => {
                    *has_started = true;
                    self.hand_over(now, flow);
                }
                Source::Elsewhere => {
                    let mut out = Vec::new();
                    let flow = flow as u32;
                    for end in ENDS {
                        if self.elsewhere.next_timer(flow, end) == Some(now) {
                            self.elsewhere.on_timer(now, flow, end, &mut out);
                        }
                    }
                    self.send_all(now, &out);
                }
            }
        }
    }

    /// Endless flows of datagrams hand over one when none of theirs waits in their port, unless
    /// the watchdog there drops their class.
    pub fn pull(&mut self, now: Time) {
        for flow in 0..self.sources.len() {
            let is_endless = matches!(&self.sources[flow], Source::Infinite { .. });
            if is_endless && !self.is_dropped_at_home(flow) && !self.waits_at_home(flow, true) {
                self.hand_over(now, flow);
            }
            for end in ENDS {
                self.pull_pair(now, flow, end);
            }
        }
    }

    /// A queue pair hands over its next packet when the one before has left its port, and so does
    /// a flow of messages in datagrams.
    fn pull_pair(&mut self, now: Time, flow: usize, end: End) {
        let is_forward = end == End::Opener;
        if !self.pairs_wait[flow][end as usize] || self.waits_at_home(flow, is_forward) {
            return;
        }
        self.pairs_wait[flow][end as usize] = false;
        let mut out = Vec::new();
        self.elsewhere.pull(now, flow as u32, end, &mut out);
        self.send_all(now, &out);
    }

    fn is_dropped_at_home(&self, flow: usize) -> bool {
        let class = usize::from(self.spec.flows[flow].class);
        let mut ports = self.ports_of(flow).into_iter();
        ports.any(|port| self.drops_all(port, class))
    }

    /// The ports by which the frames of a flow may leave the host it starts from.
    fn ports_of(&self, flow: usize) -> Vec<usize> {
        let (from, to) = (self.station_of(flow, true), self.station_of(flow, false));
        if self.trees[flow].is_some() || self.spec.rules.spread.parts_flows() {
            return self.leaving(from).collect();
        }
        let hops = &self.hops[&(from, to)];
        let port = |turn| hops[nics::port(&self.spec, flow, true, from, hops.len(), turn)];
        (0..hops.len()).map(port).collect()
    }

    /// The next datagram of an endless flow that has started.
    fn hand_over(&mut self, now: Time, flow: usize) {
        let Source::Infinite {
            has_started: true,
            left,
            payload_bytes,
            ..
        } = &mut self.sources[flow]
        else {
            return;
        };
        let full = u64::from(*payload_bytes);
        let payload = left.map_or(full, |left| left.min(full));
        if payload > 0 {
            *left = left.map(|left| left - payload);
            self.send_datagram(now, flow, payload as u32);
        }
    }

    /// Data of a flow waits in the port of the host it starts from.
    fn waits_at_home(&self, flow: usize, is_forward: bool) -> bool {
        let station = self.station_of(flow, is_forward);
        let mut ports = self.leaving(station);
        let class = usize::from(self.spec.flows[flow].class);
        ports.any(|port| {
            let mut waiting = self.queue(port, class).waiting.iter();
            waiting.any(|frame| {
                frame.flow == flow && frame.is_forward == is_forward && is_data(&frame.payload)
            })
        })
    }

    fn send_datagram(&mut self, now: Time, flow: usize, payload: u32) {
        let spec = &self.spec.flows[flow];
        let TransportSpec::Udp { has_rtp, .. } = spec.transport else {
            return;
        };
        let bytes = datagram_frame_bytes(payload, has_rtp, spec.is_tagged);
        let payload = Payload::Udp {
            bytes: payload,
            number: self.flows[flow].created,
        };
        let class = spec.class;
        self.send(now, (flow, class), true, payload, bytes);
    }

    /// Frames that flows elsewhere hand over.
    fn send_all(&mut self, now: Time, out: &[Outgoing]) {
        for outgoing in out {
            let flow = outgoing.flow as usize;
            let spec: &FlowSpec = &self.spec.flows[flow];
            let has_rtp = matches!(spec.transport, TransportSpec::Udp { has_rtp: true, .. });
            let bytes = frame_bytes(&outgoing.payload, has_rtp, spec.is_tagged);
            let (is_forward, payload) = (outgoing.is_forward, outgoing.payload);
            let is_message = spec.traffic.messages().is_some();
            let is_pulled = match &payload {
                Payload::Roce(packet) => packet.kind == PacketKind::Data,
                Payload::Udp { .. } => is_message,
                Payload::Tcp(_) => false,
            };
            self.pairs_wait[flow][usize::from(!is_forward)] |= is_pulled;
            let class = outgoing.class.unwrap_or(spec.class);
            self.send(now, (flow, class), is_forward, payload, u64::from(bytes));
        }
        // Messages that waited for this and need no time begin at once.
        while let Some(flow) = self.elsewhere.take_woken() {
            let begins = self.elsewhere.next_timer(flow, End::Opener);
            if begins.is_some_and(|at| at <= now) {
                let mut out = Vec::new();
                let opener = End::Opener;
                self.elsewhere.on_timer(now, flow, opener, &mut out);
                self.send_all(now, &out);
            }
        }
    }

    fn send(
        &mut self,
        now: Time,
        (flow, class): (usize, u8),
        is_forward: bool,
        payload: Payload,
        bytes: u64,
    ) {
        let made = &mut self.made[flow][usize::from(!is_forward)];
        let turn = *made;
        *made += 1;
        let spec = &self.spec.flows[flow];
        let frame = Frame {
            flow,
            is_forward,
            number: self.flows[flow].created,
            turn,
            destination: match self.trees[flow] {
                Some(_) => GROUP as usize | flow,
                None => self.station_of(flow, !is_forward),
            },
            class: usize::from(class),
            bytes,
            is_ect: is_ect(spec, &payload),
            is_marked: false,
            born: now,
            payload,
            path: match payload {
                // What was written into a packet goes over to its acknowledgement.
                Payload::Roce(packet) if packet.kind != PacketKind::Data => {
                    core::mem::take(&mut self.brought)
                }
                _ => Vec::new(),
            },
            came_over: None,
            joined: 0,
            arrived: now,
            rank: None,
            ready_at: now,
        };
        self.frame_made(now, self.station_of(flow, is_forward), frame);
    }

    /// A frame has reached its station, which may answer at once.
    pub fn station_receives(&mut self, now: Time, node: usize, frame: &Frame) {
        if self.trees[frame.flow].is_some() {
            let mut destinations = self.spec.flows[frame.flow].destinations();
            let receiver = destinations.position(|to| to as usize == node).unwrap_or(0);
            drop(destinations);
            let to = (frame.flow as u32, receiver as u32);
            let got = self.elsewhere.on_copy(now, to, &frame.payload, frame.born);
            self.flows[frame.flow].payload_bytes += got;
            return;
        }
        let mut out = Vec::new();
        let delivery = Delivery {
            flow: frame.flow as u32,
            is_forward: frame.is_forward,
            payload: &frame.payload,
            is_marked: frame.is_marked,
            born: frame.born,
            path: &frame.path,
        };
        let got = self.elsewhere.on_frame(now, &delivery, &mut out);
        self.brought = frame.path.clone();
        match frame.is_forward {
            true => self.flows[frame.flow].payload_bytes += got,
            false => self.flows[frame.flow].returned_bytes += got,
        }
        self.send_all(now, &out);
    }
}

/// Data segments of connections that heed marks can be marked, bare acknowledgements can't; of
/// datagrams those of flows that say so.
fn is_ect(flow: &FlowSpec, payload: &Payload) -> bool {
    match (&flow.transport, payload) {
        (TransportSpec::Tcp(tcp), Payload::Tcp(segment)) => {
            tcp.ecn != Ecn::Off && segment.bytes > 0
        }
        (TransportSpec::Roce(roce), Payload::Roce(packet)) => {
            roce.is_ect && packet.kind == PacketKind::Data
        }
        (TransportSpec::Udp { is_ect, .. }, Payload::Udp { .. }) => *is_ect,
        _ => false,
    }
}

/// Nothing that a host answers with.
fn is_data(payload: &Payload) -> bool {
    match payload {
        Payload::Roce(packet) => packet.kind == PacketKind::Data,
        Payload::Tcp(_) | Payload::Udp { .. } => true,
    }
}
