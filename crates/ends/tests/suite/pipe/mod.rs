//! Two ends and a bad network between them, with a checker that keeps books of its own.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use backwater_ends::spec::Recovery;
use backwater_ends::tcp::{HostClock, flags};
use backwater_ends::{Endpoint, Segment, TcpSpec};
use backwater_kernel::{Duration, Probability, Purpose, Stream, Time};

/// What the network does to a segment.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    pub delay: Duration,
    /// Up to so much more: segments overtake each other.
    pub jitter: Duration,
    pub loss: Probability,
    pub twice: Probability,
    pub mark: Probability,
}

/// A defect put in, which the checker must see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// Acknowledgements say one byte too many.
    AckAhead,
    /// The receiver takes a segment for one byte longer than it is.
    SkipsByte,
    /// The receiver's data comes from one byte before.
    OffByOne,
}

/// Books of one end.
#[derive(Default)]
struct Books {
    handed: u64,
    sent_to: u64,
    /// Ranges that arrived, ascending.
    arrived: Vec<(u64, u64)>,
    delivered: u64,
    acked: u64,
    finished: u64,
}

impl Books {
    fn arrive(&mut self, first: u64, end: u64) {
        self.arrived.push((first, end));
        self.arrived.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for &(first, end) in &self.arrived {
            match merged.last_mut() {
                Some(last) if first <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((first, end)),
            }
        }
        self.arrived = merged;
    }

    fn in_order(&self) -> u64 {
        match self.arrived.first() {
            Some(&(0, end)) => end,
            _ => 0,
        }
    }

    fn has(&self, first: u64, end: u64) -> bool {
        self.arrived.iter().any(|r| r.0 <= first && end <= r.1)
    }
}

/// Orders what is under way: by time, then by birth.
type Key = (Time, u64, usize);

pub struct Pipe {
    pub spec: TcpSpec,
    pub now: Time,
    pub ends: [Endpoint; 2],
    books: [Books; 2],
    network: Network,
    fault: Fault,
    random: Stream,
    on_wire: BinaryHeap<Reverse<Key>>,
    segments: Vec<(Segment, bool)>,
    /// Segments with SYN or FIN seen on the wire, lost ones included.
    pub syns: u64,
    pub fins: u64,
}

type Checked = Result<(), String>;

fn require(is_so: bool, what: &str) -> Checked {
    if is_so { Ok(()) } else { Err(what.into()) }
}

impl Pipe {
    pub fn new(spec: TcpSpec, network: Network, fault: Fault, seed: u64) -> Pipe {
        let mut random = Stream::new(seed, 1, Purpose::DataLoss);
        let mut end = |opens| {
            let clock = HostClock {
                slow_phase: Duration(random.below(500_000_000_000)),
                fast_phase: Duration(random.below(200_000_000_000)),
            };
            Endpoint::new(&spec, clock, opens)
        };
        Pipe {
            ends: [end(true), end(false)],
            spec,
            now: Time::ZERO,
            books: Default::default(),
            network,
            fault,
            random,
            on_wire: BinaryHeap::new(),
            segments: Vec::new(),
            syns: 0,
            fins: 0,
        }
    }

    pub fn send(&mut self, from: usize, bytes: u64) -> Checked {
        self.books[from].handed += bytes;
        self.ends[from].send(self.now, &self.spec, bytes);
        self.poll(from)
    }

    fn poll(&mut self, from: usize) -> Checked {
        let mut count = 0;
        while let Some(segment) = self.ends[from].poll(self.now, &self.spec) {
            self.check_sent(from, &segment)?;
            self.put(1 - from, segment);
            count += 1;
            require(count < 100_000, "it never stops sending")?;
        }
        Ok(())
    }

    fn check_sent(&mut self, from: usize, segment: &Segment) -> Checked {
        let (una, _, next) = self.ends[from].positions();
        let in_order = self.books[from].in_order();
        let books = &mut self.books[from];
        require(
            segment.ack <= next && next == in_order,
            "acknowledges what is not there",
        )?;
        let blocks = usize::from(segment.sack_blocks);
        for &(first, end) in &segment.sack[..blocks] {
            let is_twice = segment.twice().is_some() && (first, end) == segment.sack[0];
            require(
                books.has(first, end) && (first > next || is_twice),
                "a block that is not there",
            )?;
        }
        require(
            segment.twice().is_none() || self.spec.recovery == Recovery::Rack,
            "says what came twice without RACK",
        )?;
        require(
            blocks == 0 || self.spec.recovery.has_sack(),
            "blocks without SACK",
        )?;
        self.syns += u64::from(segment.flags & flags::SYN != 0);
        self.fins += u64::from(segment.flags & flags::FIN != 0);
        if segment.bytes == 0 {
            return Ok(());
        }
        let end = segment.seq + u64::from(segment.bytes);
        require(
            segment.bytes <= self.spec.largest().0,
            "more than a segment",
        )?;
        require(end <= books.handed, "sends what was not handed over")?;
        require(segment.seq <= books.sent_to, "leaves out bytes")?;
        require(segment.seq >= una, "sends what was acknowledged")?;
        require(
            segment.is_again == (segment.seq < books.sent_to),
            "is_again is wrong",
        )?;
        books.sent_to = books.sent_to.max(end);
        let in_flight = books.sent_to - una;
        require(
            in_flight <= u64::from(self.spec.window_bytes),
            "more in flight than the window",
        )
    }

