//! ABR in the fast engine and in the slow, obvious one: the same starts at the same instants,
//! and the same rates.

use crate::abr;

use abr::observe;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{ExplicitRateSpec, NetworkSpec, SourceControlSpec};
use backwater_oracle::abr::{Fault, Rules, random_spec, random_spec_with, run, run_with};
use backwater_oracle::first_difference;

/// Where the engines part, if they do, and what was compared.
fn compared(spec: &NetworkSpec, engine: &NetworkSpec) -> (Option<String>, usize, usize) {
    let slow = run(spec).expect("the oracle can run it");
    let (log, _) = observe(engine);
    let starts = first_difference(&slow.starts, &log.oracle_starts());
    let rates = first_difference(&slow.rates, &log.oracle_rates(engine));
    let difference = match (starts, rates) {
        (None, None) => None,
        (starts, rates) => Some([rates, starts].into_iter().flatten().collect()),
    };
    (difference, slow.starts.len(), slow.rates.len())
}

fn agree(specs: impl Iterator<Item = NetworkSpec>) {
    let (mut starts, mut rates, mut networks) = (0, 0, 0);
    for spec in specs {
        let (difference, of_starts, of_rates) = compared(&spec, &spec);
        if let Some(difference) = difference {
            panic!("seed {}: {difference}", spec.seed);
        }
        networks += 1;
        starts += of_starts;
        rates += of_rates;
    }
    assert!(networks >= 25, "{networks} networks");
    assert!(starts > 5000 * networks, "only {starts} starts compared");
    assert!(rates > 150 * networks, "only {rates} rates compared");
}

fn whole(seed: u64) -> NetworkSpec {
    let mut spec = random_spec(seed);
    spec.outages.clear();
    spec
}

#[test]
fn the_engine_agrees_with_the_oracle_start_by_start() {
    agree((0..150).map(whole));
}

#[test]
fn it_agrees_on_more_networks() {
    agree((150..300).map(whole));
}

#[test]
fn it_agrees_through_outages() {
    let specs = (0..160).map(random_spec);
    agree(specs.filter(|spec| !spec.outages.is_empty()));
}

/// Networks of one kind of rule, without outages.
fn of(seeds: core::ops::Range<u64>, rules: Rules) -> impl Iterator<Item = NetworkSpec> {
    seeds.map(move |seed| {
        let mut spec = random_spec_with(seed, rules);
        spec.outages.clear();
        spec
    })
}

#[test]
fn means_of_claimed_rates_agree() {
    agree(of(1000..1120, Rules::Eprca));
}

#[test]
fn a_share_that_follows_the_load_agrees() {
    agree(of(2000..2120, Rules::Capc));
}

#[test]
fn aged_allocations_agree() {
    agree(of(3000..3120, Rules::Aging));
}

#[test]
fn notices_of_switches_agree() {
    agree(of(5000..5040, Rules::Notices));
    let (mut notices, mut starts) = (0, 0);
    for mut spec in of(6000..7000, Rules::Notices) {
        spec.stop_at = Time(spec.stop_at.ps() / 8);
        let (difference, of_starts, _) = compared(&spec, &spec);
        assert!(difference.is_none(), "seed {}: {difference:?}", spec.seed);
        notices += run(&spec).expect("the oracle can run it").notices;
        starts += of_starts;
    }
    assert!(notices > 5000 && starts > 300_000, "{notices}, {starts}");
}

#[test]
fn notices_agree_through_outages() {
    let specs = (5200..5400).map(|seed| random_spec_with(seed, Rules::Notices));
    agree(specs.filter(|spec| !spec.outages.is_empty()));
}

