//! Stations without a network between them, or with a pipe.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate};

use super::*;
use crate::spec::bytes::VideoSpec;

mod over_a_pipe;

const MS_PS: u64 = 1_000_000_000;
const UDP: TransportSpec = TransportSpec::Udp {
    payload_bytes: 1_000,
    has_rtp: false,
    is_ect: false,
};

/// What a flow from station 0 to station 1 is.
type Flow = (TransportSpec, TrafficSpec);

/// Stations of these flows.
fn of(flows: &[Flow], warm_up_ps: u64) -> Stations {
    let all = Setup {
        seed: 1,
        is_measuring: warm_up_ps == 0,
        keeps_order: true,
    };
    let ends = flows.iter().map(|(transport, traffic)| FlowEnds {
        receivers: 1,
        around_bytes: 82,
        source: 0,
        destination: 1,
        transport,
        traffic,
    });
    Stations::new(all, ends)
}

fn stations(traffic: TrafficSpec) -> Stations {
    of(&[(UDP, traffic)], 0)
}

/// Calls the timer of a flow so often and notes when, with the frames that came of it.
fn timers(stations: &mut Stations, flow: u32, count: usize) -> Vec<(u64, Vec<Outgoing>)> {
    let mut found = Vec::new();
    while found.len() < count
        && let Some(at) = stations.next_timer(flow, End::Opener)
    {
        let mut out = Vec::new();
        stations.on_timer(at, flow, End::Opener, &mut out);
        found.push((at.ps(), out));
    }
    found
}

fn datagram(flow: u32, bytes: u32, number: u64) -> Outgoing {
    let payload = Payload::Udp { bytes, number };
    Outgoing {
        flow,
        is_forward: true,
        class: None,
        payload,
    }
}

#[test]
fn constant_gaps_that_do_not_divide() {
    // 8000 bits at 7 Mb/s: 1,142,857,142 and 6/7 ps.
    let mut stations = stations(TrafficSpec::Constant {
        start: Time(100),
        rate: Rate(7_000_000),
        random_phase: false,
    });
    let found = timers(&mut stations, 0, 701);
    for (k, (at_ps, out)) in (0..).zip(&found) {
        assert_eq!(*at_ps, 100 + k * 8_000_000_000 / 7);
        assert_eq!(*out, [datagram(0, 1_000, k)]);
    }
    assert_eq!(found[700].0, 100 + 800 * MS_PS);
    assert_eq!(stations.outcome(Time(0), 0).offered_bytes_total, 701_000);
}

#[test]
fn a_timer_that_is_not_due_does_nothing() {
    let mut stations = stations(TrafficSpec::Constant {
        start: Time(100),
        rate: Rate(8_000_000),
        random_phase: false,
    });
    let mut out = Vec::new();
    stations.on_timer(Time(99), 0, End::Opener, &mut out);
    assert_eq!(
        (out.len(), stations.next_timer(0, End::Opener)),
        (0, Some(Time(100)))
    );
    stations.on_timer(Time(100), 0, End::Opener, &mut out);
    stations.on_timer(Time(100), 0, End::Opener, &mut out);
    assert_eq!(out, [datagram(0, 1_000, 0)]);
}

#[test]
fn a_random_phase_is_within_a_gap_and_differs() {
    let constant = TrafficSpec::Constant {
        start: Time(100),
        rate: Rate(8_000_000),
        random_phase: true,
    };
    let flows = vec![(UDP, constant); 200];
    let stations = of(&flows, 0);
    let mut firsts: Vec<u64> = (0..200)
        .filter_map(|flow| stations.next_timer(flow, End::Opener))
        .map(|at| at.ps() - 100)
        .collect();
    assert!(firsts.iter().all(|at_ps| *at_ps < MS_PS));
    let mean_ps = firsts.iter().sum::<u64>() / 200;
    assert!((MS_PS * 2 / 5..MS_PS * 3 / 5).contains(&mean_ps));
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 200);
}

#[test]
fn poisson_gaps_have_their_mean_and_deviation() {
    let mut stations = stations(TrafficSpec::Poisson {
        start: Time(100),
        rate: Rate(8_000_000),
    });
    let found = timers(&mut stations, 0, 20_000);
    assert!(found[0].0 > 100);
    let gaps: Vec<f64> = found
        .windows(2)
        .map(|pair| (pair[1].0 - pair[0].0) as f64 / MS_PS as f64)
        .collect();
    let count = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / count;
    let squares = gaps.iter().map(|x| x * x).sum::<f64>() / count;
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    assert!((squares - 2.0).abs() < 0.1, "{squares}");
}

