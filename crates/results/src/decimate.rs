//! Fewer points, same picture: first, lowest, highest and last of each slice of the x axis
//! (Jugel et al., "M4: a visualization-oriented time series data aggregation", VLDB 2014).

use crate::model::{Axis, Curve};

/// Most points a curve of a report holds.
pub const REPORT_POINTS: usize = 4000;

/// Indices of the points to keep, ascending, at most `most` of them (at least 4).
///
/// Points that can't be drawn go first.
pub fn kept(curve: &Curve, x_axis: &Axis, y_axis: &Axis, most: usize) -> Vec<usize> {
    let count = curve.x.len().min(curve.y.len());
    let valid: Vec<usize> = (0..count)
        .filter(|&i| drawn(curve.x[i], x_axis) && drawn(curve.y[i], y_axis))
        .collect();
    if valid.len() <= most.max(4) {
        return valid;
    }
    let place = |i: usize| {
        if x_axis.log {
            curve.x[i].ln()
        } else {
            curve.x[i]
        }
    };
    let (first, last) = (place(valid[0]), place(valid[valid.len() - 1]));
    let slices = (most / 4).max(1);
    let slice_of = |i: usize| {
        let share = (place(i) - first) / (last - first);
        ((share * slices as f64) as usize).min(slices - 1)
    };
    let mut kept = Vec::with_capacity(slices * 4);
    for slice in valid.chunk_by(|&a, &b| slice_of(a) == slice_of(b)) {
        keep_extremes(slice, &curve.y, &mut kept);
    }
    kept
}

/// What can't be drawn: what isn't finite, sizes no axis can label, and on a logarithmic axis
/// zero and below.
pub fn drawn(value: f64, axis: &Axis) -> bool {
    value.abs() <= 1e30 && (!axis.log || value >= 1e-30)
}

fn keep_extremes(slice: &[usize], y: &[f64], kept: &mut Vec<usize>) {
    let (mut low, mut high) = (slice[0], slice[0]);
    for &i in slice {
        if y[i] < y[low] {
            low = i;
        }
        if y[i] > y[high] {
            high = i;
        }
    }
    let mut four = [slice[0], low, high, slice[slice.len() - 1]];
    four.sort_unstable();
    for i in four {
        if kept.last() != Some(&i) {
            kept.push(i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Style;

    fn noise(count: usize) -> Curve {
        let x: Vec<f64> = (0..count).map(|i| i as f64).collect();
        let mut state = 1u64;
        let y = (0..count)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                (state >> 40) as f64
            })
            .collect();
        Curve::new("noise", Style::Line, x, y)
    }

    fn keep(curve: &Curve, most: usize) -> Vec<usize> {
        kept(curve, &Axis::default(), &Axis::default(), most)
    }

    #[test]
    fn short_curves_stay_whole() {
        assert_eq!(keep(&noise(4000), 4000).len(), 4000);
    }

    #[test]
    fn long_curves_keep_their_spikes() {
        let mut curve = noise(100_000);
        curve.y[54_321] = 1e12;
        curve.y[12_345] = -1e12;
        let kept = keep(&curve, REPORT_POINTS);
        assert!(kept.len() <= REPORT_POINTS && kept.len() > REPORT_POINTS / 2);
        assert!(kept.is_sorted());
        for must in [0, 12_345, 54_321, 99_999] {
            assert!(kept.contains(&must), "lost point {must}");
        }
        let every_25th: Vec<usize> = (0..100_000).step_by(25).collect();
        assert!(
            !every_25th.contains(&54_321),
            "a plain stride would lose it"
        );
    }

    #[test]
    fn every_slice_keeps_its_own_extremes() {
        let curve = noise(50_000);
        let kept = keep(&curve, 400);
        for slice in 0..100 {
            let inside = slice * 500 + 1..(slice + 1) * 500 - 1;
            let high = inside.clone().map(|i| curve.y[i]).fold(0.0, f64::max);
            let seen = kept
                .iter()
                .filter(|&&i| (slice * 500..(slice + 1) * 500).contains(&i))
                .map(|&i| curve.y[i])
                .fold(0.0, f64::max);
            assert!(seen >= high, "slice {slice} lost its peak");
        }
    }

    #[test]
    fn what_cannot_be_drawn_goes() {
        let curve = Curve::new(
            "c",
            Style::Line,
            vec![0.0, 1.0, f64::NAN, 3.0, 4.0],
            vec![1.0, f64::INFINITY, 1.0, 2.0],
        );
        assert_eq!(keep(&curve, 100), vec![0, 3]);
        let log = Axis {
            log: true,
            ..Axis::default()
        };
        assert_eq!(kept(&curve, &log, &Axis::default(), 100), vec![3]);
    }

    #[test]
    fn all_points_at_one_instant_still_end() {
        let curve = Curve::new("c", Style::Step, vec![5.0; 9000], vec![1.0; 9000]);
        assert!(keep(&curve, 100).len() <= 4);
    }
}
