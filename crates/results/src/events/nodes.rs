//! Nodes, and what they held.

use backwater_net::outcome::NodeOutcome;

use super::{Findings, Network};
use crate::table_of::TableOf;

/// A row for each node.
pub fn table<'a>(run: &'a Findings<'_, impl Network>) -> TableOf<(u32, &'a NodeOutcome)> {
    let kind = |node: u32| {
        let (_, is_switch) = run.network.node(node)?;
        Some(if is_switch { "switch" } else { "host" })
    };
    TableOf::of((0..).zip(&run.outcome.nodes))
        .called("nodes: What each node held; what goes to several destinations counts once.")
        .text("node: name in the scenario")
        .of(|(node, _)| run.node(*node))
        .text("kind: host or switch")
        .of(|(node, _)| kind(*node))
}
