//! Files, requests, pictures: how many, and how long each took.

use backwater_kernel::Distribution;
use backwater_kernel::words::counted;

use super::{Findings, Network, per_second};
use crate::model::Cell;
use crate::number::{grouped, percent, span};
use crate::table_of::TableOf;

/// Picoseconds in a millisecond.
pub const MS: f64 = 1e9;

/// A row for each of these flows, whose application's transfers are so many of what `what` says.
pub fn table<R, N: Network>(
    run: &Findings<'_, N>,
    rows: impl IntoIterator<Item = R>,
    flow: impl Fn(&R) -> u32,
    (what, count): (impl Fn(&R) -> &'static str, impl Fn(&R) -> u64),
) -> TableOf<R> {
    let seconds = run.seconds();
    TableOf::of(rows)
        .called(
            "transfers: Flow completion times. Files: from the application's start to the last \
             byte at the receiver. Requests: from the first unit sent, or the application's start, \
             to the whole response. Pictures: to the arrival of the last datagram. Complete after \
             the warm-up. Slowdown: that time over the time alone. Those unfinished count with \
             their age: where there are some, mean, percentiles and max are bounds from below, \
             and a percentile is empty while more than the share above it are unfinished.",
        )
        .flow(run, flow)
        .text("what: files, requests or pictures")
        .of(what)
        .number("transfers: complete after the warm-up")
        .of(&count)
        .number("transfers [1/s]: complete per second")
        .of(|row| Cell::float(per_second(count(row) as f64, seconds), 3))
        .short("transfers/s")
}

/// Columns of what is under way: how many, and the age of the oldest.
pub const UNFINISHED: [&str; 2] = [
    "unfinished: begun, and not complete when the run ended",
    "oldest unfinished [ms]: from its start to the end of the run",
];

/// What is said of the time that one takes alone.
pub const ALONE: &str = "of one that has its path to itself, at line rate; empty where they differ";

/// Why there is no p99 where more than one in a hundred is unfinished, and how long a run would
/// have one: so long that as many more are complete at the same pace, if no more stay open.
/// Where nothing moves any more (`stands`), no run is long enough.
pub fn warning(found: &Distribution, seconds: f64, what: &str, stands: bool) -> Option<String> {
    let (complete, open) = (found.count(), found.open());
    // Young ones are what a loop has under way; they say nothing.
    let mean = found.sum() / complete as f64;
    if open * 100 <= complete + open || complete > 0 && found.oldest()? <= mean {
        return None;
    }
    let share = percent(open as f64 / (complete + open) as f64);
    let mut text = format!(
        "{} of {} unfinished ({share}), the oldest begun {} before the end: times are bounds from \
         below, without a p99",
        grouped(open),
        counted(complete + open, what),
        span(found.oldest()?)
    );
    if complete > 0 && !stands {
        let seconds = seconds * 99.0 * open as f64 / complete as f64;
        text += &format!(
            "; run longer: at this pace {} after the warm-up, or more if more stay open",
            span(seconds * 1e12)
        );
    }
    Some(text)
}
