//! One leg after another, a unit each.

use super::Candidate;

/// Legs in the order they were served, with their groups.
#[derive(Default)]
pub(crate) struct Served(Vec<(u8, usize)>);

impl Served {
    /// The next leg, of one group.
    pub fn choose(&mut self, ready: &[Candidate]) -> Option<usize> {
        let group = ready.first()?.group;
        let of_group = self.0.iter().rev().find(|(known, _)| *known == group);
        let last = of_group.map(|(_, leg)| *leg);
        // Cyclic: legs behind the one served last come before those up to it.
        let legs = ready.iter().map(|one| one.leg);
        let leg = legs.min_by_key(|leg| (last.is_some_and(|last| *leg <= last), *leg))?;
        self.0.push((group, leg));
        Some(leg)
    }
}
