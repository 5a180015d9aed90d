//! Stations joined by a pipe: every frame comes after the same time, none is lost.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

use super::{MS_PS, of};
use crate::TcpSpec;
use crate::application::Outgoing;
use crate::spec::bytes::{TrafficSpec, TransportSpec};
use crate::spec::{Reuse, Span};
use crate::stations::{Delivery, End, Stations};

/// Flow 0 of some stations over a pipe.
pub(super) struct Pipe {
    /// The stations.
    pub stations: Stations,
    delay_ps: u64,
    /// Born, and what.
    frames: VecDeque<(u64, Outgoing)>,
    sent: u64,
}

impl Pipe {
    pub fn new(stations: Stations, delay_ps: u64) -> Pipe {
        Pipe {
            stations,
            delay_ps,
            frames: VecDeque::new(),
            sent: 0,
        }
    }

    /// Frames first, then timers. Returns the frames sent since the beginning.
    pub fn run_until(&mut self, end_ps: u64) -> u64 {
        let mut out = Vec::new();
        loop {
            let frame_ps = self.frames.front().map(|(born, _)| born + self.delay_ps);
            let ends = [End::Opener, End::Answerer];
            let timer = |end: &End| self.stations.next_timer(0, *end);
            let end = ends
                .into_iter()
                .filter(|end| timer(end).is_some())
                .min_by_key(timer);
            let timer_ps = end.as_ref().and_then(timer).map(Time::ps);
            let frame_ps = frame_ps.unwrap_or(u64::MAX);
            let now_ps = frame_ps.min(timer_ps.unwrap_or(u64::MAX));
            if now_ps >= end_ps {
                return self.sent;
            }
            let now = Time(now_ps);
            if frame_ps == now_ps
                && let Some((born, frame)) = self.frames.pop_front()
            {
                let Outgoing {
                    is_forward,
                    payload,
                    ..
                } = frame;
                let stations = &mut self.stations;
                stations.on_frame(
                    now,
                    &Delivery {
                        flow: 0,
                        is_forward,
                        payload: &payload,
                        is_marked: false,
                        born: Time(born),
                        path: &[],
                    },
                    &mut out,
                );
            } else if let Some(end) = end {
                self.stations.on_timer(now, 0, end, &mut out);
            }
            self.sent += out.len() as u64;
            self.frames
                .extend(out.drain(..).map(|frame| (now_ps, frame)));
        }
    }
}

fn requests(count: Option<u64>) -> TrafficSpec {
    TrafficSpec::Requests {
        start: Time(MS_PS),
        request_bytes: 300,
        response_bytes: 900,
        service: Span::Fixed(Duration(2 * MS_PS)),
        think: Span::Fixed(Duration(3 * MS_PS)),
        count,
    }
}

/// One way takes 10 ms: a request is answered after 10 + 2 + 10 ms, and the next is sent after
/// another 3. A handshake takes a round trip more.
#[test]
fn requests_and_responses_take_a_round_trip_and_the_service_time() {
    let mut shaking = TcpSpec::bsd();
    shaking.reuse = Reuse::Handshake;
    for (tcp, took_ms) in [(TcpSpec::bsd(), 22), (shaking, 42)] {
        let flows = [(TransportSpec::Tcp(tcp), requests(Some(5)))];
        let mut pipe = Pipe::new(of(&flows, 0), 10 * MS_PS);
        assert_eq!(
            pipe.stations.next_timer(0, End::Opener),
            Some(Time(4 * MS_PS))
        );
        pipe.run_until(1_000 * MS_PS);
        let found = pipe.stations.outcome(Time(1_000 * MS_PS), 0);
        assert_eq!((found.goodput_bytes, found.returned_bytes), (1_500, 4_500));
        assert_eq!((found.transfers, found.offered_bytes_total), (5, 6_000));
        let times = &found.transfer_time;
        let took_ps = Some((took_ms * MS_PS) as f64);
        assert_eq!((times.min(), times.max()), (took_ps, took_ps));
        assert_eq!(found.tcp.again_bytes, 0);
        let ends = pipe.stations.positions(0).expect("it is TCP");
        assert_eq!((ends[0].2, ends[1].2), (4_500, 1_500));
    }
}

/// Without service and think times one request follows the other at once.
#[test]
fn no_time_to_think_takes_no_time() {
    let mut traffic = requests(Some(4));
    if let TrafficSpec::Requests { service, think, .. } = &mut traffic {
        (*service, *think) = (Span::Fixed(Duration(0)), Span::Fixed(Duration(0)));
    }
    let flows = [(TransportSpec::Tcp(TcpSpec::bsd()), traffic)];
    let mut pipe = Pipe::new(of(&flows, 0), 10 * MS_PS);
    // The fourth response comes after four round trips; before that it is under way.
    pipe.run_until(81 * MS_PS);
    assert_eq!(pipe.stations.outcome(Time(81 * MS_PS), 0).transfers, 3);
    pipe.run_until(81 * MS_PS + 1);
    let found = pipe.stations.outcome(Time(81 * MS_PS + 1), 0);
    let longest = Some((20 * MS_PS) as f64);
    assert_eq!((found.transfers, found.transfer_time.max()), (4, longest));
}

