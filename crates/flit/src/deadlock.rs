//! Why nothing moves: packets that wait in a circle.

use alloc::vec;
use alloc::vec::Vec;

use crate::fabric::Fabric;
use crate::lane::NONE;
use crate::outcome::{Deadlock, Held};
use crate::route::Choices;
use crate::routing::Routing;

/// The circle of packets in a network in which nothing has moved for long.
///
/// Every packet in it waits: its header for a lane that another holds, or its flits for a place
/// in a lane that another blocks. Whoever follows from packet to packet comes back in the end.
pub(crate) fn find_deadlock(fabric: &Fabric, routing: &Routing) -> Deadlock {
    let heads = header_lanes(fabric);
    let mut deadlock = Deadlock {
        since: fabric.moved_at,
        held: Vec::new(),
        packets: heads.len() as u64,
    };
    let first_lane = fabric.input.len();
    let mut visited = vec![u32::MAX; first_lane];
    for (walk, &start) in heads.iter().enumerate() {
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut lane = start;
        while visited[lane as usize] == u32::MAX {
            visited[lane as usize] = walk as u32;
            let Some((wanted, next)) = waits_for(fabric, routing, lane) else {
                break;
            };
            path.push((lane, wanted));
            lane = next;
        }
        if let Some(begin) = path.iter().position(|(known, _)| *known == lane) {
            let circle = path[begin..].iter();
            deadlock.held = circle.map(|step| held(fabric, *step)).collect();
            return deadlock;
        }
    }
    deadlock
}

/// Lanes between routers that hold the header of their front packet.
fn header_lanes(fabric: &Fabric) -> Vec<u32> {
    let sources = fabric.layout.sources << fabric.layout.shift;
    let has_header = |lane: &u32| {
        fabric.front[*lane as usize] != NONE
            && fabric.input[*lane as usize].link == fabric.layout.no_out()
    };
    (0..sources).filter(has_header).collect()
}

/// An output lane that the header in `lane` wants, and the lane with the header of its holder.
fn waits_for(fabric: &Fabric, routing: &Routing, lane: u32) -> Option<(u32, u32)> {
    let at = fabric.in_channels[fabric.channel(lane) as usize];
    let mut way = fabric.packets.get(fabric.front[lane as usize]).way;
    let mut choices = Choices::default();
    routing.route(at.node, &mut way, &mut choices);
    let choice = choices.as_slice().first()?;
    let out = fabric.layout.router_out[at.node as usize] + u32::from(choice.port);
    let wanted = (out << fabric.layout.shift) + choice.lanes.trailing_zeros();
    Some((wanted, header_behind(fabric, wanted)?))
}

/// Follows the packet that holds an output lane to the lane with its header.
fn header_behind(fabric: &Fabric, output: u32) -> Option<u32> {
    let mut output = output;
    for _ in 0..fabric.input.len() {
        let channel = fabric.out_channels[fabric.channel(output) as usize];
        if channel.spend == 0 {
            return None;
        }
        let lane = channel.target + (output & (fabric.layout.stride() - 1));
        if fabric.front[lane as usize] == NONE {
            return None;
        }
        let next = fabric.input[lane as usize].link;
        if next == fabric.layout.no_out() {
            return Some(lane);
        }
        output = next;
    }
    None
}

fn held(fabric: &Fabric, (lane, wanted): (u32, u32)) -> Held {
    let packet = fabric.packets.get(fabric.front[lane as usize]);
    let mask = fabric.layout.stride() - 1;
    let at = fabric.in_channels[fabric.channel(lane) as usize].spec;
    let waits = fabric.layout.spec_out[fabric.channel(wanted) as usize];
    Held {
        source: packet.source,
        destination: packet.way.destination,
        birth: packet.birth,
        at: (at, (lane & mask) as u8),
        waits_for: (waits, (wanted & mask) as u8),
    }
}
