//! What holds for every paper.

mod values;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use backwater_papers::{Evidence, Experiment, Lab, Paper, papers};
use backwater_results::Block;

pub fn paper(id: &str) -> Paper {
    let found = papers().into_iter().find(|paper| paper.id == id);
    found.expect("the paper is known")
}

/// In which frames run for 3 ms, from one seed.
pub fn short_frames() -> Lab {
    let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    Lab {
        ethernet_sets: vec![set("run.duration", "3 ms"), set("run.warm_up", "0 s")],
        at_most_seeds: Some(1),
        ..Lab::default()
    }
}

/// What it finds, after as many runs as it says that it takes.
pub fn found(experiment: &Experiment, lab: &Lab) -> Evidence {
    let lab = Lab {
        runs: Arc::default(),
        ..lab.clone()
    };
    let evidence = (experiment.run)(&lab);
    let evidence = evidence.unwrap_or_else(|error| panic!("{}: {error}", experiment.title));
    let runs = lab.runs.load(Ordering::Relaxed);
    assert_eq!(runs, experiment.runs, "runs of {}", experiment.title);
    evidence
}

/// Each experiment, in a lab of its own, measures the claims that it names, shows something in
/// files of its own, and finds the values that are kept of it. Returns the names of the files.
pub fn measures_its_claims(paper: &Paper, lab: impl Fn(&Experiment) -> Lab) -> BTreeSet<String> {
    let (mut shown, mut lines) = (BTreeSet::new(), Vec::new());
    let mut has_picture = false;
    for experiment in paper.experiments {
        let evidence = found(experiment, &lab(experiment));
        let claims: Vec<&str> = evidence.findings.iter().map(|one| one.claim).collect();
        assert_eq!(claims, experiment.claims, "{}", experiment.title);
        assert!(!evidence.blocks.is_empty(), "{}", experiment.title);
        let empty = evidence.findings.iter().find(|one| one.measured.is_empty());
        assert!(empty.is_none(), "{empty:?}");
        lines.extend(values::lines(experiment, &evidence));
        has_picture |= evidence.blocks.iter().any(|block| is_picture(paper, block));
        for name in evidence.blocks.iter().filter_map(file) {
            assert!(shown.insert(name.clone()), "{name} twice in {}", paper.id);
        }
    }
    values::hold(paper.id, &lines);
    assert!(
        has_picture,
        "no printed values in {} of {}",
        paper.picture, paper.id
    );
    shown
}

/// Is it the plot that stands for the paper, with what that prints?
fn is_picture(paper: &Paper, block: &Block) -> bool {
    let Block::Plot(plot) = block else {
        return false;
    };
    let marks = plot.marks.iter().map(|mark| &mark.label);
    let mut words = marks.chain(plot.curves.iter().map(|curve| &curve.name));
    plot.id == paper.picture && words.any(|words| words.starts_with("paper"))
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
    let claims = backwater_papers::claim::parse(paper.claims_toml).expect("the claims can be read");
    let measured = paper.experiments.iter().flat_map(|one| one.claims);
    let mut measured: Vec<&str> = measured.copied().collect();
    let mut stated: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    assert_eq!(stated.len(), total);
    measured.sort_unstable();
    stated.sort_unstable();
    assert_eq!(measured, stated);
}
