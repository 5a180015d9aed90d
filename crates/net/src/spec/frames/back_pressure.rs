//! When a switch stops its neighbours, whom, and how they take it.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

use super::ClassBits;

/// All stops of a switch: those of most of its inputs or of its outputs, and inputs that differ.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StopsSpec {
    /// Of all outputs or of all inputs, but for those in `own`; `None` stops nobody.
    pub common: Option<BackPressureSpec>,
    /// Inputs with rules of their own, in the order of their channels; only beside rules that see
    /// congestion at inputs, or none.
    pub own: Vec<InputStopsSpec>,
}

/// Under which rules an input stops who sends over it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputStopsSpec {
    /// The channel into the switch.
    pub channel: u32,
    /// Its rules, which see congestion at inputs; `None` stops nobody.
    pub rules: Option<BackPressureSpec>,
}

impl From<Option<BackPressureSpec>> for StopsSpec {
    fn from(common: Option<BackPressureSpec>) -> StopsSpec {
        StopsSpec {
            common,
            own: Vec::new(),
        }
    }
}

impl StopsSpec {
    /// The rules under which whoever sends over a channel is stopped for what came over it.
    pub fn at_input(&self, channel: u32) -> Option<&BackPressureSpec> {
        let at = self
            .own
            .binary_search_by_key(&channel, |input| input.channel);
        let common = self.common.as_ref();
        match at {
            Ok(at) => self.own[at].rules.as_ref(),
            Err(_) => common.filter(|rules| rules.detect == Detect::Inputs),
        }
    }

    /// The rules under which neighbours are stopped for what output queues hold.
    pub fn at_outputs(&self) -> Option<&BackPressureSpec> {
        let common = self.common.as_ref();
        common.filter(|rules| rules.detect == Detect::Outputs)
    }

    /// The rules under which whoever sends over a channel may be stopped, for whatever.
    pub fn over(&self, channel: u32) -> Option<&BackPressureSpec> {
        self.at_input(channel).or(self.at_outputs())
    }

    /// All rules that there are.
    pub fn all(&self) -> impl Iterator<Item = &BackPressureSpec> {
        let inputs = self.own.iter();
        self.common
            .iter()
            .chain(inputs.filter_map(|input| input.rules.as_ref()))
    }
}

/// When and whom a switch stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackPressureSpec {
    /// Classes under back-pressure (lossless), a bit each.
    pub classes: ClassBits,
    /// What is stopped.
    pub select: Select,
    /// Where congestion is seen.
    pub detect: Detect,
    /// Who is told (detection at outputs; at inputs it is the one neighbour there).
    pub notify: Notify,
    /// How long a stop lasts.
    pub message: Message,
    /// When it is decided what a control frame says.
    pub binding: Binding,
    /// What is done about neighbours that do not respond.
    pub time_out: Option<TimeOutSpec>,
    /// Destinations only: how much of a queue stopped frames may take.
    pub blocked: Option<BlockedSpec>,
}

impl BackPressureSpec {
    /// Does congestion of a class stop anything? Such a class is to lose nothing.
    pub const fn watches(&self, class: u8) -> bool {
        self.classes & 1 << class != 0
    }

    /// May its stops hold frames of a class? PAUSE holds all, whichever is congested.
    pub const fn holds(&self, class: u8) -> bool {
        self.watched_for(class) != 0
    }

    /// Classes whose congestion holds frames of a class, a bit each.
    pub const fn watched_for(&self, class: u8) -> ClassBits {
        match self.select {
            Select::Port => self.classes,
            Select::Class | Select::Destination(_) => self.classes & 1 << class,
        }
    }

    /// A stop holds one class alone.
    pub const fn is_of_class(&self) -> bool {
        matches!(self.select, Select::Class)
    }

    /// A stop holds all classes alike.
    pub const fn is_of_port(&self) -> bool {
        matches!(self.select, Select::Port)
    }

    /// A stop holds frames to some destinations alone: each destination takes one of its own.
    pub const fn is_by_destination(&self) -> bool {
        matches!(self.select, Select::Destination(_))
    }

    /// The destinations are drawn: those of frames that fill a queue may be missed.
    pub const fn is_drawn(&self) -> bool {
        matches!(self.select, Select::Destination(Choose::Random { .. }))
    }

    /// As the language calls it.
    pub const fn word(&self) -> &'static str {
        match self.select {
            Select::Port => "pause",
            Select::Class => "pfc",
            Select::Destination(_) => "destination",
        }
    }
}

/// What a stop stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Select {
    /// The whole channel, all classes: IEEE 802.3x PAUSE, the paper's "simple" scheme.
    Port,
    /// The congested class: the paper's class-of-service scheme; IEEE 802.1Qbb PFC.
    Class,
    /// Frames of the congested class to certain destinations: the paper's proposal.
    Destination(Choose),
}

