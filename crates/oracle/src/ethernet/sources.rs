//! What stations send and do with what they get.

use ethernet::probe::Content;
use ethernet::spec::{
    EthernetSpec, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, FlowSpec, TAG_BYTES, TrafficSpec,
    TransportSpec, UDP_IP_BYTES,
};
use kernel::{Duration, Purpose, Stream, Time};

use super::network::{Frame, Network};

/// Bytes of an RTP header.
const RTP_BYTES: u32 = 12;

/// The sending application of a flow of datagrams.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A datagram at even gaps.
    Constant { next: Time, gap: Duration },
    /// A datagram whenever none waits.
    Infinite {
        start: Time,
        has_started: bool,
        left: Option<u64>,
    },
    /// Runs elsewhere.
    Elsewhere,
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
                let gap = rate.serialization(u64::from(payload_bytes));
                let mut stream = Stream::new(spec.seed, flow as u64, Purpose::Start);
                let phase = match random_phase {
                    true => stream.below(gap.ps()),
                    false => 0,
                };
                let next = start + Duration(phase);
                Source::Constant { next, gap }
            }
            TrafficSpec::Infinite { start, bytes } => Source::Infinite {
                start,
                has_started: false,
                left: bytes,
            },
            _ => Source::Elsewhere,
        }
    }

    pub fn next_timer(&self) -> Option<Time> {
        match self {
            Source::Constant { next, .. } => Some(*next),
            Source::Infinite {
                start, has_started, ..
            } => (!has_started).then_some(*start),
            Source::Elsewhere => None,
        }
    }
}

/// Bytes of a frame with a datagram.
pub(super) fn datagram_frame_bytes(payload: u32, has_rtp: bool, is_tagged: bool) -> u64 {
    let rtp = if has_rtp { RTP_BYTES } else { 0 };
    let tag = if is_tagged { TAG_BYTES } else { 0 };
    let bytes = payload + UDP_IP_BYTES + rtp + FRAME_OVERHEAD_BYTES + tag;
    u64::from(bytes.max(FRAME_LEAST_BYTES))
}

impl Network {
    /// Timers of flows, in order of flows.
    pub fn stations(&mut self, now: Time) {
        for flow in 0..self.sources.len() {
            match &mut self.sources[flow] {
                Source::Constant { next, gap } if *next == now => {
                    *next = now + *gap;
                    let payload = full_payload(&self.spec.flows[flow]);
                    self.send_datagram(now, flow, payload);
                }
                Source::Infinite {
                    start, has_started, ..
                } if *start == now => *has_started = true,
                _ => {}
            }
        }
    }

    /// Endless flows of datagrams hand over one when none of theirs waits in their port.
    pub fn pull(&mut self, now: Time) {
        for flow in 0..self.sources.len() {
            let waits = self.waits_at_home(flow);
            let Source::Infinite {
                has_started: true,
                left,
                ..
            } = &mut self.sources[flow]
            else {
                continue;
            };
            let full = u64::from(full_payload(&self.spec.flows[flow]));
            let payload = left.map_or(full, |left| left.min(full));
            if waits || payload == 0 {
                continue;
            }
            *left = left.map(|left| left - payload);
            self.send_datagram(now, flow, payload as u32);
        }
    }

    fn waits_at_home(&self, flow: usize) -> bool {
        let station = self.station_of(flow, true);
        let mut ports = self.leaving(station).into_iter();
        let class = usize::from(self.spec.flows[flow].class);
        ports.any(|port| {
            let mut waiting = self.queue(port, class).waiting.iter();
            waiting.any(|frame| frame.flow == flow && frame.is_forward)
        })
    }

    fn send_datagram(&mut self, now: Time, flow: usize, payload: u32) {
        let spec = &self.spec.flows[flow];
        let TransportSpec::Udp { has_rtp, .. } = spec.transport else {
            return;
        };
        let number = self.flows[flow].created;
        let frame = Frame {
            flow,
            is_forward: true,
            number,
            destination: spec.destination as usize,
            class: usize::from(spec.class),
            bytes: datagram_frame_bytes(payload, has_rtp, spec.is_tagged),
            is_ect: false,
            is_marked: false,
            born: now,
            content: Content::Udp {
                bytes: payload,
                number,
                has_rtp,
            },
            came_over: None,
            joined: 0,
        };
        self.frame_made(now, frame);
    }

    /// A frame has reached its station.
    pub fn station_receives(&mut self, _now: Time, _frame: &Frame) {}
}

fn full_payload(flow: &FlowSpec) -> u32 {
    match flow.transport {
        TransportSpec::Udp { payload_bytes, .. } => payload_bytes,
        TransportSpec::Tcp(_) => 0,
    }
}
