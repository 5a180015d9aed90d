//! What was promised, and what came of it.

use super::Findings;
use crate::directory::Promise;
use crate::info::RunInfo;

/// What a network promises to classes, links or buffers.
pub trait Promises: Sized {
    /// Each promise, and what came of it.
    fn promises(run: &Findings<'_, Self>, info: &RunInfo) -> Vec<Promise>;
}
