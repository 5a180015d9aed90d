//! Nodes and links, named in the file or made by rule.

use backwater_kernel::{Channels, Duration, Rate};
use backwater_net::spec::{
    ChannelSpec, ErrorSpec, LinkSpec, NodeKind, NodeSpec, SchedulerSpec, Timing,
};

use crate::Limits;
use crate::given::circuits::PacketFile;
use crate::given::circuits::network::{Channel, Link, Links};
use crate::given::circuits::service::Scheduler;
use crate::given::topology::TopologyKind;
use crate::language::files::Files;
use crate::network::from_file::{self, FromFile};
use crate::network::generated::{self, Copies, Plan};
use crate::network::memory;
use crate::network::numbered::expand;
use crate::network::wires::{self, Beside, Examples, Makers, NamedLinks, Node, Wires};
use crate::prelude::*;

/// Nodes that a rule may make.
const MOST_NODES: u64 = 2_000_000;
/// The network of cells.
pub(crate) type Graph = Wires<NodeSpec, LinkSpec>;

impl Node for NodeSpec {
    fn new(name: String, is_host: bool) -> Self {
        Self {
            name,
            kind: match is_host {
                true => NodeKind::Host,
                false => NodeKind::Switch,
            },
            pool: None,
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_host(&self) -> bool {
        self.kind == NodeKind::Host
    }
}

impl wires::Link for LinkSpec {
    const EXAMPLES: Examples = Examples {
        channel: "S1->S2",
        named: "name the nodes: `[network]` with `hosts = [\"A\", \"B\"]` and `switches`",
        ruled: "or make them: `[topology]` with `kind = \"line\"` and `switches = 2`",
        faster: "at most one link joins a pair; raise its rate, or put a switch between",
    };

    fn ends(&self) -> [u32; 2] {
        self.ends
    }

    fn replace(self, made: &mut Self) {
        let is_turned = self.ends != made.ends;
        *made = if is_turned { self.turned() } else { self };
    }
}

impl Graph {
    pub(crate) fn channel_spec(&self, channel: u32) -> &ChannelSpec {
        self.links.channel(channel)
    }

    /// The network by rule: switches, links between them, then hosts with theirs.
    fn place(&mut self, plan: Plan, edge: &ChannelSpec, trunk: &ChannelSpec) {
        let link = |a: u32, b: u32, spec: &ChannelSpec| LinkSpec {
            ends: [a, b],
            channels: [spec.clone(), spec.clone()],
        };
        for name in plan.switches {
            self.add_node(name, false);
        }
        for (a, b) in plan.trunks {
            self.add_link(link(a as u32, b as u32, trunk));
        }
        for (name, switch) in plan.hosts {
            if let Some(host) = self.add_node(name, true) {
                self.add_link(link(host, switch as u32, edge));
            }
        }
    }
}

impl Graph {
    /// The nodes and links of a file.
    fn list(
        &mut self,
        FromFile { topology, file, .. }: FromFile,
        (base, trunk): (&Base<'_>, &[&Link]),
        mistakes: &mut Diagnostics,
    ) {
        for node in topology.nodes {
            if self.node(&node.name).is_some() {
                let what = format!("two nodes are called `{}`", clip(&node.name));
                file.mistake(1, &what)
                    .help("give it another name")
                    .tell(mistakes);
                self.broken = true;
                return;
            }
            self.add_node(node.name, node.is_host);
        }
        for link in topology.links {
            let [a, b] = link.ends;
            if self.channel(a, b).is_some() {
                let names = format!("`{}` and `{}`", self.name(a), self.name(b));
                let what = format!("a second link between {names}");
                let mistake = file.mistake(link.line, &what);
                mistake
                    .help("circuits have one link between two nodes")
                    .tell(mistakes);
                self.broken = true;
                return;
            }
            let is_trunk = !self.is_host(a) && !self.is_host(b);
            let changes = if is_trunk { trunk } else { &[] };
            let mut spec = base.channel(changes);
            let is_open = |said: fn(&Link) -> bool| !changes.iter().any(|own| said(own));
            if let Some(rate) = link.rate_bps.filter(|_| is_open(|own| own.rate.is_some())) {
                spec.rate = Rate(rate);
            }
            if let Some(delay) = link.delay_ps.filter(|_| is_open(|own| own.delay.is_some())) {
                spec.delay = Duration(delay.max(1));
            }
            if link.loss > 0.0 && is_open(|own| own.data_loss.is_some()) {
                spec.errors.data_loss = link.loss;
            }
            self.add_link(LinkSpec {
                ends: [a, b],
                channels: [spec.clone(), spec],
            });
        }
    }
}

/// Builds the network of the file.
pub(crate) fn build(
    file: &PacketFile,
    at: &At,
    (limits, files): (&Limits, &mut Files<'_>),
    mistakes: &mut Diagnostics,
) -> Graph {
    let mut graph = Graph::default();
    let base = Base::of(file);
    let examples = &<LinkSpec as wires::Link>::EXAMPLES;
    match Makers::of(&file.network, &file.topology, at, examples, mistakes) {
        Some(Makers::Names(network)) => {
            graph.add_named(&network.hosts, &network.switches, mistakes);
        }
        Some(Makers::Rule(topology)) => {
            let at = &file.topology.at;
            let room = (MOST_NODES, memory::of_graph as fn(&_) -> _, limits);
            let trunk: Vec<&Link> = topology.trunk.iter().map(|own| &own.link).collect();
            let made = match topology.kind.sure() {
                Some(TopologyKind::File {
                    file: name,
                    hosts_per_node,
                }) => {
                    let read = from_file::read((name, *hosts_per_node), room, files, mistakes);
                    read.map(|read| graph.list(read, (&base, &trunk), mistakes))
                }
                _ => {
                    let plan = (&topology.kind, Copies::default());
                    let plan = generated::plan(plan, at, room, mistakes);
                    plan.map(|plan| graph.place(plan, &base.channel(&[]), &base.channel(&trunk)))
                }
            };
            if made.is_none() {
                wires::not_made(mistakes);
            }
        }
        None => wires::not_made(mistakes),
    }
    let mut named = NamedLinks::beside(&graph);
    for (index, links) in file.links.iter().enumerate() {
        let (forward, backward) = base.sides(links);
        for number in 1..=links.count.unwrap_or(1) {
            let number = links.count.map(|_| number);
            let Some((a, b)) = link_ends(&graph, &links.between, number, mistakes) else {
                graph.broken = true;
                continue;
            };
            let link = LinkSpec {
                ends: [a, b],
                channels: [forward.clone(), backward.clone()],
            };
            let link = (|| link.clone(), Beside::All);
            named.add(&mut graph, link, (index, &links.between.at), mistakes);
        }
    }
    graph
}

/// What channels have where nothing else is said.
struct Base<'a> {
    /// `[link]`, if it was read.
    link: Option<&'a Link>,
    /// `[scheduler]`.
    scheduler: Option<&'a Scheduler>,
}

impl<'a> Base<'a> {
    fn of(file: &'a PacketFile) -> Self {
        Self {
            link: file.link.sure(),
            scheduler: file.scheduler.as_ref(),
        }
    }

    /// A channel, with what these tables change, the last winning.
    fn channel(&self, changes: &[&Link]) -> ChannelSpec {
        let Some(link) = self.link else {
            return placeholder();
        };
        let merged = changes
            .iter()
            .fold(link.clone(), |below, own| own.over(&below));
        channel(&merged, self.scheduler)
    }

    /// The two channels of a link.
    fn sides(&self, links: &Links) -> (ChannelSpec, ChannelSpec) {
        let side = |own: &Option<Channel>| {
            let own = own.as_ref().map(|own| &own.link);
            let changes: Vec<&Link> = [&links.link].into_iter().chain(own).collect();
            self.channel(&changes)
        };
        (side(&links.forward), side(&links.backward))
    }
}

fn link_ends(
    graph: &Graph,
    between: &Placed<Vec<Named>>,
    number: Option<u64>,
    mistakes: &mut Diagnostics,
) -> Option<(u32, u32)> {
    let ends = between.sure()?;
    let [(first, first_at), (second, second_at)] = ends.as_slice() else {
        mistakes.push(wires::not_two(&between.at, ends.len()));
        return None;
    };
    let mut find = |name: &str, at: &At| mistakes.kept(graph.find(&expand(name, number), at));
    let (a, b) = (find(first, first_at), find(second, second_at));
    if a.is_some() && a == b {
        mistakes.push(wires::linked_to_itself(&between.at, first));
        return None;
    }
    Some((a?, b?))
}

/// A channel of a whole table; what is faulty in it is as in a placeholder.
fn channel(link: &Link, common: Option<&Scheduler>) -> ChannelSpec {
    let spare = placeholder();
    let scheduler = link.scheduler.as_ref().or(common);
    ChannelSpec {
        rate: link.rate.unwrap_or(spare.rate),
        delay: link.delay.unwrap_or(spare.delay),
        handling: link.handling.unwrap_or(spare.handling),
        timing: link.timing.map_or(spare.timing, Into::into),
        errors: ErrorSpec {
            data_loss: link.data_loss.unwrap_or(spare.errors.data_loss),
            control_loss: link.control_loss.unwrap_or(spare.errors.control_loss),
            control_corruption: link
                .control_corruption
                .unwrap_or(spare.errors.control_corruption),
            from: link.errors_from.unwrap_or(spare.errors.from),
        },
        scheduler: scheduler.map_or(SchedulerSpec::RoundRobin, Scheduler::spec),
    }
}

/// Stands for a link while its table is missing, which is an error of its own.
pub(crate) fn placeholder() -> ChannelSpec {
    ChannelSpec {
        rate: Rate(1_000_000),
        delay: Duration(1),
        handling: Duration(0),
        timing: Timing::StoreAndForward,
        errors: ErrorSpec::default(),
        scheduler: SchedulerSpec::default(),
    }
}
