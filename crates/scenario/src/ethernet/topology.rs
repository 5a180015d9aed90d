//! Nodes and links, named in the file or made by rule.

use std::collections::BTreeMap;

use super::net::{Join, Net};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::generated::{self, Plan};
use crate::given::Named;
use crate::given::ethernet::EthernetFile;
use crate::given::ethernet::network::{Channel, Links, Network};
use crate::reader::clip;
use crate::source::At;
use crate::typed::Placed;

/// Nodes that a rule may make.
const MOST_NODES: u64 = 200_000;

/// Builds the network of the file.
pub(crate) fn build<'r>(file: &'r Placed<EthernetFile>, mistakes: &mut Diagnostics) -> Net<'r> {
    let mut net = Net::default();
    let (network, topology) = (&file.network, &file.topology);
    match (&network.value, &topology.value) {
        (Some(network), None) => named_nodes(&mut net, network, mistakes),
        (None, Some(rule)) => {
            let plan = generated::plan(&rule.kind, &topology.at, MOST_NODES, mistakes);
            if let Some(plan) = plan {
                place(&mut net, plan, rule.trunk.as_ref(), &topology.at);
            }
        }
        (Some(_), Some(_)) => Diagnostic::error(
            "contradiction",
            "both `[network]` and `[topology]` make the nodes",
        )
        .at(&topology.at, "nodes by rule")
        .at(&network.at, "nodes by name")
        .help("keep one of them")
        .tell(mistakes),
        (None, None) if network.is_mentioned() || topology.is_mentioned() => {}
        (None, None) => Diagnostic::error("missing-key", "the file has no nodes")
            .at(&file.at, "no `[network]` and no `[topology]`")
            .help("name them: `[network]` with `hosts = [\"S\", \"D\"]` and `switches`")
            .help("or make them: `[topology]` with `kind = \"star\"` and `hosts_per_switch = 4`")
            .tell(mistakes),
    }
    let generated = net.joins.len();
    let mut placed: BTreeMap<u32, At> = BTreeMap::new();
    for own in &file.links {
        links(&mut net, own, generated, &mut placed, mistakes);
    }
    if let Some(network) = &network.value {
        join_to_the_only_switch(&mut net, network);
    }
    check_hosts(&net, file, mistakes);
    net
}

fn named_nodes(net: &mut Net<'_>, network: &Network, mistakes: &mut Diagnostics) {
    let mut first: BTreeMap<&str, &At> = BTreeMap::new();
    let hosts: &[Named] = &network.hosts;
    for (names, is_switch) in [(hosts, false), (&network.switches, true)] {
        for (name, at) in names {
            if net.add_node(name.clone(), is_switch).is_some() {
                first.insert(name, at);
                continue;
            }
            let mut diagnostic =
                Diagnostic::error("duplicate-name", format!("two nodes are called `{name}`"))
                    .at(at, "the second");
            if let Some(first) = first.get(name.as_str()) {
                diagnostic = diagnostic.at(first, "the first");
            }
            mistakes.push(diagnostic.help("give each node its own name"));
        }
    }
}

/// With one switch, hosts need no entry in `[[links]]`.
fn join_to_the_only_switch(net: &mut Net<'_>, network: &Network) {
    let [(name, at)] = network.switches.as_slice() else {
        return;
    };
    if net.broken {
        return;
    }
    let Ok(switch) = net.find(name, at) else {
        return;
    };
    for host in net.hosts() {
        if net.neighbours[host as usize].is_empty() {
            net.join(Join {
                a: host,
                b: switch,
                trunk: None,
                own: None,
                turned: false,
                at: network.hosts.at.clone(),
            });
        }
    }
}

