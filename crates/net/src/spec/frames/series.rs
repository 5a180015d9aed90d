//! What to record over time.

use alloc::string::String;

use backwater_kernel::Duration;

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
    /// Bytes in all output queues of a node.
    Buffer {
        /// The node.
        node: u32,
    },
    /// Bytes that came in over a channel and have not left, at a switch that counts them.
    Input {
        /// Over this channel.
        channel: u32,
        /// Of this class.
        class: u8,
    },
    /// The part of them that is in headroom.
    Headroom {
        /// Over this channel.
        channel: u32,
        /// Of this class.
        class: u8,
    },
    /// Frames that leave on a channel, Mbps; preamble and gap not counted.
    Rate {
        /// The channel.
        channel: u32,
    },
    /// Stop frames that leave on a channel, frames a second.
    Stops {
        /// The channel.
        channel: u32,
    },
    /// Frames with a mark of congestion that leave on a channel, frames a second.
    Marks {
        /// The channel.
        channel: u32,
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
