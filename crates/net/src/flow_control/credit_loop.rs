//! The loop of credit over one link (Kung and Chapman 1993), round once:
//!
//! | end | what | where |
//! |---|---|---|
//! | receiver | a place in its buffer is free again | `free_unit` |
//! | receiver | N2 since the last credit unit provoke the next | `count_freed`, `provoke_credit` |
//! | receiver | as it starts, the scheme says what is stored | `bind_credit`, `Rule::value` |
//! | sender | the scheme makes credit of it; the gate turns | `renew_credit`, `Rule::credit` |
//! | sender | each unit that starts spends one | `Sender::pass`, `after_pass` |
//!
//! Beside it, where the scenario wants them: a sender long without credit requests it, a receiver
//! long silent repeats it, and a sender states its counter, from which lost units are known.

use alloc::vec::Vec;

use backwater_kernel::EventQueue;

use super::{CreditLink, Receiver, Settings};
use crate::flow_control;
use crate::hop::kind::ControlKind;
use crate::hop::leg::Leg;
use crate::hop::timer::Timer;
use crate::hop::unit::NONE;
use crate::network::{Freed, Network};
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::spec::{Bind, CreditSpec};

impl Network {
    /// A new leg is under credit control from now on.
    pub(crate) fn control(&mut self, leg: &mut Leg, credit: &CreditSpec) {
        self.control_by(leg, Settings::new(credit));
    }

