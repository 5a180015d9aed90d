//! The claims about sources of queue pairs: short versions of every experiment. `make papers`
//! judges the whole ones.

use crate::common;

use backwater_papers::Paper;

fn paper() -> Paper {
    common::paper("dcqcn")
}

#[test]
fn every_experiment_measures_its_claims() {
    common::measures_its_claims(&paper(), |_| common::short_frames());
}

#[test]
fn every_claim_has_a_finding() {
    common::has_a_finding_for_each(&paper(), 9);
}
