//! The longest a unit can take from its source to delivery, proved before the run.
//! A line here may touch `spec`, sizes on the wire and arithmetic: never a network in motion.
//! The next bound is a file here, or in `frames` if it is of frames, and an arm of its `bounds`.
//!
//! Bounds are of flows whose bursts are limited and whose ports serve by reservation.
//!
//! A flow is (sigma, rho) if never more than sigma + rho t of it, in whole units, comes in any
//! time t. Its guaranteed-rate clock at a port is GRC_k = max(arrival_k, GRC_(k-1)) + l_k / rho
//! (auxVC of VirtualClock). A port is a *guaranteed-rate server* with error beta if unit k has
//! left by GRC_k + beta. Then, over K such servers (Goyal, Lam, Vin 1995; for VirtualClock also
//! Figueira, Pasquale 1995):
//!
//! ```text
//! D <= (sigma + (K - 1) l_max) / rho + sum of beta, propagation and handling of every link
//! ```
//!
//! | Discipline | beta |
//! |---|---|
//! | VirtualClock, stamped with auxVC, not resynchronised literally | (L + sum of P_j rho_j) / C |
//! | WFQ, WF2Q+ | L / C |
//! | SCFQ | (sum of L_j of the other flows + L of datagrams) / C |
//!
//! L is the largest unit of anything on the channel, C its rate, P_j priority offsets. It takes
//! that reservations fit the channel. A port that only this flow uses is no such server but a
//! wire with a queue: it adds a unit's transmission time, once.
//!
//! Earliest deadline first is another kind ([`edf`]): if its deadlines can be kept, they are the
//! bound.

mod edf;
pub mod frames;
mod path;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate};

use crate::spec::{
    EnvelopeRule, EnvelopeSpec, Excess, FlowSpec, NetworkSpec, ReserveSpec, SinkSpec,
    SourceControlSpec, TrafficSpec,
};
use path::Ports;

/// What is known before the run of how long units take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// No unit takes longer from entering its source's queue to delivery.
    pub delay: Duration,
    /// sigma / rho: the flow's largest burst, as time at its reserved rate.
    pub burst: Duration,
    /// K: ports on the way that it shares with other flows; the longest way of a multicast.
    pub servers: u32,
}

/// Why nothing is known. Channels are indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoBound {
    /// The flow reserves nothing.
    NoReservation,
    /// Nothing limits the flow's bursts to what it reserves.
    Bursts,
    /// Acknowledgements decide when it sends.
    SourceControl,
    /// Its destination takes units in its own time.
    Sink,
    /// Units may wait for credit.
    Credit {
        /// Where.
        channel: u32,
    },
    /// Units are used before their last bit is in.
    CutThrough {
        /// Where.
        channel: u32,
    },
    /// Control units go before data.
    Control {
        /// Where.
        channel: u32,
    },
    /// Flows of higher priority go first.
    Priority {
        /// Where.
        channel: u32,
    },
    /// More is reserved than there is.
    Overbooked {
        /// Where.
        channel: u32,
        /// The sum of reservations.
        reserved: Rate,
    },
    /// The discipline gives no guarantee to one flow among others.
    Discipline {
        /// Where.
        channel: u32,
    },
    /// The deadlines of some flows there can't all be kept.
    Deadlines {
        /// Where.
        channel: u32,
    },
    /// Some ports serve by deadline and others by rate.
    Mixed,
}

impl NoBound {
    /// Why, in a few words; `channel_name` names a channel.
    pub fn words(&self, channel_name: impl Fn(u32) -> String) -> String {
        match *self {
            NoBound::NoReservation => "it reserves nothing".into(),
            NoBound::Bursts => "nothing holds it to what it reserves".into(),
            NoBound::SourceControl => "acknowledgements decide when it sends".into(),
            NoBound::Sink => "its destination takes units in its own time".into(),
            NoBound::Credit { channel } => {
                format!("it may wait for credit on {}", channel_name(channel))
            }
            NoBound::CutThrough { channel } => {
                format!("{} cuts through", channel_name(channel))
            }
            NoBound::Control { channel } => {
                format!("control units go first on {}", channel_name(channel))
            }
            NoBound::Priority { channel } => {
                format!("others have priority on {}", channel_name(channel))
            }
            NoBound::Overbooked { channel, reserved } => format!(
                "{} bps are reserved on {}, more than it carries",
                reserved.0,
                channel_name(channel)
            ),
            NoBound::Discipline { channel } => {
                format!("{} gives no guarantee to one flow", channel_name(channel))
            }
            NoBound::Deadlines { channel } => {
                format!("not all deadlines can be kept on {}", channel_name(channel))
            }
            NoBound::Mixed => "some ports serve by deadline, others by rate".into(),
        }
    }
}