/// The port asks; the last datagram is what is left.
#[test]
fn infinite_datagrams_are_pulled() {
    let mut stations = stations(TrafficSpec::Infinite {
        start: Time(50),
        bytes: Some(2_300),
    });
    let mut out = Vec::new();
    stations.pull(Time(49), 0, End::Opener, &mut out);
    assert!(out.is_empty() && stations.is_pulled(0));
    assert_eq!(stations.next_timer(0, End::Opener), Some(Time(50)));
    stations.on_timer(Time(50), 0, End::Opener, &mut out);
    assert_eq!((out.len(), stations.next_timer(0, End::Opener)), (1, None));
    for now in 60..65 {
        stations.pull(Time(now), 0, End::Opener, &mut out);
    }
    let all = [(1_000, 0), (1_000, 1), (300, 2)];
    assert_eq!(out, all.map(|(bytes, number)| datagram(0, bytes, number)));
    assert!(!stations.is_pulled(0));
    assert_eq!(stations.outcome(Time(70), 0).offered_bytes_total, 2_300);
}

#[test]
fn a_flow_draws_its_own_numbers() {
    let poisson = (
        UDP,
        TrafficSpec::Poisson {
            start: Time::ZERO,
            rate: Rate(8_000_000),
        },
    );
    let run = |flows: Vec<Flow>, flow| timers(&mut of(&flows, 0), flow, 50);
    let alone = run(vec![poisson.clone()], 0);
    let both = vec![poisson.clone(), poisson];
    assert_eq!(alone, run(both.clone(), 0));
    let instants = |found: Vec<(u64, _)>| found.into_iter().map(|one| one.0).collect::<Vec<_>>();
    assert_ne!(instants(alone), instants(run(both, 1)));
}

#[test]
fn what_came_in_the_warm_up_is_not_counted() {
    let constant = TrafficSpec::Constant {
        start: Time::ZERO,
        rate: Rate(8_000_000),
        random_phase: false,
    };
    let mut stations = of(&[(UDP, constant)], 50);
    let mut out = Vec::new();
    let mut frame = |stations: &mut Stations, now, number| {
        let payload = Payload::Udp {
            bytes: 1_000,
            number,
        };
        let delivery = Delivery {
            flow: 0,
            is_forward: true,
            payload: &payload,
            is_marked: false,
            born: Time(10),
            path: &[],
        };
        let got = stations.on_frame(Time(now), &delivery, &mut out);
        assert_eq!((got, out.len()), (1_000, 0));
    };
    frame(&mut stations, 40, 0);
    stations.start_measuring(Time(50));
    frame(&mut stations, 60, 1);
    frame(&mut stations, 80, 2);
    let found = stations.outcome(Time(90), 0);
    let (delivered, delay) = stations.delivered(0);
    assert_eq!((found.goodput_bytes, delivered), (2_000, 2));
    assert_eq!((delay.count, delay.mean), (2, 60.0));
    assert_eq!(
        (found.returned_bytes, found.transfers, found.due),
        (0, 0, 0)
    );
    assert_eq!(stations.positions(0), None);
}

/// A pipe of 40 ms: everything is in time at a deadline of 40 ms and late at one of 39 ms.
#[test]
fn video_is_due_and_late_by_its_deadline() {
    for (deadline_ms, is_late) in [(40, false), (39, true)] {
        let video = VideoSpec {
            start: Time::ZERO,
            rate: Rate(1_500_000),
            pictures_per_second: 30,
            variation: 0.45,
            scene: Duration(4 * PS_PER_SECOND),
            correlation: 0.8,
            clip: (0.1, 5.0),
            deadline: Duration(deadline_ms * MS_PS),
        };
        let flows = [(UDP, TrafficSpec::Video(video))];
        let mut pipe = over_a_pipe::Pipe::new(of(&flows, PS_PER_SECOND), 40 * MS_PS);
        let warm = pipe.run_until(PS_PER_SECOND);
        pipe.stations.start_measuring(Time(PS_PER_SECOND));
        let all = pipe.run_until(3 * PS_PER_SECOND);
        let found = pipe.stations.outcome(Time(3 * PS_PER_SECOND), 0);
        assert!(all > warm && found.due > 0);
        // Not yet due: what was sent in the last 40 ms.
        let sent = all - warm;
        assert!(
            (sent - 30..sent).contains(&found.due),
            "{sent} {}",
            found.due
        );
        assert_eq!(found.late, if is_late { found.due } else { 0 });
        assert!((59..=61).contains(&found.transfers));
        // A picture's time, less its last gap, and the pipe.
        let most_ps = 40 * MS_PS + PS_PER_SECOND / 30;
        let times = &found.transfer_time;
        let (least, most) = times.min().zip(times.max()).expect("pictures came");
        assert!(least > (40 * MS_PS) as f64 && most < most_ps as f64);
        let (_, delay) = pipe.stations.delivered(0);
        assert_eq!(delay.mean, (40 * MS_PS) as f64);
    }
}
