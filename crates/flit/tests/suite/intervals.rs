//! Intervals of one run hold the long-run mean as often as they say, also close to saturation,
//! where queues swing for thousands of cycles.

use crate::common;

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::*;
use backwater_flit::topology;
use backwater_kernel::stats::interval_of_means;
use common::*;

/// Of several runs: how many give an interval, and how many of these hold the mean.
#[derive(Debug)]
struct Coverage {
    given: usize,
    hits: usize,
}

impl Coverage {
    fn of(
        found: &[FabricOutcome],
        mean: f64,
        seen: impl Fn(&FabricOutcome) -> Option<(f64, f64)>,
    ) -> Coverage {
        let all = found.iter().filter_map(seen);
        let all: Vec<(f64, f64)> = all.collect();
        let hit = |(seen, half_width): &&(f64, f64)| (seen - mean).abs() <= *half_width;
        Coverage {
            given: all.len(),
            hits: all.iter().filter(hit).count(),
        }
    }

    fn missed(&self) -> usize {
        self.given - self.hits
    }
}

/// A 4 x 4 mesh that saturates at a load of 0.79.
fn mesh(load: f64, window: u64) -> FabricSpec {
    let graph = topology::mesh(&[4, 4], 1, 1).expect("a mesh");
    let traffic = class(Injection::Bernoulli { load }, 4);
    let mut spec = spec(graph, RoutingSpec::DimensionOrder, vec![traffic]);
    spec.router.depth = 8;
    spec.sources = Sources::Shared;
    spec.measure.warm_up = WarmUp::Cycles(2_000);
    spec.measure.window = window;
    spec.measure.drain = 100_000;
    spec
}

fn latency(run: &FabricOutcome) -> Option<(f64, f64)> {
    Some((run.latency.mean, run.latency.half_width?))
}

fn accepted(run: &FabricOutcome) -> Option<(f64, f64)> {
    Some((run.accepted, run.accepted_half_width?))
}

/// From the stretches of the run, as if they were independent.
fn untested(run: &FabricOutcome) -> Option<(f64, f64)> {
    let course = run
        .course
        .iter()
        .filter(|point| point.cycle >= 2_000 && point.latency > 0.0);
    let means: Vec<f64> = course.map(|point| point.latency).collect();
    interval_of_means(&means)
}

#[test]
fn intervals_cover_what_they_say() {
    const RUNS: u64 = 40;
    // Far from saturation most runs of some length give an interval, close to it hardly any.
    for (load, window, least) in [(0.4, 5_000, 20), (0.7, 2_000, 0), (0.74, 5_000, 0)] {
        let long = runs(&mesh(load, 100_000), 3);
        let (mean, _) = mean(long.iter().map(|run| run.latency.mean));
        let found = runs(&mesh(load, window), RUNS);
        let of_latency = Coverage::of(&found, mean, latency);
        let of_accepted = Coverage::of(&found, load, accepted);
        let what = format!("load {load}, {window} cycles: {of_latency:?}, {of_accepted:?}");
        // 95 % of 40 runs miss two at most, but for chance.
        assert!(
            of_latency.missed() <= 4 && of_accepted.missed() <= 5,
            "{what}"
        );
        assert!(
            of_latency.given >= least && of_accepted.given >= 10,
            "{what}"
        );
        // Negative control.
        let untested = Coverage::of(&found, mean, untested);
        if least == 0 {
            assert!(untested.missed() > 12, "{what}, {untested:?}");
        }
    }
}
