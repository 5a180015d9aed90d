//! Looking without touching.
//!
//! A probe is told what happens and may read the network; it gets `&` only, so that a run is the
//! same with and without it. The engine is compiled for each probe: what a probe does not listen
//! to costs nothing.

mod audit;
mod pair;
mod recorder;

pub use audit::{Audit, Coverage};
pub use recorder::Recorder;

use backwater_ends::Segment;
use backwater_kernel::Time;

/// What a frame carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A TCP segment.
    Tcp {
        /// It.
        segment: Segment,
        /// From the flow's source to its destination, or back.
        is_forward: bool,
    },
    /// A datagram.
    Udp {
        /// Payload bytes.
        bytes: u32,
        /// Its number in the flow, from 0.
        number: u64,
        /// 12 bytes of RTP stand before the payload.
        has_rtp: bool,
    },
    /// IEEE 802.3x PAUSE.
    Pause {
        /// 0 resumes; 65,535 also stands for a stop without end.
        quanta: u16,
    },
    /// IEEE 802.1Qbb: priority-based flow control.
    Pfc {
        /// Classes it speaks of, a bit each.
        classes: u8,
        /// For each of them; 0 resumes.
        quanta: u16,
    },
    /// The destination scheme: frames of a class to a station.
    StopDestination {
        /// Class.
        class: u8,
        /// Station.
        destination: u32,
        /// 0 resumes.
        quanta: u16,
    },
}

/// A frame as a probe sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameView {
    /// Flow it belongs to; `u32::MAX` for control frames.
    pub flow: u32,
    /// Number in its flow (of all frames, both directions), or, for control frames, in the run.
    pub number: u64,
    /// Station it is from (control frames: node).
    pub source: u32,
    /// Station it is for (control frames: node).
    pub destination: u32,
    /// Class.
    pub class: u8,
    /// Frame, FCS included, preamble and gap not.
    pub bytes: u32,
    /// It carries a VLAN tag.
    pub is_tagged: bool,
    /// ECN: may be marked.
    pub is_ect: bool,
    /// ECN: is marked.
    pub is_marked: bool,
    /// When it was handed to the port of its station (of its switch, for control).
    pub born: Time,
    /// What it carries.
    pub content: Content,
}

impl FrameView {
    /// Does it stop something?
    pub fn stops(&self) -> bool {
        match self.content {
            Content::Pause { quanta }
            | Content::Pfc { quanta, .. }
            | Content::StopDestination { quanta, .. } => quanta > 0,
            Content::Tcp { .. } | Content::Udp { .. } => false,
        }
    }

    /// Is it a control frame of the MAC?
    pub fn is_control(&self) -> bool {
        !matches!(self.content, Content::Tcp { .. } | Content::Udp { .. })
    }
}

/// Why a frame was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The output queue was full.
    QueueFull,
    /// The input's limit or headroom was used up.
    InputFull,
    /// The shared memory or its share was used up.
    MemoryFull,
    /// A tripped watchdog dropped it.
    Watchdog,
}

/// What a gate concerns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gate {
    /// All classes of a channel.
    Port,
    /// A class.
    Class(u8),
    /// Frames of a class to a station.
    Destination(u8, u32),
}

/// Something that watches a run.
#[allow(unused_variables)]
pub trait Probe {
    /// Does it look at all? If not, the engine makes nothing for it to see.
    const WATCHES: bool = true;
    /// A station's flow made a frame (it then joins the queue of its port).
    #[inline]
    fn on_created(&mut self, at: Time, channel: u32, frame: &FrameView) {}
    /// A frame joined the queue of its class in front of `channel`, which now holds so much.
    #[inline]
    fn on_joined(&mut self, at: Time, channel: u32, frame: &FrameView, queue_bytes: u64) {}
    /// The first bit of a frame (of its preamble) leaves on a channel.
    #[inline]
    fn on_start(&mut self, at: Time, channel: u32, frame: &FrameView) {}
    /// The last bit has left; the queue (of data frames) now holds so much.
    #[inline]
    fn on_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {}
    /// A frame takes effect at the far end of a channel.
    #[inline]
    fn on_arrival(&mut self, at: Time, channel: u32, frame: &FrameView) {}
    /// A frame was dropped in front of `channel` (the one it would have left on).
    #[inline]
    fn on_drop(&mut self, at: Time, channel: u32, frame: &FrameView, cause: Cause) {}
    /// A frame reached its station.
    #[inline]
    fn on_delivered(&mut self, at: Time, frame: &FrameView) {}
    /// The application at the destination of `flow` (or, for responses, at its source) got
    /// payload in order.
    #[inline]
    fn on_payload(&mut self, at: Time, flow: u32, is_forward: bool, bytes: u64) {}
    /// What leaves on `channel` is stopped, or may go again.
    #[inline]
    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {}
    /// Everything of this instant has happened.
    #[inline]
    fn after_instant(&mut self, at: Time, network: &crate::frames::Network) {}
    /// The run is over; `at` is the last instant at which something happened.
    #[inline]
    fn on_end(&mut self, at: Time, network: &crate::frames::Network) {}
}

impl Probe for () {
    const WATCHES: bool = false;
}
