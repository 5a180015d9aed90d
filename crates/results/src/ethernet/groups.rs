//! Groups of flows, and what their flows did together.

use backwater_net::outcome::{FlowOutcome, Outcome};

use super::Frames;
use crate::events::per_second;
pub use crate::fairness::jain as fairness;
use crate::groups::group_name;

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
    let mut places = std::collections::BTreeMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for flow in 0..run.outcome.flows.len() as u32 {
        let name = run.flow(flow);
        let name = group_name(&name).to_owned();
        let at = *places.entry(name.clone()).or_insert(groups.len());
        if at == groups.len() {
            let flows = Vec::new();
            groups.push(Group { name, flows });
        }
        groups[at].flows.push(flow);
    }
    groups
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
}

/// Goodput of each flow, bits per second: payload that the destination's application got in
/// order after the warm-up.
pub fn goodputs(run: &Frames<'_>) -> Vec<f64> {
    let seconds = run.seconds();
    let rate = |flow: &FlowOutcome| per_second(flow.ends.goodput_bytes as f64 * 8.0, seconds);
    run.outcome.flows.iter().map(rate).collect()
}
