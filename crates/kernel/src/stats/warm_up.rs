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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};
    use alloc::vec::Vec;

    /// Noise around nought, after a transient that falls from `height` to nought.
    fn series(seed: u64, height: f64, transient: usize, length: usize) -> Vec<f64> {
        let mut stream = Stream::new(seed, 0, Purpose::Pattern);
        let slope = |i: usize| height * (1.0 - i as f64 / transient as f64).max(0.0);
        (0..length).map(|i| slope(i) + stream.normal()).collect()
    }

    #[test]
    fn a_known_transient_is_cut() {
        for seed in 0..20 {
            let cut = mser5(&series(seed, 20.0, 200, 2_000)).unwrap();
            assert!((150..=300).contains(&cut), "cut at {cut}");
        }
    }

    /// Negative control: without a transient, little is cut.
    #[test]
    fn a_steady_series_is_left_nearly_whole() {
        let cuts = (0..20).map(|seed| mser5(&series(seed, 0.0, 1, 2_000)).unwrap_or(2_000));
        let mut cuts: Vec<usize> = cuts.collect();
        cuts.sort_unstable();
        assert!(cuts[10] < 150, "median cut {}", cuts[10]);
    }

    #[test]
    fn a_series_that_never_settles_has_no_answer() {
        assert_eq!(mser5(&series(1, 1_000.0, 2_000, 2_000)), None);
        let tail_only = series(1, 100.0, 1_500, 2_000);
        assert_eq!(mser5(&tail_only), None);
    }

    #[test]
    fn too_short_or_not_numbers() {
        assert_eq!(mser5(&[]), None);
        assert_eq!(mser5(&[1.0; 49]), None);
        assert_eq!(mser5(&[1.0; 50]), Some(0));
        assert_eq!(mser5(&[f64::NAN; 100]), None);
    }
}
