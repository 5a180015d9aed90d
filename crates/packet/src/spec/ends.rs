//! What sources send, when they may, how destinations consume.

use kernel::{Duration, Time};

/// A length of time, fixed or random.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// Always the same.
    Fixed(Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}

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
    /// The server's side: sends what the client's requests ask for.
    Server,
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

/// When the source may send what the application wants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SourceControlSpec {
    /// At once.
    None,
    /// At most so many units unacknowledged, end to end.
    Window {
        /// The window.
        units: u32,
    },
    /// A window that grows by `increase` units a window and is multiplied by `decrease` when an
    /// acknowledgement does not come in time; what was unacknowledged is sent again.
    Aimd {
        /// First window.
        initial_units: u32,
        /// Largest window.
        maximum_units: u32,
        /// Units added per window acknowledged.
        increase_units: f64,
        /// Factor on loss, below 1.
        decrease: f64,
        /// Time-out.
        timeout: Duration,
    },
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
