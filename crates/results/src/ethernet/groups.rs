//! Flows by their names: `web[0]` to `web[31]` are the group `web`.

use backwater_ethernet::outcome::{DelayOutcome, EthernetOutcome, FlowOutcome};
use backwater_ethernet::spec::EthernetSpec;
use backwater_kernel::Histogram;

use super::names;
pub use crate::fairness::jain as fairness;

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

/// The names of groups, each once.
pub fn group_names<'a>(flows: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let names = flows.map(group_name).filter(|name| seen.insert(*name));
    names.map(String::from).collect()
}

/// Flows in the order in which they matter: the first of each group, then the second of each, and
/// so on.
pub fn by_turns<'a>(flows: impl Iterator<Item = &'a str>) -> Vec<u32> {
    let mut seen = std::collections::BTreeMap::new();
    let ranked = flows.zip(0..).map(|(name, flow)| {
        let before = seen.entry(group_name(name)).or_insert(0_u32);
        *before += 1;
        (*before, flow)
    });
    let mut ranked: Vec<(u32, u32)> = ranked.collect();
    ranked.sort();
    ranked.into_iter().map(|(_, flow)| flow).collect()
}

/// The flows of this name: one, or all of the group.
pub fn of_name<'a, F>(
    flows: impl Iterator<Item = F> + Clone,
    name_of: impl Fn(&F) -> &'a str,
    name: &str,
) -> Vec<F> {
    let exact = flows.clone().find(|flow| name_of(flow) == name);
    match exact {
        Some(flow) => vec![flow],
        None => flows
            .filter(|flow| group_name(name_of(flow)) == name)
            .collect(),
    }
}

/// The name without a number in brackets at its end.
fn group_name(name: &str) -> &str {
    let Some((stem, number)) = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
    else {
        return name;
    };
    let is_number = !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit());
    if is_number { stem } else { name }
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
    fn each_group_has_its_turn() {
        let flows = ["in[1]", "in[2]", "in[3]", "victim", "x[1]", "x[2]"];
        assert_eq!(by_turns(flows.into_iter()), [0, 3, 4, 1, 5, 2]);
    }

    #[test]
    fn flows_are_called_by_name_or_by_group() {
        let flows = ["a[1]", "b", "a[2]", "b[1]"];
        let of = |name| of_name(flows.iter(), |flow| flow, name);
        assert_eq!(of("a"), [&"a[1]", &"a[2]"]);
        assert_eq!((of("a[2]"), of("b")), (vec![&"a[2]"], vec![&"b"]));
        assert_eq!(group_names(flows.into_iter()), ["a", "b"]);
    }

    #[test]
    fn numbers_in_brackets_make_groups() {
        for (name, group) in [
            ("web[0]", "web"),
            ("web[31]", "web"),
            ("web", "web"),
            ("a[b]", "a[b]"),
            ("a[]", "a[]"),
            ("a[1][2]", "a[1]"),
            ("]", "]"),
        ] {
            assert_eq!(group_name(name), group);
        }
    }

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
