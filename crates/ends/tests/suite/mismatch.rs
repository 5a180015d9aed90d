//! A fast station, a switch with 70 kB and a slow station: what Nouredine and Tobagi (1999) saw
//! of TCP without flow control (their figures 1 and 2), as far as one queue shows it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use backwater_ends::spec::{Congestion, Ecn};
use backwater_ends::tcp::HostClock;
use backwater_ends::{Endpoint, Segment, TcpSpec};
use backwater_kernel::{Duration, Purpose, Rate, Stream, Time};

const SECOND: u64 = 1_000_000_000_000;

/// A port: a queue of frames, one after another.
struct Port {
    rate: Rate,
    limit_bytes: u64,
    /// Frames that find more than this are marked.
    mark_bytes: u64,
    peak_bytes: u64,
    free_at: Time,
    /// When each frame's last bit leaves, and its bytes.
    inside: std::collections::VecDeque<(Time, u64)>,
    bytes: u64,
}

impl Port {
    fn new(rate: u64, limit_bytes: u64) -> Port {
        Port {
            rate: Rate(rate),
            limit_bytes,
            mark_bytes: u64::MAX,
            peak_bytes: 0,
            free_at: Time::ZERO,
            inside: Default::default(),
            bytes: 0,
        }
    }

    /// When the last bit arrives at the other end, and whether the frame is marked; `None` if it
    /// is dropped.
    fn put(&mut self, now: Time, bytes: u64) -> Option<(Time, bool)> {
        while let Some(&(at, gone)) = self.inside.front()
            && at <= now
        {
            self.inside.pop_front();
            self.bytes -= gone;
        }
        if self.bytes + bytes > self.limit_bytes {
            return None;
        }
        let is_marked = self.bytes > self.mark_bytes;
        let start = self.free_at.max(now);
        self.free_at = start + self.rate.serialization(bytes + 20);
        self.inside.push_back((self.free_at, bytes));
        self.bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.bytes);
        Some((self.free_at + Duration(500_000), is_marked))
    }
}

fn frame_bytes(segment: &Segment) -> u64 {
    (u64::from(segment.bytes) + 58).max(64)
}

/// What happens, and to which connection: 0 a file begins, 1 a timer, 2 a frame is at the switch,
/// 3 it has arrived.
type Key = (Time, u64, u8, usize);

struct Model {
    spec: TcpSpec,
    now: Time,
    events: BinaryHeap<Reverse<Key>>,
    births: u64,
    /// By connection and end: 0 sends.
    ends: Vec<[Endpoint; 2]>,
    timers: Vec<[Option<Time>; 2]>,
    segments: Vec<(Segment, usize, bool)>,
    /// Fast station, slow station, switch to fast, switch to slow.
    ports: [Port; 4],
    file_bytes: u64,
    think: Stream,
}

impl Model {
    fn new(spec: TcpSpec, connections: usize, file_bytes: u64, seed: u64) -> Model {
        let mut phases = Stream::new(seed, 0, Purpose::Clock);
        let clocks = [0, 1].map(|_| HostClock {
            slow_phase: Duration(phases.below(SECOND / 2)),
            fast_phase: Duration(phases.below(SECOND / 5)),
        });
        let pair = || {
            let [fast, slow] = clocks;
            let opens = Endpoint::new(&spec, fast, true);
            [opens, Endpoint::new(&spec, slow, false)]
        };
        let endless = u64::MAX;
        let mut model = Model {
            now: Time::ZERO,
            events: BinaryHeap::new(),
            births: 0,
            ends: (0..connections).map(|_| pair()).collect(),
            timers: vec![[None; 2]; connections],
            segments: Vec::new(),
            ports: [
                Port::new(100_000_000, endless),
                Port::new(10_000_000, endless),
                Port::new(100_000_000, endless),
                Port::new(10_000_000, 70_000),
            ],
            file_bytes,
            think: Stream::new(seed, 0, Purpose::Think),
            spec,
        };
        for connection in 0..connections {
            model.think(connection);
        }
        model
    }

    fn at(&mut self, time: Time, what: u8, which: usize) {
        self.births += 1;
        self.events.push(Reverse((time, self.births, what, which)));
    }

    /// The next file comes after 10 ms on average.
    fn think(&mut self, connection: usize) {
        let span = Duration(self.think.below(SECOND / 50));
        self.at(self.now + span, 0, connection);
    }

    fn poll(&mut self, connection: usize, end: usize) {
        while let Some(segment) = self.ends[connection][end].poll(self.now, &self.spec) {
            let put = self.ports[end].put(self.now, frame_bytes(&segment));
            let (arrives, _) = put.expect("stations drop nothing");
            self.segments
                .push((segment, connection * 2 + 1 - end, false));
            self.at(arrives, 2, self.segments.len() - 1);
        }
        let timer = self.ends[connection][end].timer();
        if let Some(at) = timer
            && self.timers[connection][end] != timer
        {
            self.at(at, 1, connection * 2 + end);
        }
        self.timers[connection][end] = timer;
    }

