//! Groups of switches, each group joined to every other (Kim, Dally, Scott, Abts 2008), and the
//! same with two tiers in a group (Shpiner et al. 2017).

use super::{Plan, Rule, of};

/// Groups, switches of each that have links to other groups, and how many of these each has.
#[derive(Clone, Copy)]
pub(super) struct Groups {
    pub groups: u32,
    pub switches: u32,
    pub global_links: u32,
}

impl Groups {
    /// With fewer groups than the first a switch would have two links to one of them; with more
    /// than the second two groups would have none.
    pub(super) fn least_and_most(self) -> (u64, u64) {
        let links = u64::from(self.switches) * u64::from(self.global_links);
        (u64::from(self.global_links) + 1, links + 1)
    }

    /// Links between each two groups. Where the ports don't divide, those left stay free.
    fn each_pair(self) -> u64 {
        let links = u64::from(self.switches) * u64::from(self.global_links);
        links / u64::from(self.groups).saturating_sub(1).max(1)
    }

    fn pairs(self) -> u64 {
        u64::from(self.groups) * u64::from(self.groups).saturating_sub(1) / 2
    }

    /// Links between groups, as (group, switch) at each end. Port `r (groups - 1) + n` of a group
    /// leads `n + 1` groups on, for each round `r`; the link's other port leads as many groups
    /// back.
    fn global(self) -> Vec<((usize, usize), (usize, usize))> {
        let (groups, each) = (self.groups as usize, self.global_links as usize);
        let mut links = Vec::new();
        for round in 0..self.each_pair() as usize {
            for group in 0..groups {
                for on in 1..groups - group {
                    let port = |on: usize| round * (groups - 1) + on - 1;
                    let (here, there) = (port(on) / each, port(groups - on) / each);
                    links.push(((group, here), (group + on, there)));
                }
            }
        }
        links
    }
}

/// Every switch of a group joined to every other of it, hosts on each.
pub(super) fn rule(of_groups: Groups, each: u32) -> Rule {
    let (groups, inside) = (u64::from(of_groups.groups), u64::from(of_groups.switches));
    let switches = groups.saturating_mul(inside);
    let local = switches.saturating_mul(inside.saturating_sub(1)) / 2;
    let global = of_groups.pairs().saturating_mul(of_groups.each_pair());
    let trunks = local.saturating_add(global);
    of((switches, trunks, switches), each, move || {
        dragonfly(of_groups, each)
    })
}

fn dragonfly(of_groups: Groups, hosts: u32) -> Plan {
    let (groups, inside) = (of_groups.groups as usize, of_groups.switches as usize);
    let place = |group: usize, switch: usize| group * inside + switch;
    let mut trunks = Vec::new();
    for group in 0..groups {
        for switch in 0..inside {
            let others = switch + 1..inside;
            trunks.extend(others.map(|other| (place(group, switch), place(group, other))));
        }
    }
    let global = of_groups.global().into_iter();
    trunks.extend(global.map(|(here, there)| (place(here.0, here.1), place(there.0, there.1))));
    let names = (0..groups).flat_map(|group| named('S', group, inside));
    Plan::bare(names.collect(), trunks).with_hosts(0..groups * inside, hosts)
}

/// Leaves with hosts and spines with links to other groups, each leaf of a group joined to each
/// spine of it.
pub(super) fn plus(of_groups: Groups, leaves: u32, each: u32) -> Rule {
    let (groups, spines) = (u64::from(of_groups.groups), u64::from(of_groups.switches));
    let down = groups.saturating_mul(leaves.into());
    let switches = down.saturating_add(groups.saturating_mul(spines));
    let global = of_groups.pairs().saturating_mul(of_groups.each_pair());
    let trunks = down.saturating_mul(spines).saturating_add(global);
    of((switches, trunks, down), each, move || {
        dragonfly_plus(of_groups, leaves as usize, each)
    })
}

fn dragonfly_plus(of_groups: Groups, leaves: usize, hosts: u32) -> Plan {
    let (groups, spines) = (of_groups.groups as usize, of_groups.switches as usize);
    let spine = |group: usize, spine: usize| groups * leaves + group * spines + spine;
    let mut trunks = Vec::new();
    for leaf in 0..groups * leaves {
        trunks.extend((0..spines).map(|n| (leaf, spine(leaf / leaves, n))));
    }
    let global = of_groups.global().into_iter();
    trunks.extend(global.map(|(here, there)| (spine(here.0, here.1), spine(there.0, there.1))));
    let names = (0..groups).flat_map(|group| named('L', group, leaves));
    let names = names.chain((0..groups).flat_map(|group| named('S', group, spines)));
    Plan::bare(names.collect(), trunks).with_hosts(0..groups * leaves, hosts)
}

/// Of a group, which is counted from 0, by group and number.
fn named(letter: char, group: usize, size: usize) -> impl Iterator<Item = String> {
    (1..=size).map(move |number| format!("{letter}{}_{number}", group + 1))
}
