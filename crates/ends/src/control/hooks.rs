//! What every scheme of source control answers, and how a set of schemes becomes one type.

use alloc::boxed::Box;

use backwater_kernel::{Duration, Rate, Time};

use super::abr::outcome::{AbrOutcome, CellCounts};
use super::rm_cell::{ForwardCell, RmCell};
use super::sample::Sample;

/// What a source may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// This may go now; ask again after it.
    Now(Item),
    /// Nothing before this instant, if nothing changes.
    At(Time),
    /// Nothing until something changes.
    Wait,
}

/// What may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// The application's next unit.
    Data,
    /// A unit of the scheme's own.
    Control,
}

/// Something the application offers.
#[derive(Clone, Copy, Debug)]
pub struct Offered {
    /// Units; 0 of an application without end.
    pub units: u64,
    /// It can send no faster than this from now on.
    pub limit: Option<Rate>,
}

/// A control unit that goes.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// What it says.
    pub cell: RmCell,
    /// Of a forward RM cell in rate: what led to it.
    pub forward: Option<ForwardCell>,
}

/// What reaches a source over the network, other than acknowledgements.
#[derive(Clone, Copy, Debug)]
pub enum Signal {
    /// A control unit of the other direction, to be turned around.
    Forward {
        /// What it says.
        cell: RmCell,
        /// The last data unit before it met congestion.
        is_marked: bool,
    },
    /// The answer to one of its own.
    Backward(RmCell),
    /// A switch made it.
    Notice {
        /// It is congested.
        ci: bool,
        /// No increase.
        ni: bool,
    },
    /// The destination saw marks: a congestion notification packet (CNP).
    Notification,
    /// A switch states the rate that it allows.
    Rate {
        /// The rate.
        rate: Rate,
        /// Which congestion point: the same number, the same queue.
        from: u32,
    },
}

/// What a switch wrote on a packet as it left: one hop of its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Telemetry {
    /// When it left.
    pub at: Time,
    /// Bytes on the wire that the port had sent before it.
    pub sent_bytes: u64,
    /// Bytes that waited in the port, of all classes.
    pub queued_bytes: u64,
    /// The port's line rate.
    pub rate: Rate,
}

/// A number that a scheme keeps to itself, to be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inner {
    /// The estimate of how much is marked (DCQCN), 0 to 1.
    Alpha,
    /// The rate that recovery goes back to (DCQCN), bit/s.
    Target,
    /// The use of the busiest link (HPCC); 1 is all of it.
    Use,
    /// The reference rate (HPCC), bit/s.
    Reference,
    /// The change of the round-trip time a round trip (TIMELY).
    Gradient,
    /// The delay that is aimed at (Swift), s.
    TargetDelay,
    /// The window (HPCC, Swift), in packets where that may be below one, else bytes.
    Window,
    /// The congestion point whose rate is obeyed (RoCC).
    Point,
    /// The estimate of the bottleneck's rate (BBR), bit/s.
    Bandwidth,
    /// The estimate of the round trip without queues (BBR), s.
    LeastRtt,
    /// What the estimate is multiplied by to send (BBR).
    PacingGain,
    /// Where it stands (BBR): 1 startup, 2 drain, 3 probes for rate, 4 for the round trip.
    Phase,
}

/// Where a source that sends again stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// First unit not acknowledged.
    pub base: u32,
    /// Next unit to send.
    pub next: u32,
}

/// A scheme's own units, counted where the network knows of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// Forward RM cells.
    pub forward: CellCounts,
    /// Backward ones that it carries: answers to its partner's forward ones.
    pub backward: CellCounts,
}

/// An acknowledgement of something new.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack {
    /// What the destination expects next: a unit's number, or a position in the stream (TCP).
    pub expected: u64,
    /// Bytes acknowledged by it for the first time.
    pub news_bytes: u64,
    /// Bytes in flight before it came.
    pub flight_bytes: u64,
    /// Position after all that was ever sent.
    pub sent_end: u64,
    /// Smoothed round-trip time before it, seconds.
    pub rtt_seconds: f64,
    /// The round-trip time that it ends, if one was measured, by the clock of the source.
    pub rtt: Option<Duration>,
    /// It echoes a mark.
    pub is_marked: bool,
    /// No loss is being repaired, no mark echoed: the window may grow by it.
    pub may_grow: bool,
}

