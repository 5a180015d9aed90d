//! Which class of a port goes next, and what a class may have there.

use backwater_derive::table;
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::{SchedulerSpec, VirtualClockSpec};
use backwater_net::spec::Resync;

use crate::given::circuits::service::Stamp;
use crate::given::usual::{Usual, usual};
use crate::language::kinds::OrShare;
use crate::language::typed::Placed;

/// Bytes a round: a full frame with a tag.
pub(crate) const QUANTUM: Usual<u32> = usual!(1522 B);

/// Which class of a port goes next, among those that wait and that flow control lets cross. It
/// holds for every port; a `scheduler` table in `[[links]]`, `links.forward`, `links.backward` or
/// `topology.trunk` replaces it there as a whole. Frames of one class go in order of arrival. All
/// kinds but `strict-priority` and `fifo` work among classes of one `priority`.
#[table(
    "[scheduler]",
    by(kind, "The discipline.", default = "\"strict-priority\"")
)]
pub(crate) enum Scheduler {
    /// The highest class that may send.
    StrictPriority,
    /// One class after another, a frame each.
    RoundRobin,
    /// In order of arrival, whatever the class.
    Fifo,
    /// By a clock of each class that ticks at the rate it reserves.
    #[word(cite_all = "Zhang 1991, section 3.1")]
    VirtualClock {
        /// The clock of a class that stamps its frames; the smallest stamp is served first.
        #[key(default = "\"auxvc\"")]
        stamp: Stamp,
    },
    /// Weighted fair queueing: by the time at which fluid sharing would have finished the frame.
    #[word(cite = "Demers, Keshav, Shenker 1989; Parekh, Gallager 1993")]
    Wfq,
    /// Worst-case fair: as WFQ, among frames that fluid sharing would have started.
    #[word(name = "wf2q+", cite = "Bennett, Zhang 1997")]
    Wf2qPlus,
    /// Self-clocked fair queueing: virtual time is the stamp of the frame in service.
    #[word(cite = "Golestani 1994")]
    Scfq,
    /// Start-time fair queueing: by the virtual time at which service would start.
    #[word(cite = "Goyal, Vin, Cheng 1996")]
    Sfq,
    /// Deficit round robin: in a round every class may send its `quantum` of bytes.
    #[word(cite = "Shreedhar, Varghese 1995")]
    Drr {
        /// Bytes a round. In `[scheduler]` it holds for classes without a `quantum` of their own,
        /// in the table of a link for all classes there.
        #[key(is = Size { min: 64, max: 1 << 30 })]
        #[key(otherwise = "{QUANTUM}, a full frame with a tag")]
        quantum: Option<u32>,
    },
    /// Earliest deadline first: arrival + `deadline` of the class.
    Edf,
    /// Asynchronous traffic shaping: a frame waits until it conforms to rate and burst of its
    /// class, then in the order of these instants.
    #[word(cite = "IEEE 802.1Qcr")]
    Ats,
}

impl Scheduler {
    /// What the engine is told.
    pub(crate) fn spec(&self) -> SchedulerSpec {
        match self {
            Self::StrictPriority => SchedulerSpec::StrictPriority,
            Self::RoundRobin => SchedulerSpec::RoundRobin,
            Self::Fifo => SchedulerSpec::Fifo,
            Self::VirtualClock { stamp } => SchedulerSpec::VirtualClock(VirtualClockSpec {
                stamp: (*stamp).into(),
                resync: Resync::None,
                threshold: None,
                alarm_bytes: None,
            }),
            Self::Wfq => SchedulerSpec::Wfq,
            Self::Wf2qPlus => SchedulerSpec::Wf2qPlus,
            Self::Scfq => SchedulerSpec::Scfq,
            Self::Sfq => SchedulerSpec::Sfq,
            // Each class has its own.
            Self::Drr { .. } => SchedulerSpec::Drr { quantum_bytes: 0 },
            Self::Edf => SchedulerSpec::Edf,
            Self::Ats => SchedulerSpec::Ats {
                max_residence: None,
            },
        }
    }
}

/// How ports serve a class.
#[table(part)]
#[derive(Default)]
pub(crate) struct Service {
    /// Deficit round robin: bytes a round, at ports whose links have no `quantum` of their own.
    #[key(is = Size { min: 64, max: 1 << 30 }, otherwise = "as `[scheduler]` says")]
    pub quantum: Option<u32>,
    /// Larger ones are served first; the scheduler works among classes of one priority.
    #[key(is = Whole { min: 0, max: 7, unit: "" }, otherwise = "0: all classes alike")]
    pub priority: Placed<Option<u8>>,
    /// What the class reserves at every port, for schedulers that serve by that.
    #[key(otherwise = "an equal share at ports where no class reserves anything")]
    pub reserve: Placed<Option<Reserve>>,
}

/// What a class reserves at every port.
#[table("classes.reserve")]
pub(crate) struct Reserve {
    /// Of the wire: preamble and gap count too.
    #[key(is = PortRate)]
    pub rate: Placed<OrShare<Rate>>,
    /// What it may send at once: the bucket of ATS.
    #[key(is = Size { min: 1, max: 1 << 40 }, otherwise = "its largest frame")]
    pub burst: Placed<Option<u64>>,
    /// Deadline at each port, for EDF.
    #[key(is = Time { min_ps: 1 }, otherwise = "the time its largest frame takes at `rate`")]
    pub deadline: Option<Duration>,
}
