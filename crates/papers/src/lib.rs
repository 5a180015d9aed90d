//! The papers, claim by claim: which scenarios run, what is measured, how it is judged.
//!
//! One folder a paper. An [`Experiment`] runs one or more shipped scenarios and says what it
//! measured for which claims; the claims and their bounds stand in `claims/*.toml`.

/// A scenario file built into the program: its path below `scenarios/`, its text.
macro_rules! shipped {
    ($file:literal) => {
        ($file, backwater_shipped::scenario($file))
    };
}

pub mod claim;
mod columns;
mod dally1990;
mod dcqcn;
pub mod document;
mod estimate;
mod kalyanaraman1998;
mod kung1993;
pub mod lab;
mod link_credits;
pub mod measured;
mod nouredine1999;
mod plan;
mod relation;
mod rocc2020;
mod uet_limits;
pub mod verdict;
mod zhang1991;

use backwater_results::Block;

pub use claim::Claim;
pub use lab::{Lab, LabError};
pub use measured::{Bounds, Finding, Interval, Measured};
pub use plan::{Plan, Selection, Settings};
pub use verdict::{Judged, Tally};

/// A paper that can be reproduced.
pub struct Paper {
    /// Short name, as the command line takes it.
    pub id: &'static str,
    /// Authors, title, year.
    pub title: &'static str,
    /// The plot that stands for it, with printed values in it.
    pub picture: &'static str,
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
    /// Runs of scenarios it takes, all seeds counted.
    pub runs: u64,
    /// CPU time of the whole on a machine of 2025, in milliseconds: cheap ones go first, and
    /// progress is counted in it.
    pub cost_ms: u64,
    /// In a quick reproduction so many percent of the time after the warm-up are simulated, and
    /// half of the warm-up of frames and flits, less of that of flits where little is measured;
    /// 100, then all of both, where instants are looked at, or a run is cheap; 0 leaves out an
    /// experiment without claims.
    pub quick_percent: u64,
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
        link_credits::paper(),
        dcqcn::paper(),
        rocc2020::paper(),
        uet_limits::paper(),
    ]
}

/// A reproduced paper, or the part of it that was asked for.
pub struct Reproduction {
    /// The paper's short name.
    pub paper: &'static str,
    /// The paper's title.
    pub title: &'static str,
    /// The id of the plot that stands for it, if its experiment ran.
    pub picture: String,
    /// Claims judged, in the order of the paper.
    pub judged: Vec<Judged>,
    /// What each experiment shows.
    pub sections: Vec<Section>,
}

/// What an experiment shows in the report.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// Figures, tables and words.
    pub blocks: Vec<Block>,
    /// Runs it took, those left out by a quick reproduction counted.
    pub runs: u64,
    /// Wall time.
    pub seconds: f64,
}
