//! What a sweep measures of runs in flits.
//!
//! The engine itself says whether the load is beyond saturation; a deadlock counts as that too.
//! A network beyond saturation never drains. So where the window has shown that it is, and flits
//! still move, the run ends one cycle later: it is the run with `run.drain = 1`. All others are
//! drained, since only that tells whether some packets wait for ever.

use std::borrow::Cow;

use backwater_flit::Simulation;
use backwater_flit::meter::Phase;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::Stop;
use backwater_results::fabric::zero_load;
use backwater_results::sweep::{FlowColumn, Measure, Role};
use backwater_results::{FabricFindings, number};

use super::super::values::{chosen, flag, measures};
use super::super::{Pace, Point, must_stop, pace};
use super::FIRST_SLICE;

/// Of loads.
const LOAD: &str = "flits/cycle/terminal";

measures! { seen: &FabricFindings<'_> =>
    "offered", LOAD, Offered, 4, "flits of packets created in the window",
        of_window(seen, seen.outcome.offered);
    "accepted", LOAD, Accepted, 4, "flits delivered in the window",
        of_window(seen, seen.outcome.accepted);
    "accepted min", LOAD, Other, 4,
        "flits delivered in the window to the terminal that received the fewest",
        of_window(seen, seen.outcome.accepted_least);
    "latency mean", "cycles", Latency, 2,
        "mean from creation to the arrival of the tail, of packets created in the window; those \
         unfinished count with their age",
        of_packets(seen, seen.outcome.latency.mean);
    "latency at zero load", "cycles", ZeroLoad, 2,
        "mean of the same packets, each on its path as if it were alone",
        zero_load(seen).unwrap_or(f64::NAN);
    "latency p50", "cycles", Took, 0, "half take no longer",
        told(seen, 0);
    "latency p99", "cycles", Took, 0, "99th percentile",
        told(seen, 2);
    "network latency mean", "cycles", Other, 2,
        "mean from the header's departure from the source to the arrival of the tail",
        of_packets(seen, seen.outcome.network_latency.mean);
    "channels crossed mean", "hops", Other, 3,
        "mean of packets created in the window, injection and ejection included",
        of_packets(seen, seen.outcome.hops_mean);
    "unfinished", "packets", Unfinished, 0,
        "created in the window and not arrived when the run ended",
        seen.outcome.unfinished as f64;
    "warm-up", "cycles", Other, 0, "before the window",
        seen.outcome.window_start as f64;
    "cycles", "cycles", Other, 0, "of the whole run",
        seen.outcome.cycles as f64;
    "flit hops", "flits", Other, 0, "flits that crossed a channel, in the whole run",
        seen.outcome.flit_hops as f64;
    "saturated", "", Saturated, 0,
        "1 if the load is beyond saturation or the network deadlocked, else 0",
        flag(seen.outcome.saturated.is_some() || seen.outcome.stop == Stop::Standstill);
    "deadlocked", "", Standstill, 0, "1 if nothing could move any more, else 0",
        flag(seen.outcome.stop == Stop::Standstill);
    "broken promises", "", Broken, 0, "of the whole run",
        seen.outcome.violations.total() as f64;
}

/// Runs the scenario to its end, or to that of its window if this is enough; `None` if Ctrl-C
/// came first.
pub fn measure(spec: &FabricSpec, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
    let mut engine = Simulation::new(spec).map_err(|error| error.to_string())?;
    engine.pause_if(pace::is_late);
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
    let run = FabricFindings::new(spec, engine.outcome());
    let mut values = values(&run);
    values.extend(chosen(columns, |class| run.class_tables(class)));
    Point {
        values,
        trace_hash: number::hash(run.outcome.trace_hash),
    }
}

fn of_window(seen: &FabricFindings<'_>, value: f64) -> f64 {
    if seen.outcome.window > 0 {
        value
    } else {
        f64::NAN
    }
}

/// A percentile; not a number where more than the share above it is unfinished.
fn told(seen: &FabricFindings<'_>, at: usize) -> f64 {
    let value = seen.outcome.latency.told()[at];
    of_packets(seen, value.map_or(f64::NAN, |cycles| cycles as f64))
}

fn of_packets(seen: &FabricFindings<'_>, value: f64) -> f64 {
    if seen.outcome.latency.count > 0 {
        value
    } else {
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::super::team::tests::mesh;
    use super::*;

    #[test]
    fn a_value_for_each_measure() {
        let spec = mesh();
        let mut run = FabricFindings::new(&spec, Default::default());
        run.outcome.stop = Stop::Standstill;
        let values = values(&run);
        assert_eq!(values.len(), MEASURES.len());
        let value = |name: &str| values[MEASURES.iter().position(|m| m.name == name).unwrap()];
        assert_eq!(value("deadlocked"), 1.0);
        assert_eq!(value("saturated"), 1.0, "what stands still carries nothing");
        assert!(value("accepted").is_nan() && value("latency mean").is_nan());
        assert!(value("latency at zero load").is_nan());
    }
}
