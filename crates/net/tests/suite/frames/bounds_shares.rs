//! Delay bounds of classes that reserve: near what can be staged, and never broken by what random
//! networks do.

use crate::frames::bounds::{longest, paced};
use crate::frames::bounds_random::tree;
use crate::frames::common::*;
use backwater_kernel::{Rate, Time};
use backwater_net::bound::frames::{NoBound, bounds};
use backwater_net::frames::spec::*;

pub const CLOCK: SchedulerSpec = SchedulerSpec::VirtualClock(VirtualClockSpec {
    stamp: Stamp::AuxVc,
    resync: backwater_net::spec::Resync::None,
    threshold: None,
    alarm_bytes: None,
});
const ALL: [SchedulerSpec; 4] = [
    CLOCK,
    SchedulerSpec::Wfq,
    SchedulerSpec::Scfq,
    SchedulerSpec::Sfq,
];

/// A frame of 1,000 bytes takes this long, a nanosecond a byte.
const FRAME: u64 = 1_020 * 1_000;
const PAYLOAD: u32 = 954;

fn each_channel(spec: &mut EthernetSpec, change: impl Fn(&mut ChannelSpec)) {
    for link in &mut spec.links {
        link.channels.iter_mut().for_each(|own| change(own));
    }
}

/// Two hosts fill a port with class 0, a third sends a frame of class 1 a millisecond.
fn against_a_full_queue(scheduler: SchedulerSpec) -> EthernetSpec {
    let mut net = Net::new(2, None);
    let switch = net.switch("S");
    let hosts: Vec<u32> = (0..4).map(|_| net.station("H")).collect();
    for host in &hosts {
        net.link(*host, switch, 8_000);
    }
    let udp = TransportSpec::Udp {
        payload_bytes: PAYLOAD,
        has_rtp: false,
        is_ect: false,
    };
    net.add(hosts[2], hosts[3], 1, udp.clone(), paced(77, PAYLOAD));
    for host in &hosts[..2] {
        net.add(*host, hosts[3], 0, udp.clone(), endless());
    }
    (net.spec.stop_at, net.spec.warm_up) = (Time(300 * MS), Time::ZERO);
    each_channel(&mut net.spec, |channel| channel.scheduler = scheduler);
    net.spec
}

/// Half the rate is sure: twice the time of the frame, and one of the others in the way. It comes
/// within a frame of that where others may be ahead by their tags, and about a frame elsewhere.
#[test]
fn a_bound_shorter_by_a_frame_would_be_broken() {
    for scheduler in ALL {
        let spec = against_a_full_queue(scheduler);
        let found = bounds(&spec);
        let bound = found[0].expect("it reserves");
        assert!(matches!(found[1], Err(NoBound::Greedy)));
        let seen = longest(&spec)[0];
        let most = bound.delay.ps();
        assert!(seen <= most, "{scheduler:?}: {seen} of {most}");
        // At the switch; its own port is its own.
        let wait = most - bound.least.ps();
        let expected = match scheduler {
            SchedulerSpec::Sfq => FRAME,
            _ => 2 * FRAME,
        };
        assert!(wait.abs_diff(expected) < 120, "{scheduler:?}: {wait}");
        // The other two let the class go first that has had less than it reserves.
        let is_by_tags = matches!(scheduler, SchedulerSpec::Scfq | SchedulerSpec::Sfq);
        let room = FRAME + if is_by_tags { 0 } else { FRAME / 10 };
        assert!(most - seen < room, "{scheduler:?}: {seen} of {most}");
    }
}

/// In order of arrival, or by turns a frame each, the same frames come later than that.
#[test]
fn what_reserves_nothing_breaks_it() {
    let bound = bounds(&against_a_full_queue(SchedulerSpec::Wfq))[0].expect("it reserves");
    let spec = against_a_full_queue(SchedulerSpec::Fifo);
    assert!(longest(&spec)[0] > bound.delay.ps());
    assert!(bounds(&spec)[0].is_err());
}

