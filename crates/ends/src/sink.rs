//! How fast destinations take units. An infinite sink has no state: it takes a unit as it
//! arrives.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Time};

use crate::spec::Span;
use crate::spec::units::SinkSpec;
use crate::turns::Turns;

/// When a destination takes units out of its buffer, at its own pace.
pub struct Sink {
    interval: Duration,
    /// The next unit may be taken from here on.
    ready_at: Time,
    stalls: Option<Stalls>,
}

struct Stalls {
    run: Span,
    stall: Span,
    run_ends: Time,
    stall_ends: Time,
    stream: Stream,
}

impl Sink {
    /// A sink with state, or `None` for the infinite one.
    pub fn new(spec: &SinkSpec, seed: u64, leg: u32) -> Option<Sink> {
        let (interval, stalls) = match *spec {
            SinkSpec::Infinite => return None,
            SinkSpec::Limited { interval } => (interval, None),
            SinkSpec::Stalling {
                interval,
                run,
                stall,
            } => {
                let stream = Stream::new(seed, leg as u64, Purpose::Sink);
                (interval, Some(Stalls::new(run, stall, stream)))
            }
        };
        Some(Sink {
            interval,
            ready_at: Time::ZERO,
            stalls,
        })
    }

    /// The first instant, not before `now`, at which a unit may be taken.
    pub fn next_release(&mut self, now: Time) -> Time {
        let wanted = self.ready_at.max(now);
        match &mut self.stalls {
            None => wanted,
            Some(stalls) => stalls.next_running(wanted),
        }
    }

    /// A unit was taken at `now`.
    pub fn on_release(&mut self, now: Time) {
        self.ready_at = now + self.interval;
    }
}

impl Stalls {
    fn new(run: Span, stall: Span, mut stream: Stream) -> Stalls {
        let run_ends = Time::ZERO + run.draw(&mut stream).max(Duration(1));
        let stall_ends = run_ends + stall.draw(&mut stream);
        Stalls {
            run,
            stall,
            run_ends,
            stall_ends,
            stream,
        }
    }

    /// The first instant at or after `wanted` at which the sink runs.
    fn next_running(&mut self, wanted: Time) -> Time {
        let mut turns = Turns::from(self.stall_ends);
        while wanted >= self.stall_ends {
            self.run_ends = self.stall_ends + self.run.draw(&mut self.stream).max(Duration(1));
            self.stall_ends = self.run_ends + self.stall.draw(&mut self.stream);
            let passed = turns.pass(self.stall_ends, wanted);
            self.run_ends += passed;
            self.stall_ends += passed;
        }
        if wanted < self.run_ends {
            wanted
        } else {
            self.stall_ends
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stalling_sink_runs_and_stands_still_in_turn() {
        let spec = SinkSpec::Stalling {
            interval: Duration(10),
            run: Span::Fixed(Duration(100)),
            stall: Span::Fixed(Duration(50)),
        };
        let mut sink = Sink::new(&spec, 1, 0).expect("it has state");
        assert_eq!(sink.next_release(Time(95)), Time(95));
        sink.on_release(Time(95));
        assert_eq!(sink.next_release(Time(96)), Time(150));
        sink.on_release(Time(150));
        assert_eq!(sink.next_release(Time(151)), Time(160));
        assert_eq!(sink.next_release(Time(249)), Time(249));
        assert_eq!(sink.next_release(Time(250)), Time(300));
    }

    /// Turns that are far shorter than the wait are passed over, and where all are alike exactly.
    #[test]
    fn a_sink_that_turns_each_picosecond_is_asked_after_an_hour() {
        let hour = 3_600_000_000_000_000;
        let spec = |span: fn(Duration) -> Span| SinkSpec::Stalling {
            interval: Duration(10),
            run: span(Duration(2)),
            stall: span(Duration(3)),
        };
        let mut sink = Sink::new(&spec(Span::Fixed), 1, 0).expect("it has state");
        assert_eq!(sink.next_release(Time(hour)), Time(hour));
        assert_eq!(sink.next_release(Time(hour + 2)), Time(hour + 5));
        let mut sink = Sink::new(&spec(Span::Exponential), 1, 0).expect("it has state");
        let at = sink.next_release(Time(hour));
        assert!((hour..hour + 100).contains(&at.ps()), "{at:?}");
    }
}
