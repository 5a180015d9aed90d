//! Credit over one link: whose rule, with which zones, and what keeps it alive.

use alloc::format;
use alloc::string::String;

use backwater_kernel::Duration;

/// Most units that N1, N2 and N3 of a leg promise together, far above any real window: sums of
/// several must fit the counters.
pub const CREDIT_MAX: u64 = 1 << 30;

/// A credit scheme on one leg.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CreditSpec {
    /// How the sender computes its credit.
    pub rule: CreditRule,
    /// Zone of N123 and N123+; 0 for the others.
    pub n1: u32,
    /// Units freed between credit units.
    pub n2: u32,
    /// Zone that keeps the target bandwidth over a round trip.
    pub n3: u32,
    /// N23: span over which the sender counts E, the units it has sent. For units of one size
    /// exactly the control loop, from their start; for frames only the way of the credit, from
    /// their arrival.
    pub window: Duration,
    /// When a credit unit's value is taken from the buffer.
    pub bind: Bind,
    /// Send a credit unit every so many units freed, if that is sooner than N2; the zones stay.
    pub redundant_every: Option<u32>,
    /// Also send a credit unit when none was sent for this long.
    pub refresh_every: Option<Duration>,
    /// Sender-Request-Credit: ask after this long without credit while data waits.
    pub request_after: Option<Duration>,
    /// Cumulative counters: the sender states its counter every so many data units.
    pub resync_every: Option<u32>,
    /// Circuits: bytes of a credit unit, request or statement on the wire; `None`: those of the
    /// flow's data units. Of classes they are control frames.
    pub message_bytes: Option<u32>,
}

/// How the sender computes its credit from a credit unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CreditRule {
    /// N23: value - E.
    N23,
    /// N123: value, safe through the N1 zone sized for the link rate.
    N123,
    /// N123+: value, N1 bounded by the circuit's bandwidth.
    N123Plus,
    /// Old credit + units freed.
    Relative,
    /// N2 + N3 - (sent - freed), both counted since the start.
    Cumulative,
}

impl CreditRule {
    /// The receiver has a zone N1 for what is under way.
    pub fn has_zone1(self) -> bool {
        match self {
            CreditRule::N123 | CreditRule::N123Plus => true,
            CreditRule::N23 | CreditRule::Relative | CreditRule::Cumulative => false,
        }
    }

    /// The sender counts what it has started within a window.
    pub fn has_window(self) -> bool {
        match self {
            CreditRule::N23 | CreditRule::N123Plus => true,
            CreditRule::N123 | CreditRule::Relative | CreditRule::Cumulative => false,
        }
    }
}

/// When a credit unit's value is taken from the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bind {
    /// When it starts on the wire (safe).
    Start,
    /// When it is triggered (unsafe: it may wait behind other credit units).
    Trigger,
}

impl CreditSpec {
    /// Refuses zones that are none, and timers that would never let time pass.
    pub(crate) fn check(&self) -> Result<(), String> {
        let window = self.n1 as u64 + self.n2 as u64 + self.n3 as u64;
        if self.n2 == 0 || window > CREDIT_MAX {
            return Err(format!(
                "N2 must be at least 1 and N1 + N2 + N3 at most {CREDIT_MAX}"
            ));
        }
        let needs_window = self.rule.has_window();
        if needs_window && self.window.ps() == 0 {
            return Err("the window over which E is counted must be above zero".into());
        }
        if [self.request_after, self.refresh_every].contains(&Some(Duration::ZERO)) {
            return Err("a timer of zero would never let time pass".into());
        }
        if self.message_bytes == Some(0) {
            return Err("a credit unit needs at least one byte".into());
        }
        Ok(())
    }
}
