//! Flow control: when a switch stops its neighbours, and which.

use backwater_derive::{table, word};
use backwater_kernel::Duration;
use backwater_net::frames;

use crate::given::circuits::control::Bind;
use crate::given::usual::{Usual, usual};
use crate::language::kinds::{OrShare, OrWord};
use crate::language::typed::Placed;

/// Threshold that stops: the paper's.
pub(crate) const XOFF: Usual<OrShare<u64>> = usual!(80 percent);
/// Most credits of a limit: what a counter of 20 bits tells apart.
pub(crate) const LIMIT_MAX: u64 = (1 << 19) - 1;

/// Lanes that flows are spread over, and the most of them.
const HASH_LANES: u32 = 32;
const HASH_LANES_MAX: u64 = frames::spec::HASH_LANES_MAX as u64;

/// Threshold that resumes: the paper's.
pub(crate) const XON: Usual<OrShare<u64>> = usual!(70 percent);

/// When every switch stops its neighbours, and which; or what credit it gives them.
#[table(
    "[flow_control]",
    by(kind, "What is stopped, or which credit is given.")
)]
pub(crate) enum FlowControl {
    /// Nothing: queues that are full drop.
    None,
    /// The whole channel, all classes: PAUSE, the paper's simple scheme.
    #[word(cite = "IEEE 802.3x; Nouredine, Tobagi 1999, section 2")]
    Pause(Stops),
    /// The congested class: PFC.
    #[word(cite = "IEEE 802.1Qbb; Nouredine, Tobagi 1999, section 2")]
    Pfc(Stops),
    /// Frames of the congested class to the hosts that the congested queue holds frames for.
    #[word(cite = "Nouredine, Tobagi 1999, section 2")]
    Destination {
        #[key(flatten)]
        stops: Stops,
        /// Which destinations are stopped.
        #[key(default = "\"all-found\"")]
        choose: Placed<Choose>,
        /// Frames drawn by `random`.
        #[key(is = Whole { min: 1, max: 1000, unit: "frames" }, default = "1")]
        frames: u32,
        /// How much of a queue frames to stopped destinations may take.
        #[key(otherwise = "all of it")]
        blocked_share: Option<BlockedShare>,
    },
    /// Absolute credit for each lane of a link: a credit frame carries N2 + N3 - fill, the sender
    /// subtracts what it sent within `window`.
    #[word(cite = "Kung 1993, section 4.3")]
    N23 {
        #[key(flatten)]
        credits: Credits,
        /// Span over which the sender counts what it has sent.
        #[key(is = Or("exact", Time { min_ps: 1 }), default = "\"exact\"")]
        window: Placed<OrWord<Duration>>,
    },
    /// Absolute credit without E: a zone N1 holds what is under way at the link's rate.
    #[word(cite = "Kung 1993, section 3")]
    N123 {
        #[key(flatten)]
        credits: Credits,
        /// Zone that holds what is under way and no credit frame can know of.
        #[key(is = Whole { min: 0, max: 1 << 30, unit: "units" })]
        #[key(otherwise = "what the link can send within the loop, in frames of the worst size")]
        n1: Placed<Option<u32>>,
    },
    /// As n123, with N1 as a limit on what is sent within the loop.
    #[word(name = "n123+", cite = "Kung 1993, section 3")]
    N123Plus {
        #[key(flatten)]
        credits: Credits,
        /// Span over which the sender counts what it has sent, as with n23.
        #[key(is = Or("exact", Time { min_ps: 1 }), default = "\"exact\"")]
        window: Placed<OrWord<Duration>>,
        /// Most units sent within the window, and the zone that holds them.
        #[key(is = Whole { min: 1, max: 1 << 30, unit: "units" }, otherwise = "N2 + N3")]
        n1: Placed<Option<u32>>,
    },
    /// Additive credit: the credit frame carries the units freed, the sender adds them, as R_RDY of
    /// Fibre Channel does. A lost credit frame is lost for ever.
    Relative(Credits),
    /// Cumulative credit: the credit frame carries all units freed since the start; the sender's
    /// credit is N2 + N3 - (sent - freed).
    #[word(cite = "Kung, Blackwell and Chapman 1994 (SIGCOMM)")]
    Cumulative {
        #[key(flatten)]
        credits: Credits,
        /// The sender states its counter once in this many units, which repairs the credit after
        /// lost data.
        #[key(is = Whole { min: 1, max: 1 << 30, unit: "units" }, otherwise = "never")]
        resync_every: Option<u32>,
    },
    /// Credit-based flow control of Ultra Ethernet: cumulative credit in cells. The port that frees
    /// tells its counters in CF_Updates (ordered sets of 8 B, two classes each), the port that
    /// sends states its own in CC_Updates (frames of 64 B), which gives back what was lost.
    #[word(cite = "Ultra Ethernet 1.0, section 5.2; SAI 1.18, CBFC")]
    Cbfc {
        #[key(flatten)]
        lanes: Lanes,
        /// What one credit is good for: a frame costs its bytes and `overhead`, in cells, rounded
        /// up.
        #[key(is = Size { min: 32, max: 2_048 }, default = "\"64 B\"")]
        cell: u32,
        /// Bytes that are counted with each frame; -4 leaves the FCS out, which is not stored.
        #[key(is = Signed { min: -16, max: 127, unit: "bytes" }, default = "-4")]
        overhead: i32,
        /// Least time from one CF_Update to the next, as bytes of the line it goes on.
        #[key(is = Size { min: 800, max: 1 << 20 }, default = "\"6400 B\"")]
        cf_min_spacing: u64,
        /// After so long one is sent whether anything changed or not, likewise, in steps of 16 KiB.
        #[key(is = Size { min: 16_384, max: 1 << 20 }, default = "\"262144 B\"")]
        cf_max_spacing: Placed<u64>,
        /// Time between CC_Updates.
        #[key(is = Or("never", Clock { min_ps: 1_000_000 }), default = "\"256 us\"")]
        cc_timer: Placed<OrWord<Duration>>,
        /// When a port sends the updates that it has to send.
        #[key(default = "\"first\"")]
        updates: Placed<Updates>,
    },
    /// InfiniBand's credit: blocks of 64 B. A flow control packet (8 B, one class each) says up to
    /// which count the sender may go; another states what it has sent. Counters have 12 bits, of
    /// which half can be told apart: 2,048 blocks at most.
    #[word(
        name = "infiniband",
        cite = "InfiniBand Architecture, volume 1, section 7.9"
    )]
    InfiniBand {
        #[key(flatten)]
        lanes: Lanes,
        /// Least time from one flow control packet to the next, as bytes of the line it goes on.
        #[key(is = Size { min: 0, max: 1 << 20 }, default = "\"0 B\"")]
        fc_spacing: u64,
        /// After so long one is sent whether anything changed or not.
        #[key(is = Or("never", Clock { min_ps: 100_000 }), default = "\"4.096 us\"")]
        fc_timer: Placed<OrWord<Duration>>,
        /// When a port sends the packets that it has to send.
        #[key(default = "\"first\"")]
        updates: Placed<Updates>,
    },
    /// Relative credit in grains, as UnifiedBus has it: what was freed comes back in whole grains,
    /// of all classes in one frame. The rest of a grain is kept, and what is lost is lost for ever.
    Grains {
        #[key(flatten)]
        lanes: Lanes,
        /// What one credit is good for.
        #[key(is = Size { min: 16, max: 4_096 }, default = "\"64 B\"")]
        cell: u32,
        /// Credits of a grain.
        #[key(is = Whole { min: 1, max: 1_024, unit: "credits" }, default = "16")]
        grain: Placed<u32>,
        /// Size of the frame that gives them back.
        #[key(is = Size { min: 8, max: 64 }, default = "\"64 B\"")]
        update_bytes: u32,
    },
}