/// How a loss was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// By acknowledgements of what came after it.
    Duplicates,
    /// By a time-out; `is_repeated`: of the same segment again.
    TimeOut {
        /// Nothing was acknowledged since the time-out before.
        is_repeated: bool,
    },
    /// A switch cut its payload off, and the destination said so: bytes of payload.
    Trimmed {
        /// Of one packet.
        bytes: u32,
    },
}

/// One scheme of source control. Every hook has a default: a scheme that has none of them sends
/// at once.
#[allow(unused_variables)]
pub trait Control {
    /// What may go now; `has_data`: the application has a unit that waits.
    #[inline]
    fn next(&mut self, now: Time, has_data: bool) -> Next {
        match has_data {
            true => Next::Now(Item::Data),
            false => Next::Wait,
        }
    }

    /// A unit of the application goes now; `is_last`: no other waits.
    #[inline]
    fn on_sent(&mut self, now: Time, is_last: bool) {}

    /// The unit of its own that goes now, as `next` has just said.
    fn take_control(&mut self, now: Time) -> Option<Made> {
        None
    }

    /// The application offers units, or has another limit.
    #[inline]
    fn on_offered(&mut self, now: Time, offered: Offered) {}

    /// An acknowledgement of something new came.
    #[inline]
    fn on_ack(&mut self, now: Time, ack: &Ack) {}

    /// An acknowledgement came that brings what each switch wrote on the packet, first hop first.
    fn on_telemetry(&mut self, now: Time, ack: &Ack, path: &[Telemetry]) {
        self.on_ack(now, ack);
    }

    /// An acknowledgement came that delivers something, or shows a loss; of schemes that go by
    /// delivery, after the hooks that it calls else.
    fn on_sample(&mut self, now: Time, sample: &Sample) {}

    /// A packet starts now that takes so many bytes on the wire, with what every frame adds.
    #[inline]
    fn on_packet(&mut self, now: Time, bytes: u32) {}

    /// The network stops the source (a pause), or lets it go on.
    fn on_stop(&mut self, now: Time, is_stopped: bool) {}

    /// Marks ask for less, at most once a round trip. `allowed_bytes` could be in flight: the
    /// smaller of window and what the receiver takes.
    fn on_mark(&mut self, now: Time, allowed_bytes: u64) {}

    /// A loss was found; `allowed_bytes` as for `on_mark`.
    fn on_loss(&mut self, now: Time, loss: Loss, allowed_bytes: u64) {}

    /// Nothing was sent for so long that the path may have changed.
    fn on_silence(&mut self) {}

    /// A signal came. If it states a rate: which.
    fn on_control(&mut self, now: Time, signal: &Signal) -> Option<Rate> {
        None
    }

    /// When `on_timer` wants to be called. It may have moved on when the instant comes.
    #[inline]
    fn timer(&self) -> Option<Time> {
        None
    }

    /// An instant that `timer` named has come: units to send again.
    fn on_timer(&mut self, now: Time) -> u32 {
        0
    }

    /// The rate it allows itself. A scheme that has one has slots: where several things happen at
    /// one instant, it sends after all that came in.
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        None
    }

    /// A new rate changes the wait of the packet that is next by now, too.
    #[inline]
    fn rescales(&self) -> bool {
        false
    }

    /// A number that it keeps to itself, as it stands now; `None` if it has none such.
    fn inner(&self, now: Time, of: Inner) -> Option<f64> {
        None
    }

    /// The most that may be in flight, bytes.
    #[inline]
    fn window(&self) -> u64 {
        u64::MAX
    }

    /// The window after the last loss or mark, bytes; [`u64::MAX`] before the first.
    #[inline]
    fn threshold(&self) -> u64 {
        u64::MAX
    }

    /// The repair of a loss wants this window instead, bytes.
    #[inline]
    fn set_window(&mut self, bytes: u64) {}

    /// A loss turned out to be none: at least this window and threshold again, bytes.
    fn undo(&mut self, window: u64, threshold: u64) {}

    /// Where it stands, if it sends lost units again (go-back-N).
    #[inline]
    fn position(&self) -> Option<Position> {
        None
    }

    /// Units not acknowledged, if nothing but an acknowledgement lets it go on.
    fn awaits_ack(&self) -> Option<u32> {
        None
    }

    /// A rate as its control units can state it.
    fn written(&self, rate: Rate) -> Rate {
        rate
    }

    /// Units of its own, if it has any.
    fn counted(&mut self) -> Option<&mut Counted> {
        None
    }

    /// Statistics start.
    fn end_warm_up(&mut self, at: Time) {}

    /// What was found of a scheme with units of its own. Those under way are the caller's to
    /// count.
    fn outcome(&self, now: Time) -> Option<Box<AbrOutcome>> {
        None
    }
}

