//! What a run found.

use crate::network::Network;

/// The start of transmission of a unit on a channel. Ordered by instant, then channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Start {
    /// When, in picoseconds.
    pub at_ps: u64,
    /// Channel it starts on.
    pub channel: u32,
    /// Flow it belongs to; for a credit unit the flow whose data it admits.
    pub flow: u32,
    /// A credit unit, not data.
    pub control: bool,
    /// Data: index of the unit in its flow, from 0. Credit unit: the value bound, in units (two's
    /// complement if negative).
    pub number: u64,
}

/// What happened on one leg.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegReport {
    /// Flow.
    pub flow: u32,
    /// Index in the flow's legs.
    pub leg: u32,
    /// Channel it crosses.
    pub channel: u32,
    /// Most units its receiver ever stored, those taken on arrival included.
    pub max_fill_units: u64,
    /// Units its receiver stored at the end.
    pub final_fill_units: u64,
}

/// What reached one destination of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Flow.
    pub flow: u32,
    /// Index in the flow's legs of the leaf.
    pub leg: u32,
    /// Destination.
    pub node: u32,
    /// Units that arrived.
    pub arrived_units: u64,
    /// Units the sink took.
    pub consumed_units: u64,
}

/// Everything a run found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Every start, ordered by (instant, channel).
    pub starts: Vec<Start>,
    /// Every leg: flows in order, their legs in order.
    pub legs: Vec<LegReport>,
    /// Every destination: flows in order, their leaves in order of legs.
    pub deliveries: Vec<Delivery>,
}

pub(crate) fn report(network: Network) -> Report {
    let mut starts = network.log;
    starts.sort_by_key(|start| (start.at_ps, start.channel));
    let leg_report = |leg: &crate::network::Leg| LegReport {
        flow: leg.flow as u32,
        leg: leg.index_in_flow as u32,
        channel: leg.channel as u32,
        max_fill_units: leg.max_fill as u64,
        final_fill_units: leg.fill() as u64,
    };
    let delivery = |leg: &crate::network::Leg| Delivery {
        flow: leg.flow as u32,
        leg: leg.index_in_flow as u32,
        node: network.to_nodes[leg.channel],
        arrived_units: leg.arrived,
        consumed_units: leg.freed,
    };
    Report {
        starts,
        legs: network.legs.iter().map(leg_report).collect(),
        deliveries: network
            .legs
            .iter()
            .filter(|leg| leg.is_leaf())
            .map(delivery)
            .collect(),
    }
}
