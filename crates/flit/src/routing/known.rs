//! The answers of a routing that remembers nothing, worked out beforehand for a small network.

use alloc::vec::Vec;

use super::Hop;
use crate::route::{NOWHERE, Way};
use crate::spec::Graph;

/// Most entries: what a first-level cache shares with other data without being pushed out of the
/// second level.
const ENTRIES_MAX: u64 = 1 << 16;

#[derive(Clone, Debug)]
pub(super) struct Known {
    terminals: u32,
    /// By router, then by terminal; that of its ejection channel at its last router.
    ports: Vec<u8>,
}

impl Known {
    /// `None` if the network is too large or has routers with too many ports. `exits` are the
    /// ports of ejection channels.
    pub(super) fn new(
        graph: &Graph,
        exits: &[u16],
        next: impl Fn(u32, &Way) -> Option<Hop>,
    ) -> Option<Known> {
        let terminals = graph.eject.len() as u32;
        if u64::from(terminals) * u64::from(graph.routers) > ENTRIES_MAX {
            return None;
        }
        let mut ports = Vec::with_capacity(terminals as usize * graph.routers as usize);
        for router in 0..graph.routers {
            for destination in 0..terminals {
                let way = Way {
                    destination,
                    via: NOWHERE,
                    ..Way::default()
                };
                let port = match next(router, &way) {
                    None => exits[destination as usize],
                    Some(Hop { port, class: 0 }) => port,
                    Some(_) => return None,
                };
                ports.push(u8::try_from(port).ok()?);
            }
        }
        Some(Known { terminals, ports })
    }

    /// The output port to take, the last one included. There is one class of lanes.
    #[inline(always)]
    pub(super) fn port(&self, router: u32, way: &Way) -> u16 {
        self.ports[(router * self.terminals + way.destination) as usize].into()
    }
}
