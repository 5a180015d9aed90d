//! The packets that wait for each other in a circle.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::standstill::{Still, packets_in};
use crate::lane::NONE;
use crate::outcome::Held;

/// Packets, each waiting for a lane that the next one holds, the last for one of the first.
#[derive(Debug, Default)]
pub struct Circle {
    pub held: Vec<Held>,
    /// Input lanes that it leads through.
    pub lanes: Vec<u32>,
}

/// A packet in a lane that never sends: the one at its front, or one behind it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Blocked {
    lane: u32,
    packet: u32,
}

/// Where it goes on from a place, and what is told of it if another packet comes next.
type Step = (Blocked, Option<Held>);

impl Circle {
    /// Follows from the first packet that can never move to the one it waits for, and so on.
    /// Each of them waits for others that can't move alone, so this comes back in the end.
    pub fn find(standstill: &Still<'_>) -> Circle {
        let fabric = standstill.fabric;
        let lanes = fabric.layout.sources << fabric.layout.shift;
        let mut walks: BTreeMap<Blocked, u32> = BTreeMap::new();
        for lane in (0..lanes).filter(|lane| standstill.holds(*lane)) {
            let mut path: Vec<(Blocked, Option<Held>)> = Vec::new();
            let mut place = front_of(standstill, lane);
            while let Some(at) = place.filter(|at| !walks.contains_key(at)) {
                walks.insert(at, lane);
                let step = next(standstill, at);
                place = step.as_ref().map(|step| step.0);
                path.push((at, step.and_then(|step| step.1)));
            }
            let begin = path.iter().position(|(known, _)| Some(*known) == place);
            if let Some(begin) = begin {
                let circle = path.split_off(begin);
                return Circle {
                    lanes: circle.iter().map(|(place, _)| place.lane).collect(),
                    held: circle.into_iter().filter_map(|(_, held)| held).collect(),
                };
            }
        }
        Circle::default()
    }
}

fn front_of(standstill: &Still<'_>, lane: u32) -> Option<Blocked> {
    let packet = standstill.fabric.input[lane as usize].front;
    (packet != NONE).then_some(Blocked { lane, packet })
}

fn next(standstill: &Still<'_>, at: Blocked) -> Option<Step> {
    let fabric = standstill.fabric;
    let front = front_of(standstill, at.lane)?;
    if at != front {
        let before = fabric.input[at.lane as usize].before;
        return Some((front, Some(held(standstill, at, before))));
    }
    let Some(output) = standstill.link(at.lane) else {
        let allowed = standstill.allowed(at.lane);
        let step = |output: u32| {
            let blocker = standstill
                .holder(output)
                .or_else(|| standstill.target(output))?;
            let next = front_of(standstill, blocker)?;
            Some((next, Some(held(standstill, at, output))))
        };
        return allowed.into_iter().find_map(step);
    };
    // It has a lane to go to, which is full: by itself, or by those before it.
    let target = standstill.target(output)?;
    let there = Blocked {
        lane: target,
        packet: at.packet,
    };
    if packets_in(fabric, target).any(|packet| packet == at.packet) {
        return Some((there, None));
    }
    let blocker = front_of(standstill, target)?;
    Some((blocker, Some(held(standstill, at, output))))
}

fn held(standstill: &Still<'_>, at: Blocked, wanted: u32) -> Held {
    let fabric = standstill.fabric;
    let packet = fabric.packets.get(at.packet);
    let mask = fabric.layout.stride() - 1;
    let here = fabric.in_channels[fabric.channel(at.lane) as usize].spec;
    let waits = fabric.layout.spec_out[fabric.channel(wanted) as usize];
    Held {
        source: packet.source,
        destination: packet.way.destination,
        birth: packet.birth,
        at: (here, (at.lane & mask) as u8),
        waits_for: (waits, (wanted & mask) as u8),
    }
}
