//! The credit rules, each as its definition says.

use backwater_kernel::Time;
use backwater_net::spec::{CreditRule, CreditSpec};

use crate::network::Leg;

/// Units the receiver promises to store: N2 + N3.
pub(crate) fn promised(control: &CreditSpec) -> i64 {
    i64::from(control.n2) + i64::from(control.n3)
}

/// The sender's credit before anything is sent. N123+ allows N1 starts per loop from the
/// beginning.
pub(crate) fn initial(control: &CreditSpec) -> i64 {
    match control.rule {
        CreditRule::N123Plus => promised(control).min(i64::from(control.n1)),
        _ => promised(control),
    }
}

/// The value a credit unit of this leg would carry if it were bound now. `relative_fault` is
/// added to every relative value; only negative controls set it.
pub(crate) fn value(leg: &Leg, control: &CreditSpec, relative_fault: i64) -> i64 {
    let room = promised(control) - leg.fill() as i64;
    match control.rule {
        CreditRule::N23 | CreditRule::N123 | CreditRule::N123Plus => room.max(0),
        CreditRule::Relative => leg.gone_since_credit() as i64 + relative_fault,
        CreditRule::Cumulative => leg.gone() as i64,
    }
}

/// The sender's credit once a credit unit with this value takes effect now.
pub(crate) fn applied(leg: &Leg, control: &CreditSpec, value: i64, now: Time) -> i64 {
    let recent = |start: &&Time| **start < now && now - **start < control.window;
    let recently_started = leg.starts.iter().filter(recent).count() as i64;
    match control.rule {
        CreditRule::N23 => value - recently_started,
        CreditRule::N123 => value,
        CreditRule::N123Plus => value.min(i64::from(control.n1) - recently_started),
        CreditRule::Relative => leg.credit + value,
        CreditRule::Cumulative => promised(control) - (leg.starts.len() as i64 - value),
    }
}

/// Must the receiver ask for a credit unit, if none waits already?
pub(crate) fn due(leg: &Leg, control: &CreditSpec) -> bool {
    let every = control
        .redundant_every
        .unwrap_or(control.n2)
        .min(control.n2);
    leg.gone_since_credit() >= u64::from(every)
}
