//! How flows came back after outages.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

/// What a [`Recovery`](crate::probe::Recovery) probe found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RecoveryOutcome {
    /// In the order of the specification. Both channels of a link, cut at the same time, are one.
    pub outages: Vec<OutageOutcome>,
}

/// A link that was cut.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OutageOutcome {
    /// Channel that was cut; of two, the one that the specification names first.
    pub channel: u32,
    /// The reverse channel was cut too.
    pub is_both_ways: bool,
    /// From here
    pub from: Time,
    /// to here.
    pub until: Time,
    /// Flows whose way crosses it, in their order.
    pub flows: Vec<FlowRecovery>,
}

/// One flow around one outage.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FlowRecovery {
    /// Flow (index).
    pub flow: u32,
    /// Rate delivered before it, bps on the wire, over all destinations: the mean over as long
    /// as the outage lasted, at least 1 ms.
    pub before_bps: f64,
    /// From the repair until the rate delivered was at least 90 % of that again, taken over a
    /// window of a tenth of the outage, at least 1 ms, that ends there. It is looked at from when
    /// the first bit sent after the repair can be at a destination. `None` if it never was (until
    /// the end of the run), or if nothing was delivered before.
    pub recovered_after: Option<Duration>,
}
