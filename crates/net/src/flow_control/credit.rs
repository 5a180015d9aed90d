//! What all credit schemes share on one leg: settings, counters, timers.

use backwater_kernel::{Duration, Time};

use super::{Rule, cyclic};
use crate::spec::frames::{CountersSpec, LaneSpec};
use crate::spec::{Bind, CreditSpec};

/// What the scenario says; legs with the same settings share them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Settings {
    pub rule: Rule,
    pub bind: Bind,
    /// N1 + N2 + N3, or the limit: what the receiver must be able to hold.
    pub buffer_units: u32,
    /// Freed units that provoke a credit unit.
    pub report_every: u32,
    /// Sender: ask after this long without credit.
    pub request_after: Option<Duration>,
    /// Sender: state the counter every so many units.
    pub resync_every: Option<u32>,
    /// Receiver: longest time between credit units.
    pub refresh_every: Option<Duration>,
    /// Bytes of a control unit; `None`: those of a data unit.
    pub message_bytes: Option<u32>,
    /// A lost credit unit is made good without another start.
    pub is_repeated: bool,
}

impl Settings {
    pub fn new(spec: &CreditSpec) -> Settings {
        Settings {
            rule: Rule::new(spec),
            bind: spec.bind,
            buffer_units: spec.n1 + spec.n2 + spec.n3,
            report_every: spec.redundant_every.unwrap_or(u32::MAX).clamp(1, spec.n2),
            request_after: spec.request_after,
            resync_every: spec.resync_every,
            refresh_every: spec.refresh_every,
            message_bytes: spec.message_bytes,
            is_repeated: spec.request_after.is_some() || spec.refresh_every.is_some(),
        }
    }

    /// Those of a class whose counters the port states.
    pub fn of_counters(lane: &LaneSpec, counters: &CountersSpec) -> Settings {
        let rule = cyclic::Cyclic::new(lane, counters);
        Settings {
            bind: Bind::Start,
            buffer_units: rule.limit,
            report_every: rule.report_every(),
            request_after: None,
            resync_every: None,
            // The port's clock; it needs none of its own.
            refresh_every: None,
            message_bytes: None,
            is_repeated: counters.update.at_least_every.is_some() || counters.statement.is_some(),
            rule: Rule::Cyclic(rule),
        }
    }

    /// A start has more to do than to spend credit.
    pub fn has_sender_timers(&self) -> bool {
        self.request_after.is_some() || self.resync_every.is_some()
    }
}

/// Credit state of one leg that is touched less than once a unit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CreditLink {
    /// Index of its settings.
    pub settings: u32,
    /// A timer event of this leg waits in the event queue.
    pub timer_armed: bool,
    /// Sender: since when units wait without credit.
    pub blocked_since: Time,
    /// Receiver: when the last credit unit started.
    pub last_credit: Time,
    /// Receiver: lost units it has learned of.
    pub known_lost: u64,
    pub credits_received: u64,
    pub credits_lost: u32,
    /// When the last of them was.
    pub last_lost: Time,
    pub requests: u32,
    /// Sender: units wait and only credit is missing, since when and how long in all.
    pub blocked: Blocked,
}

/// How long units have waited for nothing but credit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Blocked {
    since: Option<Time>,
    total: Duration,
    /// Of that before the end of the warm-up.
    before: Duration,
}

impl Blocked {
    /// They do from now on, or do no more.
    pub fn set(&mut self, now: Time, is_blocked: bool) {
        match (self.since, is_blocked) {
            (None, true) => self.since = Some(now),
            (Some(since), false) => {
                self.total = self.total + now.since(since);
                self.since = None;
            }
            _ => {}
        }
    }

    /// The warm-up ends.
    pub fn end_warm_up(&mut self, at: Time) {
        self.before = self.until(at);
    }

    /// Since the warm-up.
    pub fn measured(&self, now: Time) -> Duration {
        Duration(self.until(now).ps().saturating_sub(self.before.ps()))
    }

    fn until(&self, now: Time) -> Duration {
        match self.since {
            Some(since) if since < now => self.total + now.since(since),
            _ => self.total,
        }
    }
}

impl CreditLink {
    /// The sender has stated how many units it started, in so many bits: see [`Self::on_sync`].
    pub fn on_statement(&mut self, value: u64, bits: u8, arrived: u64) -> u64 {
        let known = arrived + self.known_lost;
        self.on_sync(known + cyclic::ahead(value, known, bits), arrived)
    }

    /// The sender has stated that it started `sent` units; the channel keeps order, so what has
    /// not arrived by now is lost. Returns how many losses are news.
    pub fn on_sync(&mut self, sent: u64, arrived: u64) -> u64 {
        let lost = sent.saturating_sub(arrived);
        let news = lost.saturating_sub(self.known_lost);
        self.known_lost += news;
        news
    }
}