impl FlowControl {
    /// The classes that are named, if any kind names classes.
    pub(crate) fn classes(&self) -> Option<&Placed<Option<Vec<u8>>>> {
        let stopped = self.stops().map(|stops| &stops.classes);
        stopped.or(self.credited_classes())
    }

    /// The classes that are named, of a kind that gives credit.
    pub(crate) fn credited_classes(&self) -> Option<&Placed<Option<Vec<u8>>>> {
        let zones = self.credits().map(|credits| &credits.classes);
        zones.or(self.lanes().map(|lanes| &lanes.classes))
    }

    /// How many classes the messages of this kind can name, and why, if not all of a port.
    pub(crate) fn nameable(&self) -> Option<(u8, &'static str)> {
        match self {
            FlowControl::Pfc(_) => Some((8, "a PFC frame has a bit and a time for eight classes")),
            FlowControl::Destination { .. } => {
                Some((8, "a stop of a destination names one of eight classes"))
            }
            FlowControl::InfiniBand { .. } => Some((
                15,
                "there are 16 virtual lanes, and VL 15 has no credit: it is for management",
            )),
            FlowControl::None
            | FlowControl::Pause(_)
            | FlowControl::N23 { .. }
            | FlowControl::N123 { .. }
            | FlowControl::N123Plus { .. }
            | FlowControl::Relative(_)
            | FlowControl::Cumulative { .. }
            | FlowControl::Cbfc { .. }
            | FlowControl::Grains { .. } => None,
        }
    }

