//! Nodes and links, named in the file or made by rule.

use backwater_kernel::{Duration, Rate};

use super::net::{Join, Listed, Net};
use super::nics;
use crate::Limits;
use crate::given::frames::EthernetFile;
use crate::given::frames::network::{Channel, HostsAre, Links, Network, Topology};
use crate::given::topology::TopologyKind;
use crate::language::files::Files;
use crate::network::from_file::{self, FromFile};
use crate::network::generated::{self, Copies, Plan};
use crate::network::memory;
use crate::network::wires::{self, Beside, Link, Makers, NamedLinks};
use crate::prelude::*;

/// Nodes that a rule may make.
const MOST_NODES: u64 = 200_000;

/// Builds the network of the file.
pub(crate) fn build<'r>(
    file: &'r Placed<EthernetFile>,
    limits: &Limits,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Net<'r> {
    let mut net = Net::default();
    let examples = &<Join<'_> as Link>::EXAMPLES;
    match Makers::of(&file.network, &file.topology, &file.at, examples, mistakes) {
        Some(Makers::Names(network)) => {
            net.add_named(&network.hosts, &network.switches, mistakes);
        }
        Some(Makers::Rule(rule)) => {
            let room = (MOST_NODES, memory::of_net as fn(&_) -> _, limits);
            let made = match rule.kind.sure() {
                Some(TopologyKind::File {
                    file: name,
                    hosts_per_node,
                }) => {
                    made_once(rule, mistakes);
                    let read = from_file::read((name, *hosts_per_node), room, files, mistakes);
                    read.map(|read| list(&mut net, read, (rule, name), mistakes))
                }
                _ => by_rule(&mut net, rule, (&file.topology.at, room), mistakes),
            };
            if made.is_none() {
                wires::not_made(mistakes);
            }
        }
        None => wires::not_made(mistakes),
    }
    let mut named = NamedLinks::beside(&net);
    for (index, own) in file.links.iter().enumerate() {
        let (Some(pairs), Some(beside)) = (ends(&net, own, mistakes), beside(own)) else {
            net.broken = true;
            continue;
        };
        let at = &own.between.at;
        for (a, b) in pairs {
            let link = || join((a, b), None, at);
            named.add(&mut net, (link, beside), (index, at), mistakes);
        }
    }
    if let Some(network) = &*file.network {
        join_to_the_only_switch(&mut net, network);
    }
    check_hosts(&net, file, mistakes);
    nics::forwarders(file, &mut net, mistakes);
    net
}

/// How many nodes there may be, what memory so many need, and how much there is.
type Room<'a> = (u64, fn(&generated::Size) -> u64, &'a Limits);

/// Makes nodes and links by rule.
fn by_rule<'r>(
    net: &mut Net<'r>,
    rule: &'r Topology,
    (at, room): (&At, Room<'_>),
    mistakes: &mut Diagnostics,
) -> Option<()> {
    let copies = copies(rule, mistakes);
    let plan = generated::plan((&rule.kind, copies), at, room, mistakes)?;
    net.has_rails = matches!(rule.kind.value, TopologyKind::RailOptimised { .. });
    place(net, plan, rule.trunk.as_ref(), at);
    Some(())
}

/// A file is one network: nothing of it is made twice. What a resolved scenario says, 1, is so.
fn made_once(rule: &Topology, mistakes: &mut Diagnostics) {
    let keys = [("planes", &rule.planes), ("host_links", &rule.host_links)];
    for (key, given) in keys
        .into_iter()
        .filter(|(_, given)| given.is_given && given.value != 1)
    {
        Diagnostic::error("no-meaning", format!("`{key}` is of networks by rule"))
            .at(&given.at, "the file lists all nodes and links")
            .help("leave it out, or write more links into the file")
            .tell(mistakes);
    }
}

/// The nodes and links of a file.
fn list<'r>(
    net: &mut Net<'r>,
    read: FromFile,
    (rule, name): (&'r Topology, &'r Placed<String>),
    mistakes: &mut Diagnostics,
) {
    net.is_numbered = read.is_numbered;
    for node in read.topology.nodes {
        if let Err(what) = fit(&node.name, net) {
            read.file
                .mistake(1, &what)
                .help("give it another name")
                .tell(mistakes);
            net.broken = true;
            return;
        }
        let latency = node.latency_ps.map(Duration);
        if let Some(index) = net.add_node(node.name, node.is_host) {
            net.nodes[index as usize].latency = latency;
        }
    }
    for link in read.topology.links {
        let [a, b] = link.ends;
        let is_trunk = !net.is_host(a) && !net.is_host(b);
        let trunk = rule.trunk.as_ref().filter(|_| is_trunk);
        let listed = Listed {
            rate: link.rate_bps.map(Rate),
            delay: link.delay_ps.map(Duration),
            loss: link.loss,
        };
        net.add_link(Join {
            listed: Some(listed),
            ..join((a, b), trunk, &name.at)
        });
    }
}

