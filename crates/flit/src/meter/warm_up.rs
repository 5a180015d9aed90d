//! Has the run settled?

use alloc::vec::Vec;
use backwater_kernel::stats::mser5;

use super::course::Sums;

/// Above this share of the offered flits left over, latency does not settle: queues grow.
const OVERLOAD: f64 = 0.05;
/// Stretches to see before being sure.
const STRETCHES_LEAST: usize = 100;
/// Stretches to see before taking what is too noisy to be sure.
const STRETCHES_NOISY: usize = 200;
/// Stretches between two looks, and in a batch: as many as MSER-5 averages.
const BATCH: usize = 5;
/// A drift from the third to the fourth quarter of this share or less does not matter.
const DRIFT: f64 = 0.01;
/// Standard errors by which a drift is surely below [`DRIFT`].
const ERRORS_SURE: f64 = 2.0;
/// Standard errors by which quarters differ where nothing drifts.
const ERRORS_CHANCE: f64 = 1.0;

/// Have throughput and latency settled, by what `stretches` saw? Latency does not count when
/// `by_latency` is false or when the network takes much less than it is offered, so that queues
/// only grow.
///
/// A course has settled when its third and fourth quarters surely differ by no more than 1 %; or,
/// where it is too noisy to be sure, when they differ by no more than chance explains and MSER-5
/// finds that the second half belongs to the settled part. MSER-5 alone takes slow ramps under
/// noise for settled, and the difference alone does not see a wave.
pub(crate) fn has_settled(stretches: &[Sums], by_latency: bool) -> bool {
    if stretches.len() < STRETCHES_LEAST || !stretches.len().is_multiple_of(BATCH) {
        return false;
    }
    let accepted: Vec<f64> = stretches.iter().map(|sums| sums.delivered as f64).collect();
    if !is_flat(&accepted) {
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
    is_flat(&latency.collect::<Vec<f64>>())
}

fn is_flat(series: &[f64]) -> bool {
    let quarter = series.len() / (4 * BATCH) * BATCH;
    let (rest, fourth) = series.split_at(series.len() - quarter);
    let (before, before_error) = mean_and_error(&rest[rest.len() - quarter..]);
    let (after, after_error) = mean_and_error(fourth);
    let error = libm::sqrt(before_error + after_error);
    let drift = (after - before).abs();
    if drift + ERRORS_SURE * error <= DRIFT * after.max(before) {
        return true;
    }
    let by_chance = drift <= ERRORS_CHANCE * error && series.len() >= STRETCHES_NOISY;
    by_chance && mser5(series).is_some()
}

/// Mean, and the square of its standard error from means of batches.
fn mean_and_error(series: &[f64]) -> (f64, f64) {
    let mean_of = |batch: &[f64]| batch.iter().sum::<f64>() / BATCH as f64;
    let means: Vec<f64> = series.chunks_exact(BATCH).map(mean_of).collect();
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let squares: f64 = means.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, squares / (n - 1.0) / n)
}

/// Was, in the second half, clearly less delivered than offered?
fn is_overloaded(stretches: &[Sums]) -> bool {
    let half = &stretches[stretches.len() / 2..];
    let created: u64 = half.iter().map(|sums| sums.created).sum();
    let delivered: u64 = half.iter().map(|sums| sums.delivered).sum();
    created.saturating_sub(delivered) as f64 > OVERLOAD * created as f64
}
