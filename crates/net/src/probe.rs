//! Looking without touching: what is told as units move, and those who listen.
//! A line here may touch its own counts, and the network by `&` alone.
//! The next probe is a file; what nobody is told of yet, a hook of [`Probe`].
//!
//! A probe is told what happens and may read the network; it gets `&` only, so that a run is the
//! same with and without it. The engine is compiled for each probe: what a probe does not listen
//! to costs nothing.

mod audit;
mod checks;
mod frame;
pub mod frames;
mod holds;
mod ports;
mod recorder;
mod recovery;
mod trace;

pub use crate::hop::view::{Content, CreditMessage, FrameView, Gate, counters};
pub use crate::outcome::LossCause;
pub use audit::Audit;
pub use checks::{Checks, Coverage};
pub use frame::Frame;
pub use holds::{Hold, LegState};
pub use ports::{PathWaits, Ports, PortsSpec};
pub use recorder::Recorder;
pub use recovery::Recovery;
pub use trace::{Passage, TraceEntry, TraceProbe};

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::RefCell;

use backwater_kernel::{Duration, Rate, Time};

pub use crate::hop::kind::{ControlKind, UnitKind};
pub use crate::marking::RateInterval;
pub use backwater_ends::control::ForwardCell;

use crate::network::Network;

/// A unit starts on a channel, or takes effect at its far end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// When.
    pub at: Time,
    /// Channel.
    pub channel: u32,
    /// Flow it belongs to.
    pub flow: u32,
    /// Leg it belongs to (for control units: the leg they control).
    pub leg: u32,
    /// Data or which control unit.
    pub kind: UnitKind,
    /// See [`UnitKind`].
    pub value: u64,
    /// Bytes on the wire.
    pub bytes: u32,
}

/// A flow without a row: what became of its transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndedFlow {
    /// Its number: those of its group follow each other.
    pub number: u32,
    /// Its group.
    pub group: u32,
    /// Station that sends.
    pub source: u32,
    /// Station that receives.
    pub destination: u32,
    /// When it began.
    pub start: Time,
    /// Payload.
    pub bytes: u64,
    /// From there to its last byte at the receiver; nothing if not all came.
    pub took_ps: Option<u64>,
    /// What it takes alone, if that is known.
    pub alone: Option<Duration>,
    /// Its frames that were dropped.
    pub dropped: u64,
}

macro_rules! hooks {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $what:ty),*);)*) => {
        /// Something that watches a run.
        #[allow(unused_variables)]
        pub trait Probe {
            /// Does it look at frames? If not, the engine makes nothing for it to see.
            const WATCHES: bool = true;
            /// Is the engine of frames compiled for it in all its forms? That takes longer, and
            /// runs faster where a network lacks something.
            const IN_ALL_FORMS: bool = false;
            /// May its run be one that notes what a period of it does, to leap over others?
            const FORWARDS: bool = false;

            /// Does it look at frames as they join queues of a channel, start there and have left?
            /// Asked once, after [`Probe::on_begin`].
            fn watches(&self, channel: u32) -> bool {
                Self::WATCHES
            }

            $($(#[$doc])* #[inline] fn $name(&mut self, $($arg: $what),*) {})*
        }

        /// Two probes are a probe.
        impl<A: Probe, B: Probe> Probe for (A, B) {
            const WATCHES: bool = A::WATCHES || B::WATCHES;
            const FORWARDS: bool = A::FORWARDS || B::FORWARDS;
            const IN_ALL_FORMS: bool = A::IN_ALL_FORMS && B::IN_ALL_FORMS;

            fn watches(&self, channel: u32) -> bool {
                self.0.watches(channel) || self.1.watches(channel)
            }

            $(#[inline] fn $name(&mut self, $($arg: $what),*) {
                Probe::$name(&mut self.0, $($arg),*);
                Probe::$name(&mut self.1, $($arg),*);
            })*
        }

        /// A probe that is there or not, as the caller decides while the program runs.
        impl<P: Probe> Probe for Option<P> {
            const WATCHES: bool = P::WATCHES;
            const FORWARDS: bool = P::FORWARDS;
            const IN_ALL_FORMS: bool = P::IN_ALL_FORMS;

            fn watches(&self, channel: u32) -> bool {
                self.as_ref().is_some_and(|probe| probe.watches(channel))
            }

            $(#[inline] fn $name(&mut self, $($arg: $what),*) {
                if let Some(probe) = self {
                    Probe::$name(probe, $($arg),*);
                }
            })*
        }

        /// Any probe, behind a pointer: `Box<dyn AnyProbe>` is a probe, so that one compiled engine
        /// serves all of them, at the price of a call a hook.
        pub trait AnyProbe {
            /// See [`Probe::watches`].
            fn watches(&self, channel: u32) -> bool;
            $($(#[$doc])* fn $name(&mut self, $($arg: $what),*);)*
        }

        impl<P: Probe> AnyProbe for P {
            fn watches(&self, channel: u32) -> bool {
                Probe::watches(self, channel)
            }

            $(fn $name(&mut self, $($arg: $what),*) {
                Probe::$name(self, $($arg),*);
            })*
        }

        impl Probe for Box<dyn AnyProbe + '_> {
            const FORWARDS: bool = true;

            fn watches(&self, channel: u32) -> bool {
                AnyProbe::watches(&**self, channel)
            }

            $(#[inline] fn $name(&mut self, $($arg: $what),*) {
                AnyProbe::$name(&mut **self, $($arg),*);
            })*
        }

        /// A probe that the caller keeps.
        impl<P: Probe> Probe for &mut P {
            const WATCHES: bool = P::WATCHES;
            const FORWARDS: bool = P::FORWARDS;

            fn watches(&self, channel: u32) -> bool {
                Probe::watches(&**self, channel)
            }

            $(#[inline] fn $name(&mut self, $($arg: $what),*) {
                Probe::$name(*self, $($arg),*);
            })*
        }

        /// A probe at which the caller looks between slices of a run.
        impl<P: Probe> Probe for Rc<RefCell<P>> {
            const WATCHES: bool = P::WATCHES;
            const FORWARDS: bool = P::FORWARDS;

            fn watches(&self, channel: u32) -> bool {
                Probe::watches(&*self.borrow(), channel)
            }

            $(#[inline] fn $name(&mut self, $($arg: $what),*) {
                Probe::$name(&mut *self.borrow_mut(), $($arg),*);
            })*
        }
    };
}

