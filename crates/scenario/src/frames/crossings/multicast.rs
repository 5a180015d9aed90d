//! What crosses channels of frames for several hosts.

use std::collections::{BTreeMap, BTreeSet};

use backwater_net::frames::spec::{FlowSpec, RouteSpec};

use super::{Load, MOST_STEPS, NODES_A_STEP, Paths, Walk, loads};
use crate::prelude::*;

impl Walk<'_> {
    /// The channels by which a multicast may go, each crossed by its frames once, whichever of its
    /// destinations are behind it.
    pub(super) fn tree(
        &mut self,
        routes: &[RouteSpec],
        (flow, spec): (u32, &FlowSpec),
        at: &At,
    ) -> Result<(), Box<Diagnostic>> {
        let load = loads(spec).first().map(|(_, load)| Load {
            last: spec.address(flow),
            ..*load
        });
        let Some(load) = load else { return Ok(()) };
        let mut channels: BTreeSet<u32> = BTreeSet::new();
        for to in spec.destinations() {
            let mut paths = Paths::new(self.net, routes, to);
            self.steps += (self.net.nodes.len() + self.net.links.len()) as u64 / NODES_A_STEP;
            channels.extend(self.ways(&mut paths, spec.source, at)?.into_keys());
            if self.steps > MOST_STEPS {
                return Ok(());
            }
        }
        let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for channel in &channels {
            let node = self.net.ends(*channel).0;
            leaving.entry(node).or_default().push(*channel);
        }
        let class = spec.class;
        for channel in &channels {
            self.found.put_on(*channel, class, &load);
            let node = self.net.ends(*channel).1;
            // A way that meets the tree again goes on as the tree does.
            for out in leaving.get(&node).into_iter().flatten() {
                if *out != channel ^ 1 {
                    self.steps += 1;
                    let inputs = std::iter::once((*channel, &load));
                    self.found.pass_on(*out, class, inputs);
                }
            }
        }
        Ok(())
    }
}
