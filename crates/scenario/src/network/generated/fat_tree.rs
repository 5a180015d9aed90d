//! Three tiers of switches with as many ports each (Al-Fares, Loukissas, Vahdat 2008).

use super::{Plan, Rule, Size, numbered};

/// Of so many ports.
pub(super) fn rule(ports: u32) -> Rule {
    let all = u64::from(ports);
    let (hosts, edges) = (all * all * all / 4, all * all / 2);
    let size = Size::of(all * all * 5 / 4, 2 * hosts, edges, hosts);
    (size, Box::new(move || fat_tree(ports as usize)))
}

/// Pods of `ports / 2` edges and `ports / 2` aggregation switches; aggregation switch `i` of each
/// pod is joined to the `i`-th group of `ports / 2` core switches.
fn fat_tree(ports: usize) -> Plan {
    let half = ports / 2;
    let named = |letter: char| {
        let pairs = (1..=ports).flat_map(move |pod| (1..=half).map(move |i| (pod, i)));
        pairs.map(move |(pod, i)| format!("{letter}{pod}_{i}"))
    };
    let (edge, aggregation, core) = (0, ports * half, 2 * ports * half);
    let mut trunks = Vec::new();
    for pod in 0..ports {
        for i in 0..half {
            let up = aggregation + pod * half + i;
            trunks.extend((0..half).map(|j| (edge + pod * half + j, up)));
            trunks.extend((0..half).map(|j| (up, core + i * half + j)));
        }
    }
    let switches = named('E')
        .chain(named('A'))
        .chain(numbered('C', half * half));
    Plan::bare(switches.collect(), trunks).with_hosts(0..ports * half, half as u32)
}
