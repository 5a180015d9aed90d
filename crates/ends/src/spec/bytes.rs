//! What applications hand over in bytes: to a TCP connection, or in datagrams at a rate.

use backwater_kernel::{Duration, Rate, Time};

use super::messages::MessagesSpec;
use super::{Ecn, RoceSpec, Span, TcpSpec};
use crate::outside::SourceRecipe;

/// The protocol of a flow.
#[derive(Clone, PartialEq, Debug)]
pub enum TransportSpec {
    /// A TCP connection.
    Tcp(TcpSpec),
    /// A reliable connection between two queue pairs.
    Roce(RoceSpec),
    /// Datagrams.
    Udp {
        /// Payload of a full frame, bytes.
        payload_bytes: u32,
        /// 12 bytes of RTP before the payload.
        has_rtp: bool,
        /// Its frames can be marked where they meet congestion.
        is_ect: bool,
    },
}

impl TransportSpec {
    /// It is acknowledged, and sent again where it got lost.
    pub fn is_connection(&self) -> bool {
        match self {
            TransportSpec::Tcp(_) | TransportSpec::Roce(_) => true,
            TransportSpec::Udp { .. } => false,
        }
    }

    /// Two queue pairs exchange messages.
    pub fn is_pairs(&self) -> bool {
        match self {
            TransportSpec::Roce(_) => true,
            TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => false,
        }
    }

    /// Its port asks for the next frame as the one before starts.
    pub fn is_pulled(&self) -> bool {
        match self {
            TransportSpec::Roce(_) => true,
            TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => false,
        }
    }

    /// Payload of a full frame, bytes.
    pub fn payload_bytes(&self) -> u32 {
        match *self {
            TransportSpec::Tcp(ref tcp) => tcp.mss_bytes,
            TransportSpec::Roce(ref roce) => roce.mtu_bytes,
            TransportSpec::Udp { payload_bytes, .. } => payload_bytes,
        }
    }

    /// Its data can be marked where it meets congestion.
    pub fn is_ect(&self) -> bool {
        match *self {
            TransportSpec::Tcp(ref tcp) => tcp.ecn != Ecn::Off,
            TransportSpec::Roce(ref roce) => roce.is_ect,
            TransportSpec::Udp { is_ect, .. } => is_ect,
        }
    }
}

/// What an application sends.
#[derive(Clone, PartialEq, Debug)]
pub enum TrafficSpec {
    /// Always has more. Over UDP: a frame whenever the port has nothing else of it.
    Infinite {
        /// From here on.
        start: Time,
        /// Bytes in all; `None` is without end.
        bytes: Option<u64>,
    },
    /// Files one after another (TCP): the next is sent a think time after all of one was
    /// acknowledged.
    Files {
        /// First file: a think time after this.
        start: Time,
        /// Bytes of each.
        bytes: u64,
        /// Between files.
        think: Span,
        /// Files in all; `None` is without end.
        count: Option<u64>,
    },
    /// Requests one way, responses back (TCP), the next request a think time after the response.
    Requests {
        /// First request: a think time after this.
        start: Time,
        /// Bytes of a request.
        request_bytes: u64,
        /// Bytes of a response.
        response_bytes: u64,
        /// Server's time for each.
        service: Span,
        /// Client's time before the next.
        think: Span,
        /// Requests in all; `None` is without end.
        count: Option<u64>,
    },
    /// A full datagram at even gaps (UDP).
    Constant {
        /// From here on.
        start: Time,
        /// Of payload.
        rate: Rate,
        /// The first comes up to a gap later, drawn evenly.
        random_phase: bool,
    },
    /// A full datagram at exponential gaps (UDP).
    Poisson {
        /// From here on.
        start: Time,
        /// Mean, of payload.
        rate: Rate,
    },
    /// Sum of independent on-off sources with Pareto times (UDP): self-similar for shapes
    /// between 1 and 2 (Willinger, Taqqu, Sherman and Wilson 1997).
    SelfSimilar {
        /// From here on.
        start: Time,
        /// Mean of all sources together, of payload.
        rate: Rate,
        /// Sources.
        sources: u32,
        /// Rate of one source while it is on.
        peak: Rate,
        /// Shape of both times.
        shape: f64,
        /// Mean time on.
        mean_on: Duration,
    },
    /// Video at a variable bit rate (UDP), measured against a playout deadline.
    Video(VideoSpec),
    /// Messages that wait for others, to one destination.
    Messages(MessagesSpec),
    /// Written outside this program: bytes to hand over to a connection, or to cut into datagrams.
    Outside(SourceRecipe),
}

impl TrafficSpec {
    /// Its messages, if they wait for others.
    pub fn messages(&self) -> Option<&MessagesSpec> {
        match self {
            TrafficSpec::Messages(spec) => Some(spec),
            TrafficSpec::Infinite { .. }
            | TrafficSpec::Files { .. }
            | TrafficSpec::Requests { .. }
            | TrafficSpec::Constant { .. }
            | TrafficSpec::Poisson { .. }
            | TrafficSpec::SelfSimilar { .. }
            | TrafficSpec::Video(_)
            | TrafficSpec::Outside(_) => None,
        }
    }

    /// From when on it sends, if it is told that.
    pub fn start_mut(&mut self) -> Option<&mut Time> {
        match self {
            TrafficSpec::Infinite { start, .. }
            | TrafficSpec::Files { start, .. }
            | TrafficSpec::Requests { start, .. }
            | TrafficSpec::Constant { start, .. }
            | TrafficSpec::Poisson { start, .. }
            | TrafficSpec::SelfSimilar { start, .. } => Some(start),
            TrafficSpec::Video(video) => Some(&mut video.start),
            TrafficSpec::Messages(list) => Some(&mut list.start),
            TrafficSpec::Outside(_) => None,
        }
    }
}

/// A stand-in for H.261 video: log-normal frame sizes, half of the log's variance a scene level
/// that is drawn anew for each scene, half an AR(1) process.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VideoSpec {
    /// First picture: a random part of a picture's time after this.
    pub start: Time,
    /// Mean, of payload.
    pub rate: Rate,
    /// Pictures a second.
    pub pictures_per_second: u32,
    /// Standard deviation of sizes over their mean.
    pub variation: f64,
    /// Mean length of a scene (exponential).
    pub scene: Duration,
    /// Correlation of neighbouring pictures in a scene.
    pub correlation: f64,
    /// Sizes are kept within this many means, least and most.
    pub clip: (f64, f64),
    /// A datagram delivered later than this after its birth is late.
    pub deadline: Duration,
}
