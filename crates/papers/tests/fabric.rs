//! Papers whose scenarios run on the flit engine: small versions of every experiment.

mod common;

use std::sync::atomic::AtomicBool;

use common::paper;
use papers::{Lab, Plan, Selection, Settings};
use rayon::ThreadPoolBuilder;

const FILE: &str = "dally1990/fig08.toml";

/// Every network small and every run short, whatever an experiment asks for.
fn small() -> Lab {
    let set = |(key, value): (&str, &str)| (key.into(), value.into());
    let sets = [
        ("topology.n", "3"),
        ("run.warm_up", "200 cycles"),
        ("run.measure", "600 cycles"),
        ("run.drain", "400 cycles"),
    ];
    Lab {
        fabric_sets: sets.map(set).to_vec(),
        ..Lab::default()
    }
}

#[test]
fn every_experiment_measures_its_claims() {
    common::measures_its_claims(&paper("dally1990"), &small());
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&paper("dally1990"), 7);
}

#[test]
fn a_reproduced_figure_does_not_hide_what_is_wrong() {
    // Three stages with two lanes are too small for the gains of the paper.
    let paper = paper("dally1990");
    let claims = papers::claim::parse(paper.claims_toml).expect("claims");
    let gain = claims.iter().find(|claim| claim.id.ends_with("gain-1024"));
    let bounds = gain.and_then(|claim| claim.accept.clone());
    assert!(bounds.is_some(), "the printed gain has bounds");
    let evidence = (paper.experiments[0].run)(&small()).expect("it runs");
    let value = evidence.findings[0].measured[0].value;
    assert!(value > 1.5 && value < 3.1, "{value}");
}

/// Seven seeds, side by side, on `threads` threads: every outcome as text.
fn batch(threads: usize) -> Vec<String> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let sets = [("router.lanes", "4")];
    let runs = pool
        .expect("a pool of threads")
        .install(|| small().fabric_seeds(FILE, &sets, 7));
    runs.expect("the scenario is built in")
        .iter()
        .map(|run| format!("{:?}", run.outcome))
        .collect()
}

#[test]
fn a_batch_is_the_same_on_any_number_of_threads() {
    let alone = batch(1);
    assert_eq!(alone.len(), 7);
    for threads in [2, 5] {
        assert_eq!(batch(threads), alone, "{threads} threads");
    }
    // The seeds differ, so an exchange of two runs would have been seen.
    let mut distinct = alone.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 7);
}

#[test]
fn the_wrong_engine_and_unknown_files_are_refused() {
    let lab = Lab::default();
    let error = lab.fabric("kung1993/fig12-greedy.toml", &[]).unwrap_err();
    assert!(error.0.contains("packet engine"), "{error}");
    let error = lab.scenario(FILE, &[]).expect_err("an error");
    assert!(error.0.contains("flit engine"), "{error}");
    let error = lab.fabric("dally1990/nosuch.toml", &[]).unwrap_err();
    assert!(error.0.contains("no scenario"), "{error}");
    let error = lab.fabric(FILE, &[("router.lanes", "none")]).unwrap_err();
    assert!(error.0.contains("lanes"), "{error}");
}

#[test]
fn an_interruption_keeps_what_is_done() {
    static STOP: AtomicBool = AtomicBool::new(true);
    let lab = Lab {
        stop: Some(&STOP),
        ..small()
    };
    let error = lab.fabric(FILE, &[]).unwrap_err();
    assert!(error.0.contains("interrupted"), "{error}");
    let all = Selection::whole(paper("dally1990")).expect("the claims can be read");
    let plan = Plan::new(vec![all], Settings::default());
    let found = plan.run(&|_| {}, &STOP).expect("no error");
    assert!(found[0].judged.is_empty() && found[0].sections.is_empty());
}
