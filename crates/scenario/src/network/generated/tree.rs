//! A tree of switches, numbered level by level, with hosts below the last.

use super::{Plan, Rule, numbered, of};

/// So many levels, with so many switches below each.
pub(super) fn rule(levels: u32, fanout: u32, each: u32) -> Rule {
    let below = |level: &u64| Some(level.saturating_mul(fanout.into()));
    let widths = std::iter::successors(Some(1), below).take(levels as usize);
    let (total, last) = widths.fold((0_u64, 0), |(total, _), level| {
        (total.saturating_add(level), level)
    });
    of((total, total, last), each, move || {
        tree(levels, fanout as usize, each)
    })
}

fn tree(levels: u32, fanout: usize, hosts: u32) -> Plan {
    let widths = (0..levels).map(|level| fanout.pow(level));
    let size = widths.sum();
    let trunks = (1..size).map(|n| ((n - 1) / fanout, n)).collect();
    let last = fanout.pow(levels - 1);
    Plan::bare(numbered('S', size).collect(), trunks).with_hosts(size - last..size, hosts)
}
