//! Groups of flows, and what their flows did together.

use backwater_kernel::Histogram;
use backwater_net::frames::outcome::{DelayOutcome, EthernetOutcome, FlowOutcome};
use backwater_net::frames::spec::EthernetSpec;

use super::names;
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
pub fn groups(spec: &EthernetSpec, outcome: &EthernetOutcome) -> Vec<Group> {
    let mut places = std::collections::BTreeMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for flow in 0..outcome.flows.len() as u32 {
        let name = names::flow(spec, flow);
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
        outcome: &'a EthernetOutcome,
    ) -> impl Iterator<Item = &'a FlowOutcome> + Clone + 'a {
        let found = self.flows.iter();
        found.filter_map(|flow| outcome.flows.get(*flow as usize))
    }
}

/// Seconds that rates are over: those after the warm-up.
pub fn seconds(spec: &EthernetSpec, outcome: &EthernetOutcome) -> f64 {
    outcome.ended_at.since(spec.warm_up).seconds()
}

/// So many in so many seconds; nothing where there was no time.
pub fn per_second(count: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { count / seconds } else { 0.0 }
}

/// Goodput of each flow, bits per second: payload that the destination's application got in
/// order after the warm-up.
pub fn goodputs(spec: &EthernetSpec, outcome: &EthernetOutcome) -> Vec<f64> {
    let seconds = seconds(spec, outcome);
    let rate = |flow: &FlowOutcome| per_second(flow.ends.goodput_bytes as f64 * 8.0, seconds);
    outcome.flows.iter().map(rate).collect()
}

/// Times of several flows together.
pub fn merged<'a>(times: impl Iterator<Item = &'a DelayOutcome>) -> DelayOutcome {
    let mut all = DelayOutcome {
        histogram: Histogram::new(),
        ..DelayOutcome::default()
    };
    let mut sum_ps = 0.0;
    for one in times.filter(|one| one.count > 0) {
        let is_first = all.count == 0;
        sum_ps += one.mean_ps * one.count as f64;
        all.least_ps = if is_first {
            one.least_ps
        } else {
            all.least_ps.min(one.least_ps)
        };
        all.most_ps = all.most_ps.max(one.most_ps);
        all.count += one.count;
        all.histogram.merge(&one.histogram);
    }
    if all.count > 0 {
        all.mean_ps = sum_ps / all.count as f64;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_two_flows_are_those_of_all_their_frames() {
        let of = |values: &[u64]| {
            let mut histogram = Histogram::new();
            values.iter().for_each(|value| histogram.record(*value));
            DelayOutcome {
                count: values.len() as u64,
                mean_ps: values.iter().sum::<u64>() as f64 / values.len() as f64,
                least_ps: *values.iter().min().unwrap(),
                most_ps: *values.iter().max().unwrap(),
                histogram,
            }
        };
        let parts = [of(&[7, 9]), DelayOutcome::default(), of(&[5, 5, 5, 50])];
        let (all, whole) = (merged(parts.iter()), of(&[7, 9, 5, 5, 5, 50]));
        assert_eq!((all.count, all.least_ps, all.most_ps), (6, 5, 50));
        assert_eq!(all.mean_ps, whole.mean_ps);
        assert_eq!(all.histogram, whole.histogram);
    }
}
