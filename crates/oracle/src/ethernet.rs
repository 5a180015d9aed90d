//! A second, slow and obvious implementation of the Ethernet engine, to check `ethernet` against.
//! For tests only.
//!
//! One object per frame, vectors, linear scans; what a queue, an input or a counter of requests
//! holds is counted anew each time it is asked for. [`run`] gives every start of transmission,
//! every drop and every delivery of an [`EthernetSpec`], [`random_spec`] makes networks to compare
//! on, [`first_difference`] says where two runs part.
//!
//! # Shared with the engine
//!
//! TCP and every source but datagrams at even gaps and without end, by
//! [`backwater_ends::stations`]: a mistake there is one in both engines, and tests of its own
//! have to find it. So are the streams and the rounding of rates in `kernel`, and the words that
//! the two fingerprints are made of: one orders the arrivals of an instant, one spreads flows or
//! frames over several ways.
//!
//! # Choices
//!
//! Where the rules leave something open, this module decides:
//!
//! 1. **The last instant** `stop_at` itself is run.
//! 2. **Neighbours** are known by the link to them: two links to one node are two neighbours.
//! 3. **What is found** in a queue as it becomes congested are the frames that wait; the one being
//!    sent counts in bytes only. The gates asked for are all pairs of a neighbour and a
//!    destination found. One that comes later is added if the queue holds more than its high
//!    threshold once the frame has joined.
//! 4. **Several control frames for one channel in one step** queue up in the order of gates
//!    (class, destination), frames of one congested queue before those of the next, and those
//!    for destinations known before those for a new one. A frame that joins is looked at for the
//!    blocked share first, then for the congestion of its queue.
//! 5. **Random choice**: the draws go over the frames that wait. The second lot is drawn once a
//!    congestion, at the first later join that leaves more than the mark. Destinations that come
//!    later are not added. There is no second lot without a limit.
//! 6. **Refreshes** are timed from the moment the stop joins its control queue, a share (rounded
//!    down) of the quanta at the rate of the channel that is stopped. A resume ends them. Those
//!    of one instant go in the order in which they were sent before.
//! 7. **Timers** of one instant: first all response times, then all ends of stops, and so on.
//!    A stop that takes effect at the instant at which another ends replaces it, unless it ends a
//!    response time of its own: then also, as response times come first.
//! 8. **Time-out**: once a congestion, at its start and `after`. A neighbour went on sending if
//!    data that a gate asked of it forbids took effect here after it was asked, less than
//!    `grace` ago. All others are released, and nobody is asked anew by this congestion. Inputs
//!    and blocked shares know no time-out.
//! 9. **Blocked share**: frames that wait for stopped destinations. Neighbours are those of all
//!    that waits as the share passes its threshold, later those of stopped frames that join.
//!    It is looked at after each join, departure, start and change of a gate.
//! 10. **Watchdog**: a class is stopped if the port or the class is (not a destination). It trips
//!     `detect` after both began (stopped, frames waiting). It ends `restore` after the later of
//!     the trip and the last stop's taking effect; a stop that is still in force stops again then.
//!     Frames it drops are departures: congestion may end.
//! 11. **Storms** send at `from` and then after each half of the quanta (rounded down, at the rate
//!     of the channel they stop) before `until`.
//! 12. **Schedulers**: which classes may send is told once before the choices of an instant, once
//!     after them, and once more when sources have handed over more. A class is not ready after
//!     its last frame has started, even if another comes at once; then deficit round robin forgets
//!     its deficit. So does a class that is stopped or out of credit. What a watchdog drops, WFQ,
//!     SCFQ and SFQ still count.
//! 13. **Marks**: one draw for each frame that can be marked, marked already or not. At
//!     `low_bytes` or below there is none, even where `high_bytes` is not larger.
//! 14. **Shared memory** is counted in bytes: what an input and class holds up to `reserve_bytes`
//!     is in the reserve, the rest shared. A frame that would bring the shared bytes of its input
//!     above alpha times the free (before it joins) goes to the headroom as a whole; a departure
//!     empties headroom first. An input is stopped on an arrival that leaves it in the headroom or
//!     above alpha times the free (now), and may be resumed at any departure from the switch, if
//!     its headroom is empty. `output_alpha` does not concern frames that fit into the reserve.
//!     Drops for want of headroom count as input full, else memory full.
//! 15. **Endless datagrams**: the first comes with the timer of its flow; others after the timers
//!     of all flows and after all starts, in the order of flows. While a watchdog at the station
//!     drops the class there are none.
//! 16. **Even gaps**: the k-th datagram comes the time of k payloads (rounded down) after the
//!     first; the phase is `below` one of them of the flow's stream for starts.
//! 17. **Standstills** are looked for every `stall_after` after the timers of flows, before ports
//!     choose; the run ends with the instant of the first one found. A queue waits for others by
//!     what they ask for at that moment.
//!     A queue that lacks credit waits for those behind it that hold what came over its channel.
//! 18. **Control frames** count as sent when they are made.
//! 19. **Marks concern** all segments of TCP connections that heed marks, and no datagrams.
//! 20. **A flow's timer** that is due again at the present instant after its turn, comes in a
//!     second pass over the instant.
//! 21. **Credit**: a frame that is dropped as it arrives frees its place at once. Requests and
//!     refreshes of one instant go after the arrivals, in the order of channels and classes. A
//!     class lacks credit from the end of the first instant at which it does; credit that was too
//!     little starts the time after which it is asked for anew, but not that of a standstill.
//! 22. **Multicast**: a frame is copied as it is admitted, in the order of channels, once each
//!     queue has said whether it takes a copy; only then is the input looked at. Its copies count
//!     once at the input and in what is shared there, until the last of them has left.
//! 23. **Several ports**: what a station hands over as the ports have chosen starts in the same
//!     instant where a port of it is free, and so on; flows hand over in their order.

