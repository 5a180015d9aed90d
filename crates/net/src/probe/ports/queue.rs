//! One sending port: its queue and how busy its channel is.

use backwater_kernel::stats::{Sampled, TimeWeighted};
use backwater_kernel::{Duration, Rate, Samples, Time};

use crate::outcome::PortOutcome;

/// A sending port.
#[derive(Clone)]
pub struct Port {
    rate: Rate,
    last_bytes: u32,
    last_serialization: Duration,
    /// Units that wait, without the one in transmission.
    waiting: TimeWeighted,
    /// What arrivals found.
    queue: Samples,
    /// Queue at the end of the warm-up.
    queue_first: u64,
    /// The last transmission, from and to; not yet in `busy`.
    sending: (Time, Time),
    busy: Busy,
}

impl Port {
    /// The port of a channel of `rate`; measures from `warm_up` on.
    pub fn new(rate: Rate, window: Duration, warm_up: Time) -> Port {
        Port {
            rate,
            last_bytes: 0,
            last_serialization: Duration(1),
            waiting: TimeWeighted::new(Time::ZERO, 0),
            queue: Samples::default(),
            queue_first: 0,
            sending: (Time::ZERO, Time::ZERO),
            busy: Busy::new(window, warm_up),
        }
    }

    /// A unit joins the queue.
    pub fn join(&mut self, at: Time, is_warm: bool) {
        self.waiting.add(at);
        if is_warm {
            self.queue.record(self.queue_length(at));
        }
    }

    /// A unit leaves the queue, to be sent or pushed out.
    pub fn leave(&mut self, at: Time) {
        self.waiting.sub(at);
    }

    /// A unit joins and is sent within one instant, with nobody told: its source makes a unit
    /// whenever this port is free.
    pub fn pull(&mut self, is_warm: bool) {
        if is_warm {
            self.queue.record(self.waiting.value() + 1);
        }
    }

    /// A unit of `bytes` is sent from `at` on.
    pub fn send(&mut self, at: Time, bytes: u32) {
        if bytes != self.last_bytes {
            self.last_bytes = bytes;
            self.last_serialization = self.rate.serialization(u64::from(bytes));
        }
        let (from, to) = self.sending;
        self.busy.add(from, to);
        self.sending = (at, at + self.last_serialization);
    }

    /// Measuring starts at `at`.
    pub fn end_warm_up(&mut self, at: Time) {
        self.waiting.restart(at);
        self.queue_first = self.queue_length(at);
    }

    /// Waiting units and the one in transmission. One whose transmission ends at `at` is gone.
    fn queue_length(&self, at: Time) -> u64 {
        self.waiting.value() + u64::from(self.sending.1 > at)
    }

    /// What was found until `ended_at`, which is not before the end of the warm-up.
    pub fn outcome(&self, ended_at: Time) -> PortOutcome {
        let mut busy = self.busy.clone();
        let (from, to) = self.sending;
        busy.add(from.min(ended_at), to.min(ended_at));
        busy.close_until(busy.whole_windows(ended_at));
        let waiting_unit_ps = self.waiting.integral(ended_at);
        let span_ps = ended_at.since(busy.start).ps();
        let unit_ps = waiting_unit_ps + u128::from(busy.total.ps());
        let window_ps = busy.window_ps as f64;
        PortOutcome {
            queue: self.queue.clone(),
            queue_mean: unit_ps as f64 / span_ps.max(1) as f64,
            queue_max: self.queue.max().max(self.queue_first),
            waiting_unit_ps,
            busy: busy.total,
            windows: busy.closed.count(),
            utilization_mean: busy.closed.mean() / window_ps,
            utilization_deviation: busy.closed.deviation() / window_ps,
        }
    }
}

/// Time spent sending in consecutive windows.
#[derive(Clone)]
struct Busy {
    start: Time,
    window_ps: u64,
    /// In ps, of windows before `index`.
    closed: Sampled,
    /// The window that is open, and how much of it was spent so far.
    index: u64,
    open_ps: u64,
    total: Duration,
}

