//! How long a packet alone in the network waits for credit.
//!
//! A virtual channel that holds less than what is under way in a round trip of credit lets a packet
//! through in parts: `depth` flits, then a pause until their places are known to be free. So a long
//! packet takes longer than its way and its length, though it meets nobody.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::fabric::longest_flight;
use crate::spec::{FabricSpec, Switch};

/// Cycles from leaving one buffer to being able to leave the next, where all channels between
/// routers are alike; and what else a way takes.
#[derive(Clone, Debug)]
pub(crate) struct Alone {
    injection: u64,
    between: u64,
    /// What a header waits in each router, beyond that.
    header: u64,
    credit: u64,
    depth: usize,
    /// What was found, by channels crossed and flits.
    known: BTreeMap<(u32, u16), u64>,
}

/// Flits of a packet that never waits for credit, on whatever way: what a virtual channel holds, or
/// any number if that lasts for the longest round trip.
pub(crate) fn never_waits(spec: &FabricSpec) -> u16 {
    let router = &spec.router;
    let header = u32::from(router.header_delay) + u32::from(router.allocation_delay);
    // One for the switch's buffer, if there is one.
    let round = longest_flight(spec) + u32::from(router.credit_delay) + header + 1;
    match u32::from(router.depth) >= round {
        true => u16::MAX,
        false => router.depth,
    }
}

impl Alone {
    /// `None` where channels between routers differ in latency.
    pub(crate) fn new(spec: &FabricSpec) -> Option<Alone> {
        let router = &spec.router;
        let mut latencies = spec.graph.channels.iter().map(|channel| channel.latency);
        let between = latencies.next().unwrap_or(1);
        if latencies.any(|other| other != between) {
            return None;
        }
        // From the switch into its buffer is a cycle; the switch frees the place and takes the
        // credit.
        let buffered = match router.switch {
            Switch::Multiplexed { output_buffer, .. } => u64::from(output_buffer > 0),
            Switch::Crossbar => 0,
        };
        Some(Alone {
            injection: spec.graph.injection_latency.into(),
            between: u64::from(between) + u64::from(router.pipeline_delay) + buffered,
            header: u64::from(router.header_delay) + u64::from(router.allocation_delay),
            credit: router.credit_delay.into(),
            depth: router.depth.into(),
            known: BTreeMap::new(),
        })
    }

    /// Cycles that a packet of so many flits waits for credit on a way of so many channels, the
    /// first one of injection, the last one of ejection.
    #[inline]
    pub(crate) fn wait(&mut self, channels: u32, flits: u16) -> u64 {
        if usize::from(flits) <= self.depth {
            return 0;
        }
        if let Some(known) = self.known.get(&(channels, flits)) {
            return *known;
        }
        let wait = self.follow(channels as usize, flits.into());
        self.known.insert((channels, flits), wait);
        wait
    }

    /// Flit after flit, the cycles in which it leaves each buffer of the way.
    fn follow(&self, channels: usize, flits: usize) -> u64 {
        // Of the last `depth` flits, and of the one under way.
        let rows = self.depth + 1;
        let mut left: Vec<Vec<u64>> = vec![vec![0; channels]; rows];
        for flit in 0..flits {
            for buffer in 0..channels {
                let came = match buffer {
                    0 => 0,
                    _ => left[flit % rows][buffer - 1] + self.flight(buffer - 1),
                };
                let mut at = came
                    + if flit == 0 && buffer > 0 {
                        self.header
                    } else {
                        0
                    };
                if flit > 0 {
                    at = at.max(left[(flit - 1) % rows][buffer] + 1);
                }
                if flit >= self.depth && buffer + 1 < channels {
                    at = at.max(left[(flit - self.depth) % rows][buffer + 1] + self.credit);
                }
                left[flit % rows][buffer] = at;
            }
        }
        let last = channels.saturating_sub(1);
        let way: u64 = (0..last)
            .map(|buffer| self.flight(buffer) + self.header)
            .sum();
        let took = left[(flits - 1) % rows][last];
        took.saturating_sub(way + flits as u64 - 1)
    }

    fn flight(&self, channel: usize) -> u64 {
        match channel {
            0 => self.injection,
            _ => self.between,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(depth: usize) -> Alone {
        Alone {
            injection: 1,
            between: 1,
            header: 0,
            credit: 1,
            depth,
            known: BTreeMap::new(),
        }
    }

    /// With one place and a credit that is back two cycles later, a flit moves every other cycle.
    #[test]
    fn one_place_lets_every_other_cycle_pass() {
        assert_eq!(alone(1).wait(3, 4), 3);
        assert_eq!(alone(1).wait(7, 4), 3, "however long the way");
        assert_eq!(alone(1).wait(3, 1), 0);
        assert_eq!(alone(2).wait(3, 4), 0, "two places last for the round trip");
        // Round trip 1 + 3: two flits in each four cycles.
        let slow = Alone {
            credit: 3,
            ..alone(2)
        };
        assert_eq!(slow.clone().wait(3, 4), 2);
        assert_eq!(slow.clone().wait(3, 5), 4);
    }
}
