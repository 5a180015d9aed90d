//! Servers with a network interface a GPU: those of the same number, a rail, share leaves.

use super::{Plan, Rule, Size, numbered};

/// Servers in units of so many, rails of each server, spines over all leaves.
#[derive(Clone, Copy)]
pub(super) struct Rails {
    pub servers: u32,
    pub rails: u32,
    pub servers_per_leaf: u32,
    pub spines: u32,
}

impl Rails {
    /// Leaves of each rail.
    fn units(self) -> u32 {
        self.servers.div_ceil(self.servers_per_leaf.max(1))
    }
}

pub(super) fn rule(of_rails: Rails) -> Rule {
    let rails = u64::from(of_rails.rails);
    let leaves = u64::from(of_rails.units()) * rails;
    let hosts = u64::from(of_rails.servers) * rails;
    let spines = u64::from(of_rails.spines);
    let size = Size::of(
        leaves + spines,
        leaves.saturating_mul(spines),
        leaves,
        hosts,
    );
    (size, Box::new(move || plan(of_rails)))
}

/// Leaf `L<unit>_<rail>` has the interfaces `H<server>_<rail>` of the servers of its unit, and a
/// link to every spine.
fn plan(of_rails: Rails) -> Plan {
    let (units, rails) = (of_rails.units(), of_rails.rails);
    let pairs = || (0..units).flat_map(move |unit| (0..rails).map(move |rail| (unit, rail)));
    let leaves = pairs().map(|(unit, rail)| format!("L{}_{}", unit + 1, rail + 1));
    let switches = leaves.chain(numbered('S', of_rails.spines as usize));
    let count = (units * rails) as usize;
    let up = |leaf: usize| (0..of_rails.spines as usize).map(move |n| (leaf, count + n));
    let mut plan = Plan::bare(switches.collect(), (0..count).flat_map(up).collect());
    for (leaf, (unit, rail)) in pairs().enumerate() {
        let first = unit * of_rails.servers_per_leaf;
        let last = of_rails.servers.min(first + of_rails.servers_per_leaf);
        let names = (first..last).map(|server| format!("H{}_{}", server + 1, rail + 1));
        plan.hosts.extend(names.map(|name| (name, leaf)));
    }
    plan
}
