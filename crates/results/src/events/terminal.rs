//! A run in a few lines of text.

use super::words::{balance, busiest_port, dropped, opening, time};
use super::{Findings, Network, bounds, ended, starved, still};
use crate::info::RunInfo;
use crate::lines::{broken, printable};

/// Violations listed; the rest are counted.
const VIOLATIONS: usize = 3;

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

/// What ran, its flows, their delay bounds and fair shares, the balance, what was dropped, what
/// stood still, what broke.
///
/// Of circuits at most 26 lines, and beside them three on ABR and four on recovery after outages;
/// of frames at most 40. More on what not every run has: nine on delay bounds, six or nine on what
/// could not move, four on flows that got next to nothing. Fair shares take a line for each of up
/// to 30 flows, and at most seven more.
pub fn terminal_summary<N: Network>(info: &RunInfo, run: &Findings<'_, N>) -> String {
    let own = N::terminal(run, info);
    let (stop, _) = ended(run);
    let mut lines = opening(run, info, stop).to_vec();
    lines.extend(own.flows);
    lines.extend(bounds::terminal_lines(run.promised()));
    lines.extend(run.shares().terminal_lines());
    lines.push(String::new());
    lines.extend(own.through);
    lines.push(balance(run));
    lines.push(dropped(&run.outcome));
    lines.extend(own.in_the_way);
    lines.extend(busiest_port(run));
    lines.extend(still(run).unwrap_or_default().lines);
    lines.extend(crate::starved::lines(starved::sentences(run)));
    lines.extend(own.promises);
    let kept = run.outcome.violations.kept().iter();
    let kept = kept.map(|one| (time(run.cell, one.at.ps()), &*one.what));
    lines.extend(broken(
        run.outcome.violations.total(),
        kept.take(VIOLATIONS),
    ));
    printable(&lines)
}
