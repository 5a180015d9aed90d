//! What ports do: queues, waiting, utilization in windows, bursts; after the warm-up.
//!
//! What an arrival sees. A unit that joins a queue finds there, and counts with itself: units that
//! joined before this instant, or earlier in it, and have not started; and the unit in
//! transmission. One whose transmission ends at this instant is gone; one that starts at this
//! instant has not started yet, since ports choose when all arrivals of the instant are there. So
//! n units that join a queue of q in one instant find q + 1 to q + n, whatever their order. A unit
//! that is refused a place does not join.
//!
//! The next unit of a source that is pulled (greedy, without end-to-end control) is made when the
//! port takes it: it joins and starts in one instant, waits for nothing and stands in no queue
//! before, as its delay begins there too.
//!
//! Only data counts. Credit, requests, warnings and messages of sessions keep a port from sending
//! data, but are not in its queue.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Samples, Time};

use super::{Crossing, Probe};
use crate::network::owners::{Divided, Own, take_over};
use crate::outcome::{FlowPorts, PortsOutcome};
use crate::spec::NetworkSpec;

mod paths;
mod queue;
#[cfg(test)]
mod tests;

pub use paths::PathWaits;
use queue::Port;

/// What to measure of ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortsSpec {
    /// Windows over which utilization is averaged, one after another from the end of the
    /// warm-up on.
    pub window: Duration,
}

/// Measures the ports of a network.
#[derive(Clone)]
pub struct Ports {
    window: Duration,
    warm_up: Time,
    is_warm: bool,
    /// By channel.
    ports: Vec<Port>,
    legs: Vec<Leg>,
    flows: usize,
    paths: PathWaits,
    /// Bytes of the unit that started last.
    started_bytes: u32,
}

/// The sender's end of a leg.
#[derive(Clone)]
struct Leg {
    channel: u32,
    flow: u32,
    is_pulled: bool,
    waiting: u32,
    wait: Samples,
    burst: Option<Burst>,
}

/// A guaranteed rate clock (GRC) at the first port of a flow that reserves a rate.
#[derive(Clone)]
struct Burst {
    rate: Rate,
    clock: Time,
    seen: Duration,
}

impl Ports {
    /// A probe of `network`.
    pub fn new(network: &NetworkSpec, spec: PortsSpec) -> Ports {
        let links = network.links.iter();
        let channels = links.flat_map(|link| &link.channels);
        let port = |rate| Port::new(rate, spec.window, network.warm_up);
        let mut legs = Vec::new();
        for (id, flow) in network.flows.iter().enumerate() {
            legs.extend(flow.legs.iter().map(|leg| Leg {
                channel: leg.channel,
                flow: id as u32,
                is_pulled: leg.parent.is_none() && flow.is_pulled(),
                waiting: 0,
                wait: Samples::default(),
                burst: match (leg.parent, &flow.reserve) {
                    (None, Some(reserve)) => Some(Burst {
                        rate: reserve.rate,
                        clock: Time::ZERO,
                        seen: Duration::ZERO,
                    }),
                    _ => None,
                },
            }));
        }
        Ports {
            window: spec.window,
            warm_up: network.warm_up,
            is_warm: false,
            ports: channels.map(|channel| port(channel.rate)).collect(),
            legs,
            flows: network.flows.len(),
            paths: PathWaits::new(network),
            started_bytes: 0,
        }
    }

    /// What was found until `ended_at`, as far as the run is.
    pub fn outcome(&self, ended_at: Time) -> PortsOutcome {
        let ended_at = ended_at.max(self.warm_up);
        let port = |port: &Port| {
            let mut port = port.clone();
            if !self.is_warm {
                port.end_warm_up(self.warm_up);
            }
            port.outcome(ended_at)
        };
        let mut flows = alloc::vec![FlowPorts::default(); self.flows];
        for leg in &self.legs {
            if let Some(burst) = &leg.burst {
                let flow = &mut flows[leg.flow as usize];
                flow.burst_seen = flow.burst_seen.max(Some(burst.seen));
                flow.burst_seen_bytes = flow.burst_seen_bytes.max(Some(burst.bytes()));
            }
        }
        PortsOutcome {
            ended_at,
            span: ended_at.since(self.warm_up),
            window: Duration(self.window.ps().max(1)),
            channels: self.ports.iter().map(port).collect(),
            legs: self.legs.iter().map(|leg| leg.wait.clone()).collect(),
            paths: self.paths.outcome(),
            flows,
        }
    }

    /// Measuring starts with the first thing that happens at the end of the warm-up or later.
    #[inline]
    fn look_at_clock(&mut self, at: Time) {
        if !self.is_warm && at >= self.warm_up {
            self.is_warm = true;
            for port in &mut self.ports {
                port.end_warm_up(self.warm_up);
            }
        }
    }
}

impl Probe for Ports {
    const IN_ALL_FORMS: bool = true;

    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {
        self.look_at_clock(at);
        let leg = &mut self.legs[leg as usize];
        if leg.is_pulled {
            return;
        }
        let port = &mut self.ports[leg.channel as usize];
        for _ in leg.waiting..waiting {
            port.join(at, self.is_warm);
        }
        for _ in waiting..leg.waiting {
            port.leave(at);
        }
        leg.waiting = waiting;
    }

    fn on_start(&mut self, crossing: Crossing) {
        if !crossing.kind.is_queued() {
            return;
        }
        self.look_at_clock(crossing.at);
        self.started_bytes = crossing.bytes;
        let port = &mut self.ports[crossing.channel as usize];
        if self.legs[crossing.leg as usize].is_pulled {
            port.pull(self.is_warm);
        }
        port.send(crossing.at, crossing.bytes);
    }

    fn on_leave(&mut self, at: Time, leg: u32, joined: Time) {
        let leg = &mut self.legs[leg as usize];
        let joined = if leg.is_pulled { at } else { joined };
        if self.is_warm {
            leg.wait.record(at.since(joined).ps());
        }
        if let Some(burst) = &mut leg.burst {
            burst.add(joined, self.started_bytes);
        }
    }

    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, bytes: u32) {
        self.paths.on_delivered(at, leg, born, bytes);
    }
}

impl Divided for Ports {
    fn join(&mut self, other: &Ports, own: Own<'_>) {
        // Measuring may have started in one part only.
        let mut other = other.clone();
        if self.is_warm || other.is_warm {
            self.look_at_clock(self.warm_up);
            other.look_at_clock(other.warm_up);
        }
        take_over(&mut self.ports, &other.ports, |channel| {
            own.sends_on(channel)
        });
        take_over(&mut self.legs, &other.legs, |leg| own.has_sender(leg));
        self.paths.join(&other.paths, own);
    }
}

impl Burst {
    fn add(&mut self, joined: Time, bytes: u32) {
        let tick = self.rate.tick(u64::from(bytes));
        let clock = self.clock.max(joined).ps().saturating_add(tick.ps());
        self.clock = Time(clock);
        self.seen = self.seen.max(self.clock.since(joined));
    }

    /// Bytes that take as long at the reserved rate, to the nearest.
    fn bytes(&self) -> u64 {
        let bits = self.rate.bits_in(Duration(self.seen.ps()));
        // Ticks are rounded up to whole picoseconds, bits are rounded down: half a byte mends both.
        u64::try_from((bits + 4) / 8).unwrap_or(u64::MAX)
    }
}