    fn on_event(&mut self, what: u8, which: usize) {
        let (connection, end) = (which / 2, which % 2);
        match what {
            0 => {
                self.ends[which][0].send(self.now, &self.spec, self.file_bytes);
                self.poll(which, 0);
            }
            1 => {
                let the_end = &mut self.ends[connection][end];
                if the_end.timer() == Some(self.now) {
                    the_end.on_timer(self.now, &self.spec);
                    self.poll(connection, end);
                }
            }
            2 => {
                let (segment, to, _) = self.segments[which];
                let put = self.ports[2 + to % 2].put(self.now, frame_bytes(&segment));
                if let Some((at, is_marked)) = put {
                    self.segments[which].2 = is_marked;
                    self.at(at, 3, which);
                }
            }
            _ => {
                let (segment, to, is_marked) = self.segments[which];
                let (connection, end) = (to / 2, to % 2);
                let the_end = &mut self.ends[connection][end];
                let received = the_end.on_segment(self.now, &self.spec, &segment, is_marked);
                if received.is_finished {
                    self.think(connection);
                }
                self.poll(connection, end);
            }
        }
    }

    /// Payload in order, Mb/s, from 10 s to `stop_at`.
    fn run(&mut self, seconds: u64) -> f64 {
        let delivered =
            |ends: &[[Endpoint; 2]]| -> u64 { ends.iter().map(|pair| pair[1].positions().2).sum() };
        let mut before = None;
        while let Some(Reverse((at, _, what, which))) = self.events.pop() {
            if at.0 >= 10 * SECOND && before.is_none() {
                before = Some(delivered(&self.ends));
                self.ports[3].peak_bytes = 0;
            }
            if at.0 >= seconds * SECOND {
                break;
            }
            self.now = at;
            self.on_event(what, which);
        }
        let bytes = delivered(&self.ends) - before.unwrap();
        bytes as f64 * 8.0 / (seconds - 10) as f64 / 1e6
    }
}

/// Mean of three seeds, Mb/s.
fn mean(spec: TcpSpec, connections: usize, file_bytes: u64) -> f64 {
    let run = |seed| Model::new(spec.clone(), connections, file_bytes, seed).run(40);
    (run(1) + run(2) + run(3)) / 3.0
}

/// What is left of 9.29 Mb/s (1024 of 1102 bytes on the wire) when nothing is lost.
#[test]
fn small_files_fill_the_slow_link() {
    let one = mean(TcpSpec::bsd(), 1, 32_000);
    assert!((6.6..6.9).contains(&one), "{one}");
    for connections in [3, 6] {
        let found = mean(TcpSpec::bsd(), connections, 32_000);
        assert!((9.2..9.3).contains(&found), "{found}");
    }
}

/// One window fits into 70 kB; two do not.
#[test]
fn two_connections_lose_half() {
    let one = mean(TcpSpec::bsd(), 1, 200_000);
    assert!((8.7..8.85).contains(&one), "{one}");
    for connections in [2, 3] {
        let found = mean(TcpSpec::bsd(), connections, 200_000);
        assert!((3.7..6.5).contains(&found), "{found}");
    }
    let ten = mean(TcpSpec::bsd(), 10, 200_000);
    assert!((6.5..8.0).contains(&ten), "{ten}");
}

/// Without the term that BSD added, most of that is not lost.
#[test]
fn the_eighth_is_what_loses() {
    let mut spec = TcpSpec::bsd();
    spec.congestion = Congestion::Reno { eighth: false };
    let found = mean(spec, 2, 200_000);
    assert!((7.2..8.6).contains(&found), "{found}");
}

/// The flavours of today, at the same queue, lose next to nothing.
#[test]
fn sack_and_cubic_hardly_lose() {
    let found = mean(TcpSpec::linux_3(), 2, 200_000);
    assert!(found > 9.0, "{found}");
}

/// DCTCP holds the queue at its mark, classic ECN lets it swing, neither loses; without marks
/// the queue fills.
#[test]
fn dctcp_keeps_the_queue_short() {
    let endless = 1_000_000_000;
    let run = |spec: TcpSpec, mark_bytes| {
        let mut model = Model::new(spec, 2, endless, 1);
        model.ports[3].mark_bytes = mark_bytes;
        let rate = model.run(30);
        (rate, model.ports[3].peak_bytes, model.ends[0][0].counts())
    };
    let mut classic = TcpSpec::dctcp();
    classic.ecn = Ecn::Classic;
    let mut none = TcpSpec::dctcp();
    none.ecn = Ecn::Off;
    for (spec, least_mbps) in [(TcpSpec::dctcp(), 9.45), (classic, 9.4)] {
        let (rate, peak_bytes, counts) = run(spec, 30_000);
        assert!(rate > least_mbps, "{rate}");
        assert!((30_000..42_000).contains(&peak_bytes), "{peak_bytes}");
        assert!(counts.ecn_cuts > 100 && counts.time_outs == 0, "{counts:?}");
    }
    let (_, peak_bytes, counts) = run(none, 30_000);
    assert!(peak_bytes > 68_000 && counts.ecn_cuts == 0);
}
