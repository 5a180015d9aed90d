//! Files, requests, pictures: how many, and how long each took.

use super::{Findings, Network, per_second};
use crate::model::Cell;
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
             the warm-up. Slowdown: that time over the time alone.",
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

/// What is said of the time that one takes alone.
pub const ALONE: &str = "of one that has its path to itself, at line rate; empty where they differ";
