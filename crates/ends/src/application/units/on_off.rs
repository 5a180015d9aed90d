//! Bursts and pauses in turn. Deterministic (a video source that alternates between two rates)
//! or exponential (the bursty sources of Kung 1993, Figures 22 to 24).

use backwater_kernel::stream::Stream;
use backwater_kernel::{Duration, Time};

use super::Emission;
use crate::spec::Span;

/// State of one on-off source.
pub struct OnOff {
    on: Span,
    off: Span,
    on_interval: Duration,
    /// Spacing in a pause; zero is silence.
    off_interval: Duration,
    is_on: bool,
    phase_ends: Time,
    start: Time,
    stream: Stream,
}

impl OnOff {
    pub fn new(
        start: Time,
        on: Span,
        off: Span,
        on_interval: Duration,
        off_interval: Option<Duration>,
        mut stream: Stream,
    ) -> OnOff {
        let phase_ends = start + on.draw(&mut stream);
        let off_interval = off_interval.unwrap_or(Duration::ZERO);
        OnOff {
            on,
            off,
            on_interval,
            off_interval,
            is_on: true,
            phase_ends,
            start,
            stream,
        }
    }

    pub fn start(&self) -> Time {
        self.start
    }

    /// The first burst comes so much later.
    pub fn postpone(&mut self, by: Duration) {
        self.start += by;
        self.phase_ends += by;
    }

    /// A unit now; the next after the spacing, or at the start of the next phase that sends.
    pub fn on_timer(&mut self, now: Time) -> Emission {
        let interval = if self.is_on {
            self.on_interval
        } else {
            self.off_interval
        };
        let mut next = now + interval;
        while next >= self.phase_ends {
            next = self.phase_ends;
            self.turn();
            if !self.is_on && self.off_interval == Duration::ZERO {
                next = self.phase_ends;
                self.turn();
            }
        }
        Emission {
            units: 1,
            next: Some(next),
        }
    }

    fn turn(&mut self) {
        self.is_on = !self.is_on;
        let span = if self.is_on { self.on } else { self.off };
        self.phase_ends += span.draw(&mut self.stream).max(Duration(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use backwater_kernel::stream::Purpose;

    fn emissions(off_interval: Option<u64>, count: usize) -> Vec<u64> {
        let mut source = OnOff::new(
            Time(0),
            Span::Fixed(Duration(30)),
            Span::Fixed(Duration(50)),
            Duration(10),
            off_interval.map(Duration),
            Stream::new(1, 1, Purpose::Traffic),
        );
        let mut times = Vec::new();
        let mut now = source.start();
        for _ in 0..count {
            times.push(now.ps());
            now = source.on_timer(now).next.expect("on-off never ends");
        }
        times
    }

    #[test]
    fn a_silent_pause_sends_nothing() {
        assert_eq!(emissions(None, 7), [0, 10, 20, 80, 90, 100, 160]);
    }

    #[test]
    fn a_slow_pause_sends_at_its_own_spacing() {
        assert_eq!(emissions(Some(20), 8), [0, 10, 20, 30, 50, 70, 80, 90]);
    }
}
