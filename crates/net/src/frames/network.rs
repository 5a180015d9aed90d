//! Everything there is.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_ends::stations::Stations;
use backwater_kernel::{Duration, Stream, Time};

use crate::frames::channel::{Gates, Lanes, Queue, QueueCounts};
use crate::frames::probe::{FrameView, Gate};
use crate::frames::requests::{Asked, Requests};
use crate::frames::routes::Routes;
use crate::frames::shared::Shared;
use crate::frames::spec::{BackPressureSpec, StormSpec, WatchdogSpec};
use crate::hop::unit::{Unit, Units};
use crate::hop::wire::Channel;

/// Everything there is in a network in motion. Probes may read it.
pub struct Network {
    pub(crate) channels: Vec<Channel>,
    /// Classes of every port: queues of channel `c` start at `c * classes`.
    pub(crate) classes: usize,
    pub(crate) queues: Vec<Queue>,
    pub(crate) counts: Vec<QueueCounts>,
    /// The same queues by destination; empty unless destinations can be stopped.
    pub(crate) lanes: Vec<Lanes>,
    pub(crate) gates: Vec<Gates>,
    /// What each channel has been used to ask for.
    pub(crate) asked: Vec<Asked>,
    /// What each queue asks for.
    pub(crate) requests: Vec<Requests>,
    /// What came over each channel and class and has not left the node it enters.
    pub(crate) inputs: Vec<Input>,
    pub(crate) input_times: Vec<InputTimes>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) losses: Vec<Losses>,
    pub(crate) units: Units,
    pub(crate) routes: Routes,
    pub(crate) stations: Stations,
    /// Random marks, by queue with marks.
    pub(crate) marking: Vec<Option<Stream>>,
    /// Channel of each slot.
    pub(crate) slots: Vec<u32>,
    /// Control frames each channel has sent.
    pub(crate) control_sent: Vec<u64>,
}

/// A node. What every frame touches comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub bytes: u64,
    pub most_bytes: u64,
    /// Classes under back-pressure, a bit each.
    pub lossless: u8,
    pub is_switch: bool,
    pub is_deaf: bool,
    /// Inputs are counted.
    pub counts_inputs: bool,
    /// Inputs are where congestion is seen.
    pub detects_inputs: bool,
    /// The time of the last arrival matters.
    pub has_time_out: bool,
    pub response: Duration,
    pub shared: Option<Box<Shared>>,
    pub watchdog: Option<WatchdogSpec>,
    pub storm: Option<StormSpec>,
    pub back_pressure: Option<BackPressureSpec>,
    /// Channels that leave it, in order.
    pub leaving: Vec<u32>,
    pub time_outs: u64,
    /// Classes of which it promises to lose nothing, a bit each.
    pub promised: u8,
}

/// What came over a channel in one class and has not left.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Input {
    pub bytes: u64,
    pub high_bytes: u64,
    pub low_bytes: u64,
    pub limit_bytes: u64,
    pub most_bytes: u64,
    /// Shared memory: parts of it.
    pub shared_bytes: u64,
    pub headroom_bytes: u64,
    pub is_congested: bool,
}

/// What is seldom touched of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputTimes {
    pub headroom_most_bytes: u64,
    /// The last data frame that came.
    pub last: Time,
    /// The same by station, where destinations can be stopped.
    pub last_to: Vec<(u32, Time)>,
}

impl InputTimes {
    /// A data frame to `station` has come.
    pub fn note(&mut self, now: Time, station: Option<u32>) {
        self.last = now;
        let Some(station) = station else { return };
        match self.last_to.iter_mut().find(|(to, _)| *to == station) {
            Some((_, last)) => *last = now,
            None => self.last_to.push((station, now)),
        }
    }
}

/// How long the frame that a channel is sending has been under way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Underway {
    pub data_ps: u64,
    pub control_ps: u64,
}

/// A flow, as ports and wires see it.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Flow {
    pub source: u32,
    pub destination: u32,
    pub created: u64,
    pub created_bytes: u64,
    pub delivered: u64,
    pub delivered_bytes: u64,
    /// The event that is in the queue for it.
    pub armed: Time,
    /// Of a pulled flow: frames that wait in its port.
    pub in_port: u32,
    pub class: u8,
    /// Bits of [`Flow::TAGGED`] and so on.
    pub bits: u8,
}

impl Flow {
    pub const TAGGED: u8 = 1;
    pub const RTP: u8 = 2;
    pub const ECT: u8 = 4;
    pub const PULLED: u8 = 8;

