//! Flows that got next to nothing, and what stood in their way.

use backwater_net::outcome::Outcome;

use super::{Network, names};
use crate::number::grouped;
use crate::starved::{Starved, told};

/// A sentence for each of the first of them.
pub fn sentences<N: Network>(network: &N, outcome: &Outcome) -> Vec<String> {
    told(&starved(network, outcome), |one| {
        let found = &outcome.flows[one.flow as usize];
        let offered = || {
            format!(
                "{} {} offered, {} delivered",
                grouped(found.offered_total),
                N::UNITS,
                grouped(found.delivered_total)
            )
        };
        format!(
            "{}: {}: {}",
            names::flow(network, one.flow),
            one.words(offered),
            network.hindrance(outcome, one.flow)
        )
    })
}

/// All of them by name.
pub fn all(network: &impl Network, outcome: &Outcome) -> Vec<String> {
    let starved = starved(network, outcome).into_iter();
    starved.map(|one| names::flow(network, one.flow)).collect()
}

fn starved(network: &impl Network, outcome: &Outcome) -> Vec<Starved> {
    let flows = outcome.flows.iter();
    let totals = flows.map(|found| (found.offered_total, found.delivered_total));
    Starved::find(totals, &network.below_share(outcome))
}
