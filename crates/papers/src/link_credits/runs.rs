//! Runs of the one link, and what they say of its credit.

use backwater_net::outcome::CreditOutcome;

use super::LINK;
use crate::lab::{EthernetRun, Lab, LabError};

/// Keys and values that differ from the file.
pub type Sets = Vec<(&'static str, String)>;

/// One run of the link.
pub fn link(lab: &Lab, sets: &Sets) -> Result<EthernetRun, LabError> {
    lab.ethernet(LINK, &borrowed(sets))
}

/// One run a seed.
pub fn seeds(lab: &Lab, sets: &Sets, seeds: u64) -> Result<Vec<EthernetRun>, LabError> {
    lab.ethernet_seeds(LINK, &borrowed(sets), seeds)
}

/// As a lab takes them.
pub fn borrowed(sets: &Sets) -> Vec<(&str, &str)> {
    sets.iter().map(|(key, value)| (*key, &**value)).collect()
}

/// The share of the link that data took.
pub fn share(lab: &Lab, sets: &Sets) -> Result<f64, LabError> {
    Ok(link(lab, sets)?.channel("S->A").data_share)
}

/// The counters of the class at the end.
///
/// # Panics
/// If the link has none: a test runs every experiment.
pub fn credit(run: &EthernetRun) -> CreditOutcome {
    let queue = &run.channel("S->A").by_class.queues[0];
    *queue.credit.clone().expect("the link has credit")
}

/// A transfer of so many frames of this payload.
pub fn frames(count: u64, payload: u64) -> (&'static str, String) {
    let bytes = count * payload;
    let traffic = format!("{{ kind = \"greedy\", total = \"{bytes} B\" }}");
    ("flows.f.traffic", traffic)
}
