//! Names of flows: `web[0]` to `web[31]` are the group `web`.

use std::collections::{BTreeMap, BTreeSet};

/// What has the same key together, in the order in which keys come first.
pub fn in_order<K: Ord + Clone, V>(all: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut places = BTreeMap::new();
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in all {
        let place = *places.entry(key.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[place].1.push(value);
    }
    groups
}

/// The names of groups, each once.
pub fn group_names<'a>(flows: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = flows.map(group_name).filter(|name| seen.insert(*name));
    names.map(String::from).collect()
}

/// Flows in the order in which they matter: the first of each group, then the second of each, and
/// so on.
pub fn by_turns<'a>(flows: impl Iterator<Item = &'a str>) -> Vec<u32> {
    let mut seen = BTreeMap::new();
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
pub fn group_name(name: &str) -> &str {
    let Some((stem, number)) = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
    else {
        return name;
    };
    let is_number = !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit());
    if is_number { stem } else { name }
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
}
