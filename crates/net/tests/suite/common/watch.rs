//! A probe that keeps what happens on one leg.

use backwater_kernel::Time;
use backwater_net::probe::{ControlKind, Crossing, Probe, UnitKind};

/// Data starts, credit starts and what a leg's receiver held at each of them.
#[derive(Default)]
pub struct Watch {
    leg: u32,
    pub starts: Vec<Time>,
    pub credits: Vec<CreditCell>,
    pub renewals: Vec<(Time, i64)>,
    arrived: u64,
    fill: u64,
    /// Credit after every change.
    pub credit: Vec<(Time, i64)>,
}

impl Watch {
    pub fn of(leg: u32) -> Watch {
        Watch {
            leg,
            ..Watch::default()
        }
    }
}

/// A credit cell as it started.
#[derive(Clone, Copy)]
pub struct CreditCell {
    pub at: Time,
    pub value: u64,
    pub stored: u64,
    pub arrived: u64,
}

impl Probe for Watch {
    fn on_start(&mut self, crossing: Crossing) {
        if crossing.leg != self.leg {
            return;
        }
        match crossing.kind {
            UnitKind::Data => self.starts.push(crossing.at),
            UnitKind::Control(ControlKind::Credit) => self.credits.push(CreditCell {
                at: crossing.at,
                value: crossing.value,
                stored: self.fill,
                arrived: self.arrived,
            }),
            _ => {}
        }
    }
    fn on_arrival(&mut self, crossing: Crossing) {
        if crossing.leg == self.leg && crossing.kind == UnitKind::Data {
            self.arrived += 1;
        }
    }
    fn on_fill(&mut self, _at: Time, leg: u32, fill: u32) {
        if leg == self.leg {
            self.fill = fill as u64;
        }
    }
    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, renewed: bool) {
        if leg != self.leg {
            return;
        }
        self.credit.push((at, credit));
        if renewed {
            self.renewals.push((at, credit));
        }
    }
}
