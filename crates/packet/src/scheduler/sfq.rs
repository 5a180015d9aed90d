//! Start-time fair queueing: P. Goyal, H. M. Vin, H. Cheng, "Start-time fair queueing: a scheduling
//! algorithm for integrated services packet switching networks", SIGCOMM 1996.
//!
//! Units leave by start tags, so virtual time needs no rate of the server, which may vary.
//!
//! | Paper | Here |
//! |---|---|
//! | r_f, the weight of flow f | [`Pace`]: its reserved rate in bps |
//! | S(p) = max(v(A(p)), F(p before)), equation (4) | rank of the unit |
//! | F(p) = S(p) + l / r_f, equation (5) | the last in `Flow::finish` |
//! | v(t), start tag of the unit in service | `Sfq::now_virtual` |
//! | maximum of finish tags, v at the end of a busy period | `Sfq::largest` |
//!
//! Not modelled: rates that differ from unit to unit of one flow (section 2.3). A busy period is
//! one of the port: it ends when the wire is free and no unit waits. A unit of a flow without a
//! reservation leaves v as it is.

use alloc::vec::Vec;

use super::pace::Pace;
use super::scfq::BusyPeriod;
use super::stamped::Rule;
use super::{Admitted, LAST_STAMP, Packet, Port, Share};

/// Stamps units with their start tag.
pub(super) struct Sfq {
    flows: Vec<Flow>,
    now_virtual: u64,
    largest: u64,
    period: BusyPeriod,
}

struct Flow {
    pace: Pace,
    /// F of its last unit that came.
    finish: u64,
}

impl Sfq {
    pub fn new(shares: &[Share]) -> Sfq {
        let flow = |share: &Share| Flow {
            pace: Pace::new(share),
            finish: 0,
        };
        Sfq {
            flows: shares.iter().map(flow).collect(),
            now_virtual: 0,
            largest: 0,
            period: BusyPeriod::FIRST,
        }
    }
}

impl Rule for Sfq {
    #[inline]
    fn rank(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        if self.period.starts(port) {
            self.now_virtual = self.largest;
        }
        let flow = &mut self.flows[seat as usize];
        if flow.pace.is_datagram() {
            return Admitted::datagram(port.now);
        }
        let start = flow.finish.max(self.now_virtual);
        flow.finish = flow.pace.finish(start, bytes);
        self.largest = self.largest.max(flow.finish);
        Admitted::ranked(start)
    }

    #[inline]
    fn on_start(&mut self, _port: &Port, _seat: u32, unit: Packet) {
        if unit.rank <= LAST_STAMP {
            self.now_virtual = unit.rank;
        }
    }
}
