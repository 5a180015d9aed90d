//! The fast engine starts every unit at the same instant as the slow, obvious one.

use crate::common;

use backwater_kernel::{Duration, Heap, Rings, Time};
use backwater_net::Simulation;
use backwater_net::probe::{Crossing, Probe, UnitKind};
use backwater_net::spec::{Bind, CreditSpec, ErrorSpec, FlowControlSpec, NetworkSpec, Overflow};
use backwater_oracle::{Report, Start, exact_loop, first_difference, random_spec};
use common::{CELL_PS, RULES, cells, each_credit, sealed, under};

/// Keeps every start in the oracle's words.
#[derive(Default)]
struct Starts(Vec<Start>);

impl Probe for Starts {
    fn on_start(&mut self, crossing: Crossing) {
        self.0.push(Start {
            at_ps: crossing.at.ps(),
            channel: crossing.channel,
            flow: crossing.flow,
            control: crossing.kind != UnitKind::Data,
            number: crossing.value,
        });
    }
}

fn fast<Q: backwater_kernel::EventQueue>(spec: &NetworkSpec) -> (Vec<Start>, u64) {
    let mut simulation =
        Simulation::<Q, Starts>::with_probe(spec, Starts::default()).expect("a sound network");
    simulation.run();
    let hash = simulation.outcome().trace_hash;
    let mut starts = simulation.into_probe().0;
    starts.sort_by_key(|start| (start.at_ps, start.channel));
    (starts, hash)
}

fn slow(spec: &NetworkSpec) -> Report {
    backwater_oracle::run(spec).expect("the oracle can run it")
}

/// The starts compared; both must be the same.
fn compared(spec: &NetworkSpec, slow: &Report) -> usize {
    let (starts, _) = fast::<Rings>(spec);
    if let Some(difference) = first_difference(&slow.starts, &starts) {
        panic!("seed {}: {difference}", spec.seed);
    }
    starts.len()
}

#[test]
fn the_engine_agrees_with_the_oracle_start_by_start() {
    let specs = (0..400).map(random_spec);
    let total: usize = specs.map(|spec| compared(&spec, &slow(&spec))).sum();
    assert!(total > 100_000, "only {total} starts compared");
}

#[test]
fn they_agree_under_every_rule() {
    for (index, rule) in RULES.into_iter().enumerate() {
        let first = 400 + 100 * index as u64;
        let specs = (first..first + 100).map(|seed| under(random_spec(seed), rule));
        let total: usize = specs.map(|spec| compared(&spec, &slow(&spec))).sum();
        assert!(total > 25_000, "{rule:?}: only {total} starts compared");
    }
}

/// Credit units of `message` bytes on every controlled leg; the windows are those of units of
/// `counted` bytes.
fn with_messages(mut spec: NetworkSpec, message: u32, counted: u32) -> NetworkSpec {
    let links = spec.links.clone();
    for flow in &mut spec.flows {
        for leg in &mut flow.legs {
            if let FlowControlSpec::Credit(credit) = &mut leg.flow_control {
                credit.message_bytes = Some(message);
                credit.window = exact_loop(&links, leg.channel, [flow.unit_bytes, counted]);
            }
        }
    }
    sealed(spec)
}

fn overflows(spec: &NetworkSpec) -> u64 {
    let mut simulation = Simulation::<Rings>::new(spec).expect("a sound network");
    simulation.run();
    simulation.outcome().violations.total()
}

#[test]
fn credit_units_of_their_own_size_agree_and_overflow_nothing() {
    let mut total = 0;
    for seed in 2_000..2_080 {
        let message = [8, 53, 200, 1_500][seed as usize % 4];
        let spec = with_messages(random_spec(seed), message, message);
        assert_eq!(overflows(&spec), 0, "seed {seed}");
        total += compared(&spec, &slow(&spec));
    }
    assert!(total > 15_000, "only {total} starts compared");
}

/// Negative control: a loop that takes the credit unit for a small one is too short.
#[test]
fn loops_that_forget_the_size_of_credit_units_overflow() {
    let wrong = |seed| overflows(&with_messages(random_spec(seed), 1_500, 8)) > 0;
    let found = (2_000..2_080).filter(|seed| wrong(*seed)).count();
    assert!(found > 10, "only {found} of 80 networks overflow");
}

#[test]
fn they_agree_with_redundant_credit_under_every_rule() {
    let mut total = 0;
    for seed in 900..1000 {
        let mut spec = under(random_spec(seed), RULES[seed as usize % RULES.len()]);
        each_credit(&mut spec, |credit| {
            credit.redundant_every = Some(1 + seed as u32 % 5)
        });
        total += compared(&spec, &slow(&spec));
    }
    assert!(total > 25_000, "only {total} starts compared");
}

