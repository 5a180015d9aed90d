//! Losses by time over one queue: what hosts of today do with tails, reordering and slow start.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use backwater_ends::spec::{AckSpec, Recovery, SlowStart};
use backwater_ends::tcp::{HostClock, TcpCounts};
use backwater_ends::{Endpoint, Segment, TcpSpec};
use backwater_kernel::{Duration, Purpose, Stream, Time};

const MS: u64 = 1_000_000_000;
const US: u64 = 1_000_000;

/// A queue of 100 Mbps that takes so many segments, and a round trip beside it.
struct Path {
    spec: TcpSpec,
    now: Time,
    ends: [Endpoint; 2],
    /// Of an empty path.
    round_trip: Duration,
    /// Half of the segments come so much later to the queue.
    late: Duration,
    room: u64,
    random: Stream,
    /// Which segments of data are lost, by the order in which they go.
    lost: Vec<u64>,
    sent: u64,
    /// When the queue is empty.
    free_at: Time,
    events: BinaryHeap<Reverse<(Time, u64, usize, bool)>>,
    segments: Vec<Segment>,
    dropped: u64,
    /// Waits of what came to the queue, summed.
    held: u128,
    came: u64,
    largest: u64,
    finished_at: Option<Time>,
}

impl Path {
    fn new(spec: &TcpSpec, round_trip: Duration, room: u64) -> Path {
        let mut spec = spec.clone();
        if spec.handshake_rtt.is_some() {
            spec.handshake_rtt = Some(round_trip);
        }
        let end = |opens| Endpoint::new(&spec, HostClock::default(), opens);
        Path {
            ends: [end(true), end(false)],
            spec,
            now: Time::ZERO,
            round_trip,
            late: Duration::ZERO,
            room,
            random: Stream::new(1, 1, Purpose::Routing),
            lost: Vec::new(),
            sent: 0,
            free_at: Time::ZERO,
            events: BinaryHeap::new(),
            segments: Vec::new(),
            dropped: 0,
            held: 0,
            came: 0,
            largest: 0,
            finished_at: None,
        }
    }

    fn send(&mut self, bytes: u64) {
        self.ends[0].send(self.now, &self.spec, bytes);
        self.poll(0);
    }

    fn poll(&mut self, from: usize) {
        while let Some(segment) = self.ends[from].poll(self.now, &self.spec) {
            let id = self.segments.len() as u64;
            self.segments.push(segment);
            let mut at = self.now + Duration(self.round_trip.0 / 2);
            if from == 0 {
                let is_lost = self.lost.contains(&self.sent);
                self.sent += 1;
                if is_lost {
                    continue;
                }
                at = self.now + Duration(self.round_trip.0 / 4);
                if self.late.0 > 0 && self.random.below(2) == 0 {
                    at += self.late;
                }
            }
            self.events.push(Reverse((at, id, 1 - from, from == 0)));
        }
    }

    fn run(&mut self, until: Time) {
        loop {
            let wire = self.events.peek().map(|event| event.0.0);
            let timers = self.ends.iter().filter_map(Endpoint::timer);
            let Some(next) = timers.chain(wire).min().filter(|at| *at <= until) else {
                return;
            };
            self.now = next;
            if wire == Some(next) {
                let Reverse((_, id, to, queues)) = self.events.pop().expect("it was there");
                self.arrive(id, to, queues);
            } else {
                let end = usize::from(self.ends[0].timer() != Some(next));
                self.ends[end].on_timer(next, &self.spec);
                self.poll(end);
            }
            self.largest = self.largest.max(self.ends[0].window_bytes());
        }
    }

