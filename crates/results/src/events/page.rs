//! What page and terminal say of one kind of network alone.

use super::Findings;
use crate::info::RunInfo;
use crate::model::{Block, Fact, Plot};

/// What page and terminal have of one kind of network alone.
pub trait Presented: Sized {
    /// What the page of a run has of its own.
    fn page(run: &Findings<'_, Self>, info: &RunInfo) -> Page;
    /// What a terminal is told that has no place in every run.
    fn terminal(run: &Findings<'_, Self>, info: &RunInfo) -> Terminal;
    /// What its numbers must not be read without.
    fn warnings(run: &Findings<'_, Self>) -> Vec<String>;
}

/// What the page of one kind of network has of its own.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Numbers that matter, beside those of every run.
    pub facts: Vec<Fact>,
    /// Sentences on the run, without a full stop.
    pub sentences: Vec<String>,
    /// Sections of figures, by their headings; those without one are left out.
    pub figures: Vec<(&'static str, Vec<Plot>)>,
    /// What comes after the tables.
    pub end: Vec<Block>,
}

/// What a terminal is told of one kind of network alone.
#[derive(Clone, Debug, Default)]
pub struct Terminal {
    /// Flows or groups of them, and what is to be read beside them.
    pub flows: Vec<String>,
    /// What came through, above the balance.
    pub through: Vec<String>,
    /// What stood in its way, below what was dropped.
    pub in_the_way: Vec<String>,
    /// What became of promises, in a line.
    pub promises: Option<String>,
}
