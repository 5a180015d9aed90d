//! From a scenario to numbers, whatever engine runs it.

use results::sweep::{Measure, Role};
use scenario::{Engine, Scenario};

use super::store::Point;
use super::{ethernet, fabric, packet};

/// What the scenario's engine measures, in the order of [`Point::values`].
pub fn measures(scenario: &Scenario) -> &'static [Measure] {
    match scenario.engine {
        Engine::Packet(_) => packet::MEASURES,
        Engine::Flit(_) => fabric::MEASURES,
        Engine::Ethernet(_) => ethernet::MEASURES,
    }
}

/// Runs the scenario; `None` if Ctrl-C ended that.
///
/// # Errors
/// If the engine refuses the scenario.
pub fn measure(scenario: &Scenario) -> Result<Option<Point>, String> {
    match &scenario.engine {
        Engine::Packet(packet) => packet::measure(packet),
        Engine::Flit(fabric) => fabric::measure(fabric),
        Engine::Ethernet(ethernet) => ethernet::measure(ethernet),
    }
}

/// A measure.
pub const fn number(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    role: Role,
    digits: u8,
) -> Measure {
    Measure {
        name,
        unit,
        meaning,
        role,
        digits,
    }
}

/// 1 or 0.
pub fn flag(truth: bool) -> f64 {
    f64::from(u8::from(truth))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// An axis may be called like a measure; measures among themselves may not.
    #[test]
    fn measures_have_names_of_their_own() {
        for measures in [packet::MEASURES, fabric::MEASURES, ethernet::MEASURES] {
            let keys = measures.iter().map(|one| results::key(one.name, one.unit));
            let keys: BTreeSet<String> = keys.collect();
            assert_eq!(keys.len(), measures.len());
            let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
            assert!(keys.iter().all(|key| key.bytes().all(is_plain)), "{keys:?}");
            assert!(keys.iter().any(|key| key.contains("_p99_")), "{keys:?}");
        }
    }
}
