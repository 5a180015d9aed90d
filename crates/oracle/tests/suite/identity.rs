//! What must not change a run: the credit rule (without loss), the probe, how the run is cut.

use crate::common;

use backwater_kernel::{Purpose, Rings, Stream, Time};
use backwater_net::probe::{Audit, Crossing, Probe, Recorder, TraceProbe, UnitKind};
use backwater_net::spec::*;
use backwater_net::{Simulation, watched};
use common::*;

/// Every start of data: when, where, which.
#[derive(Default, PartialEq, Debug)]
struct DataStarts(Vec<(u64, u32, u64)>);

impl Probe for DataStarts {
    fn on_start(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Data {
            let when = crossing.at.ps();
            self.0.push((when, crossing.leg, crossing.value));
        }
    }
}

fn data_starts(spec: &NetworkSpec) -> DataStarts {
    watched(spec, DataStarts::default())
        .expect("a sound network")
        .0
}

const COUNTS: [CreditRule; 3] = [
    CreditRule::N23,
    CreditRule::Relative,
    CreditRule::Cumulative,
];

#[test]
fn without_loss_absolute_relative_and_cumulative_credit_start_the_same_units() {
    let mut total = 0;
    for seed in 0..NETWORKS {
        let [absolute, relative, cumulative] =
            COUNTS.map(|rule| data_starts(&under(loaded(seed), rule)));
        assert_eq!(absolute, relative, "seed {seed}");
        assert_eq!(absolute, cumulative, "seed {seed}");
        total += absolute.0.len();
    }
    assert!(total > 50_000, "only {total} starts");
}

#[test]
fn with_loss_they_part() {
    let [relative, cumulative] = [CreditRule::Relative, CreditRule::Cumulative].map(|rule| {
        let lossy = |seed, rule| with_errors(under(loaded(seed), rule), control_loss(0.3));
        let parts = |seed: &u64| {
            data_starts(&lossy(*seed, CreditRule::N23)) != data_starts(&lossy(*seed, rule))
        };
        (0..NETWORKS).filter(parts).count()
    });
    assert!(relative > 100, "relative: only {relative}");
    // Cumulative credit is as absolute as N23: what a credit cell allows is the same.
    assert_eq!(cumulative, 0);
}

fn plain(spec: &NetworkSpec) -> u64 {
    let mut simulation = Simulation::<Rings>::new(spec).expect("a sound network");
    simulation.run();
    simulation.outcome().trace_hash
}

fn hash<P: Probe>(spec: &NetworkSpec, probe: P) -> u64 {
    watched(spec, probe).expect("a sound network").1.trace_hash
}

/// Everything random at once.
fn eventful(seed: u64) -> NetworkSpec {
    let errors = ErrorSpec {
        data_loss: 0.01,
        control_loss: 0.1,
        control_corruption: 0.01,
        from: Time(50 * CELL_PS),
    };
    let rule = RULES[seed as usize % RULES.len()];
    let mut spec = with_requests(with_errors(under(loaded(seed), rule), errors));
    spec.warm_up = Time(spec.stop_at.ps() / 3);
    spec
}

fn series(spec: &NetworkSpec) -> Vec<SeriesSpec> {
    let measures = [Measure::Fill, Measure::Credit, Measure::Throughput];
    let flow = &spec.flows[0];
    measures
        .into_iter()
        .map(|measure| SeriesSpec {
            name: "looking on".into(),
            measure,
            of: Subject::leg(Some(0), flow.legs[0].channel),
            window: (measure == Measure::Throughput).then_some(cells(25)),
            from: Time::ZERO,
            until: spec.stop_at,
        })
        .collect()
}

#[test]
fn probes_change_nothing() {
    for seed in 0..NETWORKS {
        let spec = eventful(seed);
        let alone = plain(&spec);
        assert_eq!(alone, hash(&spec, Audit::new(&spec)), "audit, seed {seed}");
        assert_eq!(alone, hash(&spec, TraceProbe::default()), "trace, {seed}");
        let recorder = Recorder::new(&series(&spec));
        assert_eq!(alone, hash(&spec, recorder), "recorder, seed {seed}");
        let all = (
            Audit::new(&spec),
            (Observer::new(&spec), TraceProbe::default()),
        );
        assert_eq!(alone, hash(&spec, all), "all, seed {seed}");
    }
}

/// The whole outcome as text: every count, every statistic.
fn in_slices(spec: &NetworkSpec, ends: impl Iterator<Item = Time>) -> String {
    let mut simulation = Simulation::<Rings>::new(spec).expect("a sound network");
    for end in ends {
        simulation.run_until(end);
    }
    simulation.run();
    format!("{:?}", simulation.outcome())
}

#[test]
fn slices_change_nothing() {
    for seed in 0..NETWORKS {
        let spec = eventful(seed);
        let whole = in_slices(&spec, std::iter::empty());
        let mut dice = Stream::new(seed, 0, Purpose::Routing);
        let mut now = 0;
        let random = std::iter::from_fn(|| {
            now += dice.below(40 * CELL_PS);
            (now < spec.stop_at.ps()).then_some(Time(now))
        });
        assert_eq!(whole, in_slices(&spec, random), "random, seed {seed}");
        let every_cell = (0..spec.stop_at.ps() / CELL_PS).map(|cell| Time(cell * CELL_PS));
        assert_eq!(whole, in_slices(&spec, every_cell), "cells, seed {seed}");
    }
}

/// Another seed is another run, where something is random.
#[test]
fn another_seed_changes_the_run() {
    let differs = |seed: &u64| {
        let spec = eventful(*seed);
        let mut other = spec.clone();
        other.seed += 1_000_000;
        hash(&spec, ()) != hash(&other, ())
    };
    let count = (0..NETWORKS).filter(differs).count();
    assert!(count > 180, "only {count}");
}
