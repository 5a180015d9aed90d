//! What holds for every paper.

use std::collections::BTreeSet;

use papers::{Evidence, Lab, Paper, papers};
use results::Block;

pub fn paper(id: &str) -> Paper {
    let found = papers().into_iter().find(|paper| paper.id == id);
    found.expect("the paper is known")
}

/// Names of the pictures and tables of an experiment.
pub fn names(evidence: &Evidence) -> Vec<String> {
    let name = |block: &Block| match block {
        Block::Plot(plot) => Some(format!("{}.svg", plot.id)),
        Block::Table(table) => Some(format!("{}.csv", table.name)),
        _ => None,
    };
    evidence.blocks.iter().filter_map(name).collect()
}

/// Each experiment measures the claims that it names, and shows something under a name of its own.
pub fn measures_its_claims(paper: &Paper, lab: &Lab) {
    let mut seen = BTreeSet::new();
    for experiment in paper.experiments {
        let evidence = (experiment.run)(lab);
        let evidence = evidence.unwrap_or_else(|error| panic!("{}: {error}", experiment.title));
        let found: Vec<&str> = evidence.findings.iter().map(|one| one.claim).collect();
        assert_eq!(found, experiment.claims, "{}", experiment.title);
        assert!(!evidence.blocks.is_empty(), "{}", experiment.title);
        for name in names(&evidence) {
            assert!(seen.insert(name.clone()), "{name} twice in {}", paper.id);
        }
        let empty = evidence.findings.iter().find(|one| one.measured.is_empty());
        assert!(empty.is_none(), "{empty:?}");
    }
}

/// The `total` claims of the paper's file are those that experiments measure.
pub fn has_a_finding_for_each(paper: &Paper, total: usize) {
    let claims = papers::claim::parse(paper.claims_toml).expect("the claims can be read");
    let measured = paper.experiments.iter().flat_map(|one| one.claims);
    let mut measured: Vec<&str> = measured.copied().collect();
    let mut stated: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    assert_eq!(stated.len(), total);
    measured.sort_unstable();
    stated.sort_unstable();
    assert_eq!(measured, stated);
}
