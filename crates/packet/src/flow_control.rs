//! May a unit cross this link now? One file a scheme.
//!
//! All credit schemes share the machinery of `credit`: when a credit unit is provoked, what a
//! time-out does, what is counted. They differ in one question: what does the receiver write
//! into a credit unit, and what does the sender make of it? Each answer is one file, one
//! variant of [`Rule`] and one arm in each method.

mod credit;
mod cumulative;
mod n123;
mod n23;
mod relative;

pub(crate) use credit::{CreditLink, Receiver};

use kernel::Time;

use crate::spec::{CreditRule, CreditSpec};

/// A credit scheme's answer, with the state it needs on one leg.
pub(crate) enum Rule {
    N23(n23::N23),
    N123(n123::N123),
    N123Plus(n123::N123Plus),
    Relative(relative::Relative),
    Cumulative(cumulative::Cumulative),
}

impl Rule {
    pub fn new(spec: &CreditSpec) -> Rule {
        match spec.rule {
            CreditRule::N23 => Rule::N23(n23::N23::new(spec)),
            CreditRule::N123 => Rule::N123(n123::N123::new(spec)),
            CreditRule::N123Plus => Rule::N123Plus(n123::N123Plus::new(spec)),
            CreditRule::Relative => Rule::Relative(relative::Relative::new(spec)),
            CreditRule::Cumulative => Rule::Cumulative(cumulative::Cumulative::new(spec)),
        }
    }

    /// Credit before anything is sent.
    pub fn initial_credit(&self) -> i64 {
        match self {
            Rule::N23(rule) => rule.initial_credit(),
            Rule::N123(rule) => rule.initial_credit(),
            Rule::N123Plus(rule) => rule.initial_credit(),
            Rule::Relative(rule) => rule.initial_credit(),
            Rule::Cumulative(rule) => rule.initial_credit(),
        }
    }

    /// The sender starts a unit.
    #[inline]
    pub fn on_send(&mut self, now: Time) {
        match self {
            Rule::N23(rule) => rule.on_send(now),
            Rule::N123Plus(rule) => rule.on_send(now),
            Rule::N123(_) | Rule::Relative(_) | Rule::Cumulative(_) => {}
        }
    }

    /// What the receiver writes into a credit unit.
    #[inline]
    pub fn value(&self, receiver: Receiver) -> u64 {
        match self {
            Rule::N23(rule) => rule.value(receiver),
            Rule::N123(rule) => rule.value(receiver),
            Rule::N123Plus(rule) => rule.value(receiver),
            Rule::Relative(rule) => rule.value(receiver),
            Rule::Cumulative(rule) => rule.value(receiver),
        }
    }

    /// The sender's credit after a credit unit with `value`; `sent` counts every unit started.
    #[inline]
    pub fn credit(&mut self, now: Time, old: i64, value: u64, sent: u64) -> i64 {
        match self {
            Rule::N23(rule) => rule.credit(now, value),
            Rule::N123(rule) => rule.credit(value),
            Rule::N123Plus(rule) => rule.credit(now, value),
            Rule::Relative(rule) => rule.credit(old, value),
            Rule::Cumulative(rule) => rule.credit(value, sent),
        }
    }
}
