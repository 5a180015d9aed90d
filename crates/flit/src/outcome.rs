//! What a run found: plain data for the results layer. Times are in cycles, loads in flits per
//! cycle and terminal.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{Balance, DelayOutcome, Stop, Violations};

/// Everything counted in a run. Totals (`*_total`) cover the whole run and balance exactly:
/// `created_total = delivered_total + queued_total + inside_total`, in flits. A packet counts as
/// delivered, all its flits at once, when its tail arrives; until then it is inside.
#[derive(Clone, Debug, Default)]
pub struct FabricOutcome {
    /// Cycles simulated.
    pub cycles: u64,
    /// Why it ended.
    pub stop: Stop,
    /// Fingerprint of every packet delivered, with its times and hops.
    pub trace_hash: u64,
    /// Flits that crossed a channel, injection and ejection included.
    pub flit_hops: u64,
    /// Flits of packets born.
    pub created_total: u64,
    /// Flits that reached their destination.
    pub delivered_total: u64,
    /// Flits that wait at sources.
    pub queued_total: u64,
    /// Flits in the network.
    pub inside_total: u64,
    /// Packets delivered, whole run.
    pub packets_total: u64,
    /// First cycle of the window.
    pub window_start: u64,
    /// Cycles of the window that were simulated.
    pub window: u64,
    /// The end of the warm-up was detected, not given.
    pub warm_up_detected: bool,
    /// Born in the window.
    pub offered: f64,
    /// Delivered in the window.
    pub accepted: f64,
    /// The terminal that received least (of those packets are sent to).
    pub accepted_least: f64,
    /// Half width of the 95 % interval of `accepted`, by batch means; absent if the run was too
    /// short.
    pub accepted_half_width: Option<f64>,
    /// Birth to the arrival of the tail, source queueing included, of packets born in the window.
    pub latency: CyclesOutcome,
    /// The same from the header's leaving the source.
    pub network_latency: CyclesOutcome,
    /// Mean number of channels crossed, injection and ejection included.
    pub hops_mean: f64,
    /// Mean time on these channels, until the tail is there, were each packet alone: with waits for
    /// credit, without what headers spend in routers before they can move.
    pub passage_mean: f64,
    /// Waits for credit are not in it, as channels differ in latency, and some packet may have some.
    pub credit_left_out: bool,
    /// Packets born in the window that had not arrived at the end.
    pub unfinished: u64,
    /// By class.
    pub classes: Vec<ClassOutcome>,
    /// By terminal.
    pub terminals: Vec<TerminalOutcome>,
    /// Share of the window's cycles each channel was busy: channels between routers, then
    /// injection, then ejection, both by terminal.
    pub utilization: Vec<f64>,
    /// Share of the window's cycles in which each lane (by its index) carried a flit, mean over
    /// all channels.
    pub lane_utilization: Vec<f64>,
    /// Why the load counts as beyond saturation, in words; `None` below it.
    pub saturated: Option<String>,
    /// The course of the run, warm-up included.
    pub course: Vec<CoursePoint>,
    /// The deadlock that ended the run.
    pub standstill: Option<Standstill>,
    /// Packets in the network that can never move again, those outside its cycle included.
    pub stuck_packets: u64,
    /// Promises broken, by cycle.
    pub violations: Violations<u64>,
}

impl FabricOutcome {
    /// In flits.
    pub const fn balance(&self) -> Balance {
        Balance {
            offered: self.created_total,
            delivered: self.delivered_total,
            dropped: 0,
            queued: self.queued_total,
            inside: self.inside_total,
        }
    }
}

/// Numbers of cycles are exact below 2 to this power and one.
pub(crate) const FINE: u32 = 11;

/// Numbers of cycles, by packets: exact below 4,096.
pub type CyclesOutcome = DelayOutcome<FINE>;

/// One class.
#[derive(Clone, Debug, Default)]
pub struct ClassOutcome {
    /// Flits of packets born, whole run.
    pub created_total: u64,
    /// Flits delivered, whole run.
    pub delivered_total: u64,
    /// Latency of packets born in the window.
    pub latency: CyclesOutcome,
    /// Packets born in the window that missed their deadline.
    pub late: u64,
}

/// One terminal, in the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct TerminalOutcome {
    /// Flits of packets born here.
    pub created: u64,
    /// Flits received.
    pub received: u64,
    /// Flits that wait here at the end.
    pub queued: u64,
}

/// A stretch of the run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CoursePoint {
    /// Its last cycle.
    pub cycle: u64,
    /// Flits born per cycle and terminal.
    pub offered: f64,
    /// Flits delivered per cycle and terminal.
    pub accepted: f64,
    /// Mean latency of packets delivered in it; 0 without any.
    pub latency: f64,
}

/// A cycle of packets, each waiting for a lane that the next one holds. If nothing else moves, they
/// stand still since the last move; else since a look at which they stood as they stand.
pub type Standstill = backwater_kernel::Standstill<Held, u64>;

/// A packet of a deadlock.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// Terminal it comes from.
    pub source: u32,
    /// Terminal it goes to.
    pub destination: u32,
    /// When it was born.
    pub birth: u64,
    /// Channel (as in [`FabricOutcome::utilization`]) and lane its header is in.
    pub at: (u32, u8),
    /// Channel and one lane it waits for, held by the next; the lane it is in where it waits
    /// behind the next.
    pub waits_for: (u32, u8),
}
