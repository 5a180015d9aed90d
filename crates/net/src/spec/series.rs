//! What to record over time.

use alloc::string::String;

use backwater_kernel::{Duration, Time};

/// A time series to record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesSpec {
    /// As the report calls it.
    pub name: String,
    /// What is recorded.
    pub measure: Measure,
    /// Of what.
    pub of: Subject,
    /// Averaging window, at least 1 ps; `None` records every change, of what is counted each
    /// frame the mean of it all.
    pub window: Option<Duration>,
    /// From here.
    pub from: Time,
    /// To here.
    pub until: Time,
}

/// What a series is of. Each [`Measure`] says which of them it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// All of a channel.
    Channel(u32),
    /// A flow on a channel.
    Leg {
        /// The flow.
        flow: u32,
        /// The channel.
        channel: u32,
    },
    /// A class on a channel.
    Class {
        /// The channel.
        channel: u32,
        /// Its class.
        class: u8,
    },
    /// A node.
    Node(u32),
    /// A flow, at its ends.
    Flow(u32),
    /// All flows, at their ends.
    Flows,
}

impl Subject {
    /// A flow on a channel, or all of them together.
    pub fn leg(flow: Option<u32>, channel: u32) -> Subject {
        match flow {
            Some(flow) => Subject::Leg { flow, channel },
            None => Subject::Channel(channel),
        }
    }

    /// Its channel, if it is of one.
    pub fn channel(self) -> Option<u32> {
        match self {
            Subject::Channel(channel)
            | Subject::Leg { channel, .. }
            | Subject::Class { channel, .. } => Some(channel),
            Subject::Node(_) | Subject::Flow(_) | Subject::Flows => None,
        }
    }

    /// Its flow, if it is of one.
    pub fn flow(self) -> Option<u32> {
        match self {
            Subject::Leg { flow, .. } | Subject::Flow(flow) => Some(flow),
            _ => None,
        }
    }
}

/// What a series records: of circuits on a channel (one, or all together) where nothing else is
/// said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Share of the channel's rate that data uses, as it leaves the sending node.
    Throughput,
    /// The same as it reaches the receiving node.
    Arrivals,
    /// Share of the channel's rate that control units use.
    ControlThroughput,
    /// What leaves on a channel, control included: bits per second of circuits, over the time that
    /// each takes; Mbps of frames, each as it starts, without preamble and gap.
    Rate,
    /// Share of the time in which data waits for the channel and none of it has credit; of a
    /// class, in which it is stopped, for any destination.
    Stopped,
    /// Units of data started since the beginning.
    Forwarded,
    /// The sender's credit.
    Credit,
    /// The receiver's buffer, units.
    Fill,
    /// Units that wait at the sending port; of a class, bytes in its output queue.
    Queue,
    /// What a node holds: units of all flows in its memory, or bytes in the queues of its classes.
    Stored,
    /// Time from entering the source's queue to delivery, of units delivered over this channel.
    Delay,
    /// Time in the receiving node, arrival to start on the next channel.
    Wait,
    /// ACR of an ABR flow; what its control allows a queue pair; bps.
    AllowedRate,
    /// SR = Nrm / T of an ABR flow, as each of its forward RM cells finds it, bps.
    SourceRate,
    /// ABR cells that wait at the channel's port, where it tells rates.
    RateQueue,
    /// Load factor z of the channel's port in each of its intervals.
    LoadFactor,
    /// Active circuits of the channel's port in each of its intervals.
    ActiveCircuits,
    /// Fair share of the channel's port, bps.
    FairShare,
    /// Bytes of a class that came in over a channel and have not left, at a switch that counts
    /// them.
    Input,
    /// The part of them that is in headroom.
    Headroom,
    /// Stop frames that leave on a channel, frames a second.
    Stops,
    /// Frames with a mark of congestion that leave on a channel, frames a second.
    Marks,
    /// Payload that the application at the destination of a flow of frames, or of all, gets in
    /// order, Mbps.
    Goodput,
    /// The rate that the control of a queue pair recovers to (DCQCN) or starts from (HPCC), bps.
    TargetRate,
    /// Estimate of how much of what a queue pair sends is marked (DCQCN), 0 to 1.
    Alpha,
    /// Use of the busiest link on the path of a queue pair (HPCC); 1 is all of it.
    LinkUse,
    /// Change of the round-trip time of a queue pair in a round trip (TIMELY).
    Gradient,
    /// Delay that a queue pair aims at (Swift), s.
    TargetDelay,
    /// Estimate of the bottleneck's rate (BBR), bps.
    Bandwidth,
    /// Estimate of the round trip without queues (BBR), s.
    LeastRtt,
    /// What that rate is multiplied by to send (BBR).
    PacingGain,
    /// Where BBR stands: 1 startup, 2 drain, 3 probes for rate, 4 probes for the round trip.
    Phase,
    /// Congestion window of the source of a flow of frames, bytes.
    Window,
    /// The rate that the queue of a class states to sources (RoCC), bps.
    StatedRate,
}
