//! What a credit loop can carry: figures for messages, no decision of the simulator rests on
//! them.

/// Share of the link that a greedy flow gets, alone, with a buffer of `zones` = N2 + N3 cells,
/// a loop of `loop_cells`, and a window `late_cells` longer than the loop.
///
/// With an exact window it is min(1, N2 floor(W/N2) / (D + N2 - 1 - W mod N2)), exactly. A
/// window that is too long counts cells that the credit already knows of: W shrinks by them.
/// That second part is read off measured runs and agrees with them within 0.001 while the circuit
/// is busy all the time; where it pauses, the extra time holds fewer cells, and it carries more.
pub(crate) fn throughput(zones: f64, n2: f64, loop_cells: f64, late_cells: f64) -> f64 {
    let zones = zones - late_cells;
    if zones < n2 {
        return 0.0;
    }
    let whole = n2 * (zones / n2).floor();
    (whole / (loop_cells + n2 - 1.0 - (zones - whole))).min(1.0)
}

/// Does a window so many cells too long stop the flow for ever? A greedy flow alone lives exactly
/// while the excess is not above N3: a test of the engine holds it to the half cell.
pub(crate) fn dies(n3: f64, late_cells: f64) -> bool {
    late_cells > n3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value - expected).abs() <= tolerance,
            "{value} is not {expected}"
        );
    }

    #[test]
    fn an_exact_window_gives_the_measured_throughput() {
        near(throughput(61.0, 10.0, 155.0, 0.0), 60.0 / 163.0, 1e-12);
        near(throughput(61.0, 10.0, 146.7, 0.0), 0.388, 5e-4);
        near(throughput(165.0, 10.0, 155.0, 0.0), 1.0, 0.0);
    }

    #[test]
    fn a_long_window_gives_the_measured_throughput() {
        // Measured in runs of finite length, printed with three digits.
        near(throughput(61.0, 10.0, 155.0, 5.0), 0.317, 1e-3);
        near(throughput(61.0, 10.0, 155.0, 20.0), 0.245, 1e-3);
        near(throughput(61.0, 10.0, 146.7, 8.3), 0.327, 1e-3);
    }

    #[test]
    fn it_dies_where_it_was_seen_to_die() {
        assert!(!dies(51.0, 51.0));
        assert!(dies(51.0, 51.5));
    }
}
