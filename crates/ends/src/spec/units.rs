//! What applications offer in units (cells, packets), how destinations take them.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use super::{Span, TcpSpec};
use crate::outside::SourceRecipe;

/// What the application wants to send.
#[derive(Clone, PartialEq, Debug)]
pub enum TrafficSpec {
    /// Nothing of its own (answers only).
    Silent,
    /// Always has a unit to send, from `start` on, `total` units at most.
    Greedy {
        /// First unit.
        start: Time,
        /// Units in all; `None` is without end.
        total: Option<u64>,
    },
    /// One unit every `interval`.
    Constant {
        /// First unit.
        start: Time,
        /// Between units.
        interval: Duration,
        /// The first unit comes up to `interval` later, drawn evenly.
        random_phase: bool,
        /// Units in all; `None` is without end.
        total: Option<u64>,
    },
    /// Exponential gaps, each beyond a least gap (0 for a true Poisson process).
    Poisson {
        /// From here on.
        start: Time,
        /// Mean gap, the least one included.
        mean_interval: Duration,
        /// Least gap.
        min_interval: Duration,
        /// Units in all; `None` is without end.
        total: Option<u64>,
    },
    /// Packet trains (Jain and Routhier 1986, as Zhang 1991 uses them): a geometric number of
    /// units, a fixed gap after every one of them, then an exponential pause.
    Trains {
        /// The first train comes after a gap and a pause from here.
        start: Time,
        /// Mean units of a train, at least 1.
        mean_units: f64,
        /// After every unit.
        gap: Duration,
        /// Mean pause between trains, beyond the gap.
        mean_pause: Duration,
        /// Units in all; `None` is without end.
        total: Option<u64>,
    },
    /// Bursts and pauses in turn, each with its own spacing.
    OnOff {
        /// First burst.
        start: Time,
        /// Length of a burst.
        on: Span,
        /// Length of a pause.
        off: Span,
        /// Between units in a burst.
        on_interval: Duration,
        /// Between units in a pause; `None` is silence.
        off_interval: Option<Duration>,
    },
    /// Closed-loop client of a file server; the partner flow carries the responses.
    Client(ClientSpec),
    /// Closed-loop cycles of requests; the partner flow, a `Server`, carries the responses.
    Requests(RequestsSpec),
    /// The server's side: sends what the client's requests ask for.
    Server,
    /// Always has a unit to send, but not faster than a limit that changes with time. Under ABR
    /// the limit is on its in-rate cells, RM cells included.
    Bottlenecked {
        /// First unit.
        start: Time,
        /// In order of time; before the first one it is not limited.
        limits: Vec<LimitSpec>,
    },
    /// A TCP connection to the flow's destination, its segments cut into cells (AAL 5). The
    /// partner, a `TcpBack`, carries the segments back.
    Tcp(CellTcpSpec),
    /// The other side of a partner's TCP connection.
    TcpBack,
    /// Written outside this program.
    Outside(SourceRecipe),
}

impl TrafficSpec {
    /// When the application begins; those that answer are there from the start.
    pub fn start(&self) -> Time {
        match self {
            TrafficSpec::Silent
            | TrafficSpec::Server
            | TrafficSpec::TcpBack
            | TrafficSpec::Outside(_) => Time::ZERO,
            TrafficSpec::Greedy { start, .. }
            | TrafficSpec::Constant { start, .. }
            | TrafficSpec::Poisson { start, .. }
            | TrafficSpec::Trains { start, .. }
            | TrafficSpec::Bottlenecked { start, .. }
            | TrafficSpec::OnOff { start, .. } => *start,
            TrafficSpec::Client(client) => client.start,
            TrafficSpec::Requests(requests) => requests.start,
            TrafficSpec::Tcp(tcp) => tcp.start,
        }
    }

