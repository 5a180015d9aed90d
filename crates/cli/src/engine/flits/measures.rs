//! What a sweep measures of runs in flits.
//!
//! The engine itself says whether the load is beyond saturation; a deadlock counts as that too.
//! A network beyond saturation never drains. So where the window has shown that it is, and flits
//! still move, the run ends one cycle later: it is the run with `run.drain = 1`. All others are
//! drained, since only that tells whether some packets wait for ever.

use backwater_flit::Simulation;
use backwater_flit::meter::Phase;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::Stop;
use backwater_results::fabric::class_tables;
use backwater_results::sweep::{FlowColumn, Measure, Role};

use super::super::values::{chosen, flag, number};
use super::super::{Pace, Point, must_stop};
use super::FIRST_SLICE;

/// Of loads.
const LOAD: &str = "flits/cycle/terminal";

/// In the order of the values of a point.
pub const MEASURES: &[Measure] = &[
    number(
        "offered",
        LOAD,
        "flits of packets created in the window",
        Role::Offered,
        4,
    ),
    number(
        "accepted",
        LOAD,
        "flits delivered in the window",
        Role::Accepted,
        4,
    ),
    number(
        "accepted min",
        LOAD,
        "flits delivered in the window to the terminal that received the fewest",
        Role::Other,
        4,
    ),
    number(
        "latency mean",
        "cycles",
        "mean from creation to the arrival of the tail, of packets created in the window",
        Role::Latency,
        2,
    ),
    number(
        "latency p50",
        "cycles",
        "half take no longer",
        Role::Other,
        0,
    ),
    number("latency p99", "cycles", "99th percentile", Role::Other, 0),
    number(
        "network latency mean",
        "cycles",
        "mean from the header's departure from the source to the arrival of the tail",
        Role::Other,
        2,
    ),
    number(
        "channels crossed mean",
        "hops",
        "mean of packets created in the window, injection and ejection included",
        Role::Other,
        3,
    ),
    number(
        "unfinished",
        "packets",
        "created in the window and not arrived when the run ended",
        Role::Other,
        0,
    ),
    number("warm-up", "cycles", "before the window", Role::Other, 0),
    number("cycles", "cycles", "of the whole run", Role::Other, 0),
    number(
        "flit hops",
        "flits",
        "flits that crossed a channel, in the whole run",
        Role::Other,
        0,
    ),
    number(
        "saturated",
        "",
        "1 if the load is beyond saturation or the network deadlocked, else 0",
        Role::Saturated,
        0,
    ),
    number(
        "deadlocked",
        "",
        "1 if nothing could move any more, else 0",
        Role::Other,
        0,
    ),
    number("broken promises", "", "of the whole run", Role::Broken, 0),
];

/// Runs the scenario to its end, or to that of its window if this is enough; `None` if Ctrl-C
/// came first.
pub fn measure(spec: &FabricSpec, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
    let mut engine = Simulation::new(spec).map_err(|error| error.to_string())?;
    let mut pace = Pace::new(FIRST_SLICE);
    let mut window_end = None;
    let mut more = true;
    while more && !must_stop((0, 0)) {
        if window_end.is_none() && engine.phase() == Phase::Measuring {
            let start = engine.outcome().window_start;
            window_end = Some(start.saturating_add(spec.measure.window));
        }
        if window_end == Some(engine.cycle()) {
            let before = engine.flit_hops();
            more = engine.run_until(engine.cycle().saturating_add(1));
            let moves = engine.flit_hops() > before;
            if more && moves && engine.outcome().saturated.is_some() {
                return Ok(Some(point(spec, &engine, columns)));
            }
        }
        // Never beyond the end of the window, also where it is not known yet.
        let most = match window_end {
            None => spec.measure.window.max(1),
            Some(end) if engine.cycle() < end => end - engine.cycle(),
            Some(_) => u64::MAX,
        };
        more = pace.cycles(most, |slice| {
            engine.run_until(engine.cycle().saturating_add(slice))
        });
    }
    Ok((!more).then(|| point(spec, &engine, columns)))
}

fn point(spec: &FabricSpec, engine: &Simulation, columns: &[FlowColumn]) -> Point {
    let outcome = engine.outcome();
    let mut values = values(&outcome);
    values.extend(chosen(columns, |class| class_tables(spec, &outcome, class)));
    Point {
        values,
        trace_hash: format!("{:016x}", outcome.trace_hash),
    }
}

/// In the order of [`MEASURES`].
fn values(outcome: &FabricOutcome) -> Vec<f64> {
    let measured = |is_there: bool, value: f64| if is_there { value } else { f64::NAN };
    let load = |value: f64| measured(outcome.window > 0, value);
    let packets = |value: f64| measured(outcome.latency.count > 0, value);
    let deadlocked = outcome.stop == Stop::Standstill;
    vec![
        load(outcome.offered),
        load(outcome.accepted),
        load(outcome.accepted_least),
        packets(outcome.latency.mean),
        packets(outcome.latency.percentiles[0] as f64),
        packets(outcome.latency.percentiles[2] as f64),
        packets(outcome.network_latency.mean),
        packets(outcome.hops_mean),
        outcome.unfinished as f64,
        outcome.window_start as f64,
        outcome.cycles as f64,
        outcome.flit_hops as f64,
        flag(outcome.saturated.is_some() || deadlocked),
        flag(deadlocked),
        outcome.violations.total() as f64,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_for_each_measure() {
        let values = values(&FabricOutcome {
            stop: Stop::Standstill,
            ..FabricOutcome::default()
        });
        assert_eq!(values.len(), MEASURES.len());
        let value = |name: &str| values[MEASURES.iter().position(|m| m.name == name).unwrap()];
        assert_eq!(value("deadlocked"), 1.0);
        assert_eq!(value("saturated"), 1.0, "what stands still carries nothing");
        assert!(value("accepted").is_nan() && value("latency mean").is_nan());
    }
}