mod admission;
mod check;
mod choose;
mod compare;
mod control;
mod counters;
mod credits;
mod drains;
mod loops;
mod losses;
mod multicast;
mod network;
mod nics;
mod orders;
mod ports;
mod random;
mod rates;
mod routes;
mod schedulers;
mod sources;
mod spread;
mod standstill;
mod stating;
mod step;
#[cfg(test)]
mod tests;
mod timers;
mod trees;
mod waits;

pub use crate::compare::first_difference;
pub use random::{Mix, SCHEDULERS, SCHEMES, SPREADS, Scheme, random_spec};
pub use standstill::Standstill;
pub use waits::delay_bounds;

use backwater_net::frames::probe::{Content, LossCause};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Drops;

/// Flow number of control frames.
pub const CONTROL_FLOW: u32 = u32::MAX;

/// Why a run can't be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem(pub String);

/// A frame starts on a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// When, ps.
    pub at_ps: u64,
    /// On which.
    pub channel: u32,
    /// Flow it belongs to, or [`CONTROL_FLOW`].
    pub flow: u32,
    /// Of the frame.
    pub bytes: u32,
    /// Number in its flow; 0 for control frames.
    pub number: u64,
    /// What a control frame says.
    pub control: Option<Content>,
}

/// A frame is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drop {
    /// When, ps.
    pub at_ps: u64,
    /// In front of which channel.
    pub channel: u32,
    /// Flow it belongs to.
    pub flow: u32,
    /// Number in its flow.
    pub number: u64,
    /// Why.
    pub cause: LossCause,
}

/// A frame reaches its station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// When, ps.
    pub at_ps: u64,
    /// Flow it belongs to.
    pub flow: u32,
    /// Number in its flow.
    pub number: u64,
    /// Which station.
    pub station: u32,
    /// It is marked.
    pub is_marked: bool,
}