    /// Who has credit of its own, and over how many lanes flows are spread, of a kind that gives
    /// credit.
    pub(crate) fn owner(&self) -> Option<(&Placed<Owner>, &Placed<Option<u32>>)> {
        let zones = self.credits().map(|own| (&own.lanes, &own.hash_lanes));
        zones.or(self.lanes().map(|own| (&own.lanes, &own.hash_lanes)))
    }

    /// Whether a class under flow control is promised to be lossless.
    pub(crate) fn headroom(&self) -> Option<&Placed<Headroom>> {
        let stopped = self.stops().map(|stops| &stops.headroom);
        stopped.or(self.credit_headroom())
    }

    /// The same of a kind that gives credit.
    pub(crate) fn credit_headroom(&self) -> Option<&Placed<Headroom>> {
        let zones = self.credits().map(|credits| &credits.headroom);
        zones.or(self.lanes().map(|lanes| &lanes.headroom))
    }
}

/// Credit of any kind: which classes, in which units, how much, and what repairs it. It holds on
/// every link into a switch; hosts take what comes.
#[table(part)]
pub(crate) struct Credits {
    /// Classes under flow control: those that are lossless.
    #[key(is = Wholes(Whole { min: 0, max: 31, unit: "" }), otherwise = "all")]
    pub classes: Placed<Option<Vec<u8>>>,
    /// Who has a lane (a virtual channel) of its own, with all of this credit for itself.
    #[key(default = "\"class\"")]
    pub lanes: Placed<Owner>,
    /// With `lanes = "hash"`: over how many lanes of a class the flows of a link are spread.
    #[key(is = Whole { min: 1, max: HASH_LANES_MAX, unit: "lanes" }, otherwise = "32")]
    #[key(cite = "Goyal et al., NSDI 2022: 32 queues of a port")]
    pub hash_lanes: Placed<Option<u32>>,
    /// What one unit of credit is good for: a frame costs its bytes in units, rounded up.
    #[key(is = Size { min: 1, max: 16_000 })]
    #[key(otherwise = "the largest frame of the class, so that each frame costs one")]
    pub unit: Option<u64>,
    /// Units that the receiver frees between two credit frames.
    #[key(is = Whole { min: 1, max: 1 << 30, unit: "units" }, default = "10")]
    #[key(cite = "Kung 1993, sections 4.2 and 4.4")]
    pub n2: u32,
    /// Zone of the buffer that keeps the link busy over a round trip.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "units" })]
    #[key(otherwise = "what passes during the loop of the link at its full rate")]
    #[key(cite = "Kung 1993, section 4.3, equation 3")]
    pub n3: Placed<Option<u32>>,
    /// When a credit frame's value is taken from the buffer.
    #[key(default = "\"start\"")]
    pub bind: Placed<Bind>,
    /// Send a credit frame every time this many units were freed, if that is sooner than N2.
    #[key(is = Whole { min: 1, max: 1 << 30, unit: "units" })]
    #[key(otherwise = "no redundant credit frames")]
    #[key(cite = "Kung 1993, section 4.5")]
    pub redundant_every: Option<u32>,
    /// Also send a credit frame when none was sent for this long.
    #[key(is = Clock { min_ps: 1 }, otherwise = "never", cite = "Kung 1993, section 4.5")]
    pub refresh_every: Option<Duration>,
    /// Ask for credit after this long without enough of it while frames wait.
    #[key(is = Clock { min_ps: 1 }, otherwise = "never", cite = "Kung 1993, section 4.5")]
    pub request_after: Option<Duration>,
    /// Whether a class with credit is promised to be lossless.
    #[key(default = "\"checked\"")]
    pub headroom: Placed<Headroom>,
}

