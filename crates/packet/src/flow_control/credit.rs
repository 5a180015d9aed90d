//! What all credit schemes share on one leg: counters, the bind rule, requests, resynchronisation.

use kernel::{Duration, Time};

use super::Rule;
use crate::spec::{Bind, CreditSpec};

/// What the receiver knows when it writes a credit unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receiver {
    /// Units in the buffer.
    pub fill: u32,
    /// Units freed since the last credit unit started.
    pub unreported: u32,
    /// Units freed since the beginning, lost ones included once they are known.
    pub freed: u64,
}

/// Credit control of one leg: the state that is touched less than once a unit.
pub(crate) struct CreditLink {
    pub rule: Rule,
    pub bind: Bind,
    /// N1 + N2 + N3: what the receiver must be able to hold.
    pub buffer_units: u32,
    /// Sender: ask after this long without credit.
    pub request_after: Option<Duration>,
    /// Sender: since when units wait without credit.
    pub blocked_since: Time,
    /// A timer event of this leg waits in the event queue.
    pub timer_armed: bool,
    /// Sender: a start has more to do than to spend credit.
    pub has_sender_timers: bool,
    /// Sender: state the counter every so many units.
    pub resync_every: Option<u32>,
    /// Receiver: longest time between credit units.
    pub refresh_every: Option<Duration>,
    /// Receiver: when the last credit unit started.
    pub last_credit: Time,
    /// Receiver: lost units it has learned of.
    pub known_lost: u64,
    pub credits_received: u64,
    pub credits_lost: u64,
    pub requests: u64,
}

impl CreditLink {
    pub fn new(spec: &CreditSpec) -> CreditLink {
        CreditLink {
            rule: Rule::new(spec),
            bind: spec.bind,
            buffer_units: spec.n1 + spec.n2 + spec.n3,
            request_after: spec.request_after,
            blocked_since: Time::ZERO,
            timer_armed: false,
            has_sender_timers: spec.request_after.is_some() || spec.resync_every.is_some(),
            resync_every: spec.resync_every,
            refresh_every: spec.refresh_every,
            last_credit: Time::ZERO,
            known_lost: 0,
            credits_received: 0,
            credits_lost: 0,
            requests: 0,
        }
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
