//! The claims of RoCC: short versions of every experiment. `make papers`
//! judges the whole ones.

use crate::common;

use backwater_papers::{Lab, Paper};

fn paper() -> Paper {
    common::paper("rocc2020")
}

#[test]
fn every_experiment_measures_its_claims() {
    let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let lab = Lab {
        ethernet_sets: vec![set("run.duration", "3 ms"), set("run.warm_up", "0 s")],
        at_most_seeds: Some(1),
        ..Lab::default()
    };
    common::measures_its_claims(&paper(), |_| lab.clone());
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&paper(), 13);
}
