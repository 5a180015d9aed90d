//! Disciplines, by hand. A byte takes 1 ps at the full rate, so a flow that reserves 1/n of it
//! has a tick of n ps a byte.

mod clocks;
mod random;
mod rounds;
mod tags;

use backwater_kernel::Channels;
use backwater_net::spec::{
    BufferSpec, FlowControlSpec, LegSpec, Overflow, ReserveSpec, Resync, Stamp, VirtualClockSpec,
};

use super::*;

/// 1 byte a picosecond.
const FULL: u64 = 8_000_000_000_000;

const VIRTUAL_CLOCK: SchedulerSpec = virtual_clock(Stamp::AuxVc, Resync::None);

const fn virtual_clock(stamp: Stamp, resync: Resync) -> SchedulerSpec {
    SchedulerSpec::VirtualClock(VirtualClockSpec {
        stamp,
        resync,
        threshold: None,
        alarm_bytes: None,
    })
}

fn reserve(rate: u64) -> ReserveSpec {
    ReserveSpec {
        rate: Rate(rate),
        interval: None,
        burst_bytes: None,
        offset: Duration::ZERO,
        deadline: None,
    }
}

/// Links at the full rate, units of 1 ps to travel, and when each source offers a unit.
struct Case {
    spec: NetworkSpec,
    times: Vec<Vec<u64>>,
}

impl Case {
    /// One link from node 0 to node 1.
    fn new(scheduler: SchedulerSpec) -> Case {
        Case::on(2, vec![link(0, 1, 1)], scheduler)
    }

    /// Every channel serves by `scheduler`.
    fn on(nodes: u32, links: Vec<LinkSpec>, scheduler: SchedulerSpec) -> Case {
        let mut spec = network(nodes, links, 100_000);
        for link in &mut spec.links {
            for channel in &mut link.channels {
                channel.rate = Rate(FULL);
                channel.scheduler = scheduler;
            }
        }
        Case {
            spec,
            times: Vec::new(),
        }
    }

    /// A flow over channel 0 that offers a unit at each of `times`.
    fn flow(&mut self, bytes: u32, rate: Option<u64>, times: &[u64]) -> &mut FlowSpec {
        self.flow_over(&[0], bytes, rate, times)
    }

    /// A flow over these channels, one after another.
    fn flow_over(
        &mut self,
        channels: &[u32],
        bytes: u32,
        rate: Option<u64>,
        times: &[u64],
    ) -> &mut FlowSpec {
        let chain: Vec<(u32, Option<u32>)> = (0..channels.len())
            .map(|place| {
                (
                    channels[place],
                    place.checked_sub(1).map(|above| above as u32),
                )
            })
            .collect();
        let source = self.spec.links.ends(channels[0]).0;
        self.times.push(times.to_vec());
        let flow = add_flow(&mut self.spec, source, &chain, 1, 1);
        for leg in &mut flow.legs {
            *leg = LegSpec {
                flow_control: FlowControlSpec::None,
                buffer: BufferSpec {
                    limit_units: None,
                    overflow: Overflow::Keep,
                },
                ..*leg
            };
        }
        flow.unit_bytes = bytes;
        flow.reserve = rate.map(reserve);
        flow.traffic = TrafficSpec::Poisson {
            start: Time::ZERO,
            mean_interval: Duration(1),
            min_interval: Duration::ZERO,
            total: Some(0),
        };
        flow
    }

    fn run(&self) -> Report {
        let mut network = network_of(&self.spec);
        for (flow, times) in network.flows.iter_mut().zip(&self.times) {
            if !times.is_empty() {
                flow.drawn = times.iter().copied().map(Time).collect();
            }
        }
        while network.step().expect("the case is sound").is_some() {}
        crate::finish::report(network)
    }

    /// Which flow each start on channel 0 is of: A, B, ...
    fn order(&self) -> String {
        letters(&self.run(), 0)
    }
}

/// It always has units, `total` of them.
fn greedy(flow: &mut FlowSpec, total: u64) {
    flow.traffic = TrafficSpec::Greedy {
        start: Time::ZERO,
        total: Some(total),
    };
}

fn letters(report: &Report, channel: u32) -> String {
    data(&report.starts, channel)
        .iter()
        .map(|(_, flow, _)| (b'A' + *flow as u8) as char)
        .collect()
}

/// Ranks given to a leg, in order of arrival.
fn ranks(report: &Report, leg: u32) -> Vec<u64> {
    let of_leg = report.ranks.iter().filter(|rank| rank.leg == leg);
    of_leg.map(|rank| rank.rank_ps).collect()
}

/// `count` units, 1 ps apart.
fn burst(from: u64, count: u64) -> Vec<u64> {
    (from..from + count).collect()
}
