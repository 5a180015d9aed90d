//! The longest a frame can take from its host's port to delivery, known before the run, for flows
//! over UDP whose frames come at a pace, where whatever goes before them is limited too.
//!
//! Network calculus, port by port and class by class, in whole picoseconds: `curve` says how much
//! can come in any time, `port` how long the last of it waits, `settle` how the waits at a port
//! make what comes to the next one vary, `stops` what may hold or drop frames.
//!
//! ```text
//! D <= sum over ports of (longest wait + time on the wire + propagation + switch latency)
//! ```
//!
//! The time on the wire is that of 64 bytes where the next switch cuts through. The bound is of
//! frames that arrive: errors and outages of links lose frames and delay none.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::Duration;

use super::{Account, Part};
use crate::spec::frames::{EthernetSpec, FlowSpec};
use settle::Analysis;
use ways::{Way, Ways};

mod curve;
mod port;
mod settle;
mod share;
mod stops;
mod ways;

/// What is known before the run of how long frames take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// No frame takes longer from its host's port to delivery.
    pub delay: Duration,
    /// What is not waiting: no frame takes less, and one alone takes this. To several destinations
    /// that of the nearest.
    pub least: Duration,
    /// Ports on the way; of several the most.
    pub ports: u32,
}

/// Why nothing is known. Channels and flows are indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoBound {
    /// Acknowledgements decide when it sends.
    SourceControl,
    /// It sends as fast as it can.
    Greedy,
    /// Nothing limits its bursts.
    Bursts,
    /// Flows without a row, of which nothing is known before they begin, may share its ports.
    Members,
    /// Its frames take different paths.
    Spread,
    /// It finds no way.
    NoWay,
    /// It may wait for a flow of which nothing is known.
    Rival {
        /// Where.
        channel: u32,
        /// For whom.
        flow: u32,
    },
    /// As much may come as the port sends, or more.
    Overload {
        /// Where.
        channel: u32,
    },
    /// None is known for the scheduler of a port.
    Scheduler {
        /// Where.
        channel: u32,
    },
    /// The port may be busy for too long to follow.
    TooLong {
        /// Where.
        channel: u32,
    },
    /// Ports depend on each other in a circle, and no waits hold for all of them.
    Circle {
        /// One of them.
        channel: u32,
    },
    /// It may be stopped.
    Stop {
        /// Where.
        channel: u32,
    },
    /// The host behind it takes frames at its own pace.
    Slow {
        /// That of the host.
        channel: u32,
    },
    /// A broken host stops it.
    Storm {
        /// Where.
        channel: u32,
    },
    /// It may wait for credit.
    Credit {
        /// Where.
        channel: u32,
    },
    /// Control frames go before it.
    Control {
        /// Where.
        channel: u32,
    },
    /// Its queue may be full.
    Drops {
        /// In front of this channel.
        channel: u32,
        /// Bytes that it may have to hold,
        needed: u64,
        /// and those that it can.
        limit: u64,
    },
    /// A shared memory may have no room.
    Memory {
        /// For the queue in front of this channel.
        channel: u32,
    },
}

/// Why a flow has no bound, in a few words, where it has none: its own reason, and where it may
/// wait for another flow, that of the first of which nothing depends on others. `channel_name`
/// names a channel, `flow_name` a flow.
pub fn why_none(
    found: &[Result<Bound, NoBound>],
    flow: u32,
    channel_name: impl Fn(u32) -> String,
    flow_name: impl Fn(u32) -> String,
) -> Option<String> {
    let of = |flow: u32| found.get(flow as usize)?.err();
    let own = of(flow)?;
    let words = own.words(&channel_name, &flow_name);
    let (mut first, mut seen) = (own, vec![flow]);
    while let NoBound::Rival { flow, .. } = first {
        match of(flow).filter(|_| !seen.contains(&flow)) {
            Some(next) => first = next,
            None => return Some(words),
        }
        seen.push(flow);
    }
    let root = first.words(&channel_name, &flow_name);
    Some(match seen[..] {
        [_] => words,
        [_, _] => format!("{words}: {root}"),
        [.., last] => format!("{words}, as {} has none: {root}", flow_name(last)),
        [] => words,
    })
}

impl NoBound {
    /// It is the source's own, whatever the network is like.
    pub fn is_of_source(&self) -> bool {
        matches!(
            self,
            NoBound::SourceControl | NoBound::Greedy | NoBound::Bursts
        )
    }

