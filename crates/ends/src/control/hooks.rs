//! What every scheme of source control answers, and how a set of schemes becomes one type.

use backwater_kernel::Time;

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
    /// Smoothed round-trip time, seconds.
    pub rtt_seconds: f64,
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
}

/// One scheme of source control. Every hook has a default: a scheme that has none of them sends
/// at once.
#[allow(unused_variables)]
pub trait Control {
    /// An acknowledgement of something new came.
    #[inline]
    fn on_ack(&mut self, now: Time, ack: &Ack) {}

    /// Marks ask for less, at most once a round trip. `allowed_bytes` could be in flight: the
    /// smaller of window and what the receiver takes.
    fn on_mark(&mut self, now: Time, allowed_bytes: u64) {}

    /// A loss was found; `allowed_bytes` as for `on_mark`.
    fn on_loss(&mut self, now: Time, loss: Loss, allowed_bytes: u64) {}

    /// Nothing was sent for so long that the path may have changed.
    fn on_silence(&mut self) {}

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
            on_ack(&mut self, now: Time, ack: &Ack) -> ();
            on_mark(&mut self, now: Time, allowed_bytes: u64) -> ();
            on_loss(&mut self, now: Time, loss: Loss, allowed_bytes: u64) -> ();
            on_silence(&mut self) -> ();
            window(&self) -> u64;
            threshold(&self) -> u64;
            set_window(&mut self, bytes: u64) -> ();
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
