//! Who got next to nothing: named in a warning at the end of a run.

use backwater_kernel::words::counted;

use crate::model::Block;
use crate::number::grouped;

/// Named one by one; the rest are counted.
pub(crate) const NAMED: usize = 3;

/// Less than one in a hundred arrived.
pub(crate) fn got_nothing(offered: u64, delivered: u64) -> bool {
    delivered.saturating_mul(100) < offered
}

/// A sentence for each of the first of these, and one for the rest.
pub(crate) fn told<T>(starved: &[T], say: impl Fn(&T) -> String) -> Vec<String> {
    let mut sentences: Vec<String> = starved.iter().take(NAMED).map(say).collect();
    match starved.len().saturating_sub(NAMED) {
        0 => {}
        more => sentences.push(format!("{} more got almost nothing", grouped(more as u64))),
    }
    sentences
}

/// As lines of a terminal.
pub(crate) fn lines(told: Vec<String>) -> impl Iterator<Item = String> {
    told.into_iter().map(|text| format!("warning: {text}"))
}

/// As notes of a report.
pub(crate) fn notes(told: Vec<String>) -> impl Iterator<Item = Block> {
    told.into_iter()
        .map(|text| Block::warning(format!("{text}.")))
}

/// `14 flows`, and what is said of them for one or for several.
pub(crate) fn others(count: usize, one: &str, several: &str) -> String {
    let what = if count == 1 { one } else { several };
    format!("{} {what}", counted(count, "flow"))
}
