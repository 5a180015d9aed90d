//! Queues that state rates: from what the file says to a congestion point.

use backwater_ends::control::Ratio;
use backwater_kernel::Rate;
use backwater_net::frames::spec::RoccPointSpec;

use crate::given::frames::rates::Rocc;
use crate::prelude::*;

/// Rates count in this.
const UNIT: u64 = 10_000_000;

/// The congestion point of a queue in front of a channel of this rate.
pub(crate) fn point(
    own: &Rocc,
    port: Rate,
    name: &str,
    mistakes: &mut Diagnostics,
) -> RoccPointSpec {
    let usual = RoccPointSpec::of(port);
    let whole = |rate: Rate| Rate((rate.0 / UNIT).max(1) * UNIT);
    let spec = RoccPointSpec {
        interval: own.interval.unwrap_or(usual.interval),
        least: own.least.map_or(usual.least, whole),
        most: own.most.map_or(usual.most, whole),
        reference_bytes: own.reference.unwrap_or(usual.reference_bytes),
        growth_bytes: own.growth.unwrap_or(usual.growth_bytes),
        most_bytes: own.max.unwrap_or(usual.most_bytes),
        offset_gain: own.offset_gain.map_or(usual.offset_gain, Ratio::new),
        growth_gain: own.growth_gain.map_or(usual.growth_gain, Ratio::new),
        rate_bits: own.rate_bits,
        max_cut: own.max_cut.into(),
    };
    if spec.least > spec.most
        && let Some(at) = own.least.place().or(own.most.place())
    {
        let gbps = |rate: Rate| rate.0 as f64 / 1e9;
        Diagnostic::error(
            "bad-rates",
            "the least rate that a queue states is above the most",
        )
        .at(
            at,
            format!("from {} to {} Gbps", gbps(spec.least), gbps(spec.most)),
        )
        .note(format!("queue `{name}`"))
        .help("lower `least`, or raise `most`")
        .tell(mistakes);
    }
    if spec.reference_bytes >= spec.most_bytes
        && let Some(at) = own.reference.place().or(own.max.place())
    {
        Diagnostic::error(
            "bad-threshold",
            "a queue at its reference would cut all rates",
        )
        .at(
            at,
            format!(
                "the reference is {} B, `max` {} B",
                spec.reference_bytes, spec.most_bytes
            ),
        )
        .note(format!("queue `{name}`"))
        .help("raise `max` above `reference`")
        .tell(mistakes);
    }
    spec
}