    fn arrive(&mut self, id: u64, to: usize, queues: bool) {
        let segment = self.segments[id as usize];
        if queues {
            let wait = self.free_at.0.saturating_sub(self.now.0);
            if wait / (120 * US) >= self.room {
                self.dropped += 1;
                return;
            }
            (self.held, self.came) = (self.held + u128::from(wait), self.came + 1);
            self.free_at = Time(self.free_at.0.max(self.now.0)) + Duration(120 * US);
            let at = self.free_at + Duration(self.round_trip.0 / 4);
            self.events.push(Reverse((at, id, to, false)));
            return;
        }
        let received = self.ends[to].on_segment(self.now, &self.spec, &segment, false);
        if to == 1 && received.delivered_bytes > 0 {
            self.finished_at = Some(self.now);
        }
        self.poll(to);
    }

    /// The mean queue that a segment found, as a part of its room.
    fn queue(&self) -> f64 {
        self.held as f64 / self.came as f64 / (self.room * 120 * US) as f64
    }

    fn counts(&self) -> TcpCounts {
        self.ends[0].counts()
    }
}

fn linux_6() -> TcpSpec {
    TcpSpec {
        mss_bytes: 1448,
        ..TcpSpec::linux_6()
    }
}

/// Sends as long as it runs.
fn greedy(spec: &TcpSpec, round_trip: Duration, room: u64, late: Duration, ms: u64) -> Path {
    let mut path = Path::new(spec, round_trip, room);
    path.late = late;
    path.send(u64::MAX / 4);
    path.run(Time(ms * MS));
    path
}

/// Ten segments of which these are lost, by the order of sending: when the last byte is in, us.
fn ten(spec: &TcpSpec, lost: &[u64]) -> u64 {
    let mut path = Path::new(spec, Duration(100 * US), 1_000);
    path.lost = lost.to_vec();
    path.send(10 * 1448);
    path.run(Time(10_000 * MS));
    assert!(path.ends[0].timer().is_none(), "all is acknowledged");
    path.finished_at.expect("all came").0 / US
}

/// The probe goes two round trips and 2 ms after the last acknowledgement of new data; the block
/// that it brings shows the other losses. Without it the time-out does all.
#[test]
fn a_lost_tail_costs_a_probe() {
    let spec = linux_6();
    let no_probe = TcpSpec {
        tail_probe: false,
        ..linux_6()
    };
    let whole = ten(&spec, &[]);
    assert_eq!(whole, 25 + 10 * 120 + 25);
    for lost in [&[8, 9][..], &[7, 8, 9], &[5, 6, 7, 8, 9]] {
        let took = ten(&spec, lost);
        assert!((3_000..12_000).contains(&took), "{lost:?}: {took}");
        assert!(ten(&no_probe, lost) > 200_000);
        assert!(
            ten(
                &TcpSpec {
                    mss_bytes: 1448,
                    ..TcpSpec::linux_3()
                },
                lost
            ) > 200_000
        );
    }
    // With one segment out the probe waits for the least time-out.
    let only = ten(&spec, &[9]);
    assert!((200_000..212_000).contains(&only), "{only}");
}

/// The first window lost: the handshake's round trip sets the time-out, and the probe comes first.
#[test]
fn a_lost_first_window_costs_no_second() {
    let all: Vec<u64> = (0..10).collect();
    let took = ten(&linux_6(), &all);
    assert!((2_000..10_000).contains(&took), "{took}");
    // The probe too: the time-out, a full one after the probe.
    let with_probe: Vec<u64> = (0..11).collect();
    let took = ten(&linux_6(), &with_probe);
    assert!((202_000..220_000).contains(&took), "{took}");
    let no_handshake = TcpSpec {
        handshake_rtt: None,
        ..linux_6()
    };
    assert!(ten(&no_handshake, &all) > 1_000_000);
}

