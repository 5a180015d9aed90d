//! Flows of the Ethernet engine that got next to nothing, and what stood in their way.

use std::collections::BTreeMap;

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::{EthernetSpec, SchedulerSpec, Span, TrafficSpec};
use backwater_net::outcome::Outcome;

use super::{fair, groups};
use crate::events::seconds;
use crate::number::grouped;
use crate::starved::{is_far_below, others};

/// Files that a window must have room for, one after another, before their rate says anything.
const FILES: f64 = 10.0;

/// Flows that always have more to send and are far below their share: what they got, and what it
/// is over the time that was measured, bps.
pub fn below_share(spec: &EthernetSpec, outcome: &Outcome) -> BTreeMap<u32, (f64, f64)> {
    let links = spec.links.iter();
    let rates = links.flat_map(|link| [link.channels[0].rate.0, link.channels[1].rate.0]);
    let fastest = rates.max().unwrap_or(0) as f64;
    let measured = groups::goodputs(spec, outcome).into_iter();
    let few = (0_u32..).zip(measured).filter_map(|(flow, got)| {
        let endless = endless(&spec.flows.get(flow as usize)?.traffic)?;
        is_far_below(got, fastest).then_some((flow, got, endless))
    });
    let few: Vec<(u32, f64, Endless)> = few.collect();
    let window = seconds(spec, outcome);
    if few.is_empty() || window <= 0.0 {
        return BTreeMap::new();
    }
    let shares = fair::among_equals(spec, outcome);
    let below = few.into_iter().filter_map(|(flow, got, endless)| {
        let active = outcome.ended_at.since(spec.warm_up.max(endless.start));
        let share = endless.rate(shares[flow as usize]?, active.seconds())?;
        let share = share * active.seconds() / window;
        is_far_below(got, share).then_some((flow, (got, share)))
    });
    below.collect()
}

/// What a source sends that never ends.
struct Endless {
    start: Time,
    /// Bytes of a file, and the mean time before the next one.
    file: Option<(u64, Duration)>,
}

impl Endless {
    /// What it would send in so many seconds if it had this share, bps; `None` if too little to
    /// say.
    fn rate(&self, share: f64, seconds: f64) -> Option<f64> {
        let Some((bytes, think)) = self.file else {
            return Some(share);
        };
        let bits = bytes as f64 * 8.0;
        let each = think.seconds() + bits / share;
        (seconds / each >= FILES).then_some(bits / each)
    }
}

fn endless(traffic: &TrafficSpec) -> Option<Endless> {
    let (start, file) = match traffic {
        TrafficSpec::Infinite { start, bytes: None } => (*start, None),
        TrafficSpec::Files {
            start,
            bytes,
            think: Span::Fixed(think) | Span::Uniform(think) | Span::Exponential(think),
            count: None,
        } => (*start, Some((*bytes, *think))),
        _ => return None,
    };
    Some(Endless { start, file })
}

/// What stood in its way.
pub fn hindrance(spec: &EthernetSpec, outcome: &Outcome, flow: usize) -> String {
    let found = &outcome.flows[flow];
    if found.lost_total > found.inside_total {
        return format!("{} were dropped", grouped(found.lost_total));
    }
    let mut waits = format!("{} are waiting or in transit", grouped(found.inside_total));
    if found.ends.tcp.time_outs > 0 {
        waits += &format!(", {}", counted(found.ends.tcp.time_outs, "time-out"));
    }
    let Some(own) = spec.flows.get(flow) else {
        return waits;
    };
    let urgent = spec.flows.iter().filter(|other| other.class > own.class);
    let ports = spec
        .links
        .iter()
        .flat_map(|l| [&l.channels[0], &l.channels[1]]);
    let is_strict = ports
        .into_iter()
        .any(|port| port.scheduler == SchedulerSpec::StrictPriority);
    match urgent.count() {
        count @ 1.. if is_strict => format!(
            "{waits}; {} of a class above {}, and the highest class goes first here",
            others(count, "is", "are"),
            own.class
        ),
        _ => waits,
    }
}
