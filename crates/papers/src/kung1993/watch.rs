//! A probe that keeps what a few claims need: starts of data, renewals of credit, losses.

use std::collections::BTreeMap;

use backwater_kernel::Time;
use backwater_net::probe::{ControlKind, Crossing, Probe, UnitKind};

/// Everything that happened to the data and the credit of every leg.
#[derive(Default)]
pub struct Watch {
    /// Starts of data, by leg.
    pub starts: BTreeMap<u32, Vec<Time>>,
    /// Credit after each renewal, by leg.
    pub renewals: BTreeMap<u32, Vec<(Time, i64)>>,
    /// Starts of credit units, by leg.
    pub credits: BTreeMap<u32, Vec<Credit>>,
    arrived: BTreeMap<u32, u64>,
    fill: BTreeMap<u32, u32>,
}

/// A credit unit as it started.
#[derive(Clone, Copy)]
pub struct Credit {
    pub at: Time,
    /// Units in the receiver.
    pub stored: u64,
    /// Units that had arrived.
    pub arrived: u64,
    /// The credit it carries.
    pub value: u64,
}

impl Probe for Watch {
    fn on_start(&mut self, crossing: Crossing) {
        let leg = crossing.leg;
        match crossing.kind {
            UnitKind::Data => self.starts.entry(leg).or_default().push(crossing.at),
            UnitKind::Control(ControlKind::Credit) => {
                let arrived = self.arrived.get(&leg).copied().unwrap_or(0);
                let stored = self.fill.get(&leg).copied().unwrap_or(0) as u64;
                let credit = Credit {
                    at: crossing.at,
                    stored,
                    arrived,
                    value: crossing.value,
                };
                self.credits.entry(leg).or_default().push(credit);
            }
            _ => {}
        }
    }

    fn on_arrival(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Data {
            *self.arrived.entry(crossing.leg).or_default() += 1;
        }
    }

    fn on_fill(&mut self, _at: Time, leg: u32, fill: u32) {
        self.fill.insert(leg, fill);
    }

    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, renewed: bool) {
        if renewed {
            self.renewals.entry(leg).or_default().push((at, credit));
        }
    }
}
