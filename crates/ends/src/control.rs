//! Source control: when may a source send what its application wants? One file a scheme.
//!
//! A scheme is a [`Control`]: it is told what happens and says what may go. It has no queue and no
//! clock: time is a parameter. To add one for TCP: a file with its state and `impl Control`, a
//! line in `members!` below, and a specification with an arm in `CongestionControl::new`.

mod cubic;
mod cwnd;
mod dctcp;
mod hooks;
mod reno;

pub use hooks::{Ack, Control, Loss};

use alloc::boxed::Box;

use backwater_kernel::Time;

use crate::spec::{Congestion, Ecn, TcpSpec};
use cubic::Cubic;
use dctcp::Dctcp;
use hooks::members;
use reno::Reno;

members! {
    /// Congestion control of a TCP connection.
    #[derive(Clone, Debug)]
    pub(crate) enum CongestionControl {
        Reno(Reno),
        Cubic(Box<Cubic>),
        Dctcp(Box<Dctcp<Reno>>),
        DctcpCubic(Box<Dctcp<Cubic>>),
    }
}

impl CongestionControl {
    /// As a connection begins whose next byte is at `start`.
    pub(crate) fn new(spec: &TcpSpec, start: u64) -> CongestionControl {
        match (spec.congestion, spec.ecn) {
            (Congestion::Reno { eighth }, Ecn::Dctcp { gain_shift }) => {
                let reno = Reno::new(spec, eighth);
                CongestionControl::Dctcp(Box::new(Dctcp::new(reno, gain_shift, start)))
            }
            (Congestion::Cubic, Ecn::Dctcp { gain_shift }) => {
                let cubic = Cubic::new(spec);
                CongestionControl::DctcpCubic(Box::new(Dctcp::new(cubic, gain_shift, start)))
            }
            (Congestion::Reno { eighth }, _) => CongestionControl::Reno(Reno::new(spec, eighth)),
            (Congestion::Cubic, _) => CongestionControl::Cubic(Box::new(Cubic::new(spec))),
        }
    }
}
