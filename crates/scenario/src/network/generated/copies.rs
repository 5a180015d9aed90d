//! Hosts with several links: to planes, to pairs of leaves, to all rails.

use std::collections::BTreeMap;

use super::{Make, Plan, Rule, Size};
use crate::prelude::*;

/// How often a rule makes what.
#[derive(Default)]
pub(crate) struct Copies {
    /// The switches and the links between them, if more than once.
    pub planes: u32,
    /// Links of each host in a plane, each to a switch of its own.
    pub host_links: Option<Placed<u32>>,
    /// A server is one host.
    pub servers: bool,
}

impl Copies {
    /// The rule with these; nothing if it can't be, which is told.
    pub fn of(self, rule: Rule, mistakes: &mut Diagnostics) -> Option<Rule> {
        let (size, make) = rule;
        let links = u64::from(self.links());
        if let Some(given) = &self.host_links
            && !size.with_hosts.is_multiple_of(links)
        {
            let groups = format!("{} switches have hosts", size.with_hosts);
            Diagnostic::error(
                "out-of-range",
                "hosts can't be linked to so many switches each",
            )
            .at(&given.at, groups)
            .note(format!(
                "each {links} switches in a row share their hosts, and some are left"
            ))
            .help("take a number of switches with hosts that `host_links` divides")
            .tell(mistakes);
            return None;
        }
        let planes = u64::from(self.planes).max(1);
        if planes == 1 && links == 1 && !self.servers {
            return Some((size, make));
        }
        let hosts = size.nodes - size.switches;
        let trunks = size.links - hosts;
        let each = links.saturating_mul(planes);
        let size = Size {
            nodes: size.switches.saturating_mul(planes).saturating_add(hosts),
            links: (trunks.saturating_mul(planes)).saturating_add(hosts.saturating_mul(each)),
            switches: size.switches.saturating_mul(planes),
            with_hosts: size.with_hosts.saturating_mul(planes),
        };
        let make: Make = Box::new(move || self.made(make()));
        Some((size, make))
    }

    fn links(&self) -> u32 {
        self.host_links.as_ref().map_or(1, |links| **links).max(1)
    }

    fn made(self, mut plan: Plan) -> Plan {
        if self.servers {
            plan = by_server(plan);
        }
        if self.links() > 1 {
            plan = to_groups(plan, self.links() as usize);
        }
        match self.planes {
            0 | 1 => plan,
            planes => in_planes(plan, planes as usize),
        }
    }
}

/// Interfaces `H1_1`, `H1_2`, .. of a server are links of a host `H1`.
fn by_server(plan: Plan) -> Plan {
    let mut servers: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    for (name, switch) in plan.hosts {
        let server = name
            .split_once('_')
            .map_or(name.as_str(), |(server, _)| server);
        // In the order of numbers, not of letters.
        let place = (server.len(), server.to_owned());
        servers.entry(place).or_default().push(switch);
    }
    let mut hosts = Vec::with_capacity(servers.len());
    let mut more = Vec::new();
    for ((_, name), switches) in servers {
        let rest = switches.iter().skip(1);
        more.extend(rest.map(|switch| (hosts.len(), *switch)));
        hosts.extend(switches.first().map(|first| (name, *first)));
    }
    Plan {
        hosts,
        more,
        ..plan
    }
}

/// Of the switches with hosts, each so many in a row share all of theirs; links in the order of
/// switches.
fn to_groups(plan: Plan, links: usize) -> Plan {
    let mut with_hosts: Vec<usize> = plan.hosts.iter().map(|(_, switch)| *switch).collect();
    with_hosts.extend(plan.more.iter().map(|(_, switch)| *switch));
    with_hosts.sort_unstable();
    with_hosts.dedup();
    let group = |switch: usize| {
        let place = with_hosts.binary_search(&switch).unwrap_or_default();
        let first = place - place % links;
        with_hosts[first..(first + links).min(with_hosts.len())].to_vec()
    };
    let mut hosts = Vec::with_capacity(plan.hosts.len());
    let mut more = Vec::new();
    let mut known = plan.more.into_iter().peekable();
    for (index, (name, switch)) in plan.hosts.into_iter().enumerate() {
        let own = group(switch);
        hosts.push((name, own[0]));
        more.extend(own[1..].iter().map(|switch| (index, *switch)));
        while let Some((_, switch)) = known.next_if(|(host, _)| *host == index) {
            more.extend(group(switch).into_iter().map(|switch| (index, switch)));
        }
    }
    Plan {
        hosts,
        more,
        ..plan
    }
}

/// The network of switches so many times, plane after plane; hosts have their links to each.
fn in_planes(plan: Plan, planes: usize) -> Plan {
    let count = plan.switches.len();
    let named = |plane: usize| {
        let names = plan.switches.iter();
        names.map(move |name| format!("P{}_{name}", plane + 1))
    };
    let trunks = (0..planes).flat_map(|plane| {
        let own = plan.trunks.iter();
        own.map(move |(a, b)| (a + plane * count, b + plane * count))
    });
    let mut more = Vec::new();
    let mut known = plan.more.iter().peekable();
    for (host, (_, switch)) in plan.hosts.iter().enumerate() {
        let mut own = vec![*switch];
        while let Some((_, switch)) = known.next_if(|(own, _)| *own == host) {
            own.push(*switch);
        }
        let all = (0..planes).flat_map(|plane| own.iter().map(move |own| own + plane * count));
        more.extend(all.skip(1).map(|switch| (host, switch)));
    }
    Plan {
        switches: (0..planes).flat_map(named).collect(),
        trunks: trunks.collect(),
        more,
        hosts: plan.hosts,
    }
}
