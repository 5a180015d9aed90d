//! The limits of a public simulator: every experiment with one seed. `make papers` judges all.

use crate::common;

use backwater_papers::{Lab, Paper};

fn paper() -> Paper {
    common::paper("uet-limits")
}

#[test]
fn every_experiment_measures_its_claims() {
    let lab = || Lab {
        at_most_seeds: Some(1),
        ..Lab::default()
    };
    common::measures_its_claims(&paper(), |_| lab());
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&paper(), 4);
}