fn links<'r>(
    net: &mut Net<'r>,
    own: &'r Placed<Links>,
    generated: usize,
    placed: &mut BTreeMap<u32, At>,
    mistakes: &mut Diagnostics,
) {
    let Some(pairs) = ends(net, own, mistakes) else {
        net.broken = true;
        return;
    };
    let at = &own.between.at;
    for (a, b) in pairs {
        let Some(channel) = net.channel(a, b) else {
            placed.insert(net.joins.len() as u32, at.clone());
            net.join(Join {
                a,
                b,
                trunk: None,
                own: Some(own),
                turned: false,
                at: at.clone(),
            });
            continue;
        };
        let index = channel / 2;
        if let Some(first) = placed.get(&index) {
            let names = format!("`{}` and `{}`", net.name(a), net.name(b));
            Diagnostic::error("duplicate-link", format!("two links join {names}"))
                .at(at, "the second")
                .at(first, "the first")
                .help("at most one link joins a pair; raise its rate")
                .tell(mistakes);
        } else if (index as usize) < generated {
            placed.insert(index, at.clone());
            let join = &mut net.joins[index as usize];
            join.own = Some(own);
            join.turned = join.a != a;
            join.at = at.clone();
        }
    }
}

/// The pairs a link joins: names that a range stands for share their place.
fn ends(net: &Net<'_>, own: &Links, mistakes: &mut Diagnostics) -> Option<Vec<(u32, u32)>> {
    let at = &own.between.at;
    let list = own.between.sure()?;
    let ends: Vec<&[Named]> = list.chunk_by(|a, b| a.1 == b.1).collect();
    let [first, second] = ends.as_slice() else {
        Diagnostic::error("bad-link", "a link joins two nodes")
            .at(at, format!("this names {}", ends.len()))
            .help("write it like this: `between = [\"S\", \"A\"]`")
            .tell(mistakes);
        return None;
    };
    let mut find = |(name, at): &Named| mistakes.kept(net.find(name, at));
    let first: Vec<Option<u32>> = first.iter().map(&mut find).collect();
    let second: Vec<Option<u32>> = second.iter().map(&mut find).collect();
    let (first, second): (Option<Vec<u32>>, Option<Vec<u32>>) =
        (first.into_iter().collect(), second.into_iter().collect());
    let (first, second) = (first?, second?);
    let pairs = first.iter();
    let pairs = pairs.flat_map(|a| second.iter().map(move |b| (*a, *b)));
    let pairs: Vec<(u32, u32)> = pairs.collect();
    if let Some((same, _)) = pairs.iter().find(|(a, b)| a == b) {
        let name = clip(net.name(*same));
        Diagnostic::error("bad-link", format!("`{name}` is linked to itself"))
            .at(at, "twice the same node")
            .help("a link joins two different nodes")
            .tell(mistakes);
        return None;
    }
    Some(pairs)
}

/// A host has one link, and it leads to a switch.
fn check_hosts(net: &Net<'_>, file: &EthernetFile, mistakes: &mut Diagnostics) {
    for host in net.hosts() {
        let around = &net.neighbours[host as usize];
        if let [_, (_, second), ..] = around.as_slice() {
            Diagnostic::error(
                "bad-link",
                format!("`{}` has {} links", net.name(host), around.len()),
            )
            .at(&net.joins[*second as usize / 2].at, "the second")
            .at(&net.joins[around[0].1 as usize / 2].at, "the first")
            .note("a host has one link and forwards nothing")
            .help("leave one of them out, or name the node in `switches`")
            .tell(mistakes);
        } else if around.is_empty() && !net.broken && mistakes.errors() == 0 {
            let network = file.network.as_ref();
            let at = network.map_or(&file.network.at, |network| &network.hosts.at);
            Diagnostic::warning("unconnected", format!("`{}` has no link", net.name(host)))
                .at(at, "no `[[links]]` names it")
                .help("add `[[links]]` with it in `between`, or leave it out")
                .tell(mistakes);
        }
    }
}

/// The network by rule: hosts, switches, links of hosts, then links between switches.
fn place<'r>(net: &mut Net<'r>, plan: Plan, trunk: Option<&'r Channel>, at: &At) {
    let first = plan.hosts.len();
    let link = |a: usize, b: usize, trunk: Option<&'r Channel>| Join {
        a: a as u32,
        b: b as u32,
        trunk,
        own: None,
        turned: false,
        at: at.clone(),
    };
    let switches: Vec<usize> = plan.hosts.iter().map(|(_, switch)| *switch).collect();
    for (name, _) in plan.hosts {
        net.add_node(name, false);
    }
    for name in plan.switches {
        net.add_node(name, true);
    }
    for (host, switch) in switches.into_iter().enumerate() {
        net.join(link(host, first + switch, None));
    }
    for (a, b) in plan.trunks {
        net.join(link(first + a, first + b, trunk));
    }
}
