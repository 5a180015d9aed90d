//! What holds for every paper.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use papers::{Lab, Paper, papers};
use results::Block;

pub fn paper(id: &str) -> Paper {
    let found = papers().into_iter().find(|paper| paper.id == id);
    found.expect("the paper is known")
}

/// Each experiment measures the claims that it names, and shows something. Returns those whose
/// runs are not as many as they say: title, counted, said.
pub fn measures_its_claims(paper: &Paper, lab: &Lab) -> Vec<(&'static str, u64, u64)> {
    let mut miscounted = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    for experiment in paper.experiments {
        let lab = Lab {
            runs: Arc::default(),
            ..lab.clone()
        };
        let evidence = (experiment.run)(&lab);
        let evidence = evidence.unwrap_or_else(|error| panic!("{}: {error}", experiment.title));
        let found: Vec<&str> = evidence.findings.iter().map(|one| one.claim).collect();
        assert_eq!(found, experiment.claims, "{}", experiment.title);
        assert!(!evidence.blocks.is_empty(), "{}", experiment.title);
        let empty = evidence.findings.iter().find(|one| one.measured.is_empty());
        assert!(empty.is_none(), "{empty:?}");
        shown.extend(evidence.blocks.iter().filter_map(file));
        let runs = lab.runs.load(Ordering::Relaxed);
        if runs != experiment.runs {
            miscounted.push((experiment.title, runs, experiment.runs));
        }
    }
    shown.sort();
    let twice = shown.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "two figures or tables in one file");
    miscounted
}

/// The name of the file it is written to.
fn file(block: &Block) -> Option<String> {
    match block {
        Block::Plot(plot) => Some(format!("{}.svg", plot.id)),
        Block::Table(table) => Some(format!("{}.csv", table.name)),
        _ => None,
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