    /// The same, to be changed; nothing of what answers and of what is written outside.
    pub fn start_mut(&mut self) -> Option<&mut Time> {
        match self {
            TrafficSpec::Silent
            | TrafficSpec::Server
            | TrafficSpec::TcpBack
            | TrafficSpec::Outside(_) => None,
            TrafficSpec::Greedy { start, .. }
            | TrafficSpec::Constant { start, .. }
            | TrafficSpec::Poisson { start, .. }
            | TrafficSpec::Trains { start, .. }
            | TrafficSpec::Bottlenecked { start, .. }
            | TrafficSpec::OnOff { start, .. } => Some(start),
            TrafficSpec::Client(client) => Some(&mut client.start),
            TrafficSpec::Requests(requests) => Some(&mut requests.start),
            TrafficSpec::Tcp(tcp) => Some(&mut tcp.start),
        }
    }
}

/// A limit from some instant on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitSpec {
    /// From here on.
    pub from: Time,
    /// Bits per second on the wire; `None` is without limit (but the link's).
    pub rate: Option<Rate>,
}

/// Closed-loop bursts (Kalyanaraman et al. 1998, section 7.2.1): a cycle is a set of requests;
/// the next cycle begins some time after all its responses are in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestsSpec {
    /// First request.
    pub start: Time,
    /// Requests of a cycle.
    pub requests: u32,
    /// Units of a request; all of them are offered at once.
    pub request_units: u32,
    /// Units of a response.
    pub response_units: u32,
    /// Between requests of a cycle.
    pub inter_request: Span,
    /// From the last response to the next cycle.
    pub inter_cycle: Span,
    /// Server's time for a request, one at a time.
    pub service: Span,
    /// Cycles in all; `None` is without end.
    pub cycles: Option<u64>,
}

/// TCP over cells.
#[derive(Clone, PartialEq, Debug)]
pub struct CellTcpSpec {
    /// First segment.
    pub start: Time,
    /// The protocol.
    pub tcp: TcpSpec,
    /// What uses it.
    pub application: CellApplication,
    /// Bytes of a frame beside the segment's payload: headers of TCP, IP, LLC and the trailer of
    /// AAL 5 (40 + 8 + 8).
    pub overhead_bytes: u32,
    /// Payload of a cell.
    pub payload_bytes: u32,
}

/// What uses a TCP connection over cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellApplication {
    /// Bytes in all; `None` is without end.
    Bulk(Option<u64>),
    /// Requests one way, responses back, one after another (the web's way).
    Requests {
        /// Bytes of a request.
        request_bytes: u64,
        /// Bytes of a response.
        response_bytes: u64,
        /// Server's time for each.
        service: Span,
        /// Client's time before each.
        think: Span,
        /// Requests in all; `None` is without end.
        count: Option<u64>,
    },
}

/// A client that walks files one after another: a few look-ups, then reads block by block.
/// Stand-in for traces of network file system clients.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClientSpec {
    /// First request.
    pub start: Time,
    /// Units of a request.
    pub request_units: u32,
    /// Look-ups before a file's reads.
    pub lookups: u32,
    /// Units of a look-up's reply.
    pub lookup_units: u32,
    /// Median file size in bytes (lognormal).
    pub file_median_bytes: u64,
    /// Sigma of the logarithm of the file size.
    pub file_sigma: f64,
    /// Bytes of a full read.
    pub block_bytes: u32,
    /// Protocol bytes around each read's payload.
    pub header_bytes: u32,
    /// Payload bytes of one unit.
    pub payload_bytes: u32,
    /// Reads outstanding at once.
    pub outstanding: u32,
    /// Server's time for a look-up.
    pub lookup_service: Span,
    /// Server's time for a read.
    pub read_service: Span,
    /// Client's time before each request.
    pub think: Span,
}

/// How destinations consume.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SinkSpec {
    /// At once.
    Infinite,
    /// One unit every `interval`.
    Limited {
        /// Between units.
        interval: Duration,
    },
    /// Takes units at `interval` for `run`, then nothing for `stall`, and so on.
    Stalling {
        /// Between units while it runs.
        interval: Duration,
        /// How long it runs.
        run: Span,
        /// How long it stands still.
        stall: Span,
    },
}
