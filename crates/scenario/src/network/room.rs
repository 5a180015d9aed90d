//! How it is said that there is not enough memory.

use crate::prelude::*;

/// Says that there is not enough memory; `label`: what at this place takes most. So much is needed
/// for `what`, so much is free.
pub(crate) fn out_of_memory(
    (at, label): (&At, &str),
    (needed, what): (u64, &str),
    free: u64,
) -> Diagnostic {
    let (needed, free) = (bytes(needed), bytes(free));
    let message = "the scenario needs more memory than there is";
    Diagnostic::error("out-of-memory", message)
        .at(at, label)
        .note(format!("about {needed} for {what}; {free} are free"))
}

/// "1.5 GB".
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{} kB", count.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
