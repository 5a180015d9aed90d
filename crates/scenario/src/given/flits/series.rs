//! What is recorded over time.

use backwater_derive::table;

use crate::language::typed::{Chosen, Placed};

/// A time series to record, for the report's plots. It runs on one thread.
#[table("[[series]]")]
pub(crate) struct Series {
    /// Its name in the report.
    pub name: String,
    #[key(flatten)]
    pub measure: Chosen<SeriesKind>,
    /// Average over windows of this length.
    #[key(is = Cycles { min: 1, max: 1_000_000_000_000 }, default = "\"1000 cycles\"")]
    pub window: Placed<u64>,
}

/// What the measure of [[series]] sets.
#[table(part, by(measure, "What is recorded."))]
pub(crate) enum SeriesKind {
    /// Flits that cross ejection channels, per cycle and terminal.
    Accepted,
    /// Mean latency of the packets that arrive in a window.
    Latency,
    /// Packets that wait at sources: born, and their header has not left; the mean of a window.
    Queue,
    /// Share of the cycles in which a channel carries a flit.
    Load {
        /// Where: a channel between routers, as `0->1` or `router 0->router 1`, by number or by
        /// the name a file gives them; `all` is the largest load of all channels between routers.
        #[key(is = Reference("channel"), default = "\"all\"")]
        on: Placed<String>,
    },
}