/// A picosecond of the time between notices, none of them, other rules for them.
#[test]
fn faults_of_notices_are_seen() {
    let of_time = seen(Rules::Notices, |rule| {
        if let ExplicitRateSpec::RelativeRate(spec) = rule {
            let every = spec.backward_notice_every;
            spec.backward_notice_every = every.map(|every| every + Duration(1));
        }
    });
    let of_all = seen(Rules::Notices, |rule| {
        if let ExplicitRateSpec::RelativeRate(spec) = rule {
            spec.backward_notice_every = None;
        }
    });
    assert!(of_time > 3 && of_all > 20, "of 40: {of_time}, {of_all}");
    let faults = [
        Fault::NoticesAnswer,
        Fault::NoticesLast,
        Fault::NoticesSkipNodes,
    ];
    let counts = faults.map(|fault| {
        let differs = |spec: &NetworkSpec| {
            let slow = run_with(spec, Some(fault)).expect("the oracle can run it");
            slow.starts != observe(spec).0.oracle_starts()
        };
        let networks = of(4000..4120, Rules::Notices);
        (fault, networks.filter(differs).count())
    });
    assert!(counts.iter().all(|(_, count)| *count > 3), "{counts:?}");
}

/// How many of 40 networks are seen to differ if the ports of one engine are changed.
fn seen(rules: Rules, change: impl Fn(&mut ExplicitRateSpec)) -> usize {
    let differs = |spec: &NetworkSpec| {
        let mut other = spec.clone();
        other
            .rules
            .rate_ports
            .iter_mut()
            .for_each(|(_, rule)| change(rule));
        compared(spec, &other).0.is_some()
    };
    of(4000..4040, rules).filter(differs).count()
}

/// A part in a million of a factor, a cell of a threshold, a thousandth of aging.
#[test]
fn small_faults_of_other_rules_are_seen() {
    let of_weight = seen(Rules::Eprca, |rule| {
        if let ExplicitRateSpec::Eprca(spec) = rule {
            spec.weight *= 1.0 - 1e-6;
        }
    });
    let of_threshold = seen(Rules::Eprca, |rule| {
        if let ExplicitRateSpec::Eprca(spec) = rule {
            spec.congestion.high_cells += 1;
            spec.very_cells += 1;
        }
    });
    let of_target = seen(Rules::Capc, |rule| {
        if let ExplicitRateSpec::Capc(spec) = rule {
            spec.target -= 1e-6;
        }
    });
    let of_congestion = seen(Rules::Capc, |rule| {
        if let ExplicitRateSpec::Capc(spec) = rule {
            spec.congestion_cells += 1;
        }
    });
    let of_aging = seen(Rules::Aging, |rule| {
        if let ExplicitRateSpec::Erica(spec) = rule
            && let Some(aging) = &mut spec.aging
        {
            aging.alpha *= 1.001;
        }
    });
    let counts = [of_weight, of_threshold, of_target, of_congestion, of_aging];
    assert!(counts.iter().all(|&count| count > 20), "of 40: {counts:?}");
}

/// The comparison sees a source that starts at another rate by a bit per second, and a port that
/// aims at a little less.
#[test]
fn small_faults_are_seen() {
    let (mut of_rate, mut of_target, mut networks) = (0, 0, 0);
    for seed in 0..40 {
        let spec = whole(seed);
        let mut slower = spec.clone();
        for flow in &mut slower.flows {
            if let SourceControlSpec::Abr(abr) = &mut flow.source_control {
                abr.icr = Rate(abr.icr.0 - 1);
                abr.mcr = Rate(abr.mcr.0.saturating_sub(1));
            }
        }
        let mut emptier = spec.clone();
        for (_, rule) in &mut emptier.rules.rate_ports {
            if let ExplicitRateSpec::Erica(erica) = rule {
                erica.target -= 1e-6;
            }
        }
        networks += 1;
        of_rate += compared(&spec, &slower).0.is_some() as u32;
        of_target += compared(&spec, &emptier).0.is_some() as u32;
    }
    assert!(of_rate > networks / 2, "{of_rate} of {networks}");
    assert!(of_target > networks / 2, "{of_target} of {networks}");
}