    fn put(&mut self, to: usize, segment: Segment) {
        let copies = 1 + u64::from(self.random.chance(self.network.twice));
        for _ in 0..copies {
            if self.random.chance(self.network.loss) {
                continue;
            }
            let is_marked = segment.bytes > 0 && self.random.chance(self.network.mark);
            let more = self.random.below(self.network.jitter.0 + 1);
            let at = self.now + Duration(self.network.delay.0 + more);
            let id = self.segments.len() as u64;
            self.segments.push((segment, is_marked));
            self.on_wire.push(Reverse((at, id, to)));
        }
    }

    /// The next thing happens; `false` if nothing will.
    pub fn step(&mut self) -> Result<bool, String> {
        let wire = self.on_wire.peek().map(|r| r.0.0);
        let timers = [self.ends[0].timer(), self.ends[1].timer()];
        let next = [wire, timers[0], timers[1]].into_iter().flatten().min();
        let Some(next) = next else {
            return Ok(false);
        };
        require(next >= self.now, "a timer in the past")?;
        self.now = next;
        if wire == Some(next) {
            let Reverse((_, id, to)) = self.on_wire.pop().unwrap();
            self.deliver(to, id as usize)?;
            return Ok(true);
        }
        let end = usize::from(timers[0] != Some(next));
        self.ends[end].on_timer(next, &self.spec);
        self.poll(end)?;
        require(
            self.ends[end].timer().is_none_or(|at| at > next),
            "a timer that does not move",
        )?;
        Ok(true)
    }

    fn deliver(&mut self, to: usize, id: usize) -> Checked {
        let (mut segment, is_marked) = self.segments[id];
        if segment.bytes > 0 {
            let end = segment.seq + u64::from(segment.bytes);
            self.books[to].arrive(segment.seq, end);
        }
        match self.fault {
            Fault::AckAhead if segment.ack > 0 => segment.ack += 1,
            Fault::SkipsByte if segment.bytes > 0 => segment.bytes += 1,
            Fault::OffByOne if segment.bytes > 0 && segment.seq > 0 => segment.seq -= 1,
            _ => {}
        }
        let (una_before, ..) = self.ends[to].positions();
        let received = self.ends[to].on_segment(self.now, &self.spec, &segment, is_marked);
        let (una, _, next) = self.ends[to].positions();
        let peer_next = self.ends[1 - to].positions().2;
        let handed = self.books[1 - to].handed;
        let books = &mut self.books[to];
        books.delivered += received.delivered_bytes;
        books.acked += received.acked_bytes;
        require(
            books.delivered == books.in_order(),
            "delivered is not what arrived",
        )?;
        require(books.delivered == next, "delivered is not what it expects")?;
        require(
            books.acked == una && una >= una_before,
            "acknowledged twice",
        )?;
        require(next <= handed, "more delivered than handed over")?;
        require(una <= peer_next, "acknowledged before it arrived")?;
        let is_end = una == books.handed && una > una_before;
        require(received.is_finished == is_end, "is_finished is wrong")?;
        books.finished += u64::from(received.is_finished);
        self.poll(to)
    }

    /// Runs until `end` has finished `count` times.
    pub fn run_until_finished(&mut self, end: usize, count: u64) -> Checked {
        let mut steps = 0;
        while self.books[end].finished < count {
            require(self.step()?, "nothing will ever happen")?;
            steps += 1;
            require(steps < 200_000, "it takes for ever")?;
        }
        Ok(())
    }

    /// Runs until nothing is under way and no timer runs.
    pub fn run_dry(&mut self) -> Checked {
        let mut steps = 0;
        while self.step()? {
            steps += 1;
            require(steps < 200_000, "it never falls silent")?;
        }
        Ok(())
    }

    pub fn wait(&mut self, span: Duration) -> Checked {
        let until = self.now + span;
        loop {
            let wire = self.on_wire.peek().map(|r| r.0.0);
            let timers = self.ends.iter().filter_map(Endpoint::timer);
            match timers.chain(wire).min() {
                Some(at) if at <= until => self.step()?,
                _ => break,
            };
        }
        self.now = until;
        Ok(())
    }
}