#[test]
fn without_a_share_or_with_too_small_a_one_there_is_none() {
    let reason = |scheduler, reserves: [Option<u64>; 2]| {
        let mut spec = against_a_full_queue(scheduler);
        each_channel(&mut spec, |channel| {
            for (queue, bps) in channel.queues.iter_mut().zip(reserves) {
                queue.reserve = bps.map(|bps| ReserveSpec {
                    rate: Rate(bps),
                    interval: None,
                    burst_bytes: None,
                    offset: backwater_kernel::Duration(0),
                    deadline: None,
                });
            }
        });
        bounds(&spec)[0]
    };
    for scheduler in ALL {
        // 1,020 bytes a millisecond are 8.16 Mbps.
        assert!(reason(scheduler, [None, Some(9 * MBPS)]).is_ok());
        let little = reason(scheduler, [None, Some(8 * MBPS)]);
        assert!(
            matches!(little, Err(NoBound::Overload { .. })),
            "{little:?}"
        );
        let none = reason(scheduler, [Some(9 * MBPS), None]);
        assert!(matches!(none, Err(NoBound::Scheduler { .. })), "{none:?}");
        let both = reason(scheduler, [Some(5_000 * MBPS), Some(5_000 * MBPS)]);
        assert!(matches!(both, Err(NoBound::Scheduler { .. })), "{both:?}");
    }
    for scheduler in [
        SchedulerSpec::Wf2qPlus,
        SchedulerSpec::Edf,
        SchedulerSpec::RoundRobin,
    ] {
        let none = reason(scheduler, [None, Some(9 * MBPS)]);
        assert!(matches!(none, Err(NoBound::Scheduler { .. })), "{none:?}");
    }
}

/// A random tree whose ports serve by reservations, which differ, or by equal parts.
fn by_reservation(seed: u64, scheduler: SchedulerSpec) -> EthernetSpec {
    let mut spec = tree(seed);
    let mut word = seed;
    for channel in spec.links.iter_mut().flat_map(|link| &mut link.channels) {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        channel.scheduler = scheduler;
        if word >> 60 < 6 {
            continue;
        }
        let (classes, rate) = (channel.queues.len() as u64, channel.rate.0);
        for (class, queue) in (0..).zip(&mut channel.queues) {
            // One class in some goes without.
            if word >> 40 & 7 == class {
                continue;
            }
            let part = 30 + (word >> (8 * class) & 63);
            queue.reserve = Some(ReserveSpec {
                rate: Rate(rate / classes * part / 100),
                interval: None,
                burst_bytes: None,
                offset: backwater_kernel::Duration(match scheduler {
                    CLOCK => word >> 20 & 0xf_ffff,
                    _ => 0,
                }),
                deadline: None,
            });
        }
    }
    spec
}

#[test]
fn no_frame_of_a_random_network_is_later_than_its_bound() {
    for (scheduler, first) in ALL.into_iter().zip((3_000..).step_by(100)) {
        let (mut known, mut late, mut shares) = (0, Vec::new(), Vec::new());
        for seed in first..first + 60 {
            let spec = by_reservation(seed, scheduler);
            let found = bounds(&spec);
            if found.iter().all(Result::is_err) {
                continue;
            }
            let seen = longest(&spec);
            for (flow, bound) in found.into_iter().enumerate() {
                let Ok(bound) = bound else { continue };
                let most = bound.delay.ps();
                known += usize::from(seen[flow] > 0);
                shares.push(seen[flow] as f64 / most as f64);
                if seen[flow] > most {
                    late.push((seed, flow, seen[flow], most));
                }
            }
        }
        assert!(late.is_empty(), "{scheduler:?}: {late:?}");
        assert!(known > 100, "{scheduler:?}: {known}");
        let nearest = shares.iter().copied().fold(0.0, f64::max);
        assert!(nearest > 0.6, "{scheduler:?}: {nearest}");
    }
}
