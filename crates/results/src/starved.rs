//! Flows that got next to nothing: named in a warning at the end of a run. Next to nothing is less
//! than one in a hundred of what a flow offered or, where it always has more to send, less than
//! one in a hundred of its max-min share among equals. (A share that knows of priorities is
//! nothing for those behind a flow that fills the link, and would warn of nobody.)

use std::collections::BTreeMap;

use backwater_kernel::words::counted;

use crate::model::{Block, Tone};
use crate::number::{grouped, rate};

/// Named one by one; the rest are counted.
const NAMED: usize = 3;

/// Less than one in a hundred arrived.
pub(crate) fn got_nothing(offered: u64, delivered: u64) -> bool {
    delivered.saturating_mul(100) < offered
}

/// Less than one in a hundred of a share.
pub(crate) fn is_far_below(got: f64, share: f64) -> bool {
    got * 100.0 < share
}

/// A flow that got next to nothing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Starved {
    pub flow: u32,
    /// What it got and what its share is, bps, where that is why it is named.
    pub rates: Option<(f64, f64)>,
}

impl Starved {
    /// Of flows with so much offered and delivered, and of those that are `below` their share.
    pub(crate) fn find(
        totals: impl Iterator<Item = (u64, u64)>,
        below: &BTreeMap<u32, (f64, f64)>,
    ) -> Vec<Starved> {
        let named = (0..)
            .zip(totals)
            .filter_map(|(flow, (offered, delivered))| {
                let rates = match got_nothing(offered, delivered) {
                    true => None,
                    false => Some(*below.get(&flow)?),
                };
                Some(Starved { flow, rates })
            });
        named.collect()
    }

    /// The rates, where these are why it is named; else the words that the caller has.
    pub(crate) fn words(&self, or: impl Fn() -> String) -> String {
        match self.rates {
            None => or(),
            Some((got, share)) => format!(
                "{} of a max-min share of {} without priorities",
                rate(got),
                rate(share)
            ),
        }
    }
}

/// A sentence for each of the first of these, and one for the rest.
pub(crate) fn told<T>(starved: &[T], say: impl Fn(&T) -> String) -> Vec<String> {
    let mut told: Vec<String> = starved.iter().take(NAMED).map(say).collect();
    match starved.len().saturating_sub(NAMED) {
        0 => {}
        more => told.push(format!("{} more got almost nothing", grouped(more as u64))),
    }
    told
}

/// As lines of a terminal.
pub(crate) fn lines(told: Vec<String>) -> impl Iterator<Item = String> {
    told.into_iter().map(|text| format!("warning: {text}"))
}

/// As notes of a report.
pub(crate) fn notes(told: Vec<String>) -> impl Iterator<Item = Block> {
    told.into_iter().map(|text| Block::Note {
        tone: Tone::Warning,
        text: format!("{text}."),
    })
}

/// `14 flows`, and what is said of them for one or for several.
pub(crate) fn others(count: usize, one: &str, several: &str) -> String {
    let what = if count == 1 { one } else { several };
    format!("{} {what}", counted(count, "flow"))
}
