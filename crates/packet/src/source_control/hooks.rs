//! What every scheme of source control answers, and how a set of schemes becomes one type.

use alloc::boxed::Box;

use backwater_kernel::{Rate, Time};

use crate::explicit_rate::RmCell;
use crate::outcome::{AbrOutcome, CellCounts};
use crate::probe::ForwardCell;

/// What a source may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// This may go now; ask again after it.
    Now(Item),
    /// Nothing before this instant, if nothing changes.
    At(Time),
    /// Nothing until something changes.
    Wait,
}

/// What may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// The application's next unit.
    Data,
    /// A unit of the scheme's own.
    Control,
}

/// Something the application offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offered {
    /// Units; 0 of an application without end.
    pub units: u64,
    /// It can send no faster than this from now on.
    pub limit: Option<Rate>,
}

/// A control unit that goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub cell: RmCell,
    /// Of a forward RM cell in rate: what led to it.
    pub forward: Option<ForwardCell>,
}

/// What reaches a source over the network, other than acknowledgements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signal {
    /// A control unit of the other direction, to be turned around; `is_marked`: the last data
    /// unit before it met congestion.
    Forward { cell: RmCell, is_marked: bool },
    /// The answer to one of its own.
    Backward(RmCell),
    /// A switch says that it is congested (`ci`), or that nothing shall increase (`ni`).
    Notice { ci: bool, ni: bool },
}

/// Where a source that sends again stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    /// First unit not acknowledged.
    pub base: u32,
    /// Next unit to send.
    pub next: u32,
}

/// A scheme's own units, counted where the network knows of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counted {
    pub forward: CellCounts,
    pub backward: CellCounts,
}

/// One scheme of source control. Every hook has a default: a scheme that has none of them sends
/// at once.
#[allow(unused_variables)]
pub(crate) trait Control {
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

    /// The destination acknowledges: it expects unit `expected` next.
    fn on_ack(&mut self, now: Time, expected: u32) {}

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

    /// The rate it allows itself. A scheme that has one is asked in phase Inject only: its units
    /// go in slots.
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        None
    }

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
        $seen:vis enum $name:ident { $($member:ident($state:ty),)* }
    ) => {
        $(#[$about])*
        $seen enum $name { $($member($state),)* }

        members! { @hooks $name [$($member)*]
            next(&mut self, now: Time, has_data: bool) -> Next;
            on_sent(&mut self, now: Time, is_last: bool) -> ();
            take_control(&mut self, now: Time) -> Option<Made>;
            on_offered(&mut self, now: Time, offered: Offered) -> ();
            on_ack(&mut self, now: Time, expected: u32) -> ();
            on_control(&mut self, now: Time, signal: &Signal) -> Option<Rate>;
            timer(&self) -> Option<Time>;
            on_timer(&mut self, now: Time) -> u32;
            pacing(&self) -> Option<Rate>;
            position(&self) -> Option<Position>;
            awaits_ack(&self) -> Option<u32>;
            written(&self, rate: Rate) -> Rate;
            counted(&mut self) -> Option<&mut Counted>;
            end_warm_up(&mut self, at: Time) -> ();
            outcome(&self, now: Time) -> Option<Box<AbrOutcome>>;
        }
    };
    (@hooks $name:ident $members:tt $($hook:ident($($by:tt)*) -> $out:ty;)*) => {
        impl Control for $name {
            $(members! { @hook $name $members $hook($($by)*) -> $out })*
        }
    };
    (
        @hook $name:ident $members:tt
        $hook:ident(&mut $this:ident $(, $arg:ident: $type:ty)*) -> $out:ty
    ) => {
        #[inline]
        fn $hook(&mut $this $(, $arg: $type)*) -> $out {
            members!(@call $this $name $members $hook($($arg),*))
        }
    };
    (
        @hook $name:ident $members:tt
        $hook:ident(&$this:ident $(, $arg:ident: $type:ty)*) -> $out:ty
    ) => {
        #[inline]
        fn $hook(&$this $(, $arg: $type)*) -> $out {
            members!(@call $this $name $members $hook($($arg),*))
        }
    };
    (@call $this:ident $name:ident [$($member:ident)*] $hook:ident $args:tt) => {
        match $this { $($name::$member(it) => it.$hook $args,)* }
    };
}
pub(crate) use members;
