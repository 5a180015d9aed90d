//! Series of the memory of switches.

use backwater_net::spec::SeriesSpec;

use super::{Reader, no_place};
use crate::given::circuits::flows::Series;
use crate::network::wildcard::{self, Many};
use crate::prelude::*;

impl Reader<'_> {
    /// The memory of a switch, or of all of them.
    pub(super) fn buffers(
        &self,
        given: &Placed<Series>,
        mistakes: &mut Diagnostics,
    ) -> Vec<SeriesSpec> {
        if let Some(flow) = given.flow.place() {
            Diagnostic::error("bad-series", "a buffer is of a switch, not of a flow")
                .at(flow, "has no meaning here")
                .help("leave `flow` out, or record `fill`: what one flow has there")
                .tell(mistakes);
            return Vec::new();
        }
        let Some(on) = given.on.as_ref() else {
            let way_on = "add `on`, the name of a switch, or `on = \"all\"` for all of them";
            mistakes.extend(no_place(given).map(|mistake| mistake.help(way_on)));
            return Vec::new();
        };
        if on == wildcard::ALL {
            return self.all_buffers(given, mistakes);
        }
        let Some(node) = mistakes.kept(self.switch(given, on)) else {
            return Vec::new();
        };
        let channel = self.into(node);
        let one = channel.and_then(|channel| self.one(given, None, Some(channel), mistakes));
        one.into_iter().collect()
    }

    /// The switch of this name.
    fn switch(&self, given: &Series, name: &str) -> Result<u32, Box<Diagnostic>> {
        let at = &given.on.at;
        if name.contains("->") {
            return Diagnostic::error("bad-series", "a buffer is of a switch, not of a channel")
                .at(at, "two nodes")
                .help("name the switch alone, or write `on = \"all\"` for all of them")
                .help("of one channel: `measure = \"queue\"` or `\"fill\"`")
                .refused();
        }
        let node = self.graph.find(name, at)?;
        match self.graph.is_host(node) {
            false => Ok(node),
            true => Diagnostic::error("bad-series", "a buffer is of a switch")
                .at(at, format!("`{}` is a host", self.graph.name(node)))
                .help("name a switch, or `on = \"all\"` for all of them")
                .refused(),
        }
    }

    fn all_buffers(&self, given: &Placed<Series>, mistakes: &mut Diagnostics) -> Vec<SeriesSpec> {
        let nodes = 0..self.graph.nodes.len() as u32;
        let switches = nodes.filter(|node| !self.graph.is_host(*node));
        let switches: Vec<(u32, u32)> = switches
            .filter_map(|node| Some((node, self.into(node)?)))
            .collect();
        if let Some(mistake) = wildcard::too_many(Many::Switches, &given.on.at, switches.len()) {
            mistakes.push(mistake);
            return Vec::new();
        }
        let mut series = Vec::new();
        for (node, channel) in switches {
            let one = self.one(given, None, Some(channel), mistakes);
            series.extend(one.map(|one| SeriesSpec {
                name: wildcard::named(&one.name, self.graph.name(node)),
                ..one
            }));
        }
        series
    }

    /// A channel that leads to a node: the engine names switches by one.
    fn into(&self, node: u32) -> Option<u32> {
        let links = self.graph.neighbours.get(node as usize)?;
        links.first().map(|(_, channel)| channel ^ 1)
    }
}
