//! Groups of flows, and what their flows did together.

use backwater_net::outcome::{FlowOutcome, Outcome};

use super::Frames;
use crate::events::per_second;
pub use crate::fairness::jain as fairness;
use crate::groups::{group_name, in_order};
use crate::merge;

/// Flows of one name.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Their name without the number.
    pub name: String,
    /// Which they are, ascending.
    pub flows: Vec<u32>,
}

/// Groups in the order of their first flow.
pub fn groups(run: &Frames<'_>) -> Vec<Group> {
    let flows = 0..run.outcome.flows.len() as u32;
    let named = flows.map(|flow| (group_name(&run.flow(flow)).to_owned(), flow));
    let groups = in_order(named).into_iter();
    groups.map(|(name, flows)| Group { name, flows }).collect()
}

impl Group {
    /// What its flows did.
    pub fn found<'a>(
        &'a self,
        outcome: &'a Outcome,
    ) -> impl Iterator<Item = &'a FlowOutcome> + Clone + 'a {
        let found = self.flows.iter();
        found.filter_map(|flow| outcome.flows.get(*flow as usize))
    }

    /// What its flows did, as if they were one flow.
    pub fn as_one(&self, outcome: &Outcome) -> FlowOutcome {
        merge::sum(&self.found(outcome).collect::<Vec<_>>())
    }
}

/// Goodput of each flow that has one of its own: where transfers end, their bytes over the length
/// of the run are no rate.
pub fn lasting(run: &Frames<'_>) -> Vec<Option<f64>> {
    let rates = run.outcome.flows.iter().zip(goodputs(run));
    let since = run.network.warm_up;
    rates
        .map(|(flow, rate)| flow.ends.lasts(since).then_some(rate))
        .collect()
}

/// Goodput of each flow, bits per second: payload that the destination's application got in
/// order after the warm-up.
pub fn goodputs(run: &Frames<'_>) -> Vec<f64> {
    let seconds = run.seconds();
    let rate = |flow: &FlowOutcome| per_second(flow.ends.goodput_bytes as f64 * 8.0, seconds);
    run.outcome.flows.iter().map(rate).collect()
}
