//! Which unit leaves a port next, memory that flows share, what flows reserve.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{self, SchedulerSpec, VirtualClockSpec};

use crate::language::source::At;
use crate::language::typed::Placed;

/// Which unit leaves a port next, among those that wait and that flow control lets cross. It
/// holds for every port; a `scheduler` table in `[link]`, `[[links]]`, `links.forward`,
/// `links.backward` or `topology.trunk` replaces it there as a whole.
#[table(
    "[scheduler]",
    by(kind, "The discipline.", default = "\"round-robin\"")
)]
pub(crate) enum Scheduler {
    /// One flow after another, a unit each, in each priority group.
    RoundRobin,
    /// In order of arrival; flows of a port have one priority.
    Fifo,
    /// In order of arrival in each priority group.
    StrictPriority,
    /// By a clock of each flow that ticks at the rate it reserves.
    #[word(cite_all = "Zhang 1991, section 3.1")]
    VirtualClock {
        /// The clock of a flow that stamps its units; the smallest stamp is served first.
        #[key(default = "\"auxvc\"")]
        stamp: Stamp,
        /// When auxVC is set back to VirtualClock at the end of a check.
        #[key(default = "\"idle-link\"")]
        resync: Placed<Resync>,
        /// T: a flow whose VirtualClock is further ahead of real time at a check is warned.
        #[key(is = Time { min_ps: 0 }, otherwise = "AIR times Vtick of the flow")]
        threshold: Option<Duration>,
        /// Size of a warning, sent to the source of the flow.
        #[key(is = Size { min: 1, max: 1 << 20 })]
        #[key(otherwise = "none is sent; warnings are counted all the same")]
        alarm: Option<u32>,
    },
    /// Weighted fair queueing: by the time at which fluid sharing would have finished the unit.
    #[word(cite = "Demers, Keshav, Shenker 1989; Parekh, Gallager 1993")]
    Wfq,
    /// Worst-case fair: as WFQ, among units that fluid sharing would have started.
    #[word(name = "wf2q+", cite = "Bennett, Zhang 1997")]
    Wf2qPlus,
    /// Self-clocked fair queueing: virtual time is the stamp of the unit in service.
    #[word(cite = "Golestani 1994")]
    Scfq,
    /// Start-time fair queueing: by the virtual time at which service would start.
    #[word(cite = "Goyal, Vin, Cheng 1996")]
    Sfq,
    /// Deficit round robin: as many bytes a round as a flow reserves.
    #[word(cite = "Shreedhar, Varghese 1995")]
    Drr {
        /// Bytes a round for the flow with the smallest reservation of the port; the others get
        /// as many times more as they reserve.
        #[key(is = Size { min: 1, max: 1 << 30 }, otherwise = "the largest unit of any flow")]
        quantum: Option<u32>,
    },
    /// Earliest deadline first: arrival + `deadline`.
    Edf,
    /// Asynchronous traffic shaping: a unit waits until it conforms to its flow's rate and burst,
    /// then in the order of these instants.
    #[word(cite = "IEEE 802.1Qcr")]
    Ats {
        /// A unit that would wait longer until it conforms is dropped.
        #[key(is = Time { min_ps: 0 }, otherwise = "without limit")]
        max_residence: Option<Duration>,
    },
}

/// Stands for the largest unit of any flow until the flows are known. No quantum is 0.
pub(crate) const LARGEST_UNIT: u32 = 0;

impl Scheduler {
    /// What the engine is told.
    pub(crate) fn spec(&self) -> SchedulerSpec {
        match self {
            Self::RoundRobin => SchedulerSpec::RoundRobin,
            Self::Fifo => SchedulerSpec::Fifo,
            Self::StrictPriority => SchedulerSpec::StrictPriority,
            Self::VirtualClock {
                stamp,
                resync,
                threshold,
                alarm,
            } => SchedulerSpec::VirtualClock(VirtualClockSpec {
                stamp: (*stamp).into(),
                resync: (**resync).into(),
                threshold: *threshold,
                alarm_bytes: *alarm,
            }),
            Self::Wfq => SchedulerSpec::Wfq,
            Self::Wf2qPlus => SchedulerSpec::Wf2qPlus,
            Self::Scfq => SchedulerSpec::Scfq,
            Self::Sfq => SchedulerSpec::Sfq,
            Self::Drr { quantum } => SchedulerSpec::Drr {
                quantum_bytes: quantum.unwrap_or(LARGEST_UNIT),
            },
            Self::Edf => SchedulerSpec::Edf,
            Self::Ats { max_residence } => SchedulerSpec::Ats {
                max_residence: *max_residence,
            },
        }
    }
}

/// Words of `stamp`: The clock of a flow that stamps its units; the smallest stamp is served first.
#[word(of = spec::Stamp)]
pub(crate) enum Stamp {
    /// auxVC: credit of silent times is not saved.
    #[word(of = AuxVc)]
    Auxvc,
    /// VirtualClock: a flow that was silent may be served first for long.
    VirtualClock,
}

