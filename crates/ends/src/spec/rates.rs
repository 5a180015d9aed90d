//! Who computes the rate of a queue pair, and from what. Rates and spans are absolute: whoever
//! makes these knows the NIC's line rate.

mod dcqcn;
mod hpcc;
mod nscc;
mod rocc;
mod swift;
mod timely;

pub use dcqcn::{Clamp, DcqcnForm, DcqcnProfile, DcqcnSpec, Marking};
pub use hpcc::{Counters, HpccSpec};
pub use nscc::{NsccGains, NsccSpec};
pub use rocc::RoccSpec;
pub use swift::SwiftSpec;
pub use timely::{Segment, TimelyForm, TimelySpec};

use backwater_kernel::Duration;

use crate::control::Inner;
use crate::outside::ControlRecipe;

/// Control of a queue pair.
#[derive(Clone, PartialEq, Debug)]
pub enum RateControlSpec {
    /// None: line rate.
    None,
    /// By notifications of marks (DCQCN).
    Dcqcn(DcqcnSpec),
    /// By what switches write on packets (HPCC).
    Hpcc(HpccSpec),
    /// By how the round-trip time changes (TIMELY).
    Timely(TimelySpec),
    /// By delay (Swift).
    Swift(SwiftSpec),
    /// By marks and delay (NSCC).
    Nscc(NsccSpec),
    /// By the rate that a switch states (RoCC).
    Rocc(RoccSpec),
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
            RateControlSpec::Nscc(_) => Some(Notify::Echo),
            RateControlSpec::None
            | RateControlSpec::Hpcc(_)
            | RateControlSpec::Timely(_)
            | RateControlSpec::Swift(_)
            | RateControlSpec::Rocc(_)
            | RateControlSpec::Outside(_) => None,
        }
    }

    /// What it slows down for.
    pub fn slowed_by(&self) -> &'static str {
        match self {
            RateControlSpec::None => "nobody (RoCE)",
            RateControlSpec::Dcqcn(_) => "notifications of marks (DCQCN)",
            RateControlSpec::Hpcc(_) => "what switches write on packets (HPCC)",
            RateControlSpec::Timely(_) => "a rising round-trip time (TIMELY)",
            RateControlSpec::Swift(_) => "delay (Swift)",
            RateControlSpec::Nscc(_) => "marks and delay (NSCC)",
            RateControlSpec::Rocc(_) => "rates that switches state (RoCC)",
            RateControlSpec::Outside(_) => "what is written outside",
        }
    }

    /// It keeps such a number to itself.
    pub fn keeps(&self, number: Inner) -> bool {
        match self {
            RateControlSpec::Dcqcn(_) => matches!(number, Inner::Alpha | Inner::Target),
            RateControlSpec::Hpcc(_) => {
                matches!(number, Inner::Use | Inner::Reference | Inner::Window)
            }
            RateControlSpec::Timely(_) => number == Inner::Gradient,
            RateControlSpec::Swift(_) | RateControlSpec::Nscc(_) => {
                matches!(number, Inner::TargetDelay | Inner::Window)
            }
            RateControlSpec::Rocc(_) => number == Inner::Point,
            RateControlSpec::None | RateControlSpec::Outside(_) => false,
        }
    }

    /// It has to know when the network stops the source: its timers stand still meanwhile, or
    /// nobody knows what it does.
    pub fn hears_stops(&self) -> bool {
        match self {
            RateControlSpec::Dcqcn(spec) => spec.freezes,
            RateControlSpec::Outside(_) => true,
            RateControlSpec::None
            | RateControlSpec::Hpcc(_)
            | RateControlSpec::Timely(_)
            | RateControlSpec::Swift(_)
            | RateControlSpec::Nscc(_)
            | RateControlSpec::Rocc(_) => false,
        }
    }

    /// It goes by what switches write on packets.
    pub fn hears_telemetry(&self) -> bool {
        matches!(self, RateControlSpec::Hpcc(_))
    }
}
