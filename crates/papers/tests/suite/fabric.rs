//! Papers whose scenarios run on the flit engine: small versions of every experiment.

use crate::common;

use std::sync::atomic::AtomicBool;

use backwater_papers::{Lab, Plan, Selection, Settings};
use common::paper;
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
    let few_seeds = Lab {
        at_most_seeds: Some(2),
        ..small()
    };
    common::measures_its_claims(&paper("dally1990"), |_| few_seeds.clone());
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&paper("dally1990"), 7);
}

#[test]
fn a_reproduced_figure_does_not_hide_what_is_wrong() {
    // Three stages with two VCs are too small for the gains of the paper.
    let paper = paper("dally1990");
    let claims = backwater_papers::claim::parse(paper.claims_toml).expect("claims");
    let gain = claims.iter().find(|claim| claim.id.ends_with("gain-1024"));
    let bounds = gain.and_then(|claim| claim.accept.clone());
    assert!(bounds.is_some(), "the printed gain has bounds");
    let evidence = (paper.experiments[0].run)(&small()).expect("it runs");
    let value = evidence.findings[0].measured[0].value;
    assert!(value > 1.5 && value < 3.1, "{value}");
}

#[test]
fn one_router_for_all_figures() {
    let router = |file: &str, sets: &[(&str, &str)]| {
        let lab = Lab {
            fabric_sets: vec![("run.measure".into(), "1 cycles".into())],
            ..Lab::default()
        };
        let sets = [&[("run.warm_up", "0 cycles"), ("topology.n", "2")], sets].concat();
        let run = lab.fabric(file, &sets).expect("it runs");
        run.spec.router
    };
    // Figures differ in what the paper says that they do: VCs and arbitration.
    let same = [
        ("router.vcs", "4"),
        ("router.arbiter", "\"random\""),
        ("router.storage", "16"),
    ];
    let figure_8 = router(FILE, &same);
    assert_eq!(figure_8.header_delay, 2);
    for file in ["dally1990/fig09.toml", "dally1990/fig10.toml"] {
        assert_eq!(router(file, &same), figure_8, "{file}");
    }
    let vcs = router("dally1990/fig10.toml", &[]).lanes;
    assert_eq!(vcs, 4);
    let other = [("router.header_delay", "\"3 cycles\"")];
    assert_ne!(router("dally1990/fig10.toml", &other), figure_8);
}

/// Means, shares and peaks of Figure 10 from the outcomes of the same runs.
#[test]
fn figure_10_is_what_its_runs_found() {
    let lab = Lab {
        at_most_seeds: Some(2),
        ..small()
    };
    let paper = paper("dally1990");
    let mut experiments = paper.experiments.iter();
    let figure = experiments.find(|one| one.title.starts_with("Figure 10"));
    let found = (figure.expect("an experiment").run)(&lab).expect("it runs");
    let outcomes = |arbiter: &str| {
        let runs = lab.fabric_seeds("dally1990/fig10.toml", &[("router.arbiter", arbiter)], 2);
        let runs = runs.expect("it runs").into_iter();
        runs.map(|run| run.outcome.latency).collect::<Vec<_>>()
    };
    let (random, oldest) = (outcomes("\"random\""), outcomes("\"earliest\""));
    let value = |claim: usize, name: &str| {
        let mut all = found.findings[claim].measured.iter();
        all.find(|one| one.name == name)
            .expect("it is measured")
            .value
    };
    let near = |value: f64, wanted: f64| assert!((value - wanted).abs() < 1e-9, "{value}");
    near(value(0, "random"), (random[0].mean + random[1].mean) / 2.0);
    near(
        value(0, "deadline"),
        (oldest[0].mean + oldest[1].mean) / 2.0,
    );
    // 20 flits over 3 stages, at each of which a header takes 2 cycles more.
    let share = |latency: &backwater_flit::outcome::CyclesOutcome| {
        let at = latency.histogram.exact().find(|(cycles, _)| *cycles == 29);
        at.map_or(0.0, |(_, packets)| packets as f64) / latency.count as f64
    };
    near(value(1, "minimum"), 29.0);
    near(
        value(1, "deadline"),
        (share(&oldest[0]) + share(&oldest[1])) / 2.0,
    );
    near(value(1, "three_stages_minimum"), 23.0);
    let falls = |at: usize| oldest[at].deviation / random[at].deviation;
    near(
        value(2, "deviation_deadline_over_random"),
        (falls(0) + falls(1)) / 2.0,
    );
}

/// Seven seeds, side by side, on `threads` threads: every outcome as text.
fn batch(threads: usize) -> Vec<String> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let sets = [("router.vcs", "4")];
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
    let error = lab.fabric(FILE, &[("router.vcs", "none")]).unwrap_err();
    assert!(error.0.contains("vcs"), "{error}");
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