/// Which destinations are stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choose {
    /// All found in the congested queue, and those that come while it is above its high
    /// threshold.
    AllFound,
    /// Those of `frames` frames drawn from the queue as it becomes congested, and as many again
    /// when it passes `high + (limit - high) / 4`.
    Random {
        /// Draws.
        frames: u32,
    },
}

/// Where congestion is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detect {
    /// In output queues, as in the paper.
    Outputs,
    /// In counters of what came over an input and has not left, as PFC switches do.
    Inputs,
}

/// Which neighbours of a switch are told of a congested output queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notify {
    /// All, the one behind the congested port too.
    All,
    /// All but the one behind the congested port.
    Others,
    /// Those with frames in the congested queue, and those whose frames come while it is above
    /// its high threshold.
    Contributing,
}

/// How long a stop lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// Until it is cancelled, as in the paper.
    UntilCancelled,
    /// So many quanta of 512 bit times of the link, or until it is cancelled.
    Quanta {
        /// 1 to 65,535.
        quanta: u16,
        /// While congestion lasts it is sent again after this share of the time, per cent of it;
        /// `None` never.
        refresh_percent: Option<u8>,
    },
}

/// When it is decided what a control frame says. It says what is so then: of all classes of a
/// port, or of the port, or of one destination; and is left out if all of that was said before.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Binding {
    /// As it starts on the wire.
    #[default]
    Start,
    /// As it is handed over to the MAC, which has room for one of its kind. What is asked for from
    /// then on until it has gone is handed over then, and one frame of data goes first.
    Handover,
}

/// A neighbour that goes on sending is given up: the stops of all others for the same queue are
/// cancelled, so that it alone meets the full queue; until that is clear, nobody is asked anew.
/// (Detection at outputs; an input has one neighbour, and nobody else waits for it.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeOutSpec {
    /// A queue congested for so long after its stops
    pub after: Duration,
    /// releases every neighbour that has sent nothing it was told not to send for this long;
    /// what found no room was sent too.
    pub grace: Duration,
}

/// Limit on stopped frames in an output queue under [`Select::Destination`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockedSpec {
    /// When frames to stopped destinations take more bytes of a queue, those destinations are
    /// stopped upstream too.
    pub high_bytes: u64,
    /// They are resumed when it is less than this.
    pub low_bytes: u64,
}

/// What a node does about a stop that does not end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchdogSpec {
    /// A class stopped with frames waiting and without a start for so long trips it.
    pub detect: Duration,
    /// It ends when no stop frame has come for so long.
    pub restore: Duration,
    /// Until then.
    pub action: WatchdogAction,
}

/// What a tripped watchdog does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WatchdogAction {
    /// Drops what waits and what comes for that class of the port.
    Drop,
    /// Sends in spite of the stop.
    Forward,
}

/// Stops that a port obeys: those of what is under flow control there. It ignores all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Obeyed {
    /// Of the whole port: PAUSE.
    pub port: bool,
    /// Of these classes, a bit each: PFC.
    pub classes: ClassBits,
    /// Of destinations in these classes, a bit each.
    pub destinations: ClassBits,
}

impl Obeyed {
    /// Whatever comes.
    pub const ALL: Obeyed = Obeyed {
        port: true,
        classes: ClassBits::MAX,
        destinations: ClassBits::MAX,
    };
    /// None: nothing is under flow control.
    pub const NONE: Obeyed = Obeyed {
        port: false,
        classes: 0,
        destinations: 0,
    };

    /// Does a storm of stops for these classes, or of PAUSE, stop a class?
    pub const fn in_storm(self, classes: Option<u8>, class: u8) -> bool {
        match classes {
            None => self.port,
            Some(classes) => classes as ClassBits & self.classes & 1 << class != 0,
        }
    }
}

impl Default for Obeyed {
    fn default() -> Obeyed {
        Obeyed::ALL
    }
}

/// How a port takes the stops that come for it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StoppedSpec {
    /// Which it obeys.
    pub by: Obeyed,
    /// From the last bit of a control frame that arrives to its taking effect.
    pub response: Duration,
    /// From when on the time of a stop counts.
    pub counted_from: CountedFrom,
    /// From then to its start: what the port takes to come to rest. A stop that comes to a port at
    /// rest replaces the time of the one before at once.
    pub pipeline: Duration,
}

/// From when on the time of a stop counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CountedFrom {
    /// As it takes effect.
    #[default]
    Reception,
    /// As the wire is free: when the frame in progress, if there is one, has ended, gap included.
    FrameEnd,
}

/// A station that sends stop frames whatever happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StormSpec {
    /// From here
    pub from: Time,
    /// to here
    pub until: Time,
    /// it stops these classes, a bit each; `None` sends PAUSE,
    pub classes: Option<u8>,
    /// for so many quanta each time, again after half of that.
    pub quanta: u16,
}
