//! Leaves with hosts, each joined to every spine: a folded Clos network of two tiers.

use super::{Plan, Rule, numbered, of};

/// So many of each.
pub(super) fn rule(leaves: u32, spines: u32, each: u32) -> Rule {
    let (down, up) = (u64::from(leaves), u64::from(spines));
    of((down + up, down * up, down), each, move || {
        leaf_spine(leaves as usize, spines as usize, each)
    })
}

fn leaf_spine(leaves: usize, spines: usize, hosts: u32) -> Plan {
    let up = |leaf: usize| (0..spines).map(move |spine| (leaf, leaves + spine));
    let switches = numbered('L', leaves).chain(numbered('S', spines));
    let plan = Plan::bare(switches.collect(), (0..leaves).flat_map(up).collect());
    plan.with_hosts(0..leaves, hosts)
}
