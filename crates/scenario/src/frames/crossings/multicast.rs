//! What crosses channels of frames for several hosts.

use std::collections::{BTreeMap, BTreeSet};

use backwater_net::frames::spec::{FlowSpec, RouteSpec};

use super::{Load, MOST_STEPS, Paths, Walk, loads};
use crate::prelude::*;

impl Walk<'_> {
    /// The bundles by which a multicast may go, each crossed by its frames once, whichever of its
    /// destinations are behind it.
    pub(super) fn tree(
        &mut self,
        routes: &[RouteSpec],
        (flow, spec): (u32, &FlowSpec),
        at: &At,
    ) -> Result<(), Box<Diagnostic>> {
        let load = loads(spec).first().map(|(_, _, load)| Load {
            last: spec.address(flow),
            ..*load
        });
        let Some(load) = load else { return Ok(()) };
        let mut paths = Paths::new(routes);
        let mut crossed: BTreeSet<u32> = BTreeSet::new();
        for to in spec.destinations() {
            self.search(&mut paths, to);
            crossed.extend(self.ways(&paths, (spec.source, to), at)?.into_keys());
            if self.steps > MOST_STEPS {
                return Ok(());
            }
        }
        let (bundles, source) = (&self.found.bundles, self.found.bundles.kind(spec.source));
        let mut from = crossed
            .iter()
            .map(|bundle| (*bundle, bundles.ends(*bundle).0));
        if let Some((bundle, _)) = from.find(|own| own.1 != source && bundles.is_host(own.1)) {
            let host = self.net.ends(bundles.first(bundle)).0;
            return Err(copies_nothing(&spec.name, self.net.name(host), at));
        }
        let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for bundle in &crossed {
            let kind = self.found.bundles.ends(*bundle).0;
            leaving.entry(kind).or_default().push(*bundle);
        }
        let class = spec.class;
        for bundle in &crossed {
            self.found.put_on(*bundle, class, &load);
            let (bundles, kind) = (&self.found.bundles, self.found.bundles.ends(*bundle).1);
            let back = bundles.of(bundles.first(*bundle) ^ 1);
            // A way that meets the tree again goes on as the tree does.
            for out in leaving.get(&kind).into_iter().flatten() {
                if *out != back {
                    self.steps += 1;
                    let inputs = std::iter::once((*bundle, &load));
                    self.found.pass_on(*out, class, inputs);
                }
            }
        }
        Ok(())
    }
}

/// A multicast would go through a host.
fn copies_nothing(flow: &str, host: &str, at: &At) -> Box<Diagnostic> {
    let (flow, host) = (clip(flow), clip(host));
    Diagnostic::error(
        "unreachable",
        format!("`{flow}` would go through the host `{host}`"),
    )
    .at(at, "these are behind it, too")
    .note("hosts that forward pass on what is for one host, and copy nothing")
    .help(format!(
        "join its hosts by switches, or let `{host}` forward nothing"
    ))
    .into()
}
