//! Source control: when may a source send what its application wants? One file a scheme.
//!
//! A scheme is a [`Control`]: it is told what happens and says what may go. It has no queue and no
//! clock: time is a parameter, and what it wants sent is its answer. Whoever has the source asks
//! [`Control::next`] until it says no more:
//!
//! | `next` says | Then |
//! |---|---|
//! | `Now(Item::Data)` | a unit of the application goes, and `on_sent` is told |
//! | `Now(Item::Control)` | a unit of the scheme's own goes: `take_control` makes it |
//! | `At(t)` | ask again at `t`, or when something has changed |
//! | `Wait` | ask again when something has changed |
//!
//! Acknowledgements, marks, losses and signals of the network come by the hooks whose names begin
//! with `on_`. `window` and `pacing` say what the scheme allows at the moment. TCP knows by itself
//! what goes next: it goes by the window, and asks `next` before each segment whether it may go
//! now.
//!
//! To add a scheme: a file with its state and `impl Control` (CONTRIBUTING.md has one), a line
//! in `members!` below, and a variant of its specification with an arm in `new`. What the scheme
//! does not name is what a source does that is not controlled.

mod abr;
mod aimd;
mod bbr;
mod bbr3;
mod cubic;
mod cwnd;
mod dcqcn;
mod dctcp;
pub(crate) mod hooks;
mod hpcc;
mod hystart;
mod nscc;
mod ratio;
mod reno;
mod rm_cell;
mod rocc;
mod sample;
mod swift;
#[cfg(test)]
mod tests;
mod timely;
mod uili;
mod window;

pub use abr::outcome::{AbrOutcome, BurstOutcome, CellCounts};
pub use hooks::{
    Ack, Control, Counted, Inner, Item, Loss, Made, Next, Offered, Position, Signal, Telemetry,
};
pub use ratio::Ratio;
pub use rm_cell::{ForwardCell, RmCell};
pub use sample::{Delivered, Sample};

use alloc::boxed::Box;

use backwater_kernel::{Rate, Time};

use crate::outside::Outside;
use crate::spec::{Congestion, Ecn, RateControlSpec, SourceControlSpec, TcpSpec};
use abr::Abr;
use aimd::Aimd;
use bbr::Bbr;
use bbr3::Bbr3;
use cubic::Cubic;
use dcqcn::Dcqcn;
use dctcp::Dctcp;
use hooks::members;
use hpcc::Hpcc;
use nscc::Nscc;
use reno::Reno;
use rocc::Rocc;
use swift::Swift;
use timely::Timely;
use window::Window;

/// Sends at once.
#[derive(Clone, Copy, Debug)]
pub struct AtOnce;

impl Control for AtOnce {}

members! {
    /// Control of one flow.
    pub enum SourceControl {
        /// None: what the application offers is sent at once.
        None(AtOnce),
        /// A fixed window.
        Window(Window),
        /// A window that grows and shrinks, with go-back-N.
        Aimd(Box<Aimd>),
        /// The rate that the network allows.
        Abr(Box<Abr>),
        /// Written outside this program.
        Outside(Box<Outside>),
    }
}

members! {
    /// Control of a queue pair.
    ///
    /// The pair tells it of each packet as it starts (`on_packet`), of acknowledgements
    /// (`on_ack`, or `on_telemetry` where switches wrote on the packet), losses and signals, and
    /// reads `pacing` (`None`: no limiter, so line rate) and `window` (bytes). `timer` may be
    /// answered late: what was due in between is done at its own instants. At one instant,
    /// acknowledgements and signals come first, then timers, then packets start.
    pub enum RateControl {
        /// None: line rate.
        None(AtOnce),
        /// By notifications of marks.
        Dcqcn(Box<Dcqcn>),
        /// By what switches write on packets.
        Hpcc(Box<Hpcc>),
        /// By how the round-trip time changes.
        Timely(Box<Timely>),
        /// By delay.
        Swift(Box<Swift>),
        /// By marks and delay.
        Nscc(Box<Nscc>),
        /// By the rate that a switch states.
        Rocc(Rocc),
        /// Written outside this program.
        Outside(Box<Outside>),
    }
}

