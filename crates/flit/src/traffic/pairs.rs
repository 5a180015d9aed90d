//! Who sends to whom.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use super::pattern::Map;
use super::request_reply;
use crate::spec::{FabricSpec, Graph, Injection};

/// Which routers packets enter at for which they leave at, in one group of virtual channels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairs {
    /// Routers that packets enter at, ascending.
    entries: Vec<u32>,
    /// By router that packets leave at: do packets from all entries go there?
    from_all: Vec<bool>,
    /// By the same: the entries they come from, ascending, where these are not all.
    from: Vec<Vec<u32>>,
}

impl Pairs {
    /// Every terminal sends to every terminal.
    pub fn all(graph: &Graph) -> Pairs {
        let mut pairs = Pairs::none(graph);
        let exits = graph.eject.iter();
        exits.for_each(|router| pairs.from_all[*router as usize] = true);
        pairs
    }

    fn none(graph: &Graph) -> Pairs {
        let mut entries = graph.inject.clone();
        entries.sort_unstable();
        entries.dedup();
        Pairs {
            entries,
            from_all: vec![false; graph.routers as usize],
            from: vec![Vec::new(); graph.routers as usize],
        }
    }

    /// What the classes of a group send. A permutation is the one that the seed draws.
    ///
    /// # Errors
    ///
    /// A pattern that is impossible in this network, or requests without a class of replies.
    pub fn of(spec: &FabricSpec, group: u8) -> Result<Pairs, BuildError> {
        let mut pairs = Pairs::none(&spec.graph);
        let answered = request_reply::answered(&spec.classes)?;
        for (index, class) in spec.classes.iter().enumerate() {
            if class.lane_group != group {
                continue;
            }
            match &class.injection {
                Injection::Bernoulli { load }
                | Injection::Constant { load }
                | Injection::OnOff { load, .. }
                    if *load <= 0.0 => {}
                Injection::Trace(list) => list.iter().for_each(|packet| {
                    pairs.add(&spec.graph, Some(packet.source), packet.destination);
                }),
                Injection::Replies => {
                    let request = usize::from(answered[index].unwrap_or(0));
                    pairs.add_replies(spec, &map(spec, request)?);
                }
                Injection::Bernoulli { .. }
                | Injection::Constant { .. }
                | Injection::OnOff { .. }
                | Injection::Saturation
                | Injection::RequestReply { .. } => {
                    map(spec, index)?.pairs(|source, to| pairs.add(&spec.graph, source, to));
                }
            }
        }
        for from in &mut pairs.from {
            from.sort_unstable();
            from.dedup();
        }
        Ok(pairs)
    }

    /// Packets of a terminal, or of all of them, go to this one.
    fn add(&mut self, graph: &Graph, source: Option<u32>, destination: u32) {
        let exit = graph.eject[destination as usize] as usize;
        match source {
            Some(source) => self.from[exit].push(graph.inject[source as usize]),
            None => self.from_all[exit] = true,
        }
    }

    /// Packets go the other way than those of `requests`.
    fn add_replies(&mut self, spec: &FabricSpec, requests: &Map) {
        let graph = &spec.graph;
        requests.pairs(|source, destination| match source {
            Some(source) => self.add(graph, Some(destination), source),
            None => {
                for exit in 0..graph.eject.len() as u32 {
                    self.add(graph, Some(destination), exit);
                }
            }
        });
    }

    /// Entries of packets that leave at a router.
    pub fn senders(&self, exit: u32) -> &[u32] {
        match self.from_all[exit as usize] {
            true => &self.entries,
            false => &self.from[exit as usize],
        }
    }

    /// Entries of packets that leave anywhere, ascending.
    pub fn all_senders(&self) -> Vec<u32> {
        if self.from_all.contains(&true) {
            return self.entries.clone();
        }
        let mut senders: Vec<u32> = self.from.iter().flatten().copied().collect();
        senders.sort_unstable();
        senders.dedup();
        senders
    }

    /// Routers that packets enter at, whether any do or not.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }
}

fn map(spec: &FabricSpec, class: usize) -> Result<Map, BuildError> {
    Map::new(&spec.classes[class].pattern, &spec.graph, spec.seed, class)
}
