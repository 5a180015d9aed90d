//! Circuits that got next to nothing, and what stood in their way.

use backwater_kernel::words::counted;
use backwater_net::outcome::SessionAnswer;
use backwater_net::spec::{
    CellApplication, FlowControlSpec, FlowSpec, NetworkSpec, SourceControlSpec, TrafficSpec,
};

use super::Circuits;
use crate::events::starved::{Endless, Limited, MOSTLY, Starving, is_busy, missing, window};
use crate::events::{Fairness, names};
use crate::number::rate;

impl Starving for NetworkSpec {
    /// A flow that takes all that it gets, without end. What a session holds back is not starved;
    /// a peak rate is in the share.
    fn endless(&self, flow: u32) -> Option<Endless> {
        let flow = self.flows.get(flow as usize)?;
        if flow.session.is_some() {
            return None;
        }
        let start = match &flow.traffic {
            TrafficSpec::Greedy { start, total: None } => *start,
            TrafficSpec::Tcp(tcp) if tcp.application == CellApplication::Bulk(None) => tcp.start,
            _ => return None,
        };
        Some(Endless { start, file: None })
    }

    fn limit(run: &Circuits<'_>, flow: usize) -> Option<Limited> {
        limit(run, flow, run.network.flows.get(flow)?)
    }

    fn held_up(run: &Circuits<'_>, flow: usize, waits: String) -> String {
        if let Some(session) = &run.outcome.flows[flow].session
            && let SessionAnswer::Refused { .. } = session.answer
        {
            return "its set-up was refused".into();
        }
        let flow_spec = run.network.flows.get(flow);
        if let Some(before) = flow_spec.and_then(|flow_spec| before(run.network, flow_spec)) {
            return before;
        }
        if let Some(limit) = Self::limit(run, flow) {
            return limit.words;
        }
        // What an ABR source may not send does not wait in the network.
        run.outcome.flows[flow].abr.as_ref().map_or(waits, |abr| {
            format!("its mean allowed rate was {}", rate(abr.acr_mean_bps))
        })
    }
}

/// A window from end to end, where no more than that came through in a round trip; or the credit
/// of a link on its way, where it was missing.
fn limit(run: &Circuits<'_>, flow: usize, own: &FlowSpec) -> Option<Limited> {
    let got = *NetworkSpec::rates(run).get(flow)?;
    let unit_bits = f64::from(own.unit_bytes) * 8.0;
    let round_trip_ps = 2.0 * run.outcome.flows[flow].delay.min as f64;
    let units = |units: u32, bits: f64, ps: f64, what: &str| {
        let what = format!("{what} of {}", counted(units, "cell"));
        window(&what, f64::from(units) * bits, ps, got)
    };
    let from_end_to_end = match (&own.source_control, &own.traffic) {
        (SourceControlSpec::Window { units: most }, _) => {
            units(*most, unit_bits, round_trip_ps, "its window")
        }
        (SourceControlSpec::Aimd { maximum_units, .. }, _) => units(
            *maximum_units,
            unit_bits,
            round_trip_ps,
            "its largest window",
        ),
        (_, TrafficSpec::Tcp(tcp)) => {
            let bytes = tcp.tcp.window_bytes;
            let what = format!("its window of {}", counted(bytes, "byte"));
            window(&what, f64::from(bytes) * 8.0, round_trip_ps, got)
        }
        _ => None,
    };
    from_end_to_end.or_else(|| credit_of(run, flow, own, got))
}

/// The last link on its way where it waited for credit alone for most of the time. Where a port
/// behind was busy meanwhile, or a buffer full at a destination, that is what binds.
fn credit_of(run: &Circuits<'_>, flow: usize, spec: &FlowSpec, got: f64) -> Option<Limited> {
    let all = &run.outcome.legs;
    let first = all.partition_point(|leg| (leg.flow as usize) < flow);
    let legs = (0_u32..).zip(spec.legs.iter().zip(&all[first..]));
    let legs = legs.map(|(at, (leg, measured))| (at, leg, measured, run.part(measured.blocked)));
    let blocked = legs.filter(|(.., share)| *share >= MOSTLY);
    let (at, leg, measured, share) = blocked.last()?;
    let FlowControlSpec::Credit(credit) = leg.flow_control else {
        return None;
    };
    let zones = credit.n2.saturating_add(credit.n3);
    let mut behind = spec
        .legs
        .iter()
        .filter(|leg| leg.parent == Some(at))
        .peekable();
    let is_held = match behind.peek() {
        None => 2.0 * measured.fill_mean >= f64::from(zones),
        Some(_) => behind.any(|leg| is_busy(run, leg.channel)),
    };
    let what = counted(zones, "cell");
    (!is_held).then(|| missing(&run.port(leg.channel), &what, share, got))
}

/// Who is served before it where it passes.
fn before(spec: &NetworkSpec, own: &FlowSpec) -> Option<String> {
    let by_priority = |channel: u32| {
        let port = names::channel_spec(spec, channel);
        port.is_some_and(|port| !port.scheduler.ignores_priority())
    };
    let mut channels: Vec<u32> = own.legs.iter().map(|leg| leg.channel).collect();
    channels.retain(|channel| by_priority(*channel));
    channels.sort_unstable();
    let shares = |other: &&FlowSpec| {
        let mut legs = other.legs.iter();
        legs.any(|leg| channels.binary_search(&leg.channel).is_ok())
    };
    let flows = spec.flows.iter();
    let others = flows.filter(|other| other.priority > own.priority);
    let priorities: Vec<u8> = others.filter(shares).map(|other| other.priority).collect();
    let (least, most) = (priorities.iter().min()?, priorities.iter().max()?);
    let which = match least == most {
        true => format!("of priority {least}"),
        false => format!("of priorities {least} to {most}"),
    };
    let several = crate::starved::others(priorities.len(), &which, &which);
    Some(format!(
        "ports serve {several} before it, its own is {}; larger numbers are served first",
        own.priority
    ))
}
