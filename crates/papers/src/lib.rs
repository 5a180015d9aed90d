//! The papers, claim by claim: which scenarios run, what is measured, how it is judged.
//!
//! One folder a paper. An [`Experiment`] runs one or more shipped scenarios and says what it
//! measured for which claims; the claims and their bounds stand in `claims/*.toml`.

/// A scenario file built into the program: its path below `scenarios/`, its text.
macro_rules! shipped {
    ($file:literal) => {
        ($file, include_str!(concat!("../../../scenarios/", $file)))
    };
}

pub mod claim;
mod dally1990;
pub mod document;
mod estimate;
mod kalyanaraman1998;
mod kung1993;
pub mod lab;
mod nouredine1999;
mod zhang1991;

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use results::Block;

pub use claim::{Bounds, Claim, Finding, Judged, Measured};
pub use lab::{Lab, LabError};

/// A paper that can be reproduced.
pub struct Paper {
    /// Short name, as the command line takes it.
    pub id: &'static str,
    /// Authors, title, year.
    pub title: &'static str,
    /// The claims, in the order of the paper.
    pub claims_toml: &'static str,
    /// The scenarios it runs, built into the program so that it works from any folder: path below
    /// `scenarios/` and text.
    pub scenarios: &'static [(&'static str, &'static str)],
    /// What to run.
    pub experiments: &'static [Experiment],
}

/// One or more figures that come from the same runs.
pub struct Experiment {
    /// Heading in the report.
    pub title: &'static str,
    /// Claims it measures; one without runs only when the whole paper does.
    pub claims: &'static [&'static str],
    /// Runs it.
    pub run: fn(&Lab) -> Result<Evidence, LabError>,
}

/// What an experiment found.
#[derive(Default)]
pub struct Evidence {
    /// One for each claim.
    pub findings: Vec<Finding>,
    /// Figures and tables for the report.
    pub blocks: Vec<Block>,
}

/// Every paper.
pub fn papers() -> Vec<Paper> {
    vec![
        dally1990::paper(),
        kung1993::paper(),
        zhang1991::paper(),
        nouredine1999::paper(),
        kalyanaraman1998::paper(),
    ]
}

/// A reproduced paper, or the part of it that was asked for.
pub struct Reproduction {
    /// The paper's short name.
    pub paper: &'static str,
    /// The paper's title.
    pub title: &'static str,
    /// Claims judged, in the order of the paper.
    pub judged: Vec<Judged>,
    /// The report's sections: heading and blocks of each experiment.
    pub sections: Vec<(&'static str, Vec<Block>)>,
}

/// Runs the experiments of `paper` whose claims are `wanted` (all if empty), `on_done` after
/// each; stops early when `stop` is set. Experiments run side by side; the result does not
/// depend on how many threads there are.
///
/// # Errors
/// If a claims file or a shipped scenario is broken.
pub fn reproduce(
    paper: &Paper,
    wanted: &[String],
    on_done: &(dyn Fn(&str) + Sync),
    stop: &'static AtomicBool,
) -> Result<Reproduction, LabError> {
    let claims = claim::parse(paper.claims_toml)?;
    let lab = Lab {
        stop: Some(stop),
        ..Lab::default()
    };
    let is_wanted = |id: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == id);
    let chosen: Vec<&Experiment> = paper
        .experiments
        .iter()
        .filter(|one| wanted.is_empty() || one.claims.iter().any(|id| is_wanted(id)))
        .collect();
    let evidence: Vec<(&Experiment, Evidence, f64)> = chosen
        .into_par_iter()
        .filter(|_| !stop.load(Ordering::Relaxed))
        .map(|experiment| {
            let (evidence, seconds) = lab.timed(|| (experiment.run)(&lab));
            on_done(experiment.title);
            Ok((experiment, evidence?, seconds))
        })
        // What was cut short says nothing; what is done stays.
        .filter(|done: &Result<_, LabError>| done.is_ok() || !stop.load(Ordering::Relaxed))
        .collect::<Result<_, LabError>>()?;
    let mut judged = Vec::new();
    for claim in claims.iter().filter(|claim| is_wanted(&claim.id)) {
        let found = evidence.iter().find_map(|(_, evidence, seconds)| {
            let finding = evidence
                .findings
                .iter()
                .find(|finding| finding.claim == claim.id);
            finding.map(|finding| (finding, *seconds))
        });
        judged.extend(found.map(|(finding, seconds)| claim::judge(claim, finding, seconds)));
    }
    let sections = evidence
        .into_iter()
        .map(|(experiment, evidence, _)| (experiment.title, evidence.blocks));
    Ok(Reproduction {
        paper: paper.id,
        title: paper.title,
        judged,
        sections: sections.collect(),
    })
}
