//! What is wrong with a fabric before anything runs: one file for each kind of mistake.

mod ends;
mod headroom;
mod marks;
mod memory;
mod priorities;
mod watchdogs;

use backwater_scenario::{Diagnostics, sizing};

pub use memory::set_apart;

use super::added::Lookup;
use super::fabric::Fabric;

/// What the command line says of all switches.
#[derive(Clone, Copy, Default)]
pub struct Assumed {
    /// Largest lossless packet, where the files do not say it, bytes.
    pub lossless_mtu: Option<u64>,
    /// The chip, for headroom as it is published.
    pub chip: Option<sizing::Chip>,
}

/// All checks.
pub fn all(fabric: &Fabric, assumed: &Assumed, mistakes: &mut Diagnostics) {
    headroom::check(fabric, assumed, mistakes);
    ends::check(fabric, mistakes);
    for switch in &fabric.switches {
        memory::check(switch, mistakes);
        priorities::check(switch, mistakes);
        marks::check(switch, mistakes);
        watchdogs::check(switch, mistakes);
    }
}

/// The rows of a table of headroom, where no switch says which of them it uses.
pub fn rows(lookup: &Lookup, assumed: &Assumed, mistakes: &mut Diagnostics) {
    headroom::rows(lookup, assumed, mistakes);
}
