//! When sources offer units.

use backwater_kernel::{Duration, Purpose, Stream, Time};
use backwater_net::spec::{NetworkSpec, Span, TrafficSpec};

use crate::clock::later;
use crate::network::CircuitFlow;

/// The first instant at or after `from` at which something happens at the source. For greedy
/// sources that is only their start.
pub(crate) fn next_at_or_after(flow: &CircuitFlow, from: Time) -> Option<Time> {
    match flow.traffic {
        TrafficSpec::Poisson { .. } => flow.drawn.iter().copied().find(|at| *at >= from),
        TrafficSpec::Greedy { start, .. } => (start >= from).then_some(start),
        TrafficSpec::Constant {
            start,
            interval,
            random_phase: false,
            total,
        } => {
            let (index, at) = first_of_row(start, interval, from);
            total.is_none_or(|total| index < total).then_some(at)
        }
        TrafficSpec::OnOff {
            start,
            on: Span::Fixed(on),
            off: Span::Fixed(off),
            on_interval,
            off_interval,
        } => {
            let cycle = Duration(on.ps() + off.ps());
            let gone = from.since(start).ps() / cycle.ps();
            [gone, gone + 1]
                .into_iter()
                .flat_map(|number| {
                    let burst = later(start, Duration(cycle.ps().saturating_mul(number)));
                    let pause = later(burst, on);
                    let quiet = off_interval.and_then(|gap| first_within(pause, off, gap, from));
                    [first_within(burst, on, on_interval, from), quiet]
                })
                .flatten()
                .min()
        }
        _ => None,
    }
}

/// When a Poisson source offers units, up to the end of the run: after each gap, the least one
/// plus an exponential one.
pub(crate) fn draw(network: &NetworkSpec, flow: u64, traffic: &TrafficSpec) -> Vec<Time> {
    let TrafficSpec::Poisson {
        start,
        mean_interval,
        min_interval,
        total,
    } = *traffic
    else {
        return Vec::new();
    };
    let beyond = Duration(mean_interval.ps() - min_interval.ps());
    let mut stream = Stream::new(network.seed, flow, Purpose::Traffic);
    let mut times = Vec::new();
    let mut at = start;
    while total.is_none_or(|total| (times.len() as u64) < total) {
        at = later(at, min_interval);
        at = later(at, stream.exponential(beyond));
        if at > network.stop_at {
            break;
        }
        times.push(at);
    }
    times
}

/// The first of `start`, `start + interval`, ... at or after `from`, and its index.
fn first_of_row(start: Time, interval: Duration, from: Time) -> (u64, Time) {
    let index = from.since(start).ps().div_ceil(interval.ps());
    (
        index,
        later(start, Duration(interval.ps().saturating_mul(index))),
    )
}

fn first_within(start: Time, length: Duration, interval: Duration, from: Time) -> Option<Time> {
    let (_, at) = first_of_row(start, interval, from);
    (at < later(start, length)).then_some(at)
}