/// Words of `resync`: When auxVC is set back to VirtualClock at the end of a check.
#[word(of = spec::Resync)]
pub(crate) enum Resync {
    /// Only on an idle channel, before the next unit is stamped.
    IdleLink,
    /// As the paper is written: after stamping, if the channel is idle or the unit on the wire
    /// has a larger stamp. It may reorder a flow, and breaks delay bounds.
    Literal,
    /// Never.
    None,
}

/// Memory of every switch.
#[table("[buffer]")]
pub(crate) struct Buffer {
    /// One memory for all flows through a switch.
    #[key(otherwise = "without limit, but for `flow_control.buffer` of each flow")]
    pub shared: Placed<Option<Shared>>,
}

/// A memory that all data units in a switch share. At least one of `units`, `bytes` and
/// `per_port` limits it. It excludes credit on the links to the switches.
#[table("buffer.shared", at_most_one(bytes, per_port))]
pub(crate) struct Shared {
    /// Units it holds.
    #[key(is = Whole { min: 1, max: 1 << 30, unit: "units" }, otherwise = "without limit")]
    pub units: Placed<Option<u32>>,
    /// Bytes it holds.
    #[key(is = Size { min: 1, max: 1 << 50 }, otherwise = "without limit")]
    pub bytes: Placed<Option<u64>>,
    /// Bytes it holds for each port of its switch.
    #[key(is = Size { min: 1, max: 1 << 40 }, otherwise = "from `bytes`")]
    pub per_port: Placed<Option<u64>>,
    /// Who is dropped when it is full.
    #[key(default = "\"tail-drop\"")]
    pub when_full: WhenFull,
    /// How long a unit holds its place.
    #[key(default = "\"end\"")]
    pub hold: Hold,
    /// A flow may hold this many times what is free of `units`, the unit that comes included.
    #[key(is = Ratio { max: 65536 }, otherwise = "a flow may hold all of it")]
    #[key(cite = "Choudhury, Hahne 1998")]
    pub alpha: Placed<Option<(u32, u32)>>,
}

impl Shared {
    /// The key that limits its bytes, and where that stands.
    pub(crate) fn limit(&self) -> Option<(&'static str, &At)> {
        let limits = [("bytes", &self.bytes), ("per_port", &self.per_port)];
        let given = limits.into_iter().find(|(_, limit)| limit.is_some());
        given.map(|(key, limit)| (key, &limit.at))
    }
}

/// Words of `when_full`: Who is dropped when it is full.
#[word(of = spec::WhenFull)]
pub(crate) enum WhenFull {
    /// The unit that arrives.
    TailDrop,
    /// The unit that would be served last in the longest queue of the switch.
    #[word(cite = "Zhang 1991, section 3.1")]
    PushOut,
}

/// Words of `hold`: How long a unit holds its place.
#[word(of = spec::Hold)]
pub(crate) enum Hold {
    /// Until its last bit has left.
    End,
    /// Until it starts on the next channel.
    Start,
}

/// What a flow reserves at every port on its way.
#[table("flows.reserve")]
pub(crate) struct Reserve {
    /// AR, the average rate, counted on the wire.
    #[key(cite = "Zhang 1991, section 3.1")]
    pub rate: Placed<Rate>,
    /// AI, the average interval: VirtualClock checks the flow every AIR = max(1, floor(`rate` *
    /// `interval` / unit)) units.
    #[key(is = Time { min_ps: 1 }, otherwise = "it is never checked")]
    #[key(cite = "Zhang 1991, section 3.1")]
    pub interval: Option<Duration>,
    /// What it may send at once: the bucket of ATS.
    #[key(is = Size { min: 1, max: 1 << 40 }, otherwise = "one unit")]
    pub burst: Placed<Option<u64>>,
    /// P of VirtualClock: real time counts as so much earlier.
    #[key(is = Time { min_ps: 0 }, default = "\"0 s\"", cite = "Zhang 1991, section 3.2.2")]
    pub offset: Duration,
    /// Deadline at each port, for EDF.
    #[key(is = Time { min_ps: 1 }, otherwise = "the time a unit takes at `rate`")]
    pub deadline: Placed<Option<Duration>>,
}

/// Set-up and tear-down while the network runs. A request goes along the way and reserves at
/// every port; the first port that has not enough left refuses, and the source stays silent. The
/// destination answers; then the traffic starts.
#[table("flows.session")]
pub(crate) struct Session {
    /// The source asks.
    #[key(is = Time { min_ps: 0 })]
    pub open: Placed<Time>,
    /// The source falls silent; a tear-down follows its last unit.
    #[key(is = Time { min_ps: 0 }, otherwise = "never")]
    pub close: Placed<Option<Time>>,
    /// Size of its messages on the wire.
    #[key(is = Size { min: 1, max: 1 << 20 }, default = "\"64 B\"")]
    pub message: u32,
}
