//! What applications want to send, and how destinations consume.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::Span;

use crate::language::source::At;
use crate::language::typed::Placed;
use crate::language::units::{Amount, Decimal};

/// What the application wants to send.
#[table("flows.traffic", by(kind, "The kind of source."))]
pub(crate) enum Traffic {
    /// Nothing of its own: the flow only carries answers.
    Silent,
    /// Always has a unit to send.
    Greedy {
        /// Nothing is offered before.
        #[key(is = Time { min_ps: 0 }, default = "\"0 s\"")]
        start: Placed<Time>,
        /// How much in all, then the source is done. Bytes are counted on the wire and rounded up
        /// to whole units; over TCP they are payload.
        #[key(is = Amount { max: 1 << 62 }, otherwise = "without end")]
        total: Placed<Option<Amount>>,
    },
    /// One unit at even intervals.
    Constant {
        start: Placed<Time>,
        total: Placed<Option<Amount>>,
        #[key(flatten)]
        spacing: Spacing,
        /// When the first unit comes.
        #[key(default = "\"fixed\"")]
        phase: Phase,
    },
    /// Exponential gaps.
    Poisson {
        start: Placed<Time>,
        total: Placed<Option<Amount>>,
        #[key(flatten)]
        spacing: Spacing,
        /// Least time between units; shorter than the mean, which stays as it is.
        #[key(is = Time { min_ps: 0 }, default = "\"0 s\"")]
        min_gap: Placed<Duration>,
    },
    /// Packet trains: a geometric number of units at even gaps, then an exponential pause.
    #[word(cite_all = "Jain, Routhier 1986; Zhang 1991, section 4.1")]
    Trains {
        start: Placed<Time>,
        total: Placed<Option<Amount>>,
        #[key(flatten)]
        spacing: Spacing,
        /// Units of a train, on average (geometric).
        #[key(is = Decimal { min: 1.0, max: 1e9 })]
        length: f64,
        /// Time after every unit of a train; shorter than the mean time between units. An
        /// exponential pause of mean `length` * (mean time - `gap`) follows each train.
        #[key(is = Time { min_ps: 1 }, otherwise = "half the mean time between units")]
        gap: Placed<Option<Duration>>,
    },
    /// Bursts and pauses in turn, each with its own spacing.
    OnOff {
        start: Placed<Time>,
        #[key(flatten)]
        bursts: Bursts,
    },
    /// A closed-loop client of a file server, walking files one after another: a stand-in for
    /// traces of network file systems. Its `partner` carries the responses.
    #[word(cite = "Kung 1993, section 8.1")]
    Client {
        start: Placed<Time>,
        #[key(flatten)]
        client: Box<Client>,
    },
    /// The server's side: sends what the client's requests ask for.
    Server,
    /// Closed-loop cycles of requests and responses. A flow back with traffic `server` is made
    /// unless `partner` names one; over TCP, the connection's other side.
    #[word(cite = "Kalyanaraman et al. 1998, section 7.2.1")]
    Requests {
        start: Placed<Time>,
        #[key(flatten)]
        cycle: Cycle,
    },
    /// Always has a unit to send, but not faster than a limit that changes with time.
    #[word(cite_all = "Kalyanaraman et al. 1998, section 7.1")]
    Bottlenecked {
        start: Placed<Time>,
        /// How fast it goes from when on, in order of time.
        limits: Placed<Vec<Placed<Limits>>>,
    },
}

/// How fast units come: one of the three.
#[table(part, exactly_one(interval, load, rate))]
pub(crate) struct Spacing {
    /// Time between units (poisson and trains: on average).
    #[key(is = Time { min_ps: 1 }, otherwise = "from `load` or `rate`")]
    pub interval: Placed<Option<Duration>>,
    /// Share of the rate of the source's first link.
    #[key(is = Share, otherwise = "from `interval` or `rate`")]
    pub load: Placed<Option<Decimal>>,
    /// Bits offered per second, counted on the wire.
    #[key(otherwise = "from `interval` or `load`")]
    pub rate: Placed<Option<Rate>>,
}

impl Spacing {
    /// Where it stands, if any of the three could be read.
    pub(crate) fn place(&self) -> Option<&At> {
        let (interval, load) = (self.interval.place(), self.load.place());
        interval.or(load).or(self.rate.place())
    }
}

/// Bursts and pauses of a source.
#[table(
    part,
    at_most_one(on_interval, on_load),
    at_most_one(off_interval, off_load)
)]
pub(crate) struct Bursts {
    /// Length of a burst.
    #[key(is = Span { min_ps: 1 })]
    pub on: Span,
    /// Length of a pause.
    #[key(is = Span { min_ps: 1 })]
    pub off: Span,
    /// Time between units in a burst.
    #[key(is = Time { min_ps: 1 }, otherwise = "the full rate of the source's first link")]
    pub on_interval: Option<Duration>,
    /// Share of the first link's rate in a burst.
    #[key(is = Share, otherwise = "the full rate of the source's first link")]
    pub on_load: Option<Decimal>,
    /// Time between units in a pause.
    #[key(is = Time { min_ps: 1 }, otherwise = "silence")]
    pub off_interval: Option<Duration>,
    /// Share of the first link's rate in a pause.
    #[key(is = Share, otherwise = "silence")]
    pub off_load: Option<Decimal>,
}