    fn words(
        &self,
        channel_name: impl Fn(u32) -> String,
        flow_name: impl Fn(u32) -> String,
    ) -> String {
        match *self {
            NoBound::SourceControl => "acknowledgements decide when it sends".into(),
            NoBound::Greedy => "it sends as fast as it can".into(),
            NoBound::Bursts => "nothing limits its bursts".into(),
            NoBound::Members => "flows of a list may share its ports".into(),
            NoBound::Spread => "its frames take different paths".into(),
            NoBound::NoWay => "it finds no way".into(),
            NoBound::Rival { channel, flow } => format!(
                "on {} it may wait for {}, which has no bound",
                channel_name(channel),
                flow_name(flow)
            ),
            NoBound::Overload { channel } => {
                format!(
                    "as much may come as {} is sure to serve, or more",
                    channel_name(channel)
                )
            }
            NoBound::Scheduler { channel } => format!(
                "none is known for the scheduler on {}",
                channel_name(channel)
            ),
            NoBound::TooLong { channel } => {
                format!(
                    "{} may be busy for too long to follow",
                    channel_name(channel)
                )
            }
            NoBound::Circle { channel } => format!(
                "ports wait for each other in a circle, {} among them",
                channel_name(channel)
            ),
            NoBound::Stop { channel } => format!("{} may be stopped", channel_name(channel)),
            NoBound::Slow { channel } => {
                format!("a slow host holds up {}", channel_name(channel))
            }
            NoBound::Storm { channel } => {
                format!("a broken host stops {}", channel_name(channel))
            }
            NoBound::Credit { channel } => {
                format!("it may wait for credit on {}", channel_name(channel))
            }
            NoBound::Control { channel } => {
                format!("control frames go first on {}", channel_name(channel))
            }
            NoBound::Drops {
                channel,
                needed,
                limit,
            } => format!(
                "its queue on {} may need {needed} bytes and holds {limit}",
                channel_name(channel)
            ),
            NoBound::Memory { channel } => {
                format!(
                    "shared memory may have no room for {}",
                    channel_name(channel)
                )
            }
        }
    }
}

/// The bound of each flow, in the order of flows.
pub fn bounds(spec: &EthernetSpec) -> Vec<Result<Bound, NoBound>> {
    let accounts = accounts(spec).into_iter();
    accounts.map(|own| own.map(|own| own.bound)).collect()
}

/// Do packets go on as headers in another class?
fn moves_headers(spec: &EthernetSpec) -> bool {
    let mut queues = spec.channels().flat_map(|channel| &channel.queues);
    let has_pairs = spec.flows.iter().any(|flow| flow.transport.is_pairs());
    has_pairs && queues.any(|queue| queue.trim.is_some())
}

/// The bound of each flow with its terms, in the order of flows.
pub fn accounts(spec: &EthernetSpec) -> Vec<Result<Account<Bound>, NoBound>> {
    let none = |why: NoBound| spec.flows.iter().map(|_| Err(why)).collect();
    if !spec.rules.arrivals.is_empty() {
        return none(NoBound::Members);
    }
    // What queue pairs answer in another class is no way of that class here, nor is what switches
    // state.
    let answers_elsewhere = |flow: &FlowSpec| flow.classes().any(|class| class != flow.class);
    let is_unknown = |flow: &FlowSpec| flow.hears_rates() || answers_elsewhere(flow);
    if spec.flows.iter().any(is_unknown) || moves_headers(spec) {
        return none(NoBound::SourceControl);
    }
    let Ok(ways) = Ways::new(spec) else {
        return none(NoBound::NoWay);
    };
    let has_pace = ways.all.iter().any(|way| way.pace.is_ok());
    let mut analysis = Analysis {
        ways,
        failed: BTreeMap::new(),
    };
    let mut drops = BTreeMap::new();
    if has_pace {
        analysis.hold();
        analysis.settle();
        while analysis.stop() {
            analysis.spread_failures();
        }
        drops = analysis.drops();
    }
    let mut bounds = Vec::new();
    for way in &analysis.ways.all {
        let own = account(&analysis, &drops, way);
        // The way back of a connection is of the same flow, as are those to other destinations.
        if way.flow as usize == bounds.len() {
            bounds.push(own);
        } else if spec.flows[way.flow as usize].is_multicast()
            && let Some(known) = bounds.pop()
        {
            bounds.push(worse(known, own));
        }
    }
    bounds
}

/// What holds for the frames to both destinations.
fn worse(
    one: Result<Account<Bound>, NoBound>,
    other: Result<Account<Bound>, NoBound>,
) -> Result<Account<Bound>, NoBound> {
    let (one, other) = (one?, other?);
    let bound = Bound {
        delay: one.bound.delay.max(other.bound.delay),
        least: one.bound.least.min(other.bound.least),
        ports: one.bound.ports.max(other.bound.ports),
    };
    let slower = match one.bound.delay < other.bound.delay {
        true => other,
        false => one,
    };
    Ok(Account { bound, ..slower })
}

fn account(
    analysis: &Analysis<'_>,
    drops: &BTreeMap<(u32, u8), NoBound>,
    way: &Way,
) -> Result<Account<Bound>, NoBound> {
    way.pace?;
    let (mut delay_ps, mut least_ps) = (0_u64, 0_u64);
    let mut parts = Vec::with_capacity(way.hops.len());
    for (hop, channel) in way.hops.iter().enumerate() {
        let at = (*channel, way.class);
        if let Some(reason) = analysis.failed.get(&at).or(drops.get(&at)) {
            return Err(*reason);
        }
        let crossing = analysis.ways.crossing(way, hop);
        least_ps = least_ps.saturating_add(crossing.sum().ps());
        let part = Part {
            wait: Duration(way.waits_ps[hop]),
            ..crossing
        };
        delay_ps = delay_ps.saturating_add(part.sum().ps());
        parts.push(part);
    }
    Ok(Account {
        bound: Bound {
            delay: Duration(delay_ps),
            least: Duration(least_ps),
            ports: way.hops.len() as u32,
        },
        burst: Duration::ZERO,
        parts,
    })
}
