//! Papers whose scenarios run on the packet engine over many seeds: short versions of every
//! experiment.

mod common;

use papers::{Lab, Paper};

fn paper() -> Paper {
    common::paper("zhang1991")
}

/// Every run short and few of them, whatever an experiment asks for.
fn short(duration: &str) -> Lab {
    Lab {
        packet_sets: vec![("run.duration".into(), duration.into())],
        at_most_seeds: Some(2),
        ..Lab::default()
    }
}

#[test]
fn every_experiment_measures_its_claims() {
    common::measures_its_claims(&paper(), &short("21 s"));
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&paper(), 16);
}

#[test]
fn settings_of_a_lab_come_last_and_limit_its_seeds() {
    let lab = short("2 s");
    let file = "zhang1991/random-walk.toml";
    let runs = lab
        .seeds(file, &[("run.duration", "9 s")], 5)
        .expect("it runs");
    assert_eq!(runs.len(), 2);
    let seconds = |run: &papers::lab::Run<()>| run.outcome.ended_at.seconds();
    assert!(runs.iter().all(|run| seconds(run) == 2.0));
    let hashes: Vec<u64> = runs.iter().map(|run| run.outcome.trace_hash).collect();
    assert_ne!(hashes[0], hashes[1], "the seeds differ");
}
