//! What stands between an application and the first port: sizes of units, envelopes, policers,
//! spacing.

pub mod envelope;
pub mod sizes;
