//! Groups of flows, and what their flows did together.

use backwater_net::outcome::{FlowOutcome, MembersOutcome, Outcome};

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
    /// Of flows without a row, which of [`Outcome::members`].
    pub members: Vec<usize>,
}

/// Groups in the order of their first flow.
pub fn groups(run: &Frames<'_>) -> Vec<Group> {
    let flows = 0..run.outcome.flows.len() as u32;
    let named = flows.map(|flow| (group_name(&run.flow(flow)).to_owned(), flow));
    let groups = in_order(named).into_iter();
    let with_rows = groups.map(|(name, flows)| Group {
        name,
        flows,
        members: Vec::new(),
    });
    with_rows.chain(without_rows(run)).collect()
}

/// Groups whose flows have no row.
fn without_rows<'a>(run: &'a Frames<'_>) -> impl Iterator<Item = Group> + 'a {
    let groups = (0_u32..).zip(&run.network.rules.arrivals);
    groups.map(|(id, group)| {
        let members = run.outcome.members.iter().enumerate();
        let members = members.filter(|(_, own)| own.group == id);
        Group {
            name: group.name.clone(),
            flows: Vec::new(),
            members: members.map(|(at, _)| at).collect(),
        }
    })
}

impl Group {
    /// What its flows did.
    pub fn found<'a>(
        &'a self,
        outcome: &'a Outcome,
    ) -> impl Iterator<Item = &'a FlowOutcome> + Clone + 'a {
        let flows = self.flows.iter();
        let flows = flows.filter_map(|flow| outcome.flows.get(*flow as usize));
        flows.chain(self.members(outcome).map(|own| &own.found))
    }

    /// Of its flows without a row, what those of each size did.
    pub fn members<'a>(
        &'a self,
        outcome: &'a Outcome,
    ) -> impl Iterator<Item = &'a MembersOutcome> + Clone + 'a {
        let members = self.members.iter();
        members.filter_map(|at| outcome.members.get(*at))
    }

    /// How many flows it has.
    pub fn count(&self, outcome: &Outcome) -> u64 {
        let members = self.members(outcome).map(|own| own.flows);
        self.flows.len() as u64 + members.sum::<u64>()
    }

    /// It has more than one flow, or none of its own.
    pub fn is_several(&self, outcome: &Outcome) -> bool {
        self.count(outcome) > 1 || self.flows.is_empty()
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

/// Goodput of all flows without a row, bits per second.
pub fn members_goodput(run: &Frames<'_>) -> f64 {
    let members = run.outcome.members.iter();
    let bytes: u64 = members.map(|own| own.found.ends.goodput_bytes).sum();
    per_second(bytes as f64 * 8.0, run.seconds())
}

/// Goodput of each flow, bits per second: payload that the destination's application got in
/// order after the warm-up.
pub fn goodputs(run: &Frames<'_>) -> Vec<f64> {
    let seconds = run.seconds();
    let rate = |flow: &FlowOutcome| per_second(flow.ends.goodput_bytes as f64 * 8.0, seconds);
    run.outcome.flows.iter().map(rate).collect()
}
