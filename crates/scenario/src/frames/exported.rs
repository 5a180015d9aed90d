//! What a scenario of frames says, as files of other programs have it.

use backwater_formats::{Link, ListedFlow, Node, Topology};
use backwater_kernel::Channels;
use backwater_kernel::words::counted;
use backwater_net::frames::spec::{NodeKind, TrafficSpec};

use super::EthernetScenario;

/// Nodes, links and flows.
#[derive(Clone, PartialEq, Debug)]
pub struct Exported {
    /// Nodes that are `H` or `S` and a number, all different from 0 on, in that order.
    pub topology: Topology,
    /// Those with one amount of bytes, which begin by the clock.
    pub flows: Vec<ExportedFlow>,
    /// How many others there are.
    pub others: usize,
}

/// A flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportedFlow {
    /// As results call it.
    pub name: String,
    /// Payload of a full packet, bytes.
    pub payload_bytes: u32,
    /// Source and destination are places of nodes.
    pub flow: ListedFlow,
}

impl EthernetScenario {
    /// Its nodes, links and flows.
    pub fn exported(&self) -> Exported {
        let spec = &self.network;
        let places = self.places();
        let mut nodes: Vec<(u32, Node)> = spec
            .nodes
            .iter()
            .zip(&places)
            .map(|(node, place)| {
                let is_host = !matches!(node.kind, NodeKind::Switch(_));
                let name = node.name.clone();
                let node = Node {
                    name,
                    is_host,
                    is_said: true,
                    latency_ps: None,
                };
                (*place, node)
            })
            .collect();
        nodes.sort_by_key(|(place, _)| *place);
        let mut topology = Topology {
            nodes: nodes.into_iter().map(|(_, node)| node).collect(),
            ..Topology::default()
        };
        let mut uneven = 0_usize;
        for number in 0..spec.links.len() as u32 {
            let (there, back) = (
                spec.links.channel(2 * number),
                spec.links.channel(2 * number + 1),
            );
            let (from, to) = spec.links.ends(2 * number);
            uneven += usize::from((there.rate, there.delay) != (back.rate, back.delay));
            topology.links.push(Link {
                ends: [places[from as usize], places[to as usize]],
                rate_bps: Some(there.rate.0),
                delay_ps: Some(there.delay.0),
                loss: there.errors.data_loss,
                line: 0,
            });
        }
        if uneven > 0 {
            let what = format!(
                "directions that differ, of {}: the first is taken",
                counted(uneven, "link")
            );
            topology.left_out.push(what);
        }
        let flows = self.listed(&places);
        let others = spec.flows.len() - flows.len();
        let unlisted: usize = spec
            .rules
            .arrivals
            .iter()
            .map(|group| group.count as usize)
            .sum();
        Exported {
            topology,
            others: others + unlisted,
            flows,
        }
    }

    /// The place of each node: by the numbers in their names, if all have one.
    fn places(&self) -> Vec<u32> {
        let nodes = &self.network.nodes;
        let number = |name: &str| {
            let digits = name.strip_prefix(['H', 'S'])?;
            digits
                .parse::<u32>()
                .ok()
                .filter(|n| n.to_string() == digits)
        };
        let numbers: Option<Vec<u32>> = nodes.iter().map(|node| number(&node.name)).collect();
        let all = numbers.filter(|numbers| {
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            sorted.into_iter().eq(0..nodes.len() as u32)
        });
        all.unwrap_or_else(|| (0..nodes.len() as u32).collect())
    }

    fn listed(&self, places: &[u32]) -> Vec<ExportedFlow> {
        let listed = self.network.flows.iter().filter_map(|flow| {
            let TrafficSpec::Infinite {
                start,
                bytes: Some(bytes),
            } = flow.traffic
            else {
                return None;
            };
            flow.others.is_empty().then(|| ExportedFlow {
                name: flow.name.clone(),
                payload_bytes: flow.transport.payload_bytes(),
                flow: ListedFlow {
                    line: 0,
                    source: places[flow.source as usize],
                    destination: places[flow.destination as usize],
                    class: Some(flow.class.into()),
                    bytes,
                    start_ps: start.0,
                    id: None,
                    after: Vec::new(),
                },
            })
        });
        listed.collect()
    }
}