/// Is this the name of no other node? Those of a file differ; those of hosts that it is given may
/// be among them.
fn fit(name: &str, net: &Net<'_>) -> Result<(), String> {
    match net.node(name) {
        Some(_) => Err(format!("two nodes are called `{}`", clip(name))),
        None => Ok(()),
    }
}

/// How often a rule makes what.
fn copies(rule: &Topology, mistakes: &mut Diagnostics) -> Copies {
    let are_servers = *rule.hosts == HostsAre::Servers;
    let has_rails = matches!(rule.kind.value, TopologyKind::RailOptimised { .. });
    if are_servers && !has_rails && rule.kind.sure().is_some() {
        Diagnostic::error("no-meaning", "only a rail-optimised network has servers")
            .at(&rule.hosts.at, "hosts of other kinds are what they are")
            .help("leave `hosts` out, or take a rail-optimised network")
            .help("several links for each host: `topology.host_links`, or `topology.planes`")
            .tell(mistakes);
    }
    Copies {
        planes: *rule.planes,
        host_links: Some(rule.host_links.clone()),
        servers: are_servers && has_rails,
    }
}

/// Unless a number of it could not be read.
fn beside(own: &Links) -> Option<Beside> {
    Some(match (*own.parallel.sure()?, *own.number.sure()?) {
        (Some(count), _) => Beside::Count(count),
        (None, Some(number)) => Beside::Number(number),
        (None, None) => Beside::All,
    })
}

fn join<'r>((a, b): (u32, u32), trunk: Option<&'r Channel>, at: &At) -> Join<'r> {
    Join {
        a,
        b,
        listed: None,
        trunk,
        at: at.clone(),
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
            net.add_link(join((host, switch), None, &network.hosts.at));
        }
    }
}

/// The pairs a link joins: names that a range stands for share their place.
fn ends(net: &Net<'_>, own: &Links, mistakes: &mut Diagnostics) -> Option<Vec<(u32, u32)>> {
    let at = &own.between.at;
    let list = own.between.sure()?;
    let ends: Vec<&[Named]> = list.chunk_by(|a, b| a.1 == b.1).collect();
    let [first, second] = ends.as_slice() else {
        mistakes.push(wires::not_two(at, ends.len()));
        return None;
    };
    let mut find =
        |ends: &[Named]| mistakes.kept_all(ends.iter().map(|(name, at)| net.find(name, at)));
    let (first, second) = (find(first), find(second));
    let (first, second) = (first?, second?);
    let pairs = first.iter();
    let pairs = pairs.flat_map(|a| second.iter().map(move |b| (*a, *b)));
    let pairs: Vec<(u32, u32)> = pairs.collect();
    if let Some((same, _)) = pairs.iter().find(|(a, b)| a == b) {
        mistakes.push(wires::linked_to_itself(at, net.name(*same)));
        return None;
    }
    Some(pairs)
}

/// Every host has a link.
fn check_hosts(net: &Net<'_>, file: &EthernetFile, mistakes: &mut Diagnostics) {
    for host in net.hosts() {
        let around = &net.neighbours[host as usize];
        if around.is_empty() && !net.broken && mistakes.errors() == 0 {
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
    let link = |a: usize, b: usize, trunk| join((a as u32, b as u32), trunk, at);
    let switches: Vec<usize> = plan.hosts.iter().map(|(_, switch)| *switch).collect();
    for (name, _) in plan.hosts {
        net.add_node(name, true);
    }
    for name in plan.switches {
        net.add_node(name, false);
    }
    let mut more = plan.more.into_iter().peekable();
    for (host, switch) in switches.into_iter().enumerate() {
        net.add_link(link(host, first + switch, None));
        while let Some((_, switch)) = more.next_if(|(own, _)| *own == host) {
            net.add_link(link(host, first + switch, None));
        }
    }
    for (a, b) in plan.trunks {
        net.add_link(link(first + a, first + b, trunk));
    }
}
