//! What a run of a sweep measured: engines make it, sweeps store it.

/// What a run of a sweep measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// By measure; not a number where there was nothing to measure.
    pub values: Vec<f64>,
    /// Fingerprint of the run.
    pub trace_hash: String,
}
