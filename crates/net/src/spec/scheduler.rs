//! Which unit leaves a port next.

use backwater_kernel::Duration;

/// Which unit leaves the port next? Each discipline works among the units that wait and that
/// flow control lets cross. Units of one flow leave in order of arrival (but for
/// [`Resync::Literal`]). What is equal otherwise goes in order of arrival, and what came
/// in one instant in the order of flows in the scenario.
///
/// All but `Fifo` serve priority groups ([`FlowSpec::priority`](super::FlowSpec::priority))
/// strictly, the largest priority first; the discipline works inside each group.
///
/// The disciplines from `VirtualClock` to `Ats` serve flows by what they reserve
/// ([`FlowSpec::reserve`](super::FlowSpec::reserve)). Where no flow of a port reserves anything,
/// each counts as if it had reserved an equal share of the channel's rate. Where some do, units
/// of the others (*datagrams*) are served when no reserved unit may go, in order of arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SchedulerSpec {
    /// One flow after another, a unit each.
    #[default]
    RoundRobin,
    /// In order of arrival; flows of a port have one priority.
    Fifo,
    /// In order of arrival in each priority group.
    StrictPriority,
    /// Zhang 1991.
    VirtualClock(VirtualClockSpec),
    /// Weighted fair queueing (Demers, Keshav, Shenker 1989), also PGPS (Parekh, Gallager 1993):
    /// by the time at which fluid sharing would have finished the unit.
    Wfq,
    /// Worst-case fair weighted fair queueing (Bennett, Zhang 1997): the same, among units that
    /// fluid sharing would have started.
    Wf2qPlus,
    /// Self-clocked fair queueing (Golestani 1994).
    Scfq,
    /// Start-time fair queueing (Goyal, Vin, Cheng 1996).
    Sfq,
    /// Deficit round robin (Shreedhar, Varghese 1995).
    Drr {
        /// Bytes that the flow with the smallest reservation of its priority group at the port
        /// may send a round; the others get as many times more as they reserve.
        quantum_bytes: u32,
    },
    /// Earliest deadline first: arrival + [`ReserveSpec::deadline`](super::ReserveSpec::deadline).
    Edf,
    /// Asynchronous traffic shaping (IEEE 802.1Qcr): a unit waits until it conforms to its
    /// flow's rate and burst, and is then served in the order of these instants.
    Ats {
        /// A unit that would wait longer is dropped.
        max_residence: Option<Duration>,
    },
}

/// What is asked of a discipline: a new one answers all of it.
#[derive(Clone, Copy)]
struct Properties {
    order: &'static str,
    shapes: bool,
    stamps: bool,
    ignores_priority: bool,
    is_strict: bool,
    takes_turns: bool,
    has_quanta: bool,
    goes_by_deadline: bool,
    goes_by_start: bool,
}

/// Of a discipline that stamps units as they arrive, and is nothing else that is asked for.
const fn stamping(order: &'static str) -> Properties {
    Properties {
        order,
        shapes: false,
        stamps: true,
        ignores_priority: false,
        is_strict: false,
        takes_turns: false,
        has_quanta: false,
        goes_by_deadline: false,
        goes_by_start: false,
    }
}

impl SchedulerSpec {
    const fn properties(&self) -> Properties {
        match self {
            Self::RoundRobin => Properties {
                stamps: false,
                takes_turns: true,
                ..stamping("flows in turn")
            },
            Self::Fifo => Properties {
                ignores_priority: true,
                ..stamping("first in, first out")
            },
            Self::StrictPriority => Properties {
                is_strict: true,
                ..stamping("larger priority first")
            },
            Self::VirtualClock(_) => stamping("VirtualClock"),
            Self::Wfq => stamping("weighted fair queueing"),
            Self::Wf2qPlus => Properties {
                stamps: false,
                ..stamping("WF2Q+")
            },
            Self::Scfq => stamping("self-clocked fair queueing"),
            Self::Sfq => Properties {
                goes_by_start: true,
                ..stamping("start-time fair queueing")
            },
            Self::Drr { .. } => Properties {
                stamps: false,
                has_quanta: true,
                ..stamping("deficit round robin")
            },
            Self::Edf => Properties {
                goes_by_deadline: true,
                ..stamping("earliest deadline first")
            },
            Self::Ats { .. } => Properties {
                shapes: true,
                ..stamping("asynchronous traffic shaping")
            },
        }
    }

    /// The order in which it serves, in a few words.
    pub fn order(&self) -> &'static str {
        self.properties().order
    }

    /// It holds what reserves to its rate. Where nothing does, nothing is held: a share that
    /// nobody asked for would be a limit.
    pub fn shapes(&self) -> bool {
        self.properties().shapes
    }

    /// Size of a warning to a source that sends too fast, where one is sent.
    pub fn alarm_bytes(&self) -> Option<u32> {
        match self {
            Self::VirtualClock(clock) => clock.alarm_bytes,
            _ => None,
        }
    }

    /// A unit that would be held longer is refused, where there is such a limit.
    pub fn max_residence(&self) -> Option<Duration> {
        match self {
            Self::Ats { max_residence } => *max_residence,
            _ => None,
        }
    }

    /// Units get their place in the order of service as they arrive.
    pub fn stamps(&self) -> bool {
        self.properties().stamps
    }

    /// Priorities and classes change nothing: what came first goes first.
    pub fn ignores_priority(&self) -> bool {
        self.properties().ignores_priority
    }

    /// The highest priority goes first, whatever the others have got.
    pub fn is_strict(&self) -> bool {
        self.properties().is_strict
    }

    /// Who waits is served in turn, a unit each.
    pub fn takes_turns(&self) -> bool {
        self.properties().takes_turns
    }

    /// Who waits is served in turn, so many bytes each.
    pub fn has_quanta(&self) -> bool {
        self.properties().has_quanta
    }

    /// The earliest deadline goes first.
    pub fn goes_by_deadline(&self) -> bool {
        self.properties().goes_by_deadline
    }

    /// Units are served in the order of their start tags.
    pub fn goes_by_start(&self) -> bool {
        self.properties().goes_by_start
    }
}

/// The settings of VirtualClock (Zhang 1991, section 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VirtualClockSpec {
    /// The clock that stamps units.
    pub stamp: Stamp,
    /// When auxVC is set to VirtualClock at the end of a check.
    pub resync: Resync,
    /// T: a flow whose VirtualClock runs further ahead of real time at a check is warned.
    /// `None` is AIR times Vtick.
    pub threshold: Option<Duration>,
    /// Size of a warning to the source; `None` sends none (they are counted all the same).
    pub alarm_bytes: Option<u32>,
}

/// The clock that stamps units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stamp {
    /// auxVC: no credit is saved (the paper's algorithm).
    AuxVc,
    /// VirtualClock itself, for contrast: a flow that was silent may be served first for long.
    VirtualClock,
}

/// When auxVC is set back to VirtualClock at the end of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resync {
    /// As section 3.1 is written: if the channel is idle or the unit on the wire has a larger
    /// stamp than auxVC, after the unit that ends the interval was stamped. It may reorder a
    /// flow, and breaks the delay bound of others.
    Literal,
    /// Only on an idle channel, before the next unit is stamped.
    IdleLink,
    /// Never.
    None,
}