members! {
    /// Congestion control of a TCP connection.
    #[derive(Clone, Debug)]
    pub(crate) enum CongestionControl {
        Reno(Reno),
        Cubic(Box<Cubic>),
        Dctcp(Box<Dctcp<Reno>>),
        DctcpCubic(Box<Dctcp<Cubic>>),
        Bbr(Box<Bbr>),
        Bbr3(Box<Bbr3>),
        Outside(Box<Outside>),
        #[cfg(test)]
        Paced(tests::Paced),
    }
}

impl Default for SourceControl {
    fn default() -> SourceControl {
        SourceControl::None(AtOnce)
    }
}

impl SourceControl {
    /// For units of `bytes`.
    pub fn new(spec: &SourceControlSpec, bytes: u32) -> SourceControl {
        match *spec {
            SourceControlSpec::None => SourceControl::default(),
            SourceControlSpec::Abr(ref spec) => SourceControl::Abr(Abr::new(spec, bytes)),
            SourceControlSpec::Outside { ref recipe, .. } => {
                SourceControl::Outside(Box::new(Outside::new(recipe)))
            }
            SourceControlSpec::Window { units } => SourceControl::Window(Window::new(units)),
            SourceControlSpec::Aimd {
                initial_units,
                maximum_units,
                increase_units,
                decrease,
                timeout,
            } => SourceControl::Aimd(Box::new(Aimd::new(
                initial_units,
                maximum_units,
                increase_units,
                decrease,
                timeout,
            ))),
        }
    }
}

impl RateControl {
    /// Of a queue pair behind a NIC of this line rate.
    pub fn new(spec: &RateControlSpec, line: Rate) -> RateControl {
        match spec {
            RateControlSpec::None => RateControl::None(AtOnce),
            RateControlSpec::Dcqcn(spec) => RateControl::Dcqcn(Box::new(Dcqcn::new(spec, line))),
            RateControlSpec::Hpcc(spec) => RateControl::Hpcc(Box::new(Hpcc::new(spec, line))),
            RateControlSpec::Timely(spec) => RateControl::Timely(Box::new(Timely::new(spec, line))),
            RateControlSpec::Swift(spec) => RateControl::Swift(Box::new(Swift::new(spec))),
            RateControlSpec::Nscc(spec) => RateControl::Nscc(Box::new(Nscc::new(spec))),
            RateControlSpec::Rocc(spec) => RateControl::Rocc(Rocc::new(spec, line)),
            RateControlSpec::Outside(recipe) => {
                RateControl::Outside(Box::new(Outside::new(recipe)))
            }
        }
    }
}

impl RateControl {
    /// It must be told of its timers as they pass: something that waits may go by them, or nobody
    /// knows what it does.
    pub fn is_prompt(&self) -> bool {
        matches!(self, RateControl::Outside(_)) || self.rescales()
    }
}

/// What a host hands down at once at a rate: a millisecond of it, no more than 64 kB, at least two
/// segments, and one where it is slow (draft-cardwell-iccrg-bbr-congestion-control-00, 4.2.2).
pub(crate) fn quantum(rate: Rate, mss: u64) -> u64 {
    let least = if rate.0 < 1_200_000 { 1 } else { 2 };
    let bytes = (rate.0 / 8_000).min(65_536);
    (bytes / mss.max(1)).max(least) * mss
}

impl CongestionControl {
    /// As a connection begins whose next byte is at `start`.
    pub(crate) fn new(spec: &TcpSpec, start: u64) -> CongestionControl {
        match (&spec.congestion, spec.ecn) {
            (Congestion::Outside(recipe), _) => {
                CongestionControl::Outside(Box::new(Outside::new(recipe)))
            }
            (Congestion::Bbr3, _) => CongestionControl::Bbr3(Box::new(Bbr3::new(spec))),
            (Congestion::Bbr, _) => CongestionControl::Bbr(Box::new(Bbr::new(spec))),
            (&Congestion::Reno { eighth }, Ecn::Dctcp { gain_shift }) => {
                let reno = Reno::new(spec, eighth);
                CongestionControl::Dctcp(Box::new(Dctcp::new(reno, gain_shift, start)))
            }
            (Congestion::Cubic, Ecn::Dctcp { gain_shift }) => {
                let cubic = Cubic::new(spec);
                CongestionControl::DctcpCubic(Box::new(Dctcp::new(cubic, gain_shift, start)))
            }
            (&Congestion::Reno { eighth }, _) => CongestionControl::Reno(Reno::new(spec, eighth)),
            (Congestion::Cubic, _) => CongestionControl::Cubic(Box::new(Cubic::new(spec))),
        }
    }
}