/// Credit that ports count in cells for their classes (virtual channels, lanes): which, how much of
/// it, and what classes share. It holds on every link into a switch; hosts take what comes.
#[table(part)]
pub(crate) struct Lanes {
    /// Classes under flow control: those that are lossless.
    #[key(is = Wholes(Whole { min: 0, max: 31, unit: "" }), otherwise = "all")]
    pub classes: Placed<Option<Vec<u8>>>,
    /// Who has a lane (a virtual channel) of its own, with credit of its own.
    #[key(default = "\"class\"")]
    pub lanes: Placed<Owner>,
    /// With `lanes = "hash"`: over how many lanes of a class the flows of a link are spread.
    #[key(is = Whole { min: 1, max: HASH_LANES_MAX, unit: "lanes" }, otherwise = "32")]
    #[key(cite = "Goyal et al., NSDI 2022: 32 queues of a port")]
    pub hash_lanes: Placed<Option<u32>>,
    /// Most credits of a lane that are spent and not known to be free again.
    #[key(is = Whole { min: 1, max: LIMIT_MAX, unit: "credits" })]
    #[key(otherwise = "what passes during the loop of the link at its full rate")]
    pub limit: Placed<Option<u32>>,
    /// One limit for all lanes of a port instead, which divides it by `reserve` and `share`.
    #[key(is = Whole { min: 1, max: LIMIT_MAX, unit: "credits" }, otherwise = "none")]
    pub port_limit: Placed<Option<u32>>,
    /// Of `port_limit`, what each lane has for itself.
    #[key(is = Whole { min: 0, max: LIMIT_MAX, unit: "credits" })]
    #[key(otherwise = "an equal part of all of it; 0 where lanes are of flows or hosts")]
    pub reserve: Placed<Option<u32>>,
    /// How much of what nobody reserves a lane may use beside its reserve.
    #[key(otherwise = "`\"static\"`")]
    pub share: Placed<Option<Share>>,
    /// With `share = "static"`: so much.
    #[key(is = Whole { min: 1, max: LIMIT_MAX, unit: "credits" }, otherwise = "all of it")]
    pub share_limit: Placed<Option<u32>>,
    /// With `share = "dynamic"`: 2 to this power times what is then still free of it.
    #[key(is = Signed { min: -10, max: 10, unit: "" }, otherwise = "0, half of it")]
    pub share_power: Placed<Option<i32>>,
    /// A frame starts only while there is credit for so many of the largest of its class.
    #[key(is = Whole { min: 0, max: 7, unit: "frames" }, default = "0")]
    pub floor: u32,
    /// Whether a class with credit is promised to be lossless.
    #[key(default = "\"checked\"")]
    pub headroom: Placed<Headroom>,
}

/// Words of `lanes`: Who has a lane (a virtual channel) of its own.
#[word]
pub(crate) enum Owner {
    /// Each class: one for all of its frames.
    Class,
    /// Each flow, and each way of a flow that has answers. Those of a class go in turns.
    Flow,
    /// Flows, each way, that a hash gives the same of `hash_lanes` numbers: they wait behind each
    /// other and spend the same credit. Lanes of a class go in turns.
    Hash,
    /// Each host that frames of a class go to. Those of a class go in the order in which they came.
    Destination,
}

impl Owner {
    /// What it stands for, with `hash_lanes` as given.
    pub(crate) fn over(&self, hash_lanes: Option<u32>) -> frames::spec::Owner {
        match self {
            Owner::Class => frames::spec::Owner::Class,
            Owner::Flow => frames::spec::Owner::Flow,
            Owner::Hash => frames::spec::Owner::Hash(hash_lanes.unwrap_or(HASH_LANES)),
            Owner::Destination => frames::spec::Owner::Destination,
        }
    }
}

/// Words of `updates`: When a port sends what it has to say of credit.
#[word]
pub(crate) enum Updates {
    /// Before data, as soon as their spacing allows.
    First,
    /// When the port has nothing else to send. The longest silence is not longer for it: then what
    /// is freed is told before data, and what was sent when the next statement is due.
    Idle,
}

/// Words of `share`: How much a class may use of what all share.
#[word]
pub(crate) enum Share {
    /// Nothing: each class keeps to its reserve.
    None,
    /// `share_limit`, or all of it.
    Static,
    /// `share_power`: the fuller it is, the less.
    Dynamic,
}

