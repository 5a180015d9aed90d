//! Warnings of VirtualClock's monitor, and what sources make of them: Zhang 1991, section 3.1, as
//! the chapters on envelopes and on sessions put it.

use backwater_kernel::Time;
use backwater_net::spec::{FlowSpec, OnAlarm, SchedulerSpec};

use crate::fault::Fault;
use crate::network::{CircuitFlow, Network};
use crate::service::Check;
use crate::unit::Wish;

/// What a source knows of warnings.
pub(crate) struct Heed {
    on_alarm: OnAlarm,
    reserved_bps: u64,
    /// Warnings that have reached the source.
    pub warnings: u64,
    /// Units sent: instant and bits.
    sent: Vec<(Time, u64)>,
    /// The warning before.
    warned_at: Option<Time>,
    /// Bits per second; `None` before there is a spacing.
    spacing_bps: Option<u64>,
    /// A unit conforms from here on.
    free_at: Time,
    /// Numbers of units that wait.
    pub waiting: Vec<u64>,
}

impl Heed {
    pub fn new(flow: &FlowSpec) -> Heed {
        Heed {
            on_alarm: flow.on_alarm,
            reserved_bps: flow.reserve.map_or(0, |reserve| reserve.rate.0),
            warnings: 0,
            sent: Vec::new(),
            warned_at: None,
            spacing_bps: None,
            free_at: Time::ZERO,
            waiting: Vec::new(),
        }
    }

    pub fn reserved_bps(&self) -> u64 {
        self.reserved_bps
    }

    /// The first instant from `now` on at which a unit may go.
    pub fn conforms_at(&self, now: Time) -> Time {
        match self.spacing_bps {
            Some(_) => self.free_at.max(now),
            None => now,
        }
    }

    /// When the first unit that waits goes.
    pub fn next(&self, from: Time) -> Option<Time> {
        (!self.waiting.is_empty()).then(|| self.conforms_at(from))
    }

    /// A unit goes.
    fn pass(&mut self, now: Time, bytes: u64) {
        self.sent.push((now, 8 * bytes));
        if let Some(rate) = self.spacing_bps {
            self.free_at = Time(now.ps() + backwater_kernel::Rate(rate).tick(bytes).ps());
        }
    }

    /// Bits per second since the warning before, or since the first unit; `None` if no time has
    /// passed.
    fn measured(&self, now: Time, fault: Option<Fault>) -> Option<u128> {
        let first = self.sent.first().map(|(at, _)| *at);
        let since = match fault {
            Some(Fault::BitsSinceStart) => first?,
            _ => self.warned_at.or(first)?,
        };
        let span_ps = u128::from(now.ps() - since.ps());
        // The warning comes before what is sent in its instant.
        let counts = |unit: &&(Time, u64)| unit.0 >= since;
        let bits: u64 = self.sent.iter().filter(counts).map(|(_, bits)| bits).sum();
        (span_ps > 0).then(|| u128::from(bits) * 1_000_000_000_000 / span_ps)
    }

    /// A warning has come.
    fn hear(&mut self, now: Time, fault: Option<Fault>) {
        self.warnings += 1;
        let next = match self.on_alarm {
            OnAlarm::Ignore => None,
            OnAlarm::Obey => Some(self.reserved_bps),
            OnAlarm::SlowDown { factor } => self.measured(now, fault).map(|measured| {
                let factor = (factor * 4_294_967_296.0) as u128;
                let slower = (measured * factor) >> 32;
                (slower as u64).max(self.reserved_bps)
            }),
        };
        self.warned_at = Some(now);
        let Some(next) = next else { return };
        self.spacing_bps = Some(match self.spacing_bps {
            Some(known) if fault != Some(Fault::FasterAgain) => next.min(known),
            _ => next,
        });
    }
}

impl CircuitFlow {
    /// A unit comes to the spacing: may it go on?
    pub fn pass_spacing(&mut self, number: u64, now: Time) -> bool {
        let passes = self.heed.waiting.is_empty() && self.heed.conforms_at(now) == now;
        match passes {
            true => self.heed.pass(now, self.sizes[number as usize]),
            false => self.heed.waiting.push(number),
        }
        passes
    }

    /// The unit that has waited long enough.
    pub fn release_spaced(&mut self, now: Time) -> Option<u64> {
        if self.heed.next(now) != Some(now) {
            return None;
        }
        let number = self.heed.waiting.remove(0);
        self.heed.pass(now, self.sizes[number as usize]);
        Some(number)
    }
}

impl Network {
    /// A unit has joined the port of `leg`, which had made so many checks: is its source warned?
    pub fn warn(&mut self, leg: usize, checks_before: usize, now: Time) {
        let port = &self.channels[self.legs[leg].channel].port;
        let SchedulerSpec::VirtualClock(spec) = port.spec else {
            return;
        };
        let too_fast = |check: &Check| match self.fault {
            Some(Fault::WarnedAtThreshold) => check.ahead_ps as u64 >= check.threshold_ps,
            _ => check.is_alarm(),
        };
        let is_alarm = port.checks()[checks_before..].iter().any(too_fast);
        if let (true, Some(bytes)) = (is_alarm, spec.alarm_bytes) {
            self.warn_back(leg, u64::from(bytes), now);
        }
    }

    /// The node where `leg` begins warns over the leg before it. A source needs no message of its
    /// own port, and makes nothing of it.
    fn warn_back(&mut self, leg: usize, bytes: u64, now: Time) {
        if let Some(before) = self.legs[leg].parent {
            self.want(before, Wish::Warning(bytes), now);
        }
    }

    /// A warning has come back over the channel of `leg`.
    pub fn pass_warning(&mut self, leg: usize, bytes: u64, now: Time) {
        let skips = self.fault == Some(Fault::WarningsSkipNodes);
        if self.legs[leg].parent.is_none() || skips {
            let flow = self.legs[leg].flow;
            self.flows[flow].heed.hear(now, self.fault);
            return;
        }
        self.warn_back(leg, bytes, now);
    }
}
