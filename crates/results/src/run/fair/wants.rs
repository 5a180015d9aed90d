//! What flows want, by their traffic.

use backwater_kernel::Duration;
use backwater_net::alone;
use backwater_net::outcome::SessionAnswer;
use backwater_net::spec::{
    CellApplication, EnvelopeRule, EnvelopeSpec, FlowSpec, SinkSpec, Span, TrafficSpec,
};

use super::super::Circuits;
use super::super::loads::has_ended;

/// What a flow wants, in bps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Want {
    /// All it can get.
    All,
    /// So much data; RM cells come on top.
    Data(f64),
    /// So much on the wire, RM cells included.
    Wire(f64),
    /// Its partner's answers decide; others see what it was measured to take.
    Closed(&'static str),
    /// Nothing of its own.
    Nothing,
}

/// Mean bits of a data unit on the wire.
pub(super) fn unit_bits(flow: &FlowSpec) -> f64 {
    let shares: f64 = flow.sizes.iter().map(|size| size.share).sum();
    let bytes = match shares > 0.0 {
        true => {
            let sizes = flow.sizes.iter();
            sizes
                .map(|size| f64::from(size.bytes) * size.share)
                .sum::<f64>()
                / shares
        }
        false => f64::from(flow.unit_bytes),
    };
    (bytes * 8.0).max(1.0)
}

fn span_seconds(span: Span) -> f64 {
    match span {
        Span::Fixed(length) | Span::Uniform(length) | Span::Exponential(length) => length.seconds(),
    }
}

/// `units` in `seconds`; no limit where there is no time.
fn pace(units: f64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        units / seconds
    } else {
        f64::INFINITY
    }
}

pub(super) fn want(run: &Circuits<'_>, flow: usize) -> Want {
    let flow_spec = &run.network.flows[flow];
    let session = run.outcome.flows.get(flow).and_then(|found| found.session);
    if session.is_some_and(|found| matches!(found.answer, SessionAnswer::Refused { .. })) {
        return Want::Closed("refused");
    }
    if has_ended(run, flow) {
        return Want::Closed("finite, or expires");
    }
    let bits = unit_bits(flow_spec);
    let data = |units_per_second: f64| Want::Data(bits * units_per_second);
    let want = match &flow_spec.traffic {
        TrafficSpec::Silent => Want::Nothing,
        TrafficSpec::Greedy { .. } => Want::All,
        TrafficSpec::Bottlenecked { limits, .. } => {
            let mut past = limits
                .iter()
                .filter(|limit| limit.from < run.outcome.ended_at);
            match past.next_back().and_then(|limit| limit.rate) {
                Some(rate) => Want::Wire(rate.0 as f64),
                None => Want::All,
            }
        }
        TrafficSpec::Constant { interval, .. } => data(pace(1.0, interval.seconds())),
        TrafficSpec::Poisson { mean_interval, .. } => data(pace(1.0, mean_interval.seconds())),
        TrafficSpec::Trains {
            mean_units,
            gap,
            mean_pause,
            ..
        } => data(pace(
            1.0,
            gap.seconds() + mean_pause.seconds() / mean_units.max(1.0),
        )),
        TrafficSpec::OnOff {
            on,
            off,
            on_interval,
            off_interval,
            ..
        } => {
            let per_second = |gap: Duration| pace(1.0, gap.seconds());
            let (on, off) = (span_seconds(*on), span_seconds(*off));
            let slow = off_interval.map_or(0.0, per_second);
            data(pace(on * per_second(*on_interval) + off * slow, on + off))
        }
        TrafficSpec::Tcp(tcp) => match tcp.application {
            CellApplication::Bulk(_) => Want::All,
            CellApplication::Requests { .. } => Want::Closed("closed loop"),
        },
        TrafficSpec::Client(_) | TrafficSpec::Requests(_) => Want::Closed("closed loop"),
        TrafficSpec::Server | TrafficSpec::TcpBack => Want::Closed("answers"),
        TrafficSpec::Outside(_) => Want::Closed("outside"),
    };
    let want = limited(flow_spec, bits, want);
    match (want, window(run, flow)) {
        (Want::All, most) if most.is_finite() => Want::Data(most),
        (Want::Data(rate), most) => Want::Data(rate.min(most)),
        _ => want,
    }
}

/// The most that the window of a flow lets through, bps of data.
fn window(run: &Circuits<'_>, flow: usize) -> f64 {
    let found = alone::window(run.network, flow as u32);
    found.map_or(f64::INFINITY, |(units, trip)| {
        pace(units as f64, trip.seconds()) * unit_bits(&run.network.flows[flow])
    })
}

/// Its window, not its source, decides what it wants.
pub(super) fn is_by_window(run: &Circuits<'_>, flow: usize) -> bool {
    matches!(want(run, flow), Want::Data(rate) if rate >= window(run, flow))
}

/// No more than the sink takes and envelope and policer let through.
fn limited(own: &FlowSpec, bits: f64, want: Want) -> Want {
    let envelope = |envelope: &EnvelopeSpec| match envelope.rule {
        EnvelopeRule::FixedWindow {
            units, interval, ..
        }
        | EnvelopeRule::SlidingWindow { units, interval } => {
            bits * pace(f64::from(units), interval.seconds())
        }
        EnvelopeRule::Bucket { rate, .. } => rate.0 as f64,
    };
    let sink = match own.sink {
        SinkSpec::Infinite => f64::INFINITY,
        SinkSpec::Limited { interval } => bits * pace(1.0, interval.seconds()),
        SinkSpec::Stalling {
            interval,
            run,
            stall,
        } => {
            let (run, stall) = (span_seconds(run), span_seconds(stall));
            bits * pace(1.0, interval.seconds()) * run / (run + stall).max(1e-12)
        }
    };
    let held = [own.envelope.as_ref(), own.policer.as_ref()]
        .into_iter()
        .flatten();
    let most = held.map(envelope).fold(sink, f64::min);
    match want {
        Want::All if most.is_finite() => Want::Data(most),
        Want::Data(rate) => Want::Data(rate.min(most)),
        want => want,
    }
}

/// A limit of its source changed while rates were measured.
pub(super) fn limit_changes(run: &Circuits<'_>, flow: usize) -> bool {
    let TrafficSpec::Bottlenecked { limits, .. } = &run.network.flows[flow].traffic else {
        return false;
    };
    let mut changes = limits.iter().map(|limit| limit.from);
    changes.any(|from| from > run.network.warm_up && from < run.outcome.ended_at)
}
