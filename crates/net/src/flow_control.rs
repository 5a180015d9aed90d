//! May a unit cross this link now? One file a scheme of credit.
//! A line here may touch the two ends of one leg; `credit_loop` and `gate` alone touch the run.
//! The next scheme is a file, a variant of [`Rule`] and an arm in each of its methods.
//!
//! All credit schemes share `credit_loop`: when a credit unit is provoked, what a time-out does,
//! what is counted. They differ in one question: what does the receiver write into a credit unit,
//! and what does the sender make of it? Each answer is one file, one variant of [`Rule`] and one
//! arm in each method. What opens and shuts the way of a leg is in `gate`. Where a port speaks for
//! all its classes at once, when it does is in `cyclic`.

mod credit;
mod credit_loop;
mod cumulative;
pub(crate) mod cyclic;
mod gate;
mod n123;
mod n23;
mod relative;
mod start_log;

pub(crate) use credit::{CreditLink, Settings};
pub(crate) use start_log::{StartArena, StartLog};

use backwater_kernel::Duration;

use crate::spec::{CreditRule, CreditSpec};

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

/// What the sender knows when a credit unit reaches it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sender {
    /// Its credit.
    pub credit: i64,
    /// Units started since the beginning.
    pub sent: u64,
    /// E: units started within the window, for the rules that have one.
    pub in_window: u32,
}

/// A credit scheme's answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Rule {
    N23(n23::N23),
    N123(n123::N123),
    N123Plus(n123::N123Plus),
    Relative(relative::Relative),
    Cumulative(cumulative::Cumulative),
    Cyclic(cyclic::Cyclic),
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
            Rule::Cyclic(rule) => rule.initial_credit(),
        }
    }

    /// The span over which the sender must count its starts, if the rule asks for it.
    pub fn window(&self) -> Option<Duration> {
        match self {
            Rule::N23(rule) => Some(rule.window),
            Rule::N123Plus(rule) => Some(rule.window),
            Rule::N123(_) | Rule::Relative(_) | Rule::Cumulative(_) | Rule::Cyclic(_) => None,
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
            Rule::Cyclic(rule) => rule.value(receiver),
        }
    }

    /// The sender's credit after a credit unit with `value`.
    #[inline]
    pub fn credit(&self, value: u64, sender: Sender) -> i64 {
        match self {
            Rule::N23(rule) => rule.credit(value, sender),
            Rule::N123(rule) => rule.credit(value),
            Rule::N123Plus(rule) => rule.credit(value, sender),
            Rule::Relative(rule) => rule.credit(value, sender),
            Rule::Cumulative(rule) => rule.credit(value, sender),
            Rule::Cyclic(rule) => rule.credit(value, sender),
        }
    }

    /// Units freed of which a credit unit says nothing that starts now.
    #[inline]
    pub fn left(&self, unreported: u32) -> u32 {
        self.by_port().map_or(0, |rule| rule.left(unreported))
    }

    /// The rule, if messages of the port tell its credit, when the port finds it is time.
    #[inline]
    pub fn by_port(&self) -> Option<&cyclic::Cyclic> {
        if let Rule::Cyclic(rule) = self {
            return Some(rule);
        }
        None
    }
}
