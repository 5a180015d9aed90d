//! Units of one kind: what is given in several of them has one axis.

use backwater_kernel::units::{KINDS, Unit, worth};

use crate::column::NoColumn;

/// A value in the unit `own`, in the unit `wanted`.
///
/// # Errors
/// If they are of different kinds; `what` is what has them.
pub fn converted(value: f64, own: &str, wanted: &str, what: &str) -> Result<f64, NoColumn> {
    if own == wanted {
        return Ok(value);
    }
    let ratio = |kind: &&[&[Unit]]| Some((worth(kind, own)?, worth(kind, wanted)?));
    match KINDS.iter().find_map(ratio) {
        Some((own, wanted)) => Ok(value * own as f64 / wanted as f64),
        None => {
            let what = format!("`{what}` has unlike units: `{wanted}` and `{own}`");
            Err(NoColumn::sorted(what, []))
        }
    }
}
