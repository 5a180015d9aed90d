//! From a scenario to numbers, whatever engine runs it.

use results::sweep::Measure;
use scenario::Scenario;

use super::packet;
use super::store::Point;

/// What the scenario's engine measures, in the order of [`Point::values`].
///
/// # Errors
/// If the engine is not one that sweeps know.
pub fn measures(scenario: &Scenario) -> Result<&'static [Measure], String> {
    match scenario.engine {
        "packet" => Ok(packet::MEASURES),
        other => Err(format!("the engine `{other}` can't be swept")),
    }
}

/// Runs the scenario; `None` if Ctrl-C ended that.
///
/// # Errors
/// If the engine refuses the scenario.
pub fn measure(scenario: &Scenario) -> Result<Option<Point>, String> {
    match scenario.engine {
        "packet" => packet::measure(scenario),
        other => Err(format!("the engine `{other}` can't be swept")),
    }
}
