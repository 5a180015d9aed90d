//! The channels that frames of a way may cross, whoever sends them.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use super::{Tables, ends_of, points};
use crate::hop::unit::NONE;
use crate::spec::frames::EthernetSpec;

impl Tables {
    /// The channels that frames of a way may cross, each once: those from its source, and those
    /// that switches send which state rates to the source of data on the opposite way.
    ///
    /// # Errors
    /// If there is no way.
    pub(crate) fn crossed(&self, spec: &EthernetSpec, way: u32) -> Result<Vec<u32>, BuildError> {
        let flow = &spec.flows[way as usize / 2];
        let ends = ends_of(spec, way);
        let mut hops = match flow.is_multicast() {
            true => self.paths(spec, way / 2)?.concat(),
            false => self.channels_from(spec, way, ends)?,
        };
        if flow.hears_rates() {
            let data = self.channels_from(spec, way ^ 1, ends_of(spec, way ^ 1))?;
            for (_, switch) in points(spec, way ^ 1, &data) {
                hops.extend(self.channels_from(spec, way, (switch, ends.1))?);
            }
        }
        hops.sort_unstable();
        hops.dedup();
        Ok(hops)
    }

    /// The channels that frames of a way may cross from a node on.
    fn channels_from(
        &self,
        spec: &EthernetSpec,
        way: u32,
        (from, to): (u32, u32),
    ) -> Result<Vec<u32>, BuildError> {
        let mut hops = Vec::new();
        if !spec.rules.spread.parts_flows() {
            if self.ports((from, to)) <= 1 {
                self.follow_to(spec, way, (from, to), &mut hops)?;
                return Ok(hops);
            }
            let to_of = |channel: u32| spec.ends(channel).map(|ends| ends.1);
            for turn in 0..self.ports((from, to)) as u64 {
                // There is a way: it has ports.
                self.walk_turn((way, turn), (from, to), to_of, &mut hops);
            }
            return Ok(hops);
        }
        let mut nodes = Vec::from([from]);
        let mut seen = BTreeSet::from([from]);
        while let Some(node) = nodes.pop() {
            for channel in self.next_hops(node, to) {
                let next = spec.ends(*channel).map_or(NONE, |ends| ends.1);
                hops.push(*channel);
                if seen.insert(next) {
                    nodes.push(next);
                }
            }
        }
        Ok(hops)
    }
}
