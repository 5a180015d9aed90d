//! DCQCN (Zhu and others, SIGCOMM 2015): the source computes its rate from single marks, which
//! the destination tells of.
//!
//! | Symbol | Here |
//! |---|---|
//! | Rc, Rt | `rate`, `target` |
//! | alpha, g | `alpha`, `spec.gain` |
//! | T, B | `by_time`, `by_bytes`: stages since the last cut |
//! | F | `spec.stages` |
//!
//! Before the first notification there is no limiter and no state. Paper form, a notification:
//! `Rt = Rc`, `Rc = Rc (1 - alpha / 2)`, `alpha = (1 - g) alpha + g`, and all counters start anew;
//! without one for `alpha_interval`, `alpha = (1 - g) alpha`. NIC form: a notification sets two
//! flags; a timer of `alpha_interval` updates alpha by the one, a timer of `decrease_interval` cuts
//! if the other is set. Recovery is timed, and counted in bytes: `Rc = (Rc + Rt) / 2`, after
//! F stages with Rt raised before.
//!
//! Nothing but cuts and recovery is an event: alpha is brought up to date where it is used, tick by
//! tick with the operations a timer would do. At one instant a notification comes first, then
//! alpha, recovery, the cut; then packets start. A product with alpha rounds down, the mean of two
//! rates up, so that recovery ends.

#[cfg(test)]
mod slow;
#[cfg(test)]
mod tests;

use backwater_kernel::{Duration, Rate, Time};

use super::hooks::{Ack, Control, Inner, Signal};
use crate::spec::rates::{Clamp, DcqcnForm, DcqcnSpec, Notify};

/// More than this times the rate is no target to go back to at once (QCN).
const FAR: u64 = 10;
/// What is left of such a target.
const NEARER: u64 = 8;

/// State of one source. Its instants are of a clock that may stand still while the source is
/// stopped.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    spec: DcqcnSpec,
    line: Rate,
    rate: Rate,
    target: Rate,
    alpha: f64,
    /// There is a limiter.
    is_limited: bool,
    /// NIC: a notification came since alpha was updated.
    is_told: bool,
    /// When alpha is updated next.
    alpha_at: Time,
    /// NIC: cuts are looked for from here on, each interval.
    checks_from: Time,
    /// NIC: a notification came since the last cut, which makes the next at this instant.
    cut_at: Time,
    /// When recovery goes on; [`Time::MAX`] before the first cut.
    increase_at: Time,
    by_time: u32,
    by_bytes: u32,
    /// Bytes until recovery goes on.
    bytes_left: u64,
    /// Timers have had their turn until here.
    done: Option<Time>,
    clock: Clock,
}

/// A clock that may be stopped.
#[derive(Clone, Copy, Default, Debug)]
struct Clock {
    stopped_at: Option<Time>,
    stood: Duration,
}

impl Clock {
    fn read(&self, now: Time) -> Time {
        let until = self.stopped_at.map_or(now, |at| at.min(now));
        Time(until.0.saturating_sub(self.stood.0))
    }

    /// When it will show this, if it goes.
    fn shows(&self, at: Time) -> Option<Time> {
        let goes = self.stopped_at.is_none() && at != Time::MAX;
        goes.then(|| at + self.stood)
    }

