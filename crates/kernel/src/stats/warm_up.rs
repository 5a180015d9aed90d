//! Where a run's warm-up ends.

/// Samples averaged before the search.
const BATCH: usize = 5;
/// With less there is nothing to choose from.
const FEWEST_BATCHES: usize = 10;

/// Samples to drop from the start of `series`, by MSER-5: of all cuts (in steps of five), the
/// one after which the mean is known best, `variance / length` being smallest.
///
/// `None` when the best cut lies in the second half (the run is too short to tell), with less
/// than 50 samples, or where one is not finite.
pub fn mser5(series: &[f64]) -> Option<usize> {
    let batches = series.len() / BATCH;
    if batches < FEWEST_BATCHES || series.iter().any(|sample| !sample.is_finite()) {
        return None;
    }
    let (mut mean, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, batches));
    for (kept, batch) in (1_u32..).zip(series.chunks_exact(BATCH).rev()) {
        let value = batch.iter().sum::<f64>() / BATCH as f64;
        let n = f64::from(kept);
        let distance = value - mean;
        mean += distance / n;
        squares += distance * (value - mean);
        let cut = batches - kept as usize;
        let score = squares / (n * n);
        if kept as usize >= FEWEST_BATCHES / 2 && score <= best.0 {
            best = (score, cut);
        }
    }
    (best.1 <= batches / 2).then_some(best.1 * BATCH)
}