impl Busy {
    fn new(window: Duration, start: Time) -> Busy {
        Busy {
            start,
            window_ps: window.ps().max(1),
            closed: Sampled::new(),
            index: 0,
            open_ps: 0,
            total: Duration::ZERO,
        }
    }

    /// Adds a transmission, which must not begin before the end of the last. What is before the
    /// start doesn't count.
    fn add(&mut self, from: Time, to: Time) {
        let (from_ps, to_ps) = (from.since(self.start).ps(), to.since(self.start).ps());
        if from_ps >= to_ps {
            return;
        }
        self.total = self.total + Duration(to_ps - from_ps);
        let (first, last) = (from_ps / self.window_ps, (to_ps - 1) / self.window_ps);
        self.close_until(first);
        if first == last {
            self.open_ps += to_ps - from_ps;
            return;
        }
        self.open_ps += (first + 1) * self.window_ps - from_ps;
        self.close_until(first + 1);
        self.closed.record_many(self.window_ps, last - first - 1);
        self.index = last;
        self.open_ps = to_ps - last * self.window_ps;
    }

    /// Window `index` is the one that is open.
    fn close_until(&mut self, index: u64) {
        if index > self.index {
            self.closed.record(self.open_ps);
            self.closed.record_many(0, index - self.index - 1);
            (self.index, self.open_ps) = (index, 0);
        }
    }

    /// Windows that have passed at `at`.
    fn whole_windows(&self, at: Time) -> u64 {
        at.since(self.start).ps() / self.window_ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
    use backwater_kernel::stream::{Purpose, Stream};

    /// Busy picoseconds of each whole window, counted one by one.
    fn by_hand(transmissions: &[(u64, u64)], start: u64, window: u64, end: u64) -> Vec<u64> {
        let mut windows = vec![0; ((end - start) / window) as usize];
        for ps in transmissions.iter().flat_map(|&(from, to)| from..to) {
            if ps >= start
                && let Some(busy) = windows.get_mut(((ps - start) / window) as usize)
            {
                *busy += 1;
            }
        }
        windows
    }

    fn measured(transmissions: &[(u64, u64)], start: u64, window: u64, end: u64) -> Sampled {
        let mut busy = Busy::new(Duration(window), Time(start));
        for &(from, to) in transmissions {
            busy.add(Time(from).min(Time(end)), Time(to).min(Time(end)));
        }
        busy.close_until(busy.whole_windows(Time(end)));
        busy.closed
    }

    fn samples(windows: &[u64]) -> Sampled {
        let mut sampled = Sampled::new();
        windows.iter().for_each(|&busy| sampled.record(busy));
        sampled
    }

    #[test]
    fn a_transmission_over_a_boundary_is_split() {
        let sent = [(95, 105), (120, 145), (150, 170)];
        assert_eq!(by_hand(&sent, 100, 20, 165), [5, 20, 15]);
        assert_eq!(measured(&sent, 100, 20, 165), samples(&[5, 20, 15]));
        assert_ne!(measured(&sent, 100, 20, 165), samples(&[5, 25, 15]));
    }

    #[test]
    fn random_transmissions_agree_with_counting() {
        let mut stream = Stream::new(3, 0, Purpose::Pattern);
        for _ in 0..300 {
            let (start, window) = (stream.below(200), 1 + stream.below(60));
            let (mut sent, mut at) = (Vec::new(), 0);
            for _ in 0..stream.below(30) {
                let from = at + stream.below(90);
                at = from + 1 + stream.below(90);
                sent.push((from, at));
            }
            let end = start + stream.below(at + 100);
            let expected = by_hand(&sent, start, window, end);
            assert_eq!(measured(&sent, start, window, end), samples(&expected));
        }
    }
}
