//! Who computes the rate of a queue pair, and from what. Rates and spans are absolute: whoever
//! makes these knows the NIC's line rate.

mod dcqcn;

pub use dcqcn::{Clamp, DcqcnForm, DcqcnProfile, DcqcnSpec, Marking};

use backwater_kernel::Duration;

use crate::outside::ControlRecipe;

/// Control of a queue pair.
#[derive(Clone, PartialEq, Debug)]
pub enum RateControlSpec {
    /// None: line rate.
    None,
    /// By notifications of marks (DCQCN).
    Dcqcn(DcqcnSpec),
    /// As something written outside this program says.
    Outside(ControlRecipe),
}

/// When a destination tells the source of marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notify {
    /// At once by a notification, at most one an interval.
    Window(Duration),
    /// By one notification at each tick of a timer, from the pair's first packet, if anything was
    /// marked since the tick before.
    Tick(Duration),
    /// Each acknowledgement of a marked packet says so.
    Echo,
}

impl RateControlSpec {
    /// How it wants to hear of marks; `None`: it does not go by them.
    pub fn notify(&self) -> Option<Notify> {
        match self {
            RateControlSpec::Dcqcn(spec) => Some(spec.notify),
            RateControlSpec::None | RateControlSpec::Outside(_) => None,
        }
    }

    /// What it slows down for.
    pub fn slowed_by(&self) -> &'static str {
        match self {
            RateControlSpec::None => "nobody (RoCE)",
            RateControlSpec::Dcqcn(_) => "notifications of marks (DCQCN)",
            RateControlSpec::Outside(_) => "what is written outside",
        }
    }

    /// It goes by what switches write on packets.
    pub fn hears_telemetry(&self) -> bool {
        false
    }
}