/// What a client asks for, and what its server takes for that.
#[table(part)]
pub(crate) struct Client {
    /// Each request, bytes counted on the wire and rounded up to whole units.
    #[key(is = Amount { max: 1 << 30 }, default = "\"3 cells\"")]
    pub request: Placed<Amount>,
    /// Look-ups before the reads of a file.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "look-ups" }, default = "2")]
    pub lookups: u32,
    /// The reply to a look-up.
    #[key(is = Amount { max: 1 << 30 }, default = "\"3 cells\"")]
    pub lookup: Placed<Amount>,
    /// Median size of a file (lognormal).
    #[key(is = Size { min: 1, max: 1 << 50 }, default = "\"6 kB\"")]
    pub file_median: u64,
    /// Standard deviation of the logarithm of the file size.
    #[key(is = Decimal { min: 0.0, max: 10.0 }, default = "1.5")]
    pub file_sigma: f64,
    /// Payload of a full read.
    #[key(is = Size { min: 1, max: 1 << 30 }, default = "\"8 KiB\"")]
    pub block: u32,
    /// Protocol bytes around the payload of each read.
    #[key(is = Size { min: 0, max: 1 << 20 }, default = "\"160 B\"")]
    pub header: u32,
    /// Payload of one unit.
    #[key(is = Size { min: 1, max: 1 << 20 }, default = "\"48 B\"")]
    pub payload: u32,
    /// Reads outstanding at once.
    #[key(is = Whole { min: 1, max: 1 << 20, unit: "reads" }, default = "1")]
    pub outstanding: u32,
    /// Server's time for a look-up.
    #[key(is = Span { min_ps: 0 }, default = "{ mean = \"300 us\" }")]
    pub lookup_service: Span,
    /// Server's time for a read.
    #[key(is = Span { min_ps: 0 }, default = "{ mean = \"1.5 ms\" }")]
    pub read_service: Span,
    /// Client's time before each request.
    #[key(is = Span { min_ps: 0 }, default = "{ mean = \"300 us\" }")]
    pub think: Span,
}

/// Requests and responses in cycles.
#[table(part, cite = "Kalyanaraman et al. 1998, section 7.2.1")]
pub(crate) struct Cycle {
    /// Each request, bytes counted on the wire and rounded up to whole units.
    #[key(is = Amount { max: 1 << 30 }, default = "\"16 cells\"")]
    pub request: Placed<Amount>,
    /// Each response, as `request`.
    #[key(is = Amount { max: 1 << 30 }, default = "\"256 cells\"")]
    pub response: Placed<Amount>,
    /// Requests of a cycle; the next cycle begins after all responses are in.
    #[key(is = Whole { min: 1, max: 1 << 20, unit: "requests" }, default = "1")]
    pub per_cycle: Placed<u32>,
    /// Between requests of a cycle.
    #[key(is = Span { min_ps: 0 }, default = "\"0 s\"")]
    pub gap: Placed<Span>,
    /// Cycles in all.
    #[key(is = Whole { min: 1, max: 1 << 60, unit: "cycles" }, otherwise = "without end")]
    #[key(cite = "")]
    pub transfers: Option<u64>,
    /// From the last response of a cycle to the next cycle.
    #[key(is = Span { min_ps: 0 }, default = "\"1 ms\"")]
    pub think: Span,
    /// Server's time for each request, one at a time.
    #[key(is = Span { min_ps: 0 }, default = "\"0 s\"", cite = "")]
    pub service: Span,
}

impl Traffic {
    /// The gap that has to be shorter than the mean time between units: its key, its place, and
    /// what sets the mean.
    pub(crate) fn bounded_gap(&self) -> Option<(&'static str, &At, &Spacing)> {
        let least = self.min_gap().map(|gap| ("min_gap", &gap.at));
        let (key, at) = least.or(self.gap().map(|gap| ("gap", &gap.at)))?;
        Some((key, at, self.spacing()?))
    }
}

/// A limit of a bottlenecked application, from some instant on.
#[table("traffic.limits")]
pub(crate) struct Limits {
    /// The limit holds from here on, until the next one.
    #[key(is = Time { min_ps: 0 }, default = "\"0 s\"")]
    pub from: Placed<Time>,
    /// Bits per second on the wire, RM cells included; 0 stands still.
    #[key(is = CellRate { min: 0 }, otherwise = "no limit but what the network allows")]
    pub rate: Option<Rate>,
}

/// How the destinations consume.
#[table("flows.sink", by(kind, "The kind of sink."))]
pub(crate) enum Sink {
    /// Consumes at once.
    Unlimited,
    /// Consumes one unit every interval.
    #[table(exactly_one(interval, load))]
    Limited {
        /// Time between units consumed.
        #[key(is = Time { min_ps: 1 }, otherwise = "from `load`")]
        interval: Option<Duration>,
        /// Share of the rate of the flow's last link.
        #[key(is = Share, otherwise = "from `interval`")]
        load: Option<Decimal>,
    },
    /// Consumes for a while, then stands still, and so on.
    #[table(exactly_one(interval, load))]
    Stalling {
        interval: Option<Duration>,
        load: Option<Decimal>,
        /// How long it consumes.
        #[key(is = Span { min_ps: 1 })]
        run: Span,
        /// How long it stands still.
        #[key(is = Span { min_ps: 1 })]
        stall: Span,
    },
}

/// Words of `phase`: When the first unit comes.
#[word]
pub(crate) enum Phase {
    /// At `start`.
    Fixed,
    /// Up to one interval later, drawn evenly.
    Random,
}
