//! The answers of a routing that remembers nothing, worked out beforehand for a small network.

use alloc::vec::Vec;

use super::Hop;
use crate::route::{NOWHERE, Way};
use crate::spec::Graph;

/// Most entries: what a first-level cache shares with other data without being pushed out of the
/// second level.
const ENTRIES_MAX: u64 = 1 << 16;
/// The packet has arrived at its last router.
const EXIT: u8 = u8::MAX;

#[derive(Clone, Debug)]
pub(super) struct Known {
    terminals: u32,
    /// By router, then by terminal.
    ports: Vec<u8>,
}

impl Known {
    /// `None` if the network is too large or has routers with too many ports.
    pub(super) fn new(graph: &Graph, next: impl Fn(u32, &Way) -> Option<Hop>) -> Option<Known> {
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
                ports.push(match next(router, &way) {
                    None => EXIT,
                    Some(Hop { port, class: 0 }) if port < EXIT.into() => port as u8,
                    Some(_) => return None,
                });
            }
        }
        Some(Known { terminals, ports })
    }

    #[inline]
    pub(super) fn next(&self, router: u32, way: &Way) -> Option<Hop> {
        let port = self.ports[(router * self.terminals + way.destination) as usize];
        (port != EXIT).then_some(Hop {
            port: port.into(),
            class: 0,
        })
    }
}