#[test]
fn they_agree_where_values_are_bound_at_the_trigger() {
    let (mut total, mut late) = (0, 0);
    for seed in 1000..1100 {
        let rule = RULES[seed as usize % RULES.len()];
        let mut spec = under(random_spec(seed), rule);
        let in_time = fast::<Rings>(&spec).1;
        each_credit(&mut spec, |credit| credit.bind = Bind::Trigger);
        for leg in spec.flows.iter_mut().flat_map(|flow| &mut flow.legs) {
            leg.buffer.overflow = backwater_net::spec::Overflow::Keep;
        }
        late += (fast::<Rings>(&spec).1 != in_time) as u32;
        total += compared(&spec, &slow(&spec));
    }
    assert!(total > 25_000, "only {total} starts compared");
    assert!(late > 20, "only {late} values were bound earlier");
}

/// A network whose units get lost, and of which credit is asked for, told unasked and restated.
fn with_errors(seed: u64, errors: ErrorSpec) -> NetworkSpec {
    let mut spec = under(random_spec(seed), RULES[seed as usize % RULES.len()]);
    for link in &mut spec.links {
        (link.channels[0].errors, link.channels[1].errors) = (errors, errors);
    }
    let mut number = seed;
    each_credit(&mut spec, |credit| {
        number += 1;
        let pick = |n: u64| number.is_multiple_of(n);
        credit.request_after = pick(2).then(|| cells(20 + number % 50));
        credit.refresh_every = pick(5).then(|| cells(30 + number % 70));
        credit.resync_every = (!pick(3)).then_some(1 + number as u32 % 9);
    });
    for leg in spec.flows.iter_mut().flat_map(|flow| &mut flow.legs) {
        leg.buffer.overflow = Overflow::Keep;
    }
    spec
}

const LOSSES: ErrorSpec = ErrorSpec {
    data_loss: 0.02,
    control_loss: 0.05,
    control_corruption: 0.0,
    from: Time(40 * CELL_PS),
};

fn with_losses(seed: u64) -> NetworkSpec {
    with_errors(seed, LOSSES)
}

#[test]
fn they_agree_through_losses_and_their_cures() {
    let total: usize = (1100..1400)
        .map(with_losses)
        .map(|spec| compared(&spec, &slow(&spec)))
        .sum();
    assert!(total > 75_000, "only {total} starts compared");
}

#[test]
fn they_agree_where_values_are_corrupted() {
    let errors = ErrorSpec {
        control_corruption: 0.02,
        ..LOSSES
    };
    let (mut total, mut overfilled) = (0, 0);
    for seed in 1400..1500 {
        let spec = with_errors(seed, errors);
        let report = slow(&spec);
        overfilled += u32::from(overfills(&spec, &report));
        total += compared(&spec, &report);
    }
    assert!(total > 25_000, "only {total} starts compared");
    assert!(overfilled > 20, "only {overfilled} buffers overfilled");
}

/// Does a buffer hold more than its zones?
fn overfills(spec: &NetworkSpec, report: &Report) -> bool {
    let legs = spec.flows.iter().flat_map(|flow| &flow.legs);
    legs.zip(&report.legs).any(|(leg, found)| {
        let FlowControlSpec::Credit(credit) = leg.flow_control else {
            return false;
        };
        found.max_fill_units > (credit.n1 + credit.n2 + credit.n3) as u64
    })
}

/// How many of 60 networks are seen to differ if all credit of one engine is changed.
fn seen(change: impl Fn(&mut CreditSpec)) -> usize {
    let differs = |seed: &u64| {
        let spec = with_losses(*seed);
        let mut other = spec.clone();
        each_credit(&mut other, &change);
        slow(&spec).starts != fast::<Rings>(&other).0
    };
    (1500..1560).filter(differs).count()
}

/// A picosecond more before a request or a credit cell unasked, a unit between statements.
#[test]
fn a_timer_that_is_late_and_a_counter_that_is_off_are_seen() {
    let later = |span: &mut Option<Duration>| {
        if let Some(span) = span {
            *span = *span + Duration(1);
        }
    };
    let of_requests = seen(|credit| later(&mut credit.request_after));
    let of_refresh = seen(|credit| later(&mut credit.refresh_every));
    let of_statements = seen(|credit| {
        if let Some(every) = &mut credit.resync_every {
            *every += 1;
        }
    });
    let counts = [of_requests, of_refresh, of_statements];
    assert!(counts.iter().all(|&count| count > 30), "of 60: {counts:?}");
}

/// The comparison sees a rule that is wrong by one unit of credit in one leg.
#[test]
fn one_credit_too_few_is_seen() {
    let differs = |seed: &u64| {
        let spec = random_spec(*seed);
        let mut other = spec.clone();
        let mut legs = other.flows.iter_mut().flat_map(|flow| &mut flow.legs);
        let credit = legs.find_map(|leg| match &mut leg.flow_control {
            FlowControlSpec::Credit(credit) if credit.n3 > 0 => Some(credit),
            _ => None,
        });
        let Some(credit) = credit else { return false };
        credit.n3 -= 1;
        first_difference(&slow(&spec).starts, &fast::<Rings>(&other).0).is_some()
    };
    let count = (0..100).filter(differs).count();
    assert!(count > 80, "only {count} of 100 differ");
}

#[test]
fn wheel_and_heap_give_the_same_trace_hash() {
    for seed in 0..200 {
        let spec = random_spec(seed);
        assert_eq!(fast::<Rings>(&spec).1, fast::<Heap>(&spec).1, "seed {seed}");
    }
}
