//! The meter of runs in frames.

use backwater_kernel::Time;
use backwater_net::frames::probe::{Content, Frame, LossCause, Probe};
use backwater_net::frames::spec::{CLASSES_MAX, EthernetSpec, NodeKind, WIRE_OVERHEAD_BYTES};

use super::meter::{Meter, Starts};
use super::{Carrier, FlowKind, Observed, Workload};

/// Watches a run of the Ethernet engine.
#[derive(Clone, Debug)]
pub struct FrameMeter {
    meter: Meter,
    flows: Vec<MeteredFrames>,
    channels: Vec<Channel>,
}

/// A flow of the engine.
#[derive(Clone, Debug)]
struct MeteredFrames {
    carrier: Carrier,
    /// Frames under way, forward and back.
    starts: [Starts; 2],
    source: u32,
    /// Payload that has arrived, of the burst or of responses.
    arrived: u64,
    /// Bytes of a burst or response; 0 for endless flows.
    message: u64,
    is_request: bool,
}

/// A channel.
#[derive(Clone, Debug)]
struct Channel {
    from: usize,
    leaves_switch: bool,
    /// Bytes of its queues, by class.
    queued: [u64; CLASSES_MAX],
}

impl FrameMeter {
    /// A meter for `spec`, whose flows carry what `carriers` say.
    #[inline]
    pub fn new(workload: &Workload, spec: &EthernetSpec, carriers: &[Carrier]) -> FrameMeter {
        let flows = spec.flows.iter().zip(carriers).map(|(flow, carrier)| {
            let kind = &workload.flows[carrier.flow].kind;
            MeteredFrames {
                carrier: *carrier,
                starts: Default::default(),
                source: flow.source,
                arrived: 0,
                message: match kind {
                    FlowKind::Bursts(bytes, _) => *bytes,
                    FlowKind::Requests(_, response) => *response,
                    _ => 0,
                },
                is_request: matches!(kind, FlowKind::Requests(..)),
            }
        });
        let channels = spec.links.iter().flat_map(|link| link.ends);
        let channel = |from: u32| Channel {
            from: from as usize,
            leaves_switch: matches!(spec.nodes[from as usize].kind, NodeKind::Switch(_)),
            queued: [0; CLASSES_MAX],
        };
        FrameMeter {
            flows: flows.collect(),
            channels: channels.map(channel).collect(),
            meter: Meter::of(workload, spec),
        }
    }

    /// What it saw until `at`.
    #[inline]
    pub fn finish(self, at: Time) -> Observed {
        self.meter.finish(at.ps())
    }

    /// A queue in front of a channel holds so much.
    #[inline]
    fn queued(&mut self, at: Time, channel: u32, class: u8, bytes: u64) {
        let channel = &mut self.channels[channel as usize];
        if !channel.leaves_switch {
            return;
        }
        let before = std::mem::replace(&mut channel.queued[usize::from(class)], bytes);
        let node = channel.from;
        let level = self.meter.level(node) - before + bytes;
        self.meter.stored(at.ps(), node, level);
    }
}

/// Payload of a frame, and whether it was sent before.
#[inline]
fn payload(content: &Content) -> Option<(u64, bool)> {
    match content {
        Content::Tcp { segment, .. } => Some((u64::from(segment.bytes), segment.is_again)),
        Content::Roce { packet, .. } => Some((packet.payload_bytes().into(), packet.is_again)),
        Content::Udp { bytes, .. } => Some((u64::from(*bytes), false)),
        _ => None,
    }
}

/// A switch left of it the header.
#[inline]
fn is_trimmed(content: &Content) -> bool {
    matches!(content, Content::Roce { packet, .. } if packet.is_trimmed)
}

impl Probe for FrameMeter {
    const IN_ALL_FORMS: bool = true;

    #[inline]
    fn on_frame_created(&mut self, at: Time, _: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        let Some((bytes, _)) = payload(&frame.content) else {
            return;
        };
        let flow = &self.flows[frame.flow as usize];
        self.meter.seen.flows[flow.carrier.flow].sent += bytes;
        if flow.is_request && bytes > 0 && frame.source == flow.source {
            self.meter.request(at.ps(), flow.carrier.flow);
        }
    }

    #[inline]
    fn on_frame_joined(&mut self, at: Time, channel: u32, frame: &Frame<'_>, queue_bytes: u64) {
        self.queued(at, channel, frame.class, queue_bytes);
    }

    #[inline]
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        let wire_bytes = u64::from(frame.bytes + WIRE_OVERHEAD_BYTES);
        let carried = payload(&frame.content);
        if self.meter.counts(at.ps()) {
            let wire = &mut self.meter.seen.wire;
            match carried {
                None => wire.control += wire_bytes,
                Some((0, _)) if !is_trimmed(&frame.content) => wire.acknowledgements += wire_bytes,
                Some((bytes, is_again)) => {
                    wire.headers += wire_bytes - bytes;
                    match is_again {
                        true => wire.again += bytes,
                        false => wire.payload += bytes,
                    }
                }
            }
        }
        let starts_here = self.channels[channel as usize].from == frame.source as usize;
        if starts_here && carried.is_some_and(|(bytes, _)| bytes > 0) {
            let flow = &mut self.flows[frame.flow as usize];
            let back = usize::from(frame.source != flow.source);
            flow.starts[back].left(frame.number, at.ps());
        }
    }

    #[inline]
    fn on_frame_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        self.queued(at, channel, class, queue_bytes);
    }

    #[inline]
    fn on_frame_dropped(&mut self, _: Time, _: u32, frame: &Frame<'_>, _: LossCause) {
        let frame = frame.view();
        if let Some((bytes, _)) = payload(&frame.content) {
            let flow = self.flows[frame.flow as usize].carrier.flow;
            self.meter.seen.flows[flow].lost += bytes;
        }
    }

    /// What is cut off is lost, as it is with a frame that is dropped.
    #[inline]
    fn on_frame_trimmed(&mut self, at: Time, channel: u32, frame: &Frame<'_>, _: u32) {
        self.on_frame_dropped(at, channel, frame, LossCause::QueueFull);
    }

    #[inline]
    fn on_frame_delivered(&mut self, at: Time, frame: &Frame<'_>) {
        let frame = frame.view();
        let Some(flow) = self.flows.get_mut(frame.flow as usize) else {
            return;
        };
        let back = usize::from(frame.source != flow.source);
        if payload(&frame.content).is_some_and(|(bytes, _)| bytes > 0)
            && let Some(left) = flow.starts[back].arrived(frame.number)
            && self.meter.counts(at.ps())
        {
            let seen = &mut self.meter.seen.flows[flow.carrier.flow];
            seen.delay.record(at.ps() - left.at);
        }
    }

    #[inline]
    fn on_payload(&mut self, at: Time, flow: u32, is_forward: bool, bytes: u64) {
        let flow = &mut self.flows[flow as usize];
        let of = flow.carrier.flow;
        self.meter.delivered(at.ps(), of, bytes);
        if flow.message == 0 || flow.is_request == is_forward {
            return;
        }
        let whole = flow.arrived / flow.message;
        flow.arrived += bytes;
        let now = flow.arrived / flow.message;
        for message in whole..now {
            let message = match flow.carrier.burst {
                Some(burst) => burst,
                None => message as usize,
            };
            self.meter.complete(at.ps(), of, message);
        }
    }
}
