//! What is found of ABR flows and of the ports that tell them rates.

use backwater_kernel::Rate;

pub use backwater_ends::control::{AbrOutcome, BurstOutcome, CellCounts};

/// A port that tells rates.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RatePortOutcome {
    /// ABR cells that joined its queue, whole run.
    pub cells_total: u64,
    /// Most ABR cells that waited.
    pub queue_max: u64,
    /// Backward RM cells that passed it.
    pub feedbacks_total: u64,
    /// Data cells it marked, or RM cells it set CI or NI in.
    pub marked_total: u64,
    /// Measuring intervals that ended.
    pub intervals_total: u64,
    /// Mean load factor z of those with a capacity.
    pub load_mean: f64,
    /// Mean number of active circuits.
    pub active_mean: f64,
    /// Fair share at the end.
    pub fair_share: Rate,
}
