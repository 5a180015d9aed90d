//! Why a run ended, in words. An engine says itself what its standstills are called, and what the
//! words of its language for the rest are.

use backwater_kernel::Stop;

/// In a word or two.
pub fn short(stop: Stop, standstill: &'static str) -> &'static str {
    match stop {
        Stop::TimeReached => "full duration",
        Stop::Drained => "finished early",
        Stop::Measured => "measured",
        Stop::DrainEnded => "drain ended",
        Stop::Standstill => standstill,
        Stop::Interrupted => "interrupted",
    }
}

/// As the rest of "the run ended: ...".
pub fn sentence(stop: Stop, standstill: impl FnOnce() -> String) -> String {
    match stop {
        Stop::TimeReached => "it lasted for `run.duration`".into(),
        Stop::Drained => "everything was delivered or dropped, nothing was left to do".into(),
        Stop::Measured => "every packet created in the window has arrived".into(),
        Stop::DrainEnded => "the drain is over".into(),
        Stop::Standstill => standstill(),
        Stop::Interrupted => "it was interrupted".into(),
    }
}
