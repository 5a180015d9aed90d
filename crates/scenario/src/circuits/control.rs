//! Flow control of one leg: the control loop, the zones, what the simulator runs.

use backwater_kernel::{Duration, Rate};
use backwater_net::spec::{
    BufferSpec, ChannelSpec, CreditRule, CreditSpec, FlowControlSpec, Timing,
};

use crate::given::circuits::control::{Bind, ControlKind, FlowControl, Overflow};
use crate::language::kinds::OrWord;
use crate::language::typed::{self, Placed, Word};

/// `[flow_control]`, with every default that holds with credits: an override may turn them on.
pub(crate) fn base(given: &Placed<FlowControl>) -> FlowControl {
    given.over(&typed::defaults(ControlKind::N23.word(), &given.at))
}

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

impl Loop {
    /// Data units of `bytes` on `forward`, credit units of `message` bytes back on `backward`.
    pub(crate) fn new(
        forward: &ChannelSpec,
        backward: &ChannelSpec,
        bytes: u32,
        message: u32,
    ) -> Self {
        let way = |channel: &ChannelSpec, bytes: u32| {
            let tx = channel.rate.serialization(u64::from(bytes));
            let tx = if channel.timing == Timing::StoreAndForward {
                tx.0
            } else {
                0
            };
            u128::from(tx) + u128::from(channel.delay.0) + u128::from(channel.handling.0)
        };
        Self {
            ps: way(forward, bytes) + way(backward, message),
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
    let cells = bits.div_ceil(unit_bits * u128::from(backwater_kernel::time::PS_PER_SECOND));
    u32::try_from(cells).unwrap_or(u32::MAX)
}

/// What the simulator runs on a leg.
pub(crate) fn specs(control: &FlowControl, circuit: &Loop) -> (FlowControlSpec, BufferSpec) {
    let buffer = |usual| BufferSpec {
        limit_units: control.buffer.map_or(usual, OrWord::value),
        overflow: control.overflow.unwrap_or(Overflow::Drop).into(),
    };
    let Some(rule) = control.kind.and_then(ControlKind::rule) else {
        return (FlowControlSpec::None, buffer(None));
    };
    let credit = credit(rule, control, circuit);
    let zones = credit.n1.saturating_add(credit.n2);
    let zones = zones.saturating_add(credit.n3);
    (FlowControlSpec::Credit(credit), buffer(Some(zones)))
}

fn credit(rule: CreditRule, control: &FlowControl, circuit: &Loop) -> CreditSpec {
    let n2 = control.n2.unwrap_or_default();
    let n3 = n3(control, circuit);
    let n1 = match rule {
        CreditRule::N123 => control.n1.unwrap_or_else(|| circuit.cells_at(circuit.rate)),
        // Equation 3 turns N3 into the bandwidth of the circuit and back.
        CreditRule::N123Plus => control.n1.unwrap_or(n2.saturating_add(n3)),
        CreditRule::N23 | CreditRule::Relative | CreditRule::Cumulative => 0,
    };
    let exact = Duration(u64::try_from(circuit.ps).unwrap_or(u64::MAX));
    CreditSpec {
        rule,
        n1,
        n2,
        n3,
        window: control.window.and_then(OrWord::value).unwrap_or(exact),
        bind: control.bind.unwrap_or(Bind::Start).into(),
        redundant_every: *control.redundant_every,
        refresh_every: *control.refresh_every,
        request_after: *control.request_after,
        resync_every: control
            .resync_every
            .filter(|_| rule == CreditRule::Cumulative),
        message_bytes: control.message_bytes(),
    }
}

fn n3(control: &FlowControl, circuit: &Loop) -> u32 {
    match (*control.n3, *control.target) {
        (Some(n3), _) => n3,
        (None, Some(OrWord::Value(own))) => circuit.cells_at(own.of(circuit.rate)),
        (None, Some(OrWord::Word) | None) => circuit.cells_at(circuit.rate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_net::spec::ErrorSpec;

    fn channel(mbps: u64, delay_ps: u64, handling_ps: u64) -> ChannelSpec {
        ChannelSpec {
            rate: Rate(mbps * 1_000_000),
            delay: Duration(delay_ps),
            handling: Duration(handling_ps),
            timing: Timing::CutThrough,
            errors: ErrorSpec::default(),
            scheduler: backwater_net::spec::SchedulerSpec::default(),
        }
    }

    /// R = 2 * 5 us/km * L + 5 us of Figure 6, split over both ways.
    fn figure_6(km_tenths: u64, mbps: u64) -> u32 {
        let way = channel(mbps, 500_000 * km_tenths, 2_500_000);
        Loop::new(&way, &way, 53, 53).cells_at(way.rate)
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
        assert_eq!(Loop::new(&way, &way, 53, 53).cells(), 155.0);
        way.timing = Timing::StoreAndForward;
        assert_eq!(Loop::new(&way, &way, 53, 53).cells(), 157.0);
    }
}
