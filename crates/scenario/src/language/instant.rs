//! Instants on the command line, in the units that scenarios have.

use backwater_kernel::units::TIMES;

use crate::language::units::{self, Fault};
use crate::{Engine, Scenario};

/// The instant that `text` names in a run of this scenario: `12.5us`, `40 cells`; of flits `120` or
/// `120 cycles`. In ps, or in cycles.
///
/// # Errors
/// If it names none: why, and what would.
pub fn instant(text: &str, scenario: &Scenario) -> Result<u64, String> {
    let (found, units) = match &scenario.engine {
        Engine::Packet(packet) => (
            units::time_ps(text, packet.cell.ps()),
            format!("{} or cells, as `12.5us` or `40cells`", times()),
        ),
        Engine::Ethernet(_) => (units::clock_ps(text), format!("{}, as `12.5us`", times())),
        Engine::Flit(_) => (
            units::cycles(text),
            "cycles, as `120` or `120cycles`".to_owned(),
        ),
    };
    found.map_err(|fault| {
        let what = match fault {
            Fault::NoNumber => "is no instant".to_owned(),
            Fault::Negative => "is before the run begins".to_owned(),
            Fault::NoUnit => "has no unit".to_owned(),
            Fault::UnknownUnit(unit) => format!("has the unit `{unit}`, which this run has not"),
            Fault::TooLarge => "is later than any run ends".to_owned(),
            Fault::Broken => "is not a whole number".to_owned(),
        };
        format!("`{text}` {what}: give {units}")
    })
}

/// Units of time, in words.
fn times() -> String {
    let names = TIMES.iter().map(|(name, _)| *name);
    let names: Vec<&str> = names.filter(|name| name.is_ascii()).collect();
    names.join(", ")
}