/// Counts of a flow, both ways together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FlowCounts {
    /// Frames handed to ports.
    pub created: u64,
    /// Their bytes.
    pub created_bytes: u64,
    /// Frames that reached their station.
    pub delivered: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Frames dropped.
    pub dropped: u64,
    /// Their bytes, and those cut off others.
    pub dropped_bytes: u64,
    /// Frames that were trimmed.
    pub trimmed: u64,
    /// Payload the destination's application got in order.
    pub payload_bytes: u64,
    /// Payload the source's application got in order.
    pub returned_bytes: u64,
}

/// Counts of a channel; lists are by class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChannelCounts {
    /// Frames that joined the queue.
    pub joined: Vec<u64>,
    /// Frames dropped there.
    pub drops: Vec<Drops>,
    /// Most bytes it held.
    pub most_bytes: Vec<u64>,
    /// Times it became congested.
    pub congestions: Vec<u64>,
    /// Times the share of stopped frames passed its high threshold.
    pub blocked: Vec<u64>,
    /// Times it fell below its low threshold again.
    pub unblocked: Vec<u64>,
    /// Frames marked.
    pub marked: Vec<u64>,
    /// Frames that found it full and were trimmed.
    pub trimmed: Vec<u64>,
    /// Times the watchdog tripped.
    pub watchdog_trips: Vec<u64>,
    /// Stops made for the channel, refreshes included.
    pub stops_sent: u64,
    /// Resumes made.
    pub resumes_sent: u64,
    /// Refreshes made.
    pub refreshes_sent: u64,
    /// Stops that took effect on what leaves here.
    pub stops_obeyed: u64,
    /// Stops that came for it and were ignored.
    pub stops_ignored: u64,
}

impl ChannelCounts {
    fn new(classes: usize) -> ChannelCounts {
        let zeros = || vec![0; classes];
        ChannelCounts {
            joined: zeros(),
            drops: vec![Drops::default(); classes],
            most_bytes: zeros(),
            congestions: zeros(),
            blocked: zeros(),
            unblocked: zeros(),
            marked: zeros(),
            trimmed: zeros(),
            watchdog_trips: zeros(),
            ..ChannelCounts::default()
        }
    }
}

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// By time, then channel.
    pub starts: Vec<Start>,
    /// In the order in which they happened.
    pub drops: Vec<Drop>,
    /// In the order in which they happened.
    pub deliveries: Vec<Delivery>,
    /// By flow.
    pub flows: Vec<FlowCounts>,
    /// By channel.
    pub channels: Vec<ChannelCounts>,
    /// By node: times neighbours were let go by a time-out.
    pub time_outs: Vec<u64>,
    /// What ended the run before its time.
    pub standstill: Option<Standstill>,
    /// From here on two ranks of weighted fair queueing are too near each other to tell which is
    /// less with whole picoseconds.
    pub close_call_ps: Option<u64>,
}

/// Runs `spec` over all instants up to and including `stop_at`.
pub fn run(spec: &EthernetSpec) -> Result<Report, Problem> {
    check::check(spec)?;
    let mut network = network::Network::new(spec);
    while network.step()?.is_some() {}
    network
        .starts
        .sort_by_key(|start| (start.at_ps, start.channel));
    let ports = network.channels.iter().filter_map(|it| it.port.as_ref());
    let close_calls = ports.filter_map(|port| port.close_call());
    let close_call_ps = close_calls.min().map(backwater_kernel::Time::ps);
    let mut flows = network.flows;
    for (own, counts) in spec.flows.iter().zip(&mut flows) {
        let stations = own.destinations().count() as u64;
        counts.created *= stations;
        counts.created_bytes *= stations;
    }
    let channels = network.channels.into_iter();
    Ok(Report {
        starts: network.starts,
        drops: network.drops,
        deliveries: network.deliveries,
        flows,
        time_outs: network.time_outs,
        standstill: network.standstill,
        close_call_ps,
        channels: channels.map(|channel| channel.counts).collect(),
    })
}
