//! Is the load beyond what the network takes?

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use backwater_kernel::stats::interval_of_means;
use backwater_kernel::words::counted;

/// A smaller share of the offered flits may be missing.
const MISSING_SHARE: f64 = 0.015;
/// Half widths of a 95 % interval that chance explains.
const HALF_WIDTHS: f64 = 2.5;
/// How much the mean latency may grow from the first to the last quarter of the window.
const GROWTH: f64 = 1.5;
/// With fewer packets in a quarter its mean says little.
const PACKETS_LEAST: u64 = 20;

/// What was seen in the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Flits of packets born, and flits delivered, in each part of the window.
    pub(crate) parts: Vec<(u64, u64)>,
    /// Flits of packets born.
    pub(crate) created: u64,
    /// Flits delivered.
    pub(crate) delivered: u64,
    /// Packets born.
    pub(crate) births: u64,
    /// Cycles times terminals.
    pub(crate) places: f64,
    /// By quarter of the window: packets born in it that arrived, and their mean latency.
    pub(crate) quarters: [(u64, f64); 4],
    /// Flits that waited at sources at the start and at the end.
    pub(crate) queued: (u64, u64),
    /// Packets born in the window that had not arrived when the drain was over, and its cycles.
    pub(crate) unfinished: Option<(u64, u64)>,
}

/// Why the load is beyond saturation, if it is.
pub(crate) fn saturated(seen: &Evidence) -> Option<String> {
    too_little(seen)
        .or_else(|| ever_later(seen))
        .or_else(|| unfinished(seen))
}

/// Clearly less delivered than offered.
fn too_little(seen: &Evidence) -> Option<String> {
    let created = seen.created as f64;
    let missing = seen.created.saturating_sub(seen.delivered) as f64;
    let chance = chance(seen);
    if missing <= MISSING_SHARE * created || missing <= chance {
        return None;
    }
    let offered = created / seen.places;
    let accepted = seen.delivered as f64 / seen.places;
    let percent = |flits: f64| 100.0 * flits / created;
    Some(format!(
        "accepted {accepted:.4} of {offered:.4} flits per cycle and terminal: {:.1} % less than \
         offered, of which chance explains {:.1} %",
        percent(missing),
        percent(chance)
    ))
}

/// Flits that may be missing by chance: from how much the difference varies between parts of
/// the window, else from how much the number of births does.
fn chance(seen: &Evidence) -> f64 {
    let parts = seen.parts.iter();
    let missing: Vec<f64> = parts
        .map(|(born, got)| *born as f64 - *got as f64)
        .collect();
    match interval_of_means(&missing) {
        Some((_, half_width)) => HALF_WIDTHS * half_width * missing.len() as f64,
        None => HALF_WIDTHS * deviation(seen),
    }
}

/// Standard deviation of the flits born, were the births independent of each other.
fn deviation(seen: &Evidence) -> f64 {
    seen.created as f64 / libm::sqrt(seen.births.max(1) as f64)
}

/// Packets take longer the later they are born, and queues have grown.
fn ever_later(seen: &Evidence) -> Option<String> {
    let [first, _, _, last] = seen.quarters;
    let known = first.0.min(last.0) >= PACKETS_LEAST;
    let (before, after) = seen.queued;
    let grown = after.saturating_sub(before) as f64;
    if !known || last.1 <= GROWTH * first.1 || grown <= deviation(seen) {
        return None;
    }
    Some(format!(
        "packets take longer and longer: {:.1} cycles when born in the first quarter of the \
         window, {:.1} in the last; {before} flits waited at its start, {after} at its end",
        first.1, last.1
    ))
}

fn unfinished(seen: &Evidence) -> Option<String> {
    let (packets, drain) = seen.unfinished.filter(|(packets, _)| *packets > 0)?;
    Some(format!(
        "{packets} of {} packets born in the window had not arrived {} after it",
        seen.births,
        counted(drain, "cycle")
    ))
}
