//! How destinations consume.

use backwater_ends::sink::Sink;

use crate::hop::unit::Fifo;

/// Units in the buffer of a destination that takes them at its own pace.
pub(crate) struct Outlet {
    pub waiting: Fifo,
    /// An event for the next of them is set.
    pub release_due: bool,
    /// When it takes the next.
    pub sink: Sink,
}

impl Outlet {
    pub fn new(sink: Sink) -> Outlet {
        Outlet {
            waiting: Fifo::EMPTY,
            release_due: false,
            sink,
        }
    }
}
