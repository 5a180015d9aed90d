//! Frames as probes see them.

use backwater_ends::Segment;
use backwater_ends::queue_pair::RocePacket;
use backwater_kernel::Time;

use crate::hop::load::counter_of;

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
    /// A packet of a queue pair (RoCE v2).
    Roce {
        /// It.
        packet: RocePacket,
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
        /// Classes that it stops, a bit each,
        stops: u8,
        /// and classes that go on.
        resumes: u8,
        /// For each that it stops; 0 if there is none.
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
    /// A message of credit control.
    Credit {
        /// For this of what crosses the channel it goes against, or along.
        lane: Gate,
        /// Credit, a request for it, or a statement of what was sent.
        message: CreditMessage,
        /// What it says; 0 for requests.
        value: u64,
    },
    /// A message about the counters of several lanes of the channel it goes against, or along.
    Counters {
        /// It gives credit back; else it states what was sent.
        is_update: bool,
        /// Where lanes are of flows or hosts: it speaks of 32 from this one on, in the order of
        /// classes and owners. None where each class is a lane.
        first: Option<u32>,
        /// The classes, or the lanes, a bit each.
        classes: u32,
        /// Their counters in order, 20 bits each, three of a word: see [`counters`].
        words: [u64; 6],
    },
}

/// The classes of a message about counters, and what it says of each.
pub fn counters(classes: u32, words: &[u64; 6]) -> impl Iterator<Item = (u8, u64)> {
    let classes = (0..32_u8).filter(move |class| classes & 1 << class != 0);
    classes
        .enumerate()
        .map(|(at, class)| (class, counter_of(words, at)))
}

/// What a message of credit control is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CreditMessage {
    /// Credit, back to the sender of data.
    Credit,
    /// The sender of data asks for credit.
    Request,
    /// It states how many units it has sent.
    Sync,
}

/// All that a probe can see of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameView {
    /// Flow it belongs to; `u32::MAX` for control frames.
    pub flow: u32,
    /// Number in its flow (of all frames, both directions), or, for control frames, in the run.
    pub number: u64,
    /// Station it is from (control frames: node).
    pub source: u32,
    /// Station it is for (control frames: node), or the group of several: see `GROUP`.
    pub destination: u32,
    /// Of several stations those it is still for: the first of them in the order of ways, and how
    /// many.
    pub receivers: (u32, u32),
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
            Content::Tcp { .. }
            | Content::Roce { .. }
            | Content::Udp { .. }
            | Content::Credit { .. }
            | Content::Counters { .. } => false,
        }
    }

    /// Of data, twice its flow, and one more on the way back.
    pub fn way(&self) -> u32 {
        let is_back = match self.content {
            Content::Tcp { is_forward, .. } | Content::Roce { is_forward, .. } => !is_forward,
            Content::Udp { .. }
            | Content::Pause { .. }
            | Content::Pfc { .. }
            | Content::StopDestination { .. }
            | Content::Credit { .. }
            | Content::Counters { .. } => false,
        };
        self.flow.wrapping_mul(2) + u32::from(is_back)
    }

    /// Is it a control frame of the MAC?
    pub fn is_control(&self) -> bool {
        !matches!(
            self.content,
            Content::Tcp { .. } | Content::Roce { .. } | Content::Udp { .. }
        )
    }
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
    /// Frames of a class in one way of a flow: twice the flow, and one more for the way back.
    Flow(u8, u32),
    /// Frames of a class whose ways are hashed to one lane: its number.
    Lane(u8, u32),
}

impl Gate {
    /// The one class that it concerns; none of the whole port.
    pub fn class(self) -> Option<u8> {
        match self {
            Gate::Port => None,
            Gate::Class(class)
            | Gate::Destination(class, _)
            | Gate::Flow(class, _)
            | Gate::Lane(class, _) => Some(class),
        }
    }
}
