//! Circuits.

use backwater_kernel::Time;
use backwater_net::outcome::LossCause;
use backwater_net::probe::{Crossing, Probe};

use super::Kept;
use crate::events::drops::cause;
use crate::stepping::Named;

/// What happens in a run of circuits, and since when legs have had no credit.
#[derive(Clone, Debug)]
pub struct CellLog {
    named: Named,
    /// What happened.
    pub kept: Kept,
    /// By leg: its channel and flow, as they were seen.
    legs: Vec<(u32, u32)>,
    /// By leg: since when it has had no credit.
    dry_since: Vec<Option<Time>>,
}

impl CellLog {
    /// With these names; legs have these channels and flows.
    pub fn new(named: Named, legs: Vec<(u32, u32)>) -> CellLog {
        CellLog {
            named,
            kept: Kept::default(),
            dry_since: vec![None; legs.len()],
            legs,
        }
    }

    /// Since when a leg has had no credit, if it has none.
    pub fn dry_since(&self, leg: u32) -> Option<u64> {
        let known = self.dry_since.get(leg as usize);
        known.copied().flatten().map(Time::ps)
    }

    fn unit(&self, unit: &Crossing) -> String {
        self.named
            .cell(unit.kind, Some(unit.flow), unit.value, unit.value)
    }
}

impl Probe for CellLog {
    fn on_start(&mut self, unit: Crossing) {
        let named = &self.named;
        let bytes = unit.bytes;
        let text = || {
            let (what, port) = (self.unit(&unit), named.port(unit.channel));
            format!("{what} ({bytes} bytes) starts on {port}")
        };
        let text = (!self.kept.is_off).then(text);
        self.kept.note(unit.at.ps(), || text.unwrap_or_default());
    }

    fn on_arrival(&mut self, unit: Crossing) {
        let text = (!self.kept.is_off).then(|| {
            let (what, to) = (self.unit(&unit), self.named.to(unit.channel));
            format!("{what} arrives at {to}")
        });
        self.kept.note(unit.at.ps(), || text.unwrap_or_default());
    }

    fn on_loss(&mut self, unit: Crossing, why: LossCause) {
        let text = (!self.kept.is_off).then(|| {
            let (what, port) = (self.unit(&unit), self.named.port(unit.channel));
            match why {
                LossCause::Wire => format!("{what} is lost on {port}"),
                why => format!("{what} is dropped at {port}: {}", cause(why)),
            }
        });
        self.kept.note(unit.at.ps(), || text.unwrap_or_default());
    }

    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, renewed: bool) {
        let Some(dry) = self.dry_since.get_mut(leg as usize) else {
            return;
        };
        let was_dry = dry.is_some();
        *dry = if credit > 0 { None } else { dry.or(Some(at)) };
        let (channel, flow) = self.legs[leg as usize];
        let named = &self.named;
        let of = || (named.flow(flow), named.port(channel));
        if renewed {
            self.kept.note(at.ps(), || {
                let (flow, port) = of();
                format!("`{flow}` has credit for {credit} more on {port}")
            });
        } else if credit <= 0 && !was_dry {
            self.kept.note(at.ps(), || {
                let (flow, port) = of();
                format!("`{flow}` has used up its credit on {port}")
            });
        }
    }

    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, _: u32) {
        let (channel, flow) = self.legs[leg as usize];
        let named = &self.named;
        self.kept.note(at.ps(), || {
            let (unit, flow, to) = (named.unit, named.flow(flow), named.to(channel));
            let took = named.clock.span(at.since(born).ps());
            format!("{to} takes a {unit} of `{flow}`, {took} old")
        });
    }
}
