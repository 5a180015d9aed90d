//! Flow control of one leg: the control loop, the zones, what the simulator runs.

use kernel::{Duration, Rate};
use packet::spec::{
    Bind, BufferSpec, ChannelSpec, CreditRule, CreditSpec, FlowControlSpec, Overflow, Timing,
};

use crate::record::{Datum, Record};
use crate::source::At;
use crate::units;

/// `[flow_control]`, what the flow changes, what it changes on this link: the last wins.
#[derive(Clone)]
pub(crate) struct Layers<'a>(pub Vec<&'a Record>);

/// The control loop of one leg.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    /// From the start of a cell to the moment the credit for it is applied.
    pub ps: u128,
    /// Serialization of a data unit.
    pub unit_ps: u64,
    /// Bits of a unit.
    pub unit_bits: u64,
    /// Rate of the link.
    pub rate: Rate,
}

impl<'a> Layers<'a> {
    /// The layer that decides over `key`.
    pub(crate) fn layer(&self, key: &str) -> Option<&'a Record> {
        self.0
            .iter()
            .rev()
            .copied()
            .find(|layer| layer.field(key).is_some())
    }

    /// Where the value stands.
    pub(crate) fn at(&self, key: &str) -> At {
        match self.layer(key) {
            Some(layer) => layer.at(key),
            None => self
                .0
                .first()
                .map(|base| base.at.clone())
                .unwrap_or_default(),
        }
    }

    /// The layer that sets N3: `n3` and `target` replace each other.
    pub(crate) fn zone3(&self) -> Option<(&'static str, &'a Record)> {
        let layers = self.0.iter().rev().copied();
        let mut keys = layers.flat_map(|layer| [("n3", layer), ("target", layer)]);
        keys.find(|(key, layer)| layer.field(key).is_some())
    }

    pub(crate) fn count(&self, key: &str) -> Option<u32> {
        self.layer(key)?.count(key)
    }

    pub(crate) fn word(&self, key: &str) -> &'static str {
        self.layer(key).map_or("", |layer| layer.word(key))
    }

    /// Does the author say that buffers may overfill?
    pub(crate) fn keeps(&self) -> bool {
        self.word("overflow") == "keep"
    }
}

impl Loop {
    /// Data on `forward`, credit back on `backward`, both of `bytes`.
    pub(crate) fn new(forward: &ChannelSpec, backward: &ChannelSpec, bytes: u32) -> Self {
        let way = |channel: &ChannelSpec| {
            let tx = channel.rate.serialization(u64::from(bytes));
            let tx = if channel.timing == Timing::StoreAndForward {
                tx.0
            } else {
                0
            };
            u128::from(tx) + u128::from(channel.delay.0) + u128::from(channel.handling.0)
        };
        Self {
            ps: way(forward) + way(backward),
            unit_ps: forward.rate.serialization(u64::from(bytes)).0,
            unit_bits: 8 * u64::from(bytes),
            rate: forward.rate,
        }
    }

    /// Cells that pass at `rate` in one loop, rounded up: equation 3 in integer bits.
    ///
    /// At the link's rate the count uses the cell time the simulator uses.
    pub(crate) fn cells_at(&self, rate: Rate) -> u32 {
        let cells = if rate == self.rate {
            self.ps.div_ceil(u128::from(self.unit_ps))
        } else {
            let round_trip = Duration(u64::try_from(self.ps).unwrap_or(u64::MAX));
            u128::from(n3_for(round_trip, rate, (self.unit_bits / 8) as u32))
        };
        u32::try_from(cells).unwrap_or(u32::MAX)
    }

    /// The loop in cell times, for messages.
    pub(crate) fn cells(&self) -> f64 {
        self.ps as f64 / self.unit_ps as f64
    }
}

/// N3 by equation 3 of Kung 1993: `bandwidth` sustained over a round trip, in cells of
/// `unit_bytes`, rounded up; integer arithmetic throughout.
pub fn n3_for(round_trip: Duration, bandwidth: Rate, unit_bytes: u32) -> u32 {
    let bits = u128::from(round_trip.0) * u128::from(bandwidth.0);
    let unit_bits = 8 * u128::from(unit_bytes.max(1));
    let cells = bits.div_ceil(unit_bits * u128::from(kernel::time::PS_PER_SECOND));
    u32::try_from(cells).unwrap_or(u32::MAX)
}

