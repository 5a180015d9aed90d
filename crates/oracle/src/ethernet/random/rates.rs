//! Queues that state rates, and sources that obey.

use backwater_ends::control::Ratio;
use backwater_ends::spec::RateControlSpec;
use backwater_ends::spec::rates::RoccSpec;
use backwater_kernel::Rate;
use backwater_net::frames::spec::{EthernetSpec, MaxCut, RoccPointSpec, TransportSpec};

use super::{Dice, Mix};

/// Most queues of switches state rates, and half of the queue pairs obey.
pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec, mix: Mix) {
    if !mix.has_rates {
        return;
    }
    let fastest = spec.links.iter().map(|link| link.channels[0].rate.0).max();
    let frame = Rate(fastest.unwrap_or(1)).serialization(1_538);
    for channel in spec.links.iter_mut().flat_map(|link| &mut link.channels) {
        let rate = channel.rate.0;
        for queue in &mut channel.queues {
            if dice.one_in(4) {
                continue;
            }
            let unit = 10_000_000;
            let most = Rate((rate / unit).max(1) * unit);
            let reference_bytes = dice.between(600, 8_000);
            queue.rocc = Some(RoccPointSpec {
                interval: frame * dice.pick(&[2, 3, 10]),
                least: Rate(unit),
                most,
                reference_bytes,
                growth_bytes: dice.between(1_500, 8_000),
                most_bytes: reference_bytes + dice.between(2_000, 10_000),
                offset_gain: Ratio::new(dice.pick(&[0.02, 0.1, 0.45])),
                growth_gain: Ratio::new(dice.pick(&[0.1, 0.5, 2.25])),
                rate_bits: dice.pick(&[0, 3, 8]),
                max_cut: dice.pick(&[MaxCut::Least, MaxCut::Half]),
            });
        }
    }
    for flow in &mut spec.flows {
        if let TransportSpec::Roce(roce) = &mut flow.transport
            && dice.one_in(2)
        {
            let recovery = frame * dice.pick(&[10, 100]);
            roce.control = RateControlSpec::Rocc(RoccSpec { recovery });
        }
    }
}