/// An enum of schemes that is a scheme: it hands every hook on to the one it holds.
macro_rules! members {
    (
        $(#[$about:meta])*
        $seen:vis enum $name:ident { $($(#[$doc:meta])* $member:ident($state:ty),)* }
    ) => {
        $(#[$about])*
        $seen enum $name { $($(#[$doc])* $member($state),)* }

        members! { @hooks $name [$($(#[$doc])* $member)*]
            next(&mut self, now: Time, has_data: bool) -> Next;
            on_sent(&mut self, now: Time, is_last: bool) -> ();
            take_control(&mut self, now: Time) -> Option<Made>;
            on_offered(&mut self, now: Time, offered: Offered) -> ();
            on_ack(&mut self, now: Time, ack: &Ack) -> ();
            on_telemetry(&mut self, now: Time, ack: &Ack, path: &[Telemetry]) -> ();
            on_sample(&mut self, now: Time, sample: &Sample) -> ();
            on_packet(&mut self, now: Time, bytes: u32) -> ();
            on_stop(&mut self, now: Time, is_stopped: bool) -> ();
            on_mark(&mut self, now: Time, allowed_bytes: u64) -> ();
            on_loss(&mut self, now: Time, loss: Loss, allowed_bytes: u64) -> ();
            on_silence(&mut self) -> ();
            window(&self) -> u64;
            threshold(&self) -> u64;
            set_window(&mut self, bytes: u64) -> ();
            undo(&mut self, window: u64, threshold: u64) -> ();
            on_control(&mut self, now: Time, signal: &Signal) -> Option<Rate>;
            timer(&self) -> Option<Time>;
            on_timer(&mut self, now: Time) -> u32;
            pacing(&self) -> Option<Rate>;
            rescales(&self) -> bool;
            inner(&self, now: Time, of: Inner) -> Option<f64>;
            position(&self) -> Option<Position>;
            awaits_ack(&self) -> Option<u32>;
            written(&self, rate: Rate) -> Rate;
            counted(&mut self) -> Option<&mut Counted>;
            end_warm_up(&mut self, at: Time) -> ();
            outcome(&self, now: Time) -> Option<Box<AbrOutcome>>;
        }
    };
    (@hooks $name:ident $members:tt $($hook:ident($($by:tt)*) -> $out:ty;)*) => {
        // What holds for tests only has its attribute on each arm too.
        #[allow(unused_doc_comments)]
        impl Control for $name {
            $(members! { @hook $name $members $hook($($by)*) -> $out })*
        }
    };
    (
        @hook $name:ident $members:tt
        $hook:ident(&mut $this:ident $(, $arg:ident: $type:ty)*) -> $out:ty
    ) => {
        #[inline(always)]
        fn $hook(&mut $this $(, $arg: $type)*) -> $out {
            members!(@call $this $name $members $hook($($arg),*))
        }
    };
    (
        @hook $name:ident $members:tt
        $hook:ident(&$this:ident $(, $arg:ident: $type:ty)*) -> $out:ty
    ) => {
        #[inline(always)]
        fn $hook(&$this $(, $arg: $type)*) -> $out {
            members!(@call $this $name $members $hook($($arg),*))
        }
    };
    (
        @call $this:ident $name:ident [$($(#[$doc:meta])* $member:ident)*] $hook:ident $args:tt
    ) => {
        match $this { $($(#[$doc])* $name::$member(it) => it.$hook $args,)* }
    };
}
pub(crate) use members;