/// Nothing is lost, so every flavour finishes all it has to do and sends nothing again.
#[test]
fn every_flavour_finishes() {
    let files = TrafficSpec::Files {
        start: Time::ZERO,
        bytes: 30_000,
        think: Span::Exponential(Duration(5 * MS_PS)),
        count: Some(20),
    };
    let infinite = TrafficSpec::Infinite {
        start: Time(MS_PS),
        bytes: Some(1_000_000),
    };
    let flavours = [
        TcpSpec::bsd(),
        TcpSpec::bsd_full(),
        TcpSpec::linux_3(),
        TcpSpec::dctcp(),
    ];
    for tcp in flavours {
        for (traffic, transfers, bytes) in [
            (files.clone(), 20, 600_000),
            (requests(Some(20)), 20, 6_000),
            (infinite.clone(), 1, 1_000_000),
        ] {
            let flows = [(TransportSpec::Tcp(tcp.clone()), traffic.clone())];
            let mut pipe = Pipe::new(of(&flows, 0), 10 * MS_PS);
            pipe.run_until(60_000 * MS_PS);
            let found = pipe.stations.outcome(Time(60_000 * MS_PS), 0);
            let what = std::format!("{:?} {traffic:?}: {found:?}", tcp.reuse);
            assert_eq!(found.transfers, transfers, "{what}");
            assert_eq!(found.goodput_bytes, bytes, "{what}");
            assert_eq!(
                found.offered_bytes_total,
                bytes + found.returned_bytes,
                "{what}"
            );
            assert_eq!(
                (found.tcp.again_bytes, found.tcp.time_outs),
                (0, 0),
                "{what}"
            );
            let (delivered, _) = pipe.stations.delivered(0);
            assert_eq!(found.tcp.segments, delivered, "{what}");
        }
    }
}

/// With one segment at first, 1 + 2 + 4 + 3 segments take four round trips.
#[test]
fn a_file_is_complete_with_its_last_byte_and_over_with_its_last_acknowledgement() {
    let files = TrafficSpec::Files {
        start: Time::ZERO,
        bytes: 10 * 1_024,
        think: Span::Uniform(Duration(10 * MS_PS)),
        count: Some(50),
    };
    let flows = [(TransportSpec::Tcp(TcpSpec::bsd()), files)];
    let mut pipe = Pipe::new(of(&flows, 0), 10 * MS_PS);
    pipe.run_until(10_000 * MS_PS);
    let found = pipe.stations.outcome(Time(10_000 * MS_PS), 0);
    assert_eq!(
        (found.transfers, found.goodput_bytes),
        (50, 50 * 10 * 1_024)
    );
    let times = &found.transfer_time;
    let ms = |count: u64| Some((count * MS_PS) as f64);
    assert_eq!((times.min(), times.max()), (ms(70), ms(70)));
    let times = &found.acknowledged_time;
    assert_eq!(
        (times.count(), times.min(), times.max()),
        (50, ms(80), ms(80))
    );
    // Each segment is acknowledged: as many frames back, which count but have no delay.
    let (delivered, delay) = pipe.stations.delivered(0);
    assert_eq!((delivered, delay.count), (1_000, 500));
}

/// Infinite traffic has no end, and what was offered is what was sent.
#[test]
fn infinite_traffic_offers_what_it_sends() {
    let infinite = TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: None,
    };
    let mut tcp = TcpSpec::bsd();
    tcp.window_bytes = 8 * 1_024;
    let flows = [(TransportSpec::Tcp(tcp), infinite)];
    let mut pipe = Pipe::new(of(&flows, 200 * MS_PS), 10 * MS_PS);
    pipe.run_until(200 * MS_PS);
    let before = pipe.stations.outcome(Time(200 * MS_PS), 0);
    pipe.stations.start_measuring(Time(200 * MS_PS));
    pipe.run_until(1_200 * MS_PS);
    let found = pipe.stations.outcome(Time(1_200 * MS_PS), 0);
    // Eight segments a round trip, one second long.
    assert_eq!(found.goodput_bytes, 50 * 8 * 1_024);
    assert_eq!((before.goodput_bytes, found.transfers), (0, 0));
    let more = found.offered_bytes_total - before.offered_bytes_total;
    assert_eq!((more, found.tcp.sent_bytes), (50 * 8 * 1_024, more));
}
