//! What could not move at the end, and what it waited for.

use backwater_net::outcome::{Outcome, Standstill, Wait};

use super::{Findings, Network, us};
use crate::model::Tone;
use crate::table_of::TableOf;

/// How a network tells of what can't move.
pub trait Standstills: Sized {
    /// Where something waits that can't move, and what.
    fn stuck(outcome: &Outcome, wait: &Wait) -> Option<(u32, String)>;
    /// What is said where something stands still.
    fn still(run: &Findings<'_, Self>, found: &Standstill) -> Still;
}

/// What is said of what stands still.
#[derive(Clone, Debug, Default)]
pub struct Still {
    /// In a word or two.
    pub short: &'static str,
    /// As the rest of "the run ended: ...".
    pub ended: String,
    /// For people who wait for the run: what it is called, and what stands still.
    pub told: String,
    /// A note on the page.
    pub note: Option<(Tone, String)>,
    /// For a terminal: a sentence, and below it the first places where something waits.
    pub lines: Vec<String>,
}

/// A row for each place where something waits: which port it waits to leave by, and for what.
pub fn table<'a, N: Network, R>(
    run: &Findings<'_, N>,
    caption: String,
    rows: impl IntoIterator<Item = R>,
    wait: impl Fn(&R) -> &'a Wait,
    [port, why]: [&dyn Fn(&R) -> String; 2],
) -> TableOf<R> {
    TableOf::of(rows)
        .called(format!("standstill: {caption}"))
        .text("flow: the flow of the first that waits")
        .of(|row| run.flow(wait(row).flow))
        .text("port: that it waits to leave by")
        .of(port)
        .number(format!("waiting [{}]: how many; empty: no limit", N::UNITS))
        .of(|row| units(wait(row)))
        .number(
            "since [us]: when it was stopped, or began to wait with nothing started since, if \
             known",
        )
        .of(|row| wait(row).since.map(|since| us(since.ps())))
        .text("why: what is missing, and where to look next")
        .of(why)
        .in_cells("since", run.cell, |row| {
            wait(row).since.map(|since| since.ps() as f64)
        })
}

/// How many wait, where there is an end of them.
pub fn units(wait: &Wait) -> Option<u64> {
    (wait.units < u64::MAX).then_some(wait.units)
}
