//! Has the run settled?

use alloc::vec::Vec;
use kernel::stats::mser5;

use super::course::Sums;

/// Above this share of the offered flits left over, latency does not settle: queues grow.
const OVERLOAD: f64 = 0.05;

/// Have throughput and latency settled, by what `stretches` saw? MSER-5 must find, for both, that
/// the second half belongs to the settled part. Latency does not count when `by_latency` is false
/// or when the network takes much less than it is offered, so that queues only grow.
pub(crate) fn has_settled(stretches: &[Sums], by_latency: bool) -> bool {
    let accepted: Vec<f64> = stretches.iter().map(|sums| sums.delivered as f64).collect();
    if mser5(&accepted).is_none() {
        return false;
    }
    if !by_latency || is_overloaded(stretches) {
        return true;
    }
    let mut last = 0.0;
    let latency = stretches.iter().map(|sums| {
        last = sums.mean_latency().unwrap_or(last);
        last
    });
    mser5(&latency.collect::<Vec<f64>>()).is_some()
}

/// Was, in the second half, clearly less delivered than offered?
fn is_overloaded(stretches: &[Sums]) -> bool {
    let half = &stretches[stretches.len() / 2..];
    let created: u64 = half.iter().map(|sums| sums.created).sum();
    let delivered: u64 = half.iter().map(|sums| sums.delivered).sum();
    created.saturating_sub(delivered) as f64 > OVERLOAD * created as f64
}
