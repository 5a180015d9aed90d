//! Stations with several links: which of them a frame leaves by, and whether what came over one
//! goes on over another.
//!
//! What is not here: a port that is chosen by what waits in it, and one that is left out while it
//! is stopped.

use super::{EthernetSpec, FrameRules, NodeKind};

/// How a station with several links chooses among those on a shortest way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NicRule {
    /// One for all frames of a flow, each way: a hash of seed, flow, direction and station, as
    /// switches have it.
    #[default]
    Hash,
    /// That of the flow's rail, for what is sent and for what comes back: of so many, the one
    /// whose place is the rail ([`FrameRules::rails`]), counted in a circle.
    Rail,
    /// The frames of a flow go round them in turn, from one that the hash says: order is lost.
    Spread,
}

/// What a station does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NicSpec {
    /// The station.
    pub node: u32,
    /// How it chooses.
    pub rule: NicRule,
}

impl FrameRules {
    /// How a node chooses.
    pub fn nic(&self, node: u32) -> NicRule {
        let place = self.nics.binary_search_by_key(&node, |nic| nic.node);
        place.map_or(NicRule::Hash, |place| self.nics[place].rule)
    }

    /// The rail of a flow.
    pub fn rail(&self, flow: u32) -> u32 {
        self.rails.get(flow as usize).copied().unwrap_or(flow)
    }

    /// Does a station forward? It stores a frame, as a switch does that takes it when its last bit
    /// is in, without latency and with memory without limit.
    pub fn is_forwarder(&self, node: u32) -> bool {
        self.forwarders.binary_search(&node).is_ok()
    }

    /// Does any station send the frames of a flow over several links?
    pub fn spreads_at_hosts(&self) -> bool {
        self.nics.iter().any(|nic| nic.rule == NicRule::Spread)
    }

    /// Do all frames of a flow take one way, so that they stay in order?
    pub fn keeps_order(&self) -> bool {
        !self.spread.parts_flows() && !self.spreads_at_hosts()
    }
}

impl EthernetSpec {
    /// A switch is at this place.
    pub fn is_switch(&self, node: u32) -> bool {
        let node = self.nodes.get(node as usize);
        node.is_some_and(|node| matches!(node.kind, NodeKind::Switch(_)))
    }

    /// Do ways lead through this node?
    pub fn forwards(&self, node: u32) -> bool {
        self.is_switch(node) || self.rules.is_forwarder(node)
    }
}
