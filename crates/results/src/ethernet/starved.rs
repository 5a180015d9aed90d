//! Flows of frames that got next to nothing, and what stood in their way.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::{
    ClassCreditRule, ClassCreditSpec, EthernetSpec, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES,
    FlowSpec, SchedulerSpec, Span, TCP_IP_BYTES, TrafficSpec, TransportSpec, UDP_IP_BYTES,
    WIRE_OVERHEAD_BYTES, wire_bytes,
};
use backwater_net::outcome::FlowOutcome;

use super::Frames;
use crate::events::names;
use crate::events::starved::{Endless, Limited, Starving, window};
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

/// The credit of a link on its way, where no more than that came through in its loop. A frame
/// takes whole units.
fn credit_of(run: &Frames<'_>, flow: usize, own: &FlowSpec) -> Option<Limited> {
    let seen = &run.outcome.flows[flow];
    let got = seen.ends.goodput_bytes as f64 * 8.0 / run.seconds();
    let (payload, packet) = match &own.transport {
        TransportSpec::Udp { payload_bytes, .. } => (*payload_bytes, UDP_IP_BYTES),
        TransportSpec::Tcp(tcp) => (tcp.mss_bytes, TCP_IP_BYTES),
    };
    let frame = (payload + packet + FRAME_OVERHEAD_BYTES).max(FRAME_LEAST_BYTES);
    let on_wire = u64::from(frame + WIRE_OVERHEAD_BYTES);
    let of_links = seen.path.iter().filter_map(|id| {
        let port = names::channel_spec(run.network, *id)?;
        let back = names::channel_spec(run.network, *id ^ 1)?;
        let credit = port
            .credits
            .get(usize::from(own.class))
            .copied()
            .flatten()?;
        let frames = sendable(&credit) / credit.cost(frame.into());
        let message = port
            .counters
            .map_or(FRAME_LEAST_BYTES, |own| own.update.bytes);
        let credit_frame = u64::from(wire_bytes(message));
        let round = port.rate.serialization(on_wire) + port.delay + back.delay;
        let round = round + back.rate.serialization(credit_frame);
        let what = format!("credit on {} ({})", run.port(*id), in_words(&credit));
        let bits = 8.0 * f64::from(frames) * f64::from(payload);
        window(&what, bits, round.ps() as f64, got)
    });
    of_links.min_by(|one, other| one.allowed.total_cmp(&other.allowed))
}

/// Units that a sender may have under way.
fn sendable(credit: &ClassCreditSpec) -> u32 {
    match &credit.rule {
        ClassCreditRule::Zones(rule) => rule.n2.saturating_add(rule.n3),
        ClassCreditRule::Counters(lane) => lane.limit_units,
    }
}

fn in_words(credit: &ClassCreditSpec) -> String {
    let what = match &credit.rule {
        ClassCreditRule::Zones(_) => "N2 + N3 = ",
        ClassCreditRule::Counters(_) => "a limit of ",
    };
    format!(
        "{what}{} units of {} B",
        sendable(credit),
        credit.unit_bytes
    )
}

/// Flows of higher classes, where those go first.
fn before(spec: &EthernetSpec, own: &FlowSpec) -> Option<String> {
    let urgent = spec.flows.iter().filter(|other| other.class > own.class);
    let mut ports = spec.links.iter().flat_map(|link| &link.channels);
    let is_strict = ports.any(|port| port.scheduler == SchedulerSpec::StrictPriority);
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
