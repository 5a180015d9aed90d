//! Intervals from a few independent means.

/// Student's t at 97.5 % for 1 to 30 degrees of freedom.
const STUDENT_T_975: [f64; 30] = [
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157,
    2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922,
    2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831,
    2.048407, 2.045230, 2.042272,
];

/// Student's t at 97.5 % for `freedom` degrees of freedom; infinite for none.
///
/// A table to 30, then the expansion in powers of 1 / `freedom` around the normal quantile.
pub fn student_t_975(freedom: u64) -> f64 {
    if freedom == 0 {
        return f64::INFINITY;
    }
    if let Some(t) = STUDENT_T_975.get(freedom as usize - 1) {
        return *t;
    }
    let z: f64 = 1.959_963_984_540_054;
    let w = z * z;
    let n = freedom as f64;
    let first = z * (w + 1.0) / 4.0;
    let second = z * ((5.0 * w + 16.0) * w + 3.0) / 96.0;
    let third = z * (((3.0 * w + 19.0) * w + 17.0) * w - 15.0) / 384.0;
    let fourth = z * ((((79.0 * w + 776.0) * w + 1482.0) * w - 1920.0) * w - 945.0) / 92160.0;
    z + (first + (second + (third + fourth / n) / n) / n) / n
}

/// Mean and half width of its 95 % interval, from independent means (one for each seed);
/// `None` with less than two or where one is not finite.
pub fn interval_of_means(means: &[f64]) -> Option<(f64, f64)> {
    if means.len() < 2 || means.iter().any(|mean| !mean.is_finite()) {
        return None;
    }
    let n = means.len() as f64;
    let mean = means.iter().sum::<f64>() / n;
    let squares: f64 = means.iter().map(|x| (x - mean) * (x - mean)).sum();
    let error = libm::sqrt(squares / (n - 1.0) / n);
    Some((mean, student_t_975(means.len() as u64 - 1) * error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beyond the table, against values found by integrating the density.
    #[test]
    fn the_expansion_continues_the_table() {
        for (freedom, t) in [
            (31, 2.0395134),
            (40, 2.0210754),
            (60, 2.0002978),
            (120, 1.9799304),
        ] {
            assert!((student_t_975(freedom) - t).abs() < 1e-6, "at {freedom}");
        }
        let falls = |freedom| student_t_975(freedom) > student_t_975(freedom + 1);
        assert!((0..200).all(falls));
        assert!((student_t_975(u64::MAX) - 1.959964).abs() < 1e-6);
    }

    #[test]
    fn three_means_by_hand() {
        let (mean, half_width) = interval_of_means(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(mean, 2.0);
        assert!((half_width - 4.302653 / libm::sqrt(3.0)).abs() < 1e-12);
    }

    #[test]
    fn no_interval_from_one_mean_or_none_that_is_finite() {
        assert_eq!(interval_of_means(&[]), None);
        assert_eq!(interval_of_means(&[1.0]), None);
        assert_eq!(interval_of_means(&[1.0, f64::NAN]), None);
    }
}
