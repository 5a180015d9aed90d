//! One switch, or switches in a row, or in a ring.

use super::{Plan, Rule, numbered, of};

/// One switch with all hosts.
pub(super) fn star(each: u32) -> Rule {
    of((1, 0, 1), each, move || row(1, each))
}

/// Each joined to the next.
pub(super) fn line(switches: u32, each: u32) -> Rule {
    let size = u64::from(switches);
    of((size, size, size), each, move || {
        row(switches as usize, each)
    })
}

/// And the last to the first.
pub(super) fn ring(switches: u32, each: u32) -> Rule {
    let size = u64::from(switches);
    of((size, size, size), each, move || {
        let mut plan = row(switches as usize, each);
        plan.trunks.push((switches as usize - 1, 0));
        plan
    })
}

fn row(size: usize, hosts: u32) -> Plan {
    let trunks = (1..size).map(|n| (n - 1, n)).collect();
    Plan::bare(numbered('S', size).collect(), trunks).with_hosts(0..size, hosts)
}
