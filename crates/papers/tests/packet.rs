//! Papers whose scenarios run on the packet engine over many seeds: short versions of every
//! experiment.

use papers::{Lab, Paper, papers};

fn paper() -> Paper {
    let mut papers = papers().into_iter();
    let found = papers.find(|paper| paper.id == "zhang1991");
    found.expect("the paper is known")
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
    let lab = short("21 s");
    for experiment in paper().experiments {
        let evidence = (experiment.run)(&lab);
        let evidence = evidence.unwrap_or_else(|error| panic!("{}: {error}", experiment.title));
        let found: Vec<&str> = evidence.findings.iter().map(|one| one.claim).collect();
        assert_eq!(found, experiment.claims, "{}", experiment.title);
        assert!(!evidence.blocks.is_empty(), "{}", experiment.title);
        let empty = evidence.findings.iter().find(|one| one.measured.is_empty());
        assert!(empty.is_none(), "{empty:?}");
    }
}

#[test]
fn every_claim_has_a_finding() {
    let paper = paper();
    let claims = papers::claim::parse(paper.claims_toml).expect("the claims can be read");
    let measured = paper.experiments.iter().flat_map(|one| one.claims);
    let mut measured: Vec<&str> = measured.copied().collect();
    let mut stated: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    assert_eq!(stated.len(), 16);
    measured.sort_unstable();
    stated.sort_unstable();
    assert_eq!(measured, stated);
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
