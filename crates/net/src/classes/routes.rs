//! Which way frames go: over any graph, by the shortest ways or as the scenario says.

use alloc::format;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, TraceHash};

use crate::classes::trees::{FORK, Trees};
use crate::hop::unit::{NONE, Unit};
use crate::spec::frames::{EthernetSpec, Spread};

mod tables;

pub use tables::Tables;

/// A hash of some words, for choices that must not depend on the order of events.
pub(crate) fn mix(words: &[u64]) -> u64 {
    let mut hash = TraceHash::new();
    words.iter().for_each(|word| hash.add(*word));
    hash.value()
}

/// Ways ready to be followed.
#[derive(Debug)]
pub(crate) enum Routes {
    /// For each way (flow and direction) its channels one after the other, then [`NONE`], or
    /// where ways to several stations part and end, a fork of `trees`. [`Frame::hop`] is an index
    /// here.
    Paths {
        /// By way, its first channel's index.
        first: Vec<u32>,
        /// All of them.
        hops: Vec<u32>,
        /// Where frames are copied.
        trees: Trees,
    },
    /// The next hops from each node to each station. [`Frame::hop`] is a channel.
    Tables(Tables),
}

impl Routes {
    pub fn new(spec: &EthernetSpec) -> Result<Routes, BuildError> {
        let tables = Tables::new(spec)?;
        if spec.rules.spread == Spread::Frames {
            return Ok(Routes::Tables(tables));
        }
        let (mut first, mut hops) = (Vec::new(), Vec::new());
        let mut trees = Trees::default();
        for way in 0..spec.flows.len() as u32 * 2 {
            first.push(hops.len() as u32);
            if spec.flows[way as usize / 2].is_multicast() {
                if way % 2 == 0 {
                    trees.add(&tables.paths(spec, way / 2)?, &mut hops);
                }
                continue;
            }
            tables.follow(spec, way, &mut hops)?;
            hops.push(NONE);
        }
        if hops.len() >= FORK as usize {
            return Err(BuildError(format!(
                "{} hops of all flows are too many",
                hops.len()
            )));
        }
        Ok(Routes::Paths { first, hops, trees })
    }

    /// No way at all.
    pub fn none() -> Routes {
        Routes::Paths {
            first: Vec::new(),
            hops: Vec::new(),
            trees: Trees::default(),
        }
    }

    /// The channels of a way, if all of its frames take the same to one station.
    pub fn only(&self, spec: &EthernetSpec, way: u32) -> Option<Vec<u32>> {
        match self {
            Routes::Paths { .. } => self.path(way).map(<[u32]>::to_vec),
            Routes::Tables(tables) => tables.only(spec, way),
        }
    }

    /// The same where all frames of a flow take one way, whatever it is.
    pub fn path(&self, way: u32) -> Option<&[u32]> {
        let Routes::Paths { first, hops, .. } = self else {
            return None;
        };
        let hops = hops.get(*first.get(way as usize)? as usize..)?;
        let end = hops.iter().position(|hop| *hop >= FORK)?;
        (hops[end] == NONE && end > 0).then(|| &hops[..end])
    }

    /// The hop from the source of `way`, for [`Frame::hop`].
    #[inline]
    pub fn first(&self, way: u32, number: u64, ends: (u32, u32)) -> u32 {
        match self {
            Routes::Paths { first, .. } => first[way as usize],
            Routes::Tables(tables) => tables.of_frame(way, number, ends.0, ends.1),
        }
    }

    /// The channel a frame takes next; [`NONE`] at its station, and a number that is no channel's
    /// where it goes several ways.
    #[inline]
    pub fn channel(&self, frame: &Unit) -> u32 {
        match self {
            Routes::Paths { hops, .. } => hops[frame.hop() as usize],
            Routes::Tables(_) => frame.hop(),
        }
    }
}

/// The stations of a way: where it starts and where it ends.
pub(crate) fn ends_of(spec: &EthernetSpec, way: u32) -> (u32, u32) {
    let flow = &spec.flows[way as usize / 2];
    match way % 2 {
        0 => (flow.source, flow.destination),
        _ => (flow.destination, flow.source),
    }
}