    fn stop(&mut self, now: Time, is_stopped: bool) {
        match (self.stopped_at, is_stopped) {
            (None, true) => self.stopped_at = Some(now),
            (Some(at), false) => {
                self.stood = self.stood + now.since(at);
                self.stopped_at = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
}

/// What makes recovery go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Time,
    Bytes,
}

impl Dcqcn {
    /// Behind a NIC of this rate.
    pub(crate) fn new(spec: &DcqcnSpec, line: Rate) -> Dcqcn {
        Dcqcn {
            spec: *spec,
            line,
            rate: line,
            target: line,
            alpha: spec.first_alpha,
            is_limited: false,
            is_told: false,
            alpha_at: Time::MAX,
            checks_from: Time::ZERO,
            cut_at: Time::MAX,
            increase_at: Time::MAX,
            by_time: 0,
            by_bytes: 0,
            bytes_left: 0,
            done: None,
            clock: Clock::default(),
        }
    }

    /// The destination saw marks.
    fn on_notification(&mut self, now: Time) {
        let now = self.clock.read(now);
        // After the timers of this instant it is the next ones' to answer.
        let is_late = self.done.is_some_and(|done| done >= now);
        let before = match is_late {
            true => Some(now),
            false => now.0.checked_sub(1).map(Time),
        };
        if let Some(before) = before {
            self.run_to(before);
            self.update_alpha(before);
        }
        let is_first = !self.is_limited;
        if is_first {
            self.start(now);
        }
        match self.spec.form {
            DcqcnForm::Paper => self.cut_at_once(now),
            DcqcnForm::Nic => {
                self.is_told = !is_first;
                let look = self.next_check(now + Duration(is_late.into()));
                self.cut_at = self.cut_at.min(look);
            }
        }
    }

    /// The first notification.
    fn start(&mut self, now: Time) {
        self.is_limited = true;
        self.alpha = self.spec.first_alpha;
        let least = self.spec.least.min(self.line);
        self.rate = scaled(self.line, self.spec.first_share).max(least);
        self.target = self.rate;
        self.alpha_at = now + self.spec.alpha_interval;
        self.checks_from = now;
    }

    fn cut_at_once(&mut self, now: Time) {
        if self.spec.cuts_first {
            self.cut(now);
        }
        self.alpha = (1.0 - self.spec.gain) * self.alpha + self.spec.gain;
        self.alpha_at = now + self.spec.alpha_interval;
        if !self.spec.cuts_first {
            self.cut(now);
        }
    }

    fn cut(&mut self, now: Time) {
        let takes_back = match self.spec.clamp {
            Clamp::Always => true,
            Clamp::AfterStage => self.by_time > 0 || self.by_bytes > 0,
            Clamp::AfterBytes => self.by_bytes > 0,
        };
        if takes_back {
            self.target = self.rate;
        }
        let alpha = match self.spec.cut_bits {
            Some(bits) => {
                let steps = (1_u64 << bits.min(52)) as f64;
                (self.alpha * steps) as u64 as f64 / steps
            }
            None => self.alpha,
        };
        let share = (alpha / 2.0).min(self.spec.largest_cut);
        // The least rate is no reason to go faster than before.
        let least = self.spec.least.min(self.rate);
        self.rate = scaled(self.rate, 1.0 - share).max(least);
        self.by_time = 0;
        self.by_bytes = 0;
        self.bytes_left = self.spec.byte_counter.unwrap_or(u64::MAX);
        self.increase_at = now + self.spec.increase_interval;
        self.cut_at = Time::MAX;
    }

    /// NIC: the first instant from `now` on at which a cut is looked for.
    fn next_check(&self, now: Time) -> Time {
        let every = self.spec.decrease_interval.0.max(1);
        let count = now.since(self.checks_from).0.div_ceil(every).max(1);
        self.checks_from + Duration(every) * count
    }

    /// All that is due by `limit`, in its order.
    fn run_to(&mut self, limit: Time) {
        loop {
            let is_increase = self.increase_at <= self.cut_at;
            let at = self.increase_at.min(self.cut_at);
            if at > limit || at == Time::MAX {
                return;
            }
            match is_increase {
                true => self.on_increase(Stage::Time),
                false => {
                    self.update_alpha(at);
                    self.cut(at);
                }
            }
        }
    }

    /// The updates of alpha that are due by `limit`.
    fn update_alpha(&mut self, limit: Time) {
        let every = self.spec.alpha_interval.0.max(1);
        while self.alpha_at <= limit && self.alpha_at != Time::MAX {
            let before = self.alpha;
            self.alpha = (1.0 - self.spec.gain) * before;
            if self.is_told {
                self.alpha += self.spec.gain;
                self.is_told = false;
            } else if self.alpha == before {
                // Nothing more to lose: the rest of the ticks at once.
                let ticks = limit.since(self.alpha_at).0 / every;
                self.alpha_at += Duration(every) * ticks;
            }
            self.alpha_at += Duration(every);
        }
    }

    /// Recovery goes on.
    fn on_increase(&mut self, stage: Stage) {
        let is_hyper = match self.spec.form {
            DcqcnForm::Paper => {
                self.count(stage);
                self.increase_paper()
            }
            DcqcnForm::Nic => {
                self.increase_nic();
                self.count(stage);
                false
            }
        };
        let shortened = if is_hyper { 2 } else { 1 };
        match stage {
            Stage::Time => {
                let span = Duration((self.spec.increase_interval.0 / shortened).max(1));
                self.increase_at += span;
            }
            Stage::Bytes => {
                let bytes = self.spec.byte_counter.unwrap_or(u64::MAX);
                self.bytes_left = (bytes / shortened).max(1);
            }
        }
        if self.spec.releases && self.rate >= self.line {
            let (done, clock) = (self.done, self.clock);
            *self = Dcqcn::new(&self.spec, self.line);
            (self.done, self.clock) = (done, clock);
        }
    }

    fn count(&mut self, stage: Stage) {
        let stages = match stage {
            Stage::Time => &mut self.by_time,
            Stage::Bytes => &mut self.by_bytes,
        };
        *stages = stages.saturating_add(1);
    }

    /// Stages are counted already. Was it a hyper increase?
    fn increase_paper(&mut self) -> bool {
        let (most, least) = (
            self.by_time.max(self.by_bytes),
            self.by_time.min(self.by_bytes),
        );
        let is_hyper = least >= self.spec.stages;
        if most >= self.spec.stages {
            let is_young = self.by_time == 1 || self.by_bytes == 1;
            if is_young && self.target.0 > FAR * self.rate.0 {
                self.target = Rate(self.target.0 / NEARER);
            } else {
                let times = u64::from(least.saturating_sub(self.spec.stages)) + 1;
                let more = match is_hyper {
                    true => self.spec.hyper.0.saturating_mul(times),
                    false => self.spec.additive.0,
                };
                self.target = Rate(self.target.0.saturating_add(more));
            }
        }
        self.rate = mean(self.rate, self.target).min(self.line);
        is_hyper
    }

    /// Stages are not counted yet. A counter that is off holds nothing back.
    fn increase_nic(&mut self) {
        let most = self.by_time.max(self.by_bytes);
        let least = match self.spec.byte_counter {
            Some(_) => self.by_time.min(self.by_bytes),
            None => self.by_time,
        };
        let more = match self.spec.stages {
            stages if most < stages => Rate(0),
            stages if least > stages => self.spec.hyper,
            _ => self.spec.additive,
        };
        self.target = Rate(self.target.0.saturating_add(more.0)).min(self.line);
        self.rate = mean(self.rate, self.target).min(self.line);
    }

    /// Can recovery still change the rate?
    fn is_recovering(&self) -> bool {
        self.rate < self.line || self.target < self.line
    }
}

/// A part of a rate, rounded down.
fn scaled(rate: Rate, share: f64) -> Rate {
    Rate((rate.0 as f64 * share) as u64)
}

/// Half way, rounded up.
fn mean(one: Rate, other: Rate) -> Rate {
    Rate(((one.0 as u128 + other.0 as u128).div_ceil(2)) as u64)
}

impl Control for Dcqcn {
    #[inline]
    fn on_ack(&mut self, now: Time, ack: &Ack) {
        if ack.is_marked && self.spec.notify == Notify::Echo {
            self.on_notification(now);
        }
    }

    fn on_control(&mut self, now: Time, signal: &Signal) -> Option<Rate> {
        if let Signal::Notification = signal {
            self.on_notification(now);
        }
        None
    }

    #[inline]
    fn on_packet(&mut self, now: Time, bytes: u32) {
        if self.spec.byte_counter.is_none() || self.increase_at == Time::MAX {
            return;
        }
        self.run_to(self.clock.read(now));
        match self.bytes_left.checked_sub(bytes.into()) {
            Some(left) if left > 0 => self.bytes_left = left,
            _ if self.increase_at != Time::MAX => self.on_increase(Stage::Bytes),
            _ => {}
        }
    }

    fn on_stop(&mut self, now: Time, is_stopped: bool) {
        if self.spec.freezes {
            self.run_to(self.clock.read(now));
            self.clock.stop(now, is_stopped);
        }
    }

    #[inline]
    fn timer(&self) -> Option<Time> {
        let increase = match self.is_recovering() {
            true => self.increase_at,
            false => Time::MAX,
        };
        self.clock.shows(increase.min(self.cut_at))
    }

    fn on_timer(&mut self, now: Time) -> u32 {
        let now = self.clock.read(now);
        self.run_to(now);
        self.done = Some(now);
        0
    }

    #[inline]
    fn pacing(&self) -> Option<Rate> {
        self.is_limited.then_some(self.rate)
    }

    #[inline]
    fn rescales(&self) -> bool {
        self.spec.rescales
    }

    fn inner(&self, now: Time, of: Inner) -> Option<f64> {
        let mut shown = self.clone();
        let now = shown.clock.read(now);
        shown.run_to(now);
        shown.update_alpha(now);
        match of {
            Inner::Alpha if shown.is_limited => Some(shown.alpha),
            Inner::Alpha => Some(0.0),
            Inner::Target => Some(shown.target.0 as f64),
            _ => None,
        }
    }
}