    /// The same, by these settings.
    pub(crate) fn control_by(&mut self, leg: &mut Leg, settings: Settings) {
        leg.sender.credit = settings.rule.initial_credit() as i32;
        leg.sender.counts_starts = settings.rule.window().is_some();
        leg.sender.is_watched = settings.has_sender_timers();
        leg.sender.control = self.credits.len() as u32;
        leg.receiver.report_every = settings.report_every;
        let settings = share_settings(&mut self.settings, settings);
        self.credits.push(CreditLink {
            settings,
            ..CreditLink::default()
        });
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A place in the receiver's buffer is free again.
    #[inline]
    pub(crate) fn free_unit(&mut self, unit: Freed) {
        let (now, leg_id) = (self.now, unit.leg);
        let network = &mut self.network;
        let receiver = &mut network.legs[leg_id as usize].receiver;
        receiver.fill.sub(now);
        self.probe.on_fill(now, leg_id, receiver.fill.value());
        let node = &mut network.nodes[receiver.node as usize];
        node.stored.sub(now);
        if let Some(pool) = network.pools.get_mut(node.pool as usize) {
            pool.on_freed(now, unit.bytes, unit.until);
        }
        self.probe
            .on_stored(now, receiver.node, node.stored.value());
        receiver.unreported = receiver.unreported.saturating_add(1);
        if receiver.unreported >= receiver.report_every && !receiver.credit_waits {
            self.provoke_credit(leg_id);
        }
    }

    /// The N2 rule: so many units freed since the last credit unit started provoke the next,
    /// unless one waits already.
    #[inline]
    pub(crate) fn count_freed(&mut self, leg_id: u32, units: u32) {
        let receiver = &mut self.network.legs[leg_id as usize].receiver;
        receiver.unreported = receiver.unreported.saturating_add(units);
        if receiver.unreported >= receiver.report_every && !receiver.credit_waits {
            self.provoke_credit(leg_id);
        }
    }

    /// A credit unit of `leg_id` is wanted.
    pub(crate) fn provoke_credit(&mut self, leg_id: u32) {
        let leg = &mut self.network.legs[leg_id as usize];
        if leg.receiver.credit_waits || leg.sender.control == NONE {
            return;
        }
        leg.receiver.credit_waits = true;
        if self.network.classes.credits.is_counted(leg_id) {
            return self.note_news(leg_id);
        }
        let value = self.credit_value(leg_id);
        self.want_control(leg_id, ControlKind::Credit, value);
    }

    /// A credit unit starts on the wire, and only now it is decided what it says: bound earlier,
    /// it would promise space that units already on their way will take.
    #[inline]
    pub(crate) fn bind_credit(&mut self, leg_id: u32, at_trigger: u64) -> u64 {
        let late = self.credit_value(leg_id);
        let leg = &mut self.network.legs[leg_id as usize];
        leg.receiver.credit_waits = false;
        let link = &mut self.network.credits[leg.sender.control as usize];
        link.last_credit = self.now;
        let settings = &self.network.settings[link.settings as usize];
        leg.receiver.unreported = settings.rule.left(leg.receiver.unreported);
        match settings.bind {
            Bind::Trigger => at_trigger,
            Bind::Start => late,
        }
    }

    /// What a credit unit of `leg_id` would say now.
    #[inline]
    fn credit_value(&self, leg_id: u32) -> u64 {
        let leg = &self.network.legs[leg_id as usize];
        let counts = &self.network.counts[leg_id as usize];
        let link = &self.network.credits[leg.sender.control as usize];
        let fill = leg.receiver.fill.value();
        let kept = counts.dropped + fill as u64;
        self.network.settings[link.settings as usize]
            .rule
            .value(Receiver {
                fill,
                unreported: leg.receiver.unreported,
                freed: leg.receiver.arrived - kept + link.known_lost,
            })
    }

    /// A credit unit reached the sender of `leg_id`: its credit is what the scheme makes of it,
    /// and the gate turns.
    pub(crate) fn renew_credit(&mut self, leg_id: u32, value: u64) {
        self.set_credit(leg_id, value);
        self.turn_gate(leg_id);
    }

    /// The credit of a sender that gets a credit unit.
    #[inline(always)]
    pub(crate) fn set_credit(&mut self, leg_id: u32, value: u64) {
        let (now, network) = (self.now, &mut self.network);
        let sender = &mut network.legs[leg_id as usize].sender;
        let link = &mut network.credits[sender.control as usize];
        link.credits_received += 1;
        let rule = &network.settings[link.settings as usize].rule;
        let in_window = match rule.window() {
            Some(window) => network.starts.count(&mut sender.starts, now, window),
            None => 0,
        };
        let known = flow_control::Sender {
            credit: sender.credit as i64,
            sent: sender.sent,
            in_window,
        };
        let credit = rule.credit(value, known);
        sender.set_credit(credit);
        self.probe.on_credit(now, leg_id, credit, true);
    }

    /// A unit of `leg_id` has started: the sender states its counter now and then, and if this
    /// was the last credit, units may be blocked.
    pub(crate) fn after_pass(&mut self, leg_id: u32) {
        let sender = &self.network.legs[leg_id as usize].sender;
        let Some(link) = self.network.credits.get(sender.control as usize) else {
            return;
        };
        if let Some(every) = self.network.settings[link.settings as usize].resync_every
            && sender.sent.is_multiple_of(every.max(1) as u64)
        {
            self.want_control(leg_id, ControlKind::Sync, 0);
        }
        if self.network.legs[leg_id as usize].sender.is_blocked() {
            self.note_blocked(leg_id);
        }
    }

    /// Units wait for credit from now on (or still, after a credit unit that gave none): if
    /// the scheme asks for credit after a while, the clock starts.
    pub(crate) fn note_blocked(&mut self, leg_id: u32) {
        let control = self.network.legs[leg_id as usize].sender.control;
        let Some(link) = self.network.credits.get_mut(control as usize) else {
            return;
        };
        let settings = &self.network.settings[link.settings as usize];
        let Some(after) = settings.request_after else {
            return;
        };
        link.blocked_since = self.now;
        if !link.timer_armed {
            link.timer_armed = true;
            self.schedule(Timer::Request.at(self.now + after, leg_id));
        }
    }

    /// A credit unit of `leg_id` was lost, or another of its control units.
    pub(crate) fn lose_credit(&mut self, leg_id: u32) {
        let control = self.network.legs[leg_id as usize].sender.control;
        let link = &mut self.network.credits[control as usize];
        link.credits_lost += 1;
        link.last_lost = self.now;
    }

    /// The sender of `leg_id` stated that it has sent so many units: lost ones count as freed.
    pub(crate) fn on_sync(&mut self, leg_id: u32, sent: u64) {
        let leg = &self.network.legs[leg_id as usize];
        let link = &mut self.network.credits[leg.sender.control as usize];
        let news = link.on_sync(sent, leg.receiver.arrived);
        self.count_freed(leg_id, news.min(u32::MAX as u64) as u32);
    }

    /// Sender-Request-Credit (Kung 1993, section 4.5): a sender that waited too long asks.
    pub(crate) fn on_request_timer(&mut self, leg_id: u32) {
        let is_blocked = self.network.is_blocked(leg_id);
        let sender = &self.network.legs[leg_id as usize].sender;
        let link = &mut self.network.credits[sender.control as usize];
        link.timer_armed = false;
        let settings = &self.network.settings[link.settings as usize];
        let Some(after) = settings.request_after else {
            return;
        };
        if !is_blocked {
            return;
        }
        link.timer_armed = true;
        let mut due = link.blocked_since + after;
        if due <= self.now {
            link.requests += 1;
            link.blocked_since = self.now;
            due = self.now + after;
            self.want_control(leg_id, ControlKind::Request, 0);
        }
        self.schedule(Timer::Request.at(due, leg_id));
    }

    /// A receiver that has sent no credit for long sends it unasked.
    pub(crate) fn on_refresh_timer(&mut self, leg_id: u32) {
        let control = self.network.legs[leg_id as usize].sender.control;
        let link = &self.network.credits[control as usize];
        let settings = &self.network.settings[link.settings as usize];
        let Some(every) = settings.refresh_every else {
            return;
        };
        let mut due = link.last_credit + every;
        if due <= self.now {
            self.provoke_credit(leg_id);
            due = self.now + every;
        }
        self.schedule(Timer::Refresh.at(due, leg_id));
    }
}

/// Index of these settings. Flows by pattern have them from one table, so the last few are
/// where they stand.
fn share_settings(known: &mut Vec<Settings>, settings: Settings) -> u32 {
    const LOOKED_AT: usize = 64;
    let first = known.len().saturating_sub(LOOKED_AT);
    let found = known[first..].iter().rposition(|known| *known == settings);
    let index = found.map_or(known.len(), |place| first + place);
    if index == known.len() {
        known.push(settings);
    }
    index as u32
}
