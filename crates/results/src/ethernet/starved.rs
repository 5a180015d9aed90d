//! Flows of frames that got next to nothing, and what stood in their way.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::{
    ClassCreditRule, ClassCreditSpec, EthernetSpec, FlowSpec, Span, TrafficSpec, TransportSpec,
};
use backwater_net::outcome::FlowOutcome;

use super::Frames;
use crate::events::names;
use crate::events::starved::{Endless, Limited, MOSTLY, Starving, is_busy, missing, window};
use crate::number::{percent, significant};
use crate::starved::others;

impl Starving for EthernetSpec {
    fn endless(&self, flow: u32) -> Option<Endless> {
        let flow = self.flows.get(flow as usize)?;
        let (start, file) = match &flow.traffic {
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

    fn limit(run: &Frames<'_>, flow: usize) -> Option<Limited> {
        let spec = run.network.flows.get(flow)?;
        window_of(run, flow, spec).or_else(|| credit_of(run, flow, spec))
    }

    fn held_up(run: &Frames<'_>, flow: usize, mut waits: String) -> String {
        let seen = &run.outcome.flows[flow];
        let Some(own) = run.network.flows.get(flow) else {
            return waits;
        };
        if let Some(limit) = Self::limit(run, flow) {
            return limit.words;
        }
        let time_outs = seen.ends.tcp.time_outs;
        if time_outs > 0 {
            waits += &format!(", {}", counted(time_outs, "time-out"));
        }
        if let Some(urgent) = before(run.network, own) {
            return format!("{waits}; {urgent}");
        }
        match stopped(run, seen, own) {
            Some(stopped) => format!("{waits}; {stopped}"),
            None => waits,
        }
    }
}

/// The window of a connection, where no more than that came through in a round trip.
fn window_of(run: &Frames<'_>, flow: usize, own: &FlowSpec) -> Option<Limited> {
    let TransportSpec::Tcp(tcp) = &own.transport else {
        return None;
    };
    let seen = &run.outcome.flows[flow];
    let got = seen.ends.goodput_bytes as f64 * 8.0 / run.seconds();
    // Acknowledgements come back over the same links.
    let round_trip_ps = 2.0 * seen.delay.min as f64;
    let bytes = f64::from(tcp.window_bytes);
    let what = format!(
        "its window (`tcp.window`) of {} kB",
        significant(bytes / 1e3, 4)
    );
    window(&what, bytes * 8.0, round_trip_ps, got)
}

/// The last link on its way where its class waited for credit for most of the time. Where the port
/// behind was busy meanwhile, that one binds.
fn credit_of(run: &Frames<'_>, flow: usize, own: &FlowSpec) -> Option<Limited> {
    let outcome = &run.outcome.flows[flow];
    let got = outcome.ends.goodput_bytes as f64 * 8.0 / run.seconds();
    let class = usize::from(own.class);
    let waits = |id: &u32| {
        let credit = names::channel_spec(run.network, *id)?.credits.get(class);
        let port = run.outcome.channels.get(*id as usize)?;
        let share = port.by_class.queues.get(class)?.stopped_share;
        let credit = credit.copied().flatten()?;
        (share >= MOSTLY).then_some((credit, share))
    };
    let path = &outcome.path;
    let (at, (credit, share)) = (0..path.len())
        .rev()
        .find_map(|at| Some((at, waits(&path[at])?)))?;
    let is_held = path.get(at + 1).is_some_and(|behind| is_busy(run, *behind));
    let what = in_words(&credit);
    (!is_held).then(|| missing(&run.port(path[at]), &what, share, got))
}

/// What a sender may have under way.
fn in_words(credit: &ClassCreditSpec) -> String {
    let units = match &credit.rule {
        ClassCreditRule::Zones(rule) => rule.n2.saturating_add(rule.n3),
        ClassCreditRule::Counters(lane) => lane.limit_units,
    };
    format!("{} of {} B", counted(units, "unit"), credit.unit_bytes)
}

/// Flows of higher classes, where those go first.
fn before(spec: &EthernetSpec, own: &FlowSpec) -> Option<String> {
    let urgent = spec.flows.iter().filter(|other| other.class > own.class);
    let mut ports = spec.links.iter().flat_map(|link| &link.channels);
    let is_strict = ports.any(|port| port.scheduler.is_strict());
    match urgent.count() {
        count @ 1.. if is_strict => Some(format!(
            "{} of a class above {}, and the highest class goes first here",
            others(count, "is", "are"),
            own.class
        )),
        _ => None,
    }
}

/// The port on its way that was stopped most, or that waited for credit, for half of the time at
/// least.
fn stopped(run: &Frames<'_>, found: &FlowOutcome, own: &FlowSpec) -> Option<String> {
    let class = usize::from(own.class);
    let share = |channel: &u32| {
        let port = run.outcome.channels.get(*channel as usize)?;
        Some(port.by_class.queues.get(class)?.stopped_share)
    };
    let ports = found.path.iter().filter_map(|id| Some((*id, share(id)?)));
    let (id, share) = ports.max_by(|one, other| one.1.total_cmp(&other.1))?;
    if share < 0.5 {
        return None;
    }
    let port = names::channel_spec(run.network, id)?;
    let credit = port.credits.get(class).copied().flatten();
    let what = match credit {
        Some(credit) => format!("waited for credit ({})", in_words(&credit)),
        None => "was stopped by flow control".into(),
    };
    Some(format!(
        "{} {what} {} of the time",
        run.port(id),
        percent(share)
    ))
}
