//! What is found of ABR flows.

use alloc::vec::Vec;

use backwater_kernel::{Balance, Duration, Rate, Time};

/// One direction of an ABR circuit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AbrOutcome {
    /// Forward RM cells that its source sent, whole run.
    pub forward: CellCounts,
    /// Backward RM cells it carried: answers to its partner's forward ones.
    pub backward: CellCounts,
    /// RM cells of both kinds sent out of rate.
    pub out_of_rate_total: u64,
    /// The partner's forward RM cells that took the place of older ones before these were
    /// turned around.
    pub overwritten_total: u64,
    /// The partner's forward RM cells that wait to be turned around.
    pub waiting: u64,
    /// RM cells that switches made for its source (BN = 1) and that arrived.
    pub notices_total: u64,
    /// In-rate cells sent, data and RM.
    pub in_rate_total: u64,
    /// ACR at the end.
    pub acr: Rate,
    /// Least ACR after the warm-up.
    pub acr_min: Rate,
    /// Largest ACR after the warm-up.
    pub acr_max: Rate,
    /// Its mean over time after the warm-up, in bps.
    pub acr_mean_bps: f64,
    /// Reductions by the use-it-or-lose-it policy.
    pub reductions_total: u64,
    /// Increases the policy refused.
    pub refused_total: u64,
    /// Reductions by rule 6 (no answers).
    pub missing_total: u64,
    /// Bursts: from backlog empty to backlog empty again (finite applications; the first
    /// [`AbrOutcome::BURSTS_KEPT`]).
    pub bursts: Vec<BurstOutcome>,
}

impl AbrOutcome {
    /// Bursts of which details are kept.
    pub const BURSTS_KEPT: usize = 1 << 16;
}

/// Cells of one kind; they balance: sent = received + lost + inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellCounts {
    /// By their end system.
    pub sent: u64,
    /// By the other one.
    pub received: u64,
    /// On the wire or in a buffer.
    pub lost: u64,
    /// Still under way.
    pub inside: u64,
}

impl CellCounts {
    /// Sent = received + lost + inside.
    pub const fn balance(&self) -> Balance {
        Balance {
            offered: self.sent,
            delivered: self.received,
            dropped: self.lost,
            queued: 0,
            inside: self.inside,
        }
    }
}

/// A burst: cells offered while none waited, until the last has left the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BurstOutcome {
    /// Its first cells came.
    pub arrived: Time,
    /// Its last data cell was sent; `None`: not yet.
    pub sent: Option<Time>,
    /// Data cells.
    pub data_cells: u64,
    /// In-rate cells sent meanwhile, RM cells included.
    pub in_rate_cells: u64,
    /// ACR when its first data cell was sent.
    pub first_acr: Rate,
    /// Reductions by the policy meanwhile.
    pub reductions: u64,
}

impl BurstOutcome {
    /// Burst response time, of a burst that is through.
    pub fn response(&self) -> Option<Duration> {
        Some(self.sent?.since(self.arrived))
    }
}