/// The bound of each flow, in the order of flows.
///
/// It holds to a picosecond for each unit sent in a row, which is what transmission times are
/// rounded to.
pub fn bounds(spec: &NetworkSpec) -> Vec<Result<Bound, NoBound>> {
    let ports = Ports::new(spec);
    let flows = 0..spec.flows.len() as u32;
    flows.map(|flow| bound(spec, &ports, flow)).collect()
}

fn bound(spec: &NetworkSpec, ports: &Ports<'_>, flow_id: u32) -> Result<Bound, NoBound> {
    let flow = &spec.flows[flow_id as usize];
    let reserve = flow.reserve.ok_or(NoBound::NoReservation)?;
    let burst = burst(flow, &reserve)?;
    if flow.sink != SinkSpec::Infinite {
        return Err(NoBound::Sink);
    }
    let mut worst: Option<Bound> = None;
    for way in path::ways(flow) {
        let (delay, servers) = ports.delay(flow_id, &reserve, burst, &way)?;
        if worst.is_none_or(|known| known.delay < delay) {
            worst = Some(Bound {
                delay,
                burst,
                servers,
            });
        }
    }
    worst.ok_or(NoBound::NoReservation)
}

/// The largest unit of a flow.
fn largest(flow: &FlowSpec) -> u64 {
    flow.unit_bytes as u64
}

/// The smallest unit of a flow.
fn smallest(flow: &FlowSpec) -> u64 {
    let sizes = flow.sizes.iter().filter(|size| size.share > 0.0);
    let least = sizes.map(|size| size.bytes).min();
    least.unwrap_or(flow.unit_bytes) as u64
}

/// sigma / rho with the reserved rate as rho: the most that GRC is ahead of an arrival.
pub(crate) fn burst(flow: &FlowSpec, reserve: &ReserveSpec) -> Result<Duration, NoBound> {
    let unit = reserve.rate.tick(largest(flow));
    let policed = flow
        .policer
        .and_then(|policer| held(&policer, unit, flow, reserve));
    if flow.source_control != SourceControlSpec::None && policed.is_none() {
        return Err(NoBound::SourceControl);
    }
    // Windows that end let what waits go at once, however far apart it came.
    let bunches = flow.policer.is_some_and(|policer| {
        policer.excess == Excess::Delay && matches!(policer.rule, EnvelopeRule::FixedWindow { .. })
    });
    let own = match flow.source_control {
        SourceControlSpec::None if !bunches => {
            let held = flow
                .envelope
                .and_then(|rule| held(&rule, unit, flow, reserve));
            held.or_else(|| spaced(&flow.traffic, unit))
        }
        _ => None,
    };
    match (own, policed) {
        (Some(own), Some(policed)) => Ok(own.min(policed)),
        (Some(burst), None) | (None, Some(burst)) => Ok(burst),
        (None, None) => Err(NoBound::Bursts),
    }
}

/// The burst that an envelope lets through, if it lets no more through than is reserved.
fn held(
    envelope: &EnvelopeSpec,
    unit: Duration,
    flow: &FlowSpec,
    reserve: &ReserveSpec,
) -> Option<Duration> {
    let window = |units: u32, interval: Duration| {
        // Exact: a unit's time is rounded up, and many of them may fill an interval.
        let bits = units as u128 * largest(flow) as u128 * 8;
        let fits = bits * 1_000_000_000_000 <= interval.ps() as u128 * reserve.rate.0 as u128;
        unit.checked_mul(units as u64).filter(|_| fits)
    };
    match envelope.rule {
        // Two windows' worth may come back to back over a boundary.
        EnvelopeRule::FixedWindow {
            units, interval, ..
        } => window(units, interval)?.checked_mul(2),
        EnvelopeRule::SlidingWindow { units, interval } => window(units, interval),
        EnvelopeRule::Bucket { rate, tolerance } => {
            let fits = rate <= reserve.rate;
            let burst = tolerance.checked_add(rate.tick(largest(flow)))?;
            fits.then_some(burst)
        }
    }
}

/// The burst of a source that keeps its units apart by itself.
fn spaced(traffic: &TrafficSpec, unit: Duration) -> Option<Duration> {
    let gap = match *traffic {
        TrafficSpec::Constant { interval, .. } => interval,
        TrafficSpec::Poisson { min_interval, .. } => min_interval,
        TrafficSpec::Trains { gap, .. } => gap,
        TrafficSpec::Silent => return Some(unit),
        _ => return None,
    };
    (gap >= unit).then_some(unit)
}
