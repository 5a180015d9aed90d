//! From a scenario to numbers, whatever engine runs it.

use backwater_kernel::Rings;
use backwater_results::run;
use backwater_results::sweep::{FlowColumn, Measure, NoColumn};
use backwater_scenario::{Engine, Scenario};

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
pub fn measure(scenario: &Scenario, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
    match &scenario.engine {
        Engine::Packet(packet) => packet::measure(packet, columns),
        Engine::Flit(fabric) => fabric::measure(fabric, columns),
        Engine::Ethernet(ethernet) => ethernet::measure(ethernet, columns),
    }
}

/// The column of a flow or group that `text` names, in runs of this scenario.
///
/// # Errors
/// If there is none, or if the engine refuses the scenario.
pub fn column(scenario: &Scenario, text: &str) -> Result<FlowColumn, NoColumn> {
    let refused = |what: String| NoColumn {
        what,
        known: Vec::new(),
    };
    match &scenario.engine {
        Engine::Packet(packet) => {
            let spec = &packet.network;
            let engine = backwater_net::Simulation::<Rings, ()>::new(spec);
            let empty = engine
                .map_err(|error| refused(error.to_string()))?
                .outcome();
            let tables = |flow: &str| run::flow_tables(spec, &empty, packet.cell, flow);
            FlowColumn::find(text, &run::flow_names(spec), tables)
        }
        Engine::Ethernet(ethernet) => {
            let spec = &ethernet.network;
            let engine = backwater_net::frames::Simulation::<Rings>::new(spec);
            let empty = engine
                .map_err(|error| refused(error.to_string()))?
                .frame_outcome();
            let tables = |flow: &str| backwater_results::ethernet::flow_tables(spec, &empty, flow);
            FlowColumn::find(text, &backwater_results::ethernet::flow_names(spec), tables)
        }
        Engine::Flit(spec) => {
            let engine = backwater_flit::Simulation::new(spec);
            let empty = engine
                .map_err(|error| refused(error.to_string()))?
                .outcome();
            let tables = |class: &str| backwater_results::fabric::class_tables(spec, &empty, class);
            FlowColumn::find(text, &backwater_results::fabric::class_names(spec), tables)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// An axis may be called like a measure; measures among themselves may not.
    #[test]
    fn measures_have_names_of_their_own() {
        for measures in [packet::MEASURES, fabric::MEASURES, ethernet::MEASURES] {
            let keys = measures
                .iter()
                .map(|one| backwater_results::key(&one.name, &one.unit));
            let keys: BTreeSet<String> = keys.collect();
            assert_eq!(keys.len(), measures.len());
            let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
            assert!(keys.iter().all(|key| key.bytes().all(is_plain)), "{keys:?}");
            assert!(keys.iter().any(|key| key.contains("_p99_")), "{keys:?}");
        }
    }
}