    /// Where its frames start and where they end, one way or the other.
    #[inline]
    pub fn ends(&self, is_forward: bool) -> (u32, u32) {
        match is_forward {
            true => (self.source, self.destination),
            false => (self.destination, self.source),
        }
    }

    #[inline]
    pub fn is(&self, bit: u8) -> bool {
        self.bits & bit != 0
    }
}

/// What is seldom counted of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    pub dropped: u64,
    pub dropped_bytes: u64,
    pub dropped_before: u64,
    pub marked: u64,
}

impl Network {
    /// Channels.
    pub fn channels(&self) -> u32 {
        self.channels.len() as u32
    }

    /// Classes of every port.
    pub fn classes(&self) -> u8 {
        self.classes as u8
    }

    /// Bytes in a queue, the frame being sent included.
    pub fn queue_bytes(&self, channel: u32, class: u8) -> u64 {
        self.queues[self.queue(channel, class)].bytes
    }

    /// Is a frame being sent on the channel?
    pub fn is_busy(&self, channel: u32) -> bool {
        self.channels[channel as usize].is_busy
    }

    /// Frames of the class to this station may not start on the channel now.
    pub fn is_stopped(&self, channel: u32, class: u8, station: u32) -> bool {
        let gates = &self.gates[channel as usize];
        self.channels[channel as usize].stopped & 1 << class != 0
            || gates.is_destination_stopped(class, station)
    }

    /// Is something waiting that may start now?
    pub fn may_send(&self, channel: u32) -> bool {
        let channel = &self.channels[channel as usize];
        channel.has_control || channel.waiting & !channel.stopped != 0
    }

    /// Frames in queues and on wires, control frames included.
    pub fn frames_inside(&self) -> u32 {
        self.units.live()
    }

    /// Bytes of a class that came in over a channel and have not left; 0 where nobody counts them.
    pub fn input_bytes(&self, channel: u32, class: u8) -> u64 {
        self.inputs[self.input(channel, class)].bytes
    }

    /// The part of them that is in headroom: of shared memory, or else above the threshold.
    pub fn headroom_bytes(&self, channel: u32, class: u8) -> u64 {
        let input = &self.inputs[self.input(channel, class)];
        let node = self.channels[channel as usize].to;
        match self.nodes[node as usize].shared {
            Some(_) => input.headroom_bytes,
            None => input.bytes.saturating_sub(input.high_bytes),
        }
    }

    /// Congestion window of a flow's source, bytes; 0 without TCP.
    pub fn window_bytes(&self, flow: u32) -> u64 {
        self.stations.tcp_window_bytes(flow)
    }

    /// Positions at both ends of a TCP flow: acknowledged, next to send, next expected.
    pub fn positions(&self, flow: u32) -> Option<[(u64, u64, u64); 2]> {
        self.stations.tcp_positions(flow)
    }

    /// How long bytes take on a channel.
    #[inline]
    pub(crate) fn span(&self, channel: u32, bytes: u64) -> Duration {
        match self.channels[channel as usize].byte_ps {
            0 => self.channels[channel as usize].rate.serialization(bytes),
            ps => Duration(bytes * u64::from(ps)),
        }
    }

    #[inline]
    pub(crate) fn queue(&self, channel: u32, class: u8) -> usize {
        channel as usize * self.classes + class as usize
    }

    /// The station a data frame is for.
    #[inline]
    pub(crate) fn destination(&self, frame: &Unit) -> u32 {
        self.flows[frame.flow() as usize].ends(frame.is_forward()).1
    }

    /// A frame that is on, or in front of, `channel`, as probes see it.
    #[inline]
    pub(crate) fn view(&self, id: u32, channel: u32) -> FrameView {
        let frame = self.units.get(id);
        if frame.is_control() {
            let channel = &self.channels[channel as usize];
            let ends = (channel.from, channel.to);
            return self.units.view(id, ends, false, false);
        }
        let flow = &self.flows[frame.flow() as usize];
        let ends = flow.ends(frame.is_forward());
        self.units
            .view(id, ends, flow.is(Flow::TAGGED), flow.is(Flow::RTP))
    }

    /// Does the gate on a channel concern this class at all?
    pub(crate) fn covers(gate: Gate, class: u8) -> bool {
        match gate {
            Gate::Port => true,
            Gate::Class(own) | Gate::Destination(own, _) => own == class,
        }
    }
}
