//! What flows got, and what would have been fair.

use super::Findings;
use crate::fairness::FairShares;

/// The max-min fair shares of a run, as its network knows ways and demands.
pub trait Fairness: Sized {
    /// The shares of all flows that have something of their own to send.
    fn shares(run: &Findings<'_, Self>) -> FairShares;
    /// The share of each flow if all priorities or classes were one, bits per second.
    fn among_equals(run: &Findings<'_, Self>) -> Vec<Option<f64>>;
    /// What each flow got, counted like its share, bits per second.
    fn rates(run: &Findings<'_, Self>) -> Vec<f64>;
    /// What applications got, bits per second, of flows that have one; nothing where the bytes of
    /// one are no rate.
    fn goodputs(run: &Findings<'_, Self>) -> Vec<f64> {
        Self::rates(run)
    }
}
