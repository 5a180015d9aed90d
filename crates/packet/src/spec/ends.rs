//! When sources may send.

use backwater_kernel::Duration;

use super::AbrSpec;

/// When the source may send what the application wants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SourceControlSpec {
    /// At once.
    None,
    /// At most so many units unacknowledged, end to end.
    Window {
        /// The window.
        units: u32,
    },
    /// A window that grows by `increase` units a window and is multiplied by `decrease` when an
    /// acknowledgement does not come in time; what was unacknowledged is sent again.
    Aimd {
        /// First window.
        initial_units: u32,
        /// Largest window.
        maximum_units: u32,
        /// Units added per window acknowledged.
        increase_units: f64,
        /// Factor on loss, below 1.
        decrease: f64,
        /// Time-out.
        timeout: Duration,
    },
    /// At the rate that the network allows (ATM Forum TM 4.0).
    Abr(AbrSpec),
}
