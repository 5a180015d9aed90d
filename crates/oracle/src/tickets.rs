//! Control units of credit: what makes one wanted, and what it says.

use backwater_kernel::Time;
use backwater_net::spec::{Bind, CreditSpec};

use crate::clock::later;
use crate::credit;
use crate::network::{Leg, Network};
use crate::service::Wire;
use crate::unit::{Load, Message, Ticket, Wish};

impl Leg {
    /// Units wait and there is no credit.
    fn is_blocked(&self) -> bool {
        self.control.is_some() && !self.queue.is_empty() && self.credit <= 0
    }
}

impl Network {
    fn control(&self, leg: usize) -> Option<CreditSpec> {
        self.legs[leg].control
    }

    /// When the timers of a leg are due: the sender asks, the receiver tells unasked.
    pub fn timers(&self, leg: usize) -> Vec<Time> {
        let Some(control) = self.control(leg) else {
            return Vec::new();
        };
        let state = &self.legs[leg];
        let asks = state.blocked_since.zip(control.request_after);
        let asks = asks.map(|(since, after)| later(since, after));
        let tells = control
            .refresh_every
            .map(|every| later(state.told_at, every));
        asks.into_iter().chain(tells).collect()
    }

    /// Senders that waited for too long ask for credit.
    pub fn ask(&mut self, now: Time) {
        for leg in 0..self.legs.len() {
            let after = self.control(leg).and_then(|control| control.request_after);
            let since = self.legs[leg].blocked_since;
            let is_due = since
                .zip(after)
                .is_some_and(|(since, after)| later(since, after) <= now);
            if is_due {
                self.legs[leg].blocked_since = Some(now);
                self.want(leg, Wish::Ask, now);
            }
        }
    }

    /// Receivers that told nothing for too long tell what there is.
    pub fn refresh(&mut self, now: Time) {
        for leg in 0..self.legs.len() {
            let every = self.control(leg).and_then(|control| control.refresh_every);
            let told_at = self.legs[leg].told_at;
            if every.is_some_and(|every| later(told_at, every) <= now) {
                self.legs[leg].told_at = now;
                self.want_credit(leg, now);
            }
        }
    }

    /// At the end of an instant: who is blocked, that was not before?
    pub fn note_blocked(&mut self, now: Time) {
        for leg in &mut self.legs {
            let since = leg.blocked_since.unwrap_or(now);
            leg.blocked_since = leg.is_blocked().then_some(since);
        }
    }

    /// The sender said that it had sent so many units. Its channel keeps order: what has not come
    /// is lost.
    pub fn learn_losses(&mut self, leg: usize, sent: u64, now: Time) {
        let state = &mut self.legs[leg];
        state.known_lost = state.known_lost.max(sent.saturating_sub(state.arrived));
        self.want_credit_if_due(leg, now);
    }

    /// A unit has started: is it time to state how many have?
    pub fn state_counter_if_due(&mut self, leg: usize, now: Time) {
        let every = self.control(leg).and_then(|control| control.resync_every);
        let sent = self.legs[leg].starts.len() as u64;
        if every.is_some_and(|every| sent.is_multiple_of(u64::from(every))) {
            self.want(leg, Wish::State, now);
        }
    }

    /// Room has been made in the receiver's memory of this leg.
    pub fn want_credit_if_due(&mut self, leg: usize, now: Time) {
        let due = |control| credit::due(&self.legs[leg], &control);
        if self.control(leg).is_some_and(due) {
            self.want_credit(leg, now);
        }
    }

    /// A credit unit is to be sent, unless one waits.
    pub fn want_credit(&mut self, leg: usize, now: Time) {
        let Some(control) = self.control(leg) else {
            return;
        };
        let value = credit::value(&self.legs[leg], &control, self.relative_fault);
        let back = self.legs[leg].channel ^ 1;
        let mut waiting = self.channels[back].tickets.iter();
        let is_credit = |ticket: &Ticket| matches!(ticket.wish, Wish::Credit(_));
        if !waiting.any(|ticket| ticket.leg == leg && is_credit(ticket)) {
            self.want(leg, Wish::Credit(value), now);
        }
    }

    pub fn want(&mut self, leg: usize, wish: Wish, now: Time) {
        let goes_back = match wish {
            Wish::Credit(_) | Wish::Warning(_) => true,
            Wish::Ask | Wish::State => false,
            Wish::Tell(message) => message.goes_back(),
        };
        let channel = self.legs[leg].channel ^ usize::from(goes_back);
        let tickets = &mut self.channels[channel].tickets;
        tickets.push(Ticket {
            triggered: now,
            by_choices: self.has_chosen,
            leg,
            wish,
        });
        tickets.sort_by_key(|one| (one.triggered, one.by_choices, one.leg, one.wish.rank()));
    }

    /// The control unit that is first at a channel, and what it would say now.
    pub fn first_ticket(&self, channel: usize) -> Option<(usize, Load)> {
        let ticket = self.channels[channel].tickets.first()?;
        let state = &self.legs[ticket.leg];
        let load = match ticket.wish {
            Wish::Credit(value) => {
                let control = state.control?;
                Load::Credit(match control.bind {
                    Bind::Start => credit::value(state, &control, self.relative_fault),
                    Bind::Trigger => value,
                })
            }
            Wish::Warning(bytes) => Load::Warning(bytes, 0),
            Wish::Tell(message) => Load::Tell(message),
            Wish::Ask => Load::Ask(0),
            Wish::State => Load::State(state.starts.len() as u64),
        };
        Some((ticket.leg, load))
    }

    /// The first ticket of the channel goes.
    pub fn start_control(&mut self, channel: usize, leg: usize, load: Load, now: Time) {
        self.channels[channel].tickets.remove(0);
        if let Load::Credit(_) = load {
            let state = &mut self.legs[leg];
            state.gone_at_credit = state.gone();
            state.told_at = now;
        }
        if let Load::Tell(Message::TearDown) = load {
            self.legs[leg].branch.is_booked = false;
        }
        self.channels[channel].wire = Wire::Control;
        self.start(channel, leg, load, now);
    }
}
