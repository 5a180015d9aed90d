//! How sources are held back.

use backwater_kernel::Duration;

use super::abr::AbrSpec;
use crate::outside::ControlRecipe;

/// When the source may send what the application wants.
#[derive(Clone, PartialEq, Debug)]
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
    /// As something written outside this program says.
    Outside {
        /// How it is made.
        recipe: ControlRecipe,
        /// It hears of what the destination has got.
        is_acknowledged: bool,
    },
}

impl SourceControlSpec {
    /// It goes by acknowledgements of the destination.
    pub fn is_acknowledged(&self) -> bool {
        match self {
            SourceControlSpec::Window { .. } | SourceControlSpec::Aimd { .. } => true,
            SourceControlSpec::None | SourceControlSpec::Abr(_) => false,
            SourceControlSpec::Outside {
                is_acknowledged, ..
            } => *is_acknowledged,
        }
    }
}