/// What the simulator runs on a leg.
pub(crate) fn specs(layers: &Layers<'_>, circuit: &Loop) -> (FlowControlSpec, BufferSpec) {
    let overflow = if layers.keeps() {
        Overflow::Keep
    } else {
        Overflow::Drop
    };
    let given = layers
        .layer("buffer")
        .and_then(|layer| layer.datum("buffer"));
    let limit = |default: Option<u32>| match given {
        Some(Datum::Whole(cells)) => Some(u32::try_from(*cells).unwrap_or(u32::MAX)),
        Some(_) => None,
        None => default,
    };
    let Some(rule) = rule(layers.word("scheme")) else {
        return (
            FlowControlSpec::None,
            BufferSpec {
                limit_units: limit(None),
                overflow,
            },
        );
    };
    let credit = credit(rule, layers, circuit);
    let zones = credit
        .n1
        .saturating_add(credit.n2)
        .saturating_add(credit.n3);
    let buffer = BufferSpec {
        limit_units: limit(Some(zones)),
        overflow,
    };
    (FlowControlSpec::Credit(credit), buffer)
}

/// The simulator's rule for a scheme of the key table; `None` for no control.
fn rule(scheme: &str) -> Option<CreditRule> {
    Some(match scheme {
        "n23" => CreditRule::N23,
        "n123" => CreditRule::N123,
        "n123+" => CreditRule::N123Plus,
        "relative" => CreditRule::Relative,
        "cumulative" => CreditRule::Cumulative,
        _ => return None,
    })
}

fn credit(rule: CreditRule, layers: &Layers<'_>, circuit: &Loop) -> CreditSpec {
    // An override may turn credits on where `[flow_control]` has none, and so no default.
    let n2 = layers.count("n2").unwrap_or(10);
    let n3 = n3(layers, circuit);
    let n1 = match rule {
        CreditRule::N123 => layers
            .count("n1")
            .unwrap_or_else(|| circuit.cells_at(circuit.rate)),
        // Equation 3 turns N3 into the bandwidth of the circuit and back.
        CreditRule::N123Plus => layers.count("n1").unwrap_or(n2.saturating_add(n3)),
        _ => 0,
    };
    let exact = Duration(u64::try_from(circuit.ps).unwrap_or(u64::MAX));
    CreditSpec {
        rule,
        n1,
        n2,
        n3,
        window: layers
            .layer("window")
            .and_then(|layer| layer.duration("window"))
            .unwrap_or(exact),
        bind: if layers.word("bind") == "trigger" {
            Bind::Trigger
        } else {
            Bind::Start
        },
        redundant_every: layers.count("redundant_every"),
        refresh_every: layers
            .layer("refresh_every")
            .and_then(|l| l.duration("refresh_every")),
        request_after: layers
            .layer("request_after")
            .and_then(|l| l.duration("request_after")),
        resync_every: match rule {
            CreditRule::Cumulative => layers.count("resync_every"),
            _ => None,
        },
    }
}

fn n3(layers: &Layers<'_>, circuit: &Loop) -> u32 {
    match layers.zone3() {
        Some(("n3", layer)) => layer.count("n3").unwrap_or(0),
        Some((_, layer)) => match layer.datum("target") {
            Some(Datum::Rate(rate)) => circuit.cells_at(*rate),
            Some(Datum::Share(share)) => circuit.cells_at(units::share_of(circuit.rate, *share)),
            _ => circuit.cells_at(circuit.rate),
        },
        None => circuit.cells_at(circuit.rate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use packet::spec::ErrorSpec;

    fn channel(mbps: u64, delay_ps: u64, handling_ps: u64) -> ChannelSpec {
        ChannelSpec {
            rate: Rate(mbps * 1_000_000),
            delay: Duration(delay_ps),
            handling: Duration(handling_ps),
            timing: Timing::CutThrough,
            errors: ErrorSpec::default(),
            scheduler: packet::spec::SchedulerSpec::default(),
        }
    }

    /// R = 2 * 5 us/km * L + 5 us of Figure 6, split over both ways.
    fn figure_6(km_tenths: u64, mbps: u64) -> u32 {
        let way = channel(mbps, 500_000 * km_tenths, 2_500_000);
        Loop::new(&way, &way, 53).cells_at(way.rate)
    }

    #[test]
    fn the_buffers_of_figure_6() {
        let table = [
            (1, [1, 2, 3, 9]),
            (10, [1, 4, 6, 23]),
            (100, [3, 25, 39, 155]),
            (1000, [24, 238, 368, 1475]),
            (10000, [236, 2360, 3658, 14678]),
        ];
        for (km_tenths, expected) in table {
            let found = [10, 100, 155, 622].map(|mbps| figure_6(km_tenths, mbps));
            assert_eq!(found, expected, "{km_tenths} tenths of a kilometre");
        }
    }

    #[test]
    fn store_and_forward_adds_one_cell_each_way() {
        let mut way = channel(622, 52_829_580, 0);
        assert_eq!(Loop::new(&way, &way, 53).cells(), 155.0);
        way.timing = Timing::StoreAndForward;
        assert_eq!(Loop::new(&way, &way, 53).cells(), 157.0);
    }
}
