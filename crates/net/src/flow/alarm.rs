//! What a source makes of a warning that its flow runs too fast (Zhang 1991, section 3.1: the
//! network sends it, what the source does is its own affair).
//!
//! A source that heeds it spaces its units from then on: a bucket without tolerance behind source
//! control. Nothing waits in the network for it, so a warning costs the flow delay at its source.

use alloc::string::String;

use backwater_ends::shape::envelope::LONGEST_PS;
use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Time};

use crate::spec::{FlowSpec, OnAlarm};

/// A factor of 1 in the integer arithmetic of rates.
const ONE: u64 = 1 << 32;

/// What a source that heeds warnings knows.
pub(crate) struct Alarm {
    reserved: Rate,
    /// In units of 2^-32; 0 sends at the reserved rate.
    factor: u64,
    /// Bits sent since the warning before, or since the first unit.
    bits: u64,
    since: Option<Time>,
}

impl Alarm {
    /// `None` for a source that ignores warnings.
    pub fn new(flow: &FlowSpec) -> Option<Alarm> {
        let factor = match flow.on_alarm {
            OnAlarm::Ignore => return None,
            OnAlarm::Obey => 0,
            OnAlarm::SlowDown { factor } => (factor * ONE as f64) as u64,
        };
        Some(Alarm {
            reserved: flow.reserve?.rate,
            factor,
            bits: 0,
            since: None,
        })
    }

    /// A unit is sent.
    pub fn count(&mut self, now: Time, bytes: u32) {
        self.since.get_or_insert(now);
        self.bits += bytes as u64 * 8;
    }

    /// The rate to send at from now on; none if no time has passed to measure.
    pub fn heed(&mut self, now: Time) -> Option<Rate> {
        let since = self.since.replace(now);
        let bits = core::mem::take(&mut self.bits);
        if self.factor == 0 {
            return Some(self.reserved);
        }
        let elapsed = now.since(since.unwrap_or(now));
        if elapsed == Duration::ZERO {
            return None;
        }
        let measured = bits as u128 * PS_PER_SECOND as u128 / elapsed.ps() as u128;
        let slower = measured.min(u64::MAX as u128) * self.factor as u128 / ONE as u128;
        Some(Rate(slower as u64).max(self.reserved))
    }
}

/// A source can heed a warning only if it knows what it reserved.
pub(crate) fn check(flow: &FlowSpec) -> Result<(), String> {
    let Some(reserve) = flow.reserve else {
        return Err("only a flow that reserves a rate is warned and can heed it".into());
    };
    let tick = reserve.rate.tick(flow.unit_bytes as u64);
    if reserve.rate.0 == 0 || tick.ps() > LONGEST_PS {
        return Err("the rate it reserves must be above zero, and slow no unit for ever".into());
    }
    match flow.on_alarm {
        OnAlarm::SlowDown { factor } if !(factor > 0.0 && factor < 1.0) => {
            Err("the factor by which it slows down must lie between 0 and 1".into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