/// Half of the segments come 300 us late to the queue: a few go again without need, then none,
/// and the queue is kept as full as without. One that counts duplicates takes them for lost.
#[test]
fn reordering_is_learned() {
    let late = Duration(300 * US);
    let path = greedy(&linux_6(), Duration(100 * US), 83, late, 15_000);
    let spurious = path.ends[1].counts().duplicates;
    assert!((1..60).contains(&spurious), "{spurious}");
    assert!(path.queue() > 0.7, "{}", path.queue());
    assert_eq!(path.counts().time_outs, 0);
    let counting = TcpSpec {
        mss_bytes: 1448,
        ..TcpSpec::linux_3()
    };
    let path = greedy(&counting, Duration(100 * US), 83, late, 15_000);
    assert!(path.ends[1].counts().duplicates > 1_000);
    assert!(path.queue() < 0.2, "{}", path.queue());
}

/// Where nothing undoes, the window for reordering grows by DSACKs alone.
#[test]
fn reordering_without_undo_is_learned_by_rounds() {
    let spec = TcpSpec {
        undo: false,
        ..linux_6()
    };
    let path = greedy(&spec, Duration(100 * US), 83, Duration(300 * US), 15_000);
    let spurious = path.ends[1].counts().duplicates;
    assert!((60..3_000).contains(&spurious), "{spurious}");
}

/// A round trip of 10 ms and 100 ms of buffer: slow start ends long before the buffer is full.
#[test]
fn slow_start_ends_before_a_loss() {
    let with = |slow_start, ms| {
        let spec = TcpSpec {
            slow_start,
            ..linux_6()
        };
        let path = greedy(&spec, Duration(10 * MS), 833, Duration::ZERO, ms);
        (path.largest / 1448, path.dropped)
    };
    let (window, dropped) = with(SlowStart::HyStart, 400);
    assert!((100..=150).contains(&window) && dropped == 0, "{window}");
    let (window, dropped) = with(SlowStart::HyStartPlusPlus, 110);
    assert!((330..=420).contains(&window) && dropped == 0, "{window}");
    let (window, dropped) = with(SlowStart::Loss, 400);
    assert!(window > 900 && dropped > 50, "{window} {dropped}");
}

/// One and two: the mean queue and the losses of Linux 6.18 over the same path, within 10 % and
/// 25 %.
#[test]
fn one_flow_fills_the_queue_as_in_linux() {
    let path = greedy(&linux_6(), Duration(100 * US), 83, Duration::ZERO, 60_000);
    assert!((path.queue() / 0.776 - 1.0).abs() < 0.1, "{}", path.queue());
    let events = path.counts().fast_retransmits as f64 / 60.0;
    assert!((events / 2.25 - 1.0).abs() < 0.25, "{events}");
}

/// The first segments are acknowledged one by one, then every second.
#[test]
fn a_young_connection_is_acknowledged_quickly() {
    let acks = |quick_acks| {
        let spec = TcpSpec {
            quick_acks,
            ..linux_6()
        };
        let mut path = Path::new(&spec, Duration(100 * US), 1_000);
        path.send(40 * 1448);
        path.run(Time(35 * MS));
        path.ends[1].counts().segments
    };
    assert_eq!((acks(0), acks(16), acks(255)), (20, 28, 40));
}

/// In a recovery the window falls with what arrives; without, at once.
#[test]
fn the_window_falls_with_what_arrives() {
    let least = |is_proportional| {
        let spec = TcpSpec {
            is_proportional,
            slow_start: SlowStart::Loss,
            acks: AckSpec::Every,
            recovery: Recovery::Rack,
            ..linux_6()
        };
        let mut path = Path::new(&spec, Duration(100 * US), 1_000);
        path.lost = vec![30];
        path.send(u64::MAX / 4);
        let mut windows = Vec::new();
        for us in (0..20_000).step_by(10) {
            path.run(Time(us * US));
            let is_cut = path.counts().fast_retransmits > 0;
            windows.extend(is_cut.then(|| path.ends[0].window_bytes() / 1448));
        }
        (windows[0], windows.into_iter().min().expect("a loss"))
    };
    let ((first, low), (at_once, _)) = (least(true), least(false));
    assert!(first > at_once, "{first} {at_once}");
    assert!(low.abs_diff(at_once) <= 1, "{low} {at_once}");
}
