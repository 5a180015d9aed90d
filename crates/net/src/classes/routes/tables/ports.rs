//! Which of its links a station sends over.

use alloc::vec::Vec;

use super::super::mix;
use super::{Hop, Tables};
use crate::hop::unit::NONE;
use crate::spec::frames::{EthernetSpec, NicRule};

/// Rules of stations that have several links, but for hashes.
pub(super) fn nics(spec: &EthernetSpec, out: &[Option<Hop>]) -> Vec<(u32, NicRule)> {
    let all = spec.rules.nics.iter();
    let all = all.filter(|nic| nic.rule != NicRule::Hash && out[nic.node as usize].is_none());
    all.map(|nic| (nic.node, nic.rule)).collect()
}

impl Tables {
    /// How a node chooses among several links.
    pub(super) fn nic(&self, node: u32) -> NicRule {
        let place = self.nics.binary_search_by_key(&node, |nic| nic.0);
        place.map_or(NicRule::Hash, |place| self.nics[place].1)
    }

    /// Does any station send the frames of a flow round its links?
    pub(crate) fn has_turns(&self) -> bool {
        self.nics.iter().any(|nic| nic.1 == NicRule::Spread)
    }

    /// Do the frames of a way go round several ports of their station?
    pub fn goes_round(&self, ends: (u32, u32)) -> bool {
        self.ports(ends) > 1
    }

    /// So many ports the frames of a way go round at its station, if there is a way.
    pub(crate) fn ports(&self, (from, to): (u32, u32)) -> usize {
        match self.nic(from) {
            NicRule::Spread => self.next_hops(from, to).len(),
            NicRule::Hash | NicRule::Rail => 1,
        }
    }

    pub(super) fn of_rail(&self, way: u32, node: u32, to: u32) -> u32 {
        let flow = way / 2;
        let rail = self.rails.get(flow as usize).copied().unwrap_or(flow);
        self.choose(node, to, || rail.into())
    }

    /// The first hop of the frame of this number of a way whose frames go round the ports of their
    /// station.
    pub(crate) fn of_turn(&self, way: u32, turn: u64, (from, to): (u32, u32)) -> u32 {
        let several = self.next_hops(from, to);
        let count = several.len().max(1) as u64;
        let first = mix(&[self.seed, way.into(), from.into()]) % count;
        let at = (first + turn % count) % count;
        several.get(at as usize).copied().unwrap_or(NONE)
    }

    /// The first hop of a frame at its station, where switches draw a way for each: it goes as its
    /// station says, and turns as often as that has been asked.
    pub(crate) fn of_station(&self, way: u32, turn: u64, (from, to): (u32, u32)) -> u32 {
        match self.nic(from) {
            NicRule::Spread => self.of_turn(way, turn, (from, to)),
            NicRule::Hash | NicRule::Rail => self.of_flow(way, from, to),
        }
    }

    /// The channels of the way that the frame of this number takes.
    pub(in super::super) fn walk_turn(
        &self,
        (way, turn): (u32, u64),
        (from, to): (u32, u32),
        to_of: impl Fn(u32) -> Option<u32>,
        hops: &mut Vec<u32>,
    ) -> bool {
        let first = self.of_turn(way, turn, (from, to));
        self.walk_by(way, (from, first), to, to_of, hops)
    }
}
