//! What to record over time.

use alloc::string::String;

use kernel::Duration;

/// A time series of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesSpec {
    /// As the report calls it.
    pub name: String,
    /// What is recorded.
    pub measure: Measure,
    /// Averaged over windows of this length, at least 1 ps, from the start of the run on.
    pub window: Duration,
}

/// What a series records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Bytes in the output queue of a class.
    Queue {
        /// In front of this channel.
        channel: u32,
        /// Its class.
        class: u8,
    },
    /// Share of the time in which that queue is stopped, for any destination.
    Stopped {
        /// In front of this channel.
        channel: u32,
        /// Its class.
        class: u8,
    },
    /// Payload that the destination's application gets in order, Mbps.
    Goodput {
        /// Of this flow; `None` is all together.
        flow: Option<u32>,
    },
    /// Congestion window of the source, bytes.
    Window {
        /// Of this flow.
        flow: u32,
    },
}
