//! How evenly sources get into the network.

use flit::outcome::FabricOutcome;
use flit::spec::FabricSpec;

use super::network::shares;
use crate::fairness::jain;

/// Jain's index over what sources got into the network in the window (the load of their injection
/// channels), and how many sources that is: those that had something to send.
///
/// Max-min shares are left out: which channels a packet takes is known to the routing function
/// alone, and may depend on the load.
pub fn of_sources(spec: &FabricSpec, outcome: &FabricOutcome) -> Option<(f64, usize)> {
    let shares = shares(outcome);
    let injection = shares.get(spec.graph.channels.len()..)?;
    let rates: Vec<f64> = injection
        .iter()
        .zip(&outcome.terminals)
        .filter(|(share, terminal)| **share > 0.0 || terminal.created > 0)
        .map(|(share, _)| *share)
        .collect();
    (rates.len() > 1).then(|| (jain(&rates), rates.len()))
}
