//! Who listens where: the tracks that hear of a measure of a leg, channel, queue, node or flow.

use alloc::vec::Vec;

use crate::spec::Measure;

/// The measures there are.
const MEASURES: usize = Measure::Window as usize + 1;

/// A track that listens.
#[derive(Clone, Copy)]
pub(super) struct Subscriber {
    pub track: u32,
    /// Which of its parts is told of.
    pub part: u32,
}

/// The tracks that listen to places of one kind, by measure.
#[derive(Clone)]
pub(super) struct Subscribers([OfMeasure; MEASURES]);

impl Default for Subscribers {
    fn default() -> Subscribers {
        Subscribers(core::array::from_fn(|_| OfMeasure::default()))
    }
}

/// Those of a measure.
#[derive(Clone, Default)]
struct OfMeasure {
    /// Where those of each place begin, and where those of the last end; empty without any.
    begins: Vec<u32>,
    subscribers: Vec<Subscriber>,
}

impl Subscribers {
    /// The tracks that hear of a measure at a place.
    #[inline(always)]
    pub fn at(&self, measure: Measure, place: u32) -> &[Subscriber] {
        let of = &self.0[measure as usize];
        let place = place as usize;
        match of.begins.get(place..place.wrapping_add(2)) {
            Some(&[from, to]) => &of.subscribers[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Of all who listen: to which measure, at which place.
    pub fn new(mut all: Vec<(Measure, u32, Subscriber)>) -> Subscribers {
        all.sort_by_key(|(_, place, _)| *place);
        let mut subscribers = Subscribers::default();
        for (measure, place, ear) in all {
            let of = &mut subscribers.0[measure as usize];
            let before = of.subscribers.len() as u32;
            let places = of.begins.len().max(place as usize + 1);
            of.begins.resize(places, before);
            of.subscribers.push(ear);
        }
        for of in &mut subscribers.0 {
            if !of.subscribers.is_empty() {
                of.begins.push(of.subscribers.len() as u32);
            }
        }
        subscribers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    #[test]
    fn who_listens_hears_of_its_place_and_of_no_other() {
        let mut all = Vec::new();
        let mut expected: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for track in 0..200_u32 {
            let place = track * track * 7 % 41;
            all.push((Measure::Queue, place, Subscriber { track, part: 0 }));
            expected.entry(place).or_default().push(track);
        }
        let subscribers = Subscribers::new(all);
        for place in (0..100).chain([u32::MAX - 1, u32::MAX]) {
            let found = subscribers.at(Measure::Queue, place).iter();
            let found: Vec<u32> = found.map(|ear| ear.track).collect();
            assert_eq!(found, expected.remove(&place).unwrap_or_default());
            assert!(subscribers.at(Measure::Credit, place).is_empty());
        }
    }
}
