//! Flows.

use backwater_ends::TcpSpec;
use backwater_ends::spec::{BurstSpec, Congestion, Ecn, Queued, Recovery, Reuse};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, Span, TrafficSpec, TransportSpec};

use super::{Dice, Mix, stations};

pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec, mix: Mix) {
    let stations = stations(spec);
    let classes = spec.links[0].channels[0].queues.len() as u64;
    let victim = dice.pick(&stations);
    let payload = dice.pick(&[200, 500, 1_024, 1_472]);
    let usual = dice.between(0, classes - 1);
    let count = match mix.has_looks {
        true => dice.between(6, 12),
        false => dice.between(3, 9),
    };
    for index in 0..count {
        let source = dice.pick(&stations);
        let mut destination = match !mix.has_looks && dice.one_in(2) {
            true => victim,
            false => dice.pick(&stations),
        };
        while destination == source {
            destination = dice.pick(&stations);
        }
        let (transport, traffic) = match mix.has_tcp && dice.one_in(2) {
            true => connection(dice, spec, mix),
            false => datagrams(dice, spec, mix, payload),
        };
        let is_udp = matches!(transport, TransportSpec::Udp { .. });
        let others = match mix.has_multicast && is_udp && !dice.one_in(3) {
            true => more(dice, &stations, &[source, destination]),
            false => Vec::new(),
        };
        let flow = FlowSpec {
            name: format!("f{index}"),
            source,
            destination,
            others,
            class: match dice.one_in(3) {
                true => dice.between(0, classes - 1) as u8,
                false => usual as u8,
            },
            is_tagged: dice.one_in(3),
            transport,
            traffic,
        };
        spec.flows.push(flow);
    }
}

/// Some stations besides these.
fn more(dice: &mut Dice, stations: &[u32], known: &[u32]) -> Vec<u32> {
    let mut others = Vec::new();
    for station in stations {
        if !known.contains(station) && !dice.one_in(3) {
            let place = dice.between(0, others.len() as u64) as usize;
            others.insert(place, *station);
        }
    }
    others
}

fn start(dice: &mut Dice, spec: &EthernetSpec) -> Time {
    let latest = spec.stop_at.ps() / 4;
    if !dice.on_grid {
        return Time(dice.between(0, latest));
    }
    match dice.one_in(2) {
        true => Time::ZERO,
        false => Time(dice.between(0, latest / 100_000_000) * 100_000_000),
    }
}

fn datagrams(
    dice: &mut Dice,
    spec: &EthernetSpec,
    mix: Mix,
    payload: u32,
) -> (TransportSpec, TrafficSpec) {
    let payload_bytes = match dice.on_grid {
        true => payload,
        false => dice.pick(&[18, 200, 500, 700, 1_000, 1_472]),
    };
    let transport = TransportSpec::Udp {
        payload_bytes,
        has_rtp: dice.one_in(4),
        is_ect: dice.one_in(4),
    };
    let start = start(dice, spec);
    let fastest = spec.links.iter().map(|link| link.channels[0].rate.0).max();
    let percent = dice.between(5, 80) * u64::from(payload_bytes) / 1_000 + 1;
    let rate = Rate(fastest.unwrap_or(1_000_000) / 100 * percent);
    let kind = if mix.has_looks { 2 } else { dice.between(0, 4) };
    let traffic = match kind {
        _ if mix.is_finite => TrafficSpec::Infinite {
            start,
            bytes: Some(dice.between(1, 60_000)),
        },
        0 => TrafficSpec::Poisson { start, rate },
        1 => TrafficSpec::Constant {
            start,
            rate,
            random_phase: dice.one_in(2),
        },
        2 | 3 => TrafficSpec::Infinite { start, bytes: None },
        _ => TrafficSpec::Infinite {
            start,
            bytes: Some(dice.between(1, 400_000)),
        },
    };
    (transport, traffic)
}

/// Some go by BBR, over losses by time or by duplicates; some are paced, or go in bursts.
fn spaced(dice: &mut Dice, tcp: &mut TcpSpec) {
    tcp.pacing = dice.one_in(4);
    if dice.one_in(4) {
        tcp.congestion = dice.pick(&[Congestion::Bbr, Congestion::Bbr3]);
        tcp.recovery = dice.pick(&[Recovery::Sack, Recovery::Rack]);
        tcp.timer.tick = None;
        tcp.ecn = Ecn::Off;
    }
    if dice.one_in(4) {
        tcp.burst = Some(BurstSpec {
            most_bytes: dice.pick(&[2, 5, 20]) * tcp.mss_bytes,
            queued: Queued::Frames,
        });
    }
}

fn connection(dice: &mut Dice, spec: &EthernetSpec, mix: Mix) -> (TransportSpec, TrafficSpec) {
    let mut tcp = dice.pick(&[
        TcpSpec::bsd(),
        TcpSpec::bsd_full(),
        TcpSpec::linux_3(),
        TcpSpec::linux_6(),
        TcpSpec::dctcp(),
    ]);
    // Short clocks, so that much happens in a short run.
    let short = |time: Duration| Duration(time.ps() / 1_000);
    tcp.timer.tick = tcp.timer.tick.map(short);
    tcp.timer.initial_rto = short(tcp.timer.initial_rto);
    tcp.timer.min_rto = short(tcp.timer.min_rto);
    tcp.timer.max_rto = short(tcp.timer.max_rto);
    tcp.acks = match tcp.acks {
        backwater_ends::spec::AckSpec::DelayedTick(tick) => {
            backwater_ends::spec::AckSpec::DelayedTick(short(tick))
        }
        backwater_ends::spec::AckSpec::Delayed { after, push } => {
            backwater_ends::spec::AckSpec::Delayed {
                after: short(after),
                push,
            }
        }
        backwater_ends::spec::AckSpec::Every => backwater_ends::spec::AckSpec::Every,
    };
    tcp.mss_bytes = dice.pick(&[536, 1_024, 1_460]);
    tcp.window_bytes = dice.pick(&[16_384, 65_535]);
    tcp.reuse = dice.pick(&[Reuse::Persistent, Reuse::FreshWindow, Reuse::Handshake]);
    tcp.recovery = dice.pick(&[
        Recovery::Tahoe,
        tcp.recovery,
        Recovery::NewReno,
        Recovery::Sack,
        Recovery::Rack,
    ]);
    tcp.congestion = dice.pick(&[tcp.congestion.clone(), Congestion::Cubic]);
    tcp.ecn = dice.pick(&[tcp.ecn, Ecn::Off, Ecn::Classic]);
    spaced(dice, &mut tcp);
    let start = start(dice, spec);
    let think = match dice.one_in(2) {
        true => Span::Uniform(Duration(spec.stop_at.ps() / 50)),
        false => Span::Fixed(Duration(spec.stop_at.ps() / 50)),
    };
    let kind = dice.between(0, 2);
    let traffic = match (kind, mix.is_finite) {
        (0, true) => TrafficSpec::Infinite {
            start,
            bytes: Some(dice.between(1, 60_000)),
        },
        (0, false) => TrafficSpec::Infinite { start, bytes: None },
        (1, finite) => TrafficSpec::Files {
            start,
            bytes: dice.between(1, 40_000),
            think,
            count: finite.then(|| dice.between(1, 3)),
        },
        (_, finite) => TrafficSpec::Requests {
            start,
            request_bytes: dice.between(1, 3_000),
            response_bytes: dice.between(1, 40_000),
            service: think,
            think,
            count: finite.then(|| dice.between(1, 3)),
        },
    };
    (TransportSpec::Tcp(tcp), traffic)
}
