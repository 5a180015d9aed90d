//! ABR in the fast engine and in the slow, obvious one: the same starts at the same instants,
//! and the same rates.

mod abr;

use abr::observe;
use kernel::Rate;
use oracle::abr::{random_spec, run};
use oracle::first_difference;
use packet::spec::{ExplicitRateSpec, NetworkSpec, SourceControlSpec};

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
        for (_, rule) in &mut emptier.rate_ports {
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