/// Stops of any kind: which classes, when, whom, for how long.
#[table(part)]
pub(crate) struct Stops {
    /// Classes under flow control: those that are lossless.
    #[key(is = Wholes(Whole { min: 0, max: 31, unit: "" }), otherwise = "all")]
    pub classes: Placed<Option<Vec<u8>>>,
    /// Where congestion is seen.
    #[key(otherwise = "outputs; inputs with shared memory")]
    pub detect: Placed<Option<Detect>>,
    /// Who is stopped when an output queue is congested.
    #[key(otherwise = "others")]
    pub notify: Placed<Option<Notify>>,
    /// Congested when it holds more than this after an arrival: neighbours are stopped.
    #[key(is = Threshold, otherwise = "{XOFF}; with shared memory it follows from what is free")]
    #[key(cite = "Nouredine, Tobagi 1999, section 3")]
    pub xoff: Placed<Option<OrShare<u64>>>,
    /// No longer congested when it holds less than this after a departure: they are resumed.
    #[key(is = Threshold, otherwise = "{XON}; with shared memory it follows from what is free")]
    #[key(cite = "Nouredine, Tobagi 1999, section 3")]
    pub xon: Placed<Option<OrShare<u64>>>,
    /// How long a stop lasts: as long as IEEE 802.3x gives it, or, as in the paper, until it
    /// is cancelled.
    #[key(
        is = Or(
            "until-cancelled",
            Whole { min: 1, max: 65_535, unit: "quanta of 512 bit times" }
        ),
        default = "\"until-cancelled\""
    )]
    pub quanta: Placed<OrWord<u16>>,
    /// A stop is repeated after this share of its time while congestion lasts.
    #[key(is = PortionOr { word: "never" }, default = "\"50 %\"")]
    pub refresh: Placed<OrWord<f64>>,
    /// From when on the time of a stop counts at the port that is stopped.
    #[key(otherwise = "\"frame-end\" with PAUSE, and \"reception\" with others")]
    #[key(cite = "IEEE 802.3, annex 31B; IEEE 802.1Q, clause 36")]
    pub counted_from: Placed<Option<CountedFrom>>,
    /// When it is decided what a control frame says.
    #[key(default = "\"start\"")]
    pub content: Placed<Content>,
    /// What is done about neighbours that do not respond.
    #[key(otherwise = "nothing")]
    pub time_out: Placed<Option<TimeOut>>,
    /// Whether a lossless class must have enough headroom.
    #[key(default = "\"checked\"")]
    pub headroom: Placed<Headroom>,
}

/// When frames to stopped destinations take more of a queue than this, their destinations are
/// stopped upstream too. Shares are of the largest queue of the switch.
#[table("flow_control.blocked_share")]
pub(crate) struct BlockedShare {
    /// Frames to stopped destinations that take more than this stop their destinations upstream.
    #[key(is = Threshold, cite = "Nouredine, Tobagi 1999, section 3.2.2")]
    pub xoff: Placed<OrShare<u64>>,
    /// Destinations stopped upstream are resumed when their frames take less than this.
    #[key(is = Threshold)]
    #[key(otherwise = "as far below as `xon` of `[flow_control]` is below its `xoff`")]
    pub xon: Placed<Option<OrShare<u64>>>,
}

/// Neighbours that obey are released, so that one that goes on sending meets the full queue alone.
#[table("flow_control.time_out")]
pub(crate) struct TimeOut {
    /// A queue that is still congested so long after its stops
    #[key(is = Clock { min_ps: 1 }, cite = "Nouredine, Tobagi 1999, section 3.2.1")]
    pub after: Duration,
    /// releases every neighbour that has obeyed its stop for this long.
    #[key(is = Clock { min_ps: 1 })]
    pub grace: Duration,
}

/// Words of `detect`: Where congestion is seen.
#[word]
pub(crate) enum Detect {
    /// In output queues, as in the paper.
    Outputs,
    /// In counters of what came in over a port and has not left, as PFC switches do.
    Inputs,
}

/// Words of `counted_from`: From when on the time of a stop counts at the port that is stopped.
#[word(of = backwater_net::frames::spec::CountedFrom)]
pub(crate) enum CountedFrom {
    /// As it takes effect: what is left of the frame in progress counts.
    Reception,
    /// When the frame in progress has ended: all of the time is silence.
    FrameEnd,
}

/// Words of `content`: When it is decided what a control frame says.
#[word(of = backwater_net::frames::spec::Binding)]
pub(crate) enum Content {
    /// As it starts on the wire: a stop and a resume asked for within one frame send nothing.
    Start,
    /// As it is handed over to the MAC: what is asked for meanwhile follows behind one data frame.
    Handover,
}

/// Words of `notify`: Who is stopped when an output queue is congested.
#[word(of = backwater_net::frames::spec::Notify)]
pub(crate) enum Notify {
    /// All neighbours but the one behind the congested port.
    Others,
    /// All neighbours, as in the paper: two switches may stop each other for good.
    All,
    /// Neighbours with frames in the congested queue.
    Contributing,
}

/// Words of `choose`: Which destinations are stopped.
#[word]
pub(crate) enum Choose {
    /// The destinations of all frames in the congested queue.
    AllFound,
    /// The destinations of some frames (`frames`) drawn from the congested queue.
    Random,
}

/// Words of `headroom`: Whether a lossless class must have enough headroom.
#[word]
pub(crate) enum Headroom {
    /// It does: what may lose frames is an error, and a frame lost fails the run.
    Checked,
    /// It does not, the loss is intended: too little room is a warning.
    Unchecked,
}