hooks! {
    /// The run is about to begin.
    fn on_begin(network: &Network);
    /// A unit starts on its channel.
    fn on_start(crossing: Crossing);
    /// A unit took effect at the far end of its channel.
    fn on_arrival(crossing: Crossing);
    /// A unit was lost on the wire or dropped: in a queue (the crossing names the channel and leg
    /// it waited for), at the far end of its channel, or at its source (then its first leg).
    fn on_loss(crossing: Crossing, cause: LossCause);
    /// A unit joined the queue of `leg` at a port that serves by rank (a stamp, a finish time).
    fn on_rank(at: Time, leg: u32, number: u32, rank: u64);
    /// VirtualClock checked the flow of `leg`: its clock is `ahead` of real time (negative if
    /// behind), its threshold is `threshold`; more than that is an alarm.
    fn on_check(at: Time, leg: u32, ahead_ps: i64, threshold: Duration);
    /// The receiver's buffer of `leg` holds `fill` units.
    fn on_fill(at: Time, leg: u32, fill: u32);
    /// The sender's credit of `leg` is `credit`; `renewed` by a credit unit, or spent.
    fn on_credit(at: Time, leg: u32, credit: i64, renewed: bool);
    /// `waiting` units wait at the sender's end of `leg`: one has joined or left.
    fn on_queue(at: Time, leg: u32, waiting: u32);
    /// `node` holds `stored` data units.
    fn on_stored(at: Time, node: u32, stored: u64);
    /// A unit that came over `leg` at `arrived` leaves the node.
    fn on_wait(at: Time, leg: u32, arrived: Time);
    /// A data unit that joined the queue of `leg` at `joined` has started; told right after its
    /// [`Probe::on_start`].
    fn on_leave(at: Time, leg: u32, joined: Time);
    /// A unit of `bytes`, born at `born`, was delivered over `leg`.
    fn on_delivered(at: Time, leg: u32, born: Time, bytes: u32);
    /// ACR of an ABR flow changed from `old`.
    fn on_rate(at: Time, flow: u32, acr: Rate, old: Rate);
    /// The source of an ABR flow sends a forward RM cell in rate.
    fn on_forward(at: Time, flow: u32, cell: ForwardCell);
    /// A backward RM cell with explicit rate `er` reached the source of `flow`, whose ACR is
    /// `acr` now.
    fn on_backward(at: Time, flow: u32, er: Rate, acr: Rate);
    /// `waiting` ABR cells wait at a port that tells rates: one has joined or left.
    fn on_rate_queue(at: Time, channel: u32, waiting: u32);
    /// A port that tells rates ended a measuring interval.
    fn on_interval(at: Time, channel: u32, interval: RateInterval);
    /// A station's flow made a frame (it then joins the queue of its port).
    fn on_frame_created(at: Time, channel: u32, frame: &Frame<'_>);
    /// A frame joined the queue of its class in front of `channel`, which now holds so much.
    fn on_frame_joined(at: Time, channel: u32, frame: &Frame<'_>, queue_bytes: u64);
    /// The first bit of a frame (of its preamble) leaves on a channel.
    fn on_frame_start(at: Time, channel: u32, frame: &Frame<'_>);
    /// The last bit has left; the queue (of data frames) now holds so much.
    fn on_frame_sent(at: Time, channel: u32, class: u8, queue_bytes: u64);
    /// A frame takes effect at the far end of a channel.
    fn on_frame_arrival(at: Time, channel: u32, frame: &Frame<'_>);
    /// A frame was dropped in front of `channel` (the one it would have left on).
    fn on_frame_dropped(at: Time, channel: u32, frame: &Frame<'_>, cause: LossCause);
    /// A frame found its queue in front of `channel` full and is cut to so many bytes: told of as
    /// it was. It then joins the queue for headers, or is dropped there.
    fn on_frame_trimmed(at: Time, channel: u32, frame: &Frame<'_>, bytes: u32);
    /// A frame reached its station.
    fn on_frame_delivered(at: Time, frame: &Frame<'_>);
    /// The application at the destination of `flow` (or, for responses, at its source) got
    /// payload in order.
    fn on_payload(at: Time, flow: u32, is_forward: bool, bytes: u64);
    /// A flow without a row has ended: nothing of it is on its way, and neither end waits.
    fn on_flow_ended(at: Time, flow: &EndedFlow);
    /// What leaves on `channel` is stopped, or may go again.
    fn on_gate(at: Time, channel: u32, gate: Gate, is_stopped: bool);
    /// Everything of this instant has happened.
    fn after_instant(at: Time, network: &Network);
    /// The run is over; `at` is the last instant at which something happened.
    fn on_end(at: Time, network: &Network);
}

/// Nobody looks.
impl Probe for () {
    const WATCHES: bool = false;
    const IN_ALL_FORMS: bool = true;
}
