//! Runs that are gone through instant by instant, and looked at in between.
//!
//! What looks on only takes notes: a run that was gone through to its end found what any other run
//! of the scenario finds.

mod events;
mod flits;

pub use backwater_results::stepping::{Clock, Condition, Happening, Scene, ended, sentences};

use super::Head;

pub use events::{cells, first, frames};
pub use flits::{first_of_flits, flits};

/// A run on its way, from one instant to the next.
pub trait Stepped {
    /// How its instants are told.
    fn clock(&self) -> Clock;
    /// All that something in it can be called.
    fn names(&self) -> Vec<String>;
    /// Flows among these; of flits, classes.
    fn flows(&self) -> Vec<String>;
    /// Everything up to this instant has happened; of flits, everything before this cycle.
    fn at(&self) -> u64;
    /// It is over.
    fn is_over(&self) -> bool;
    /// Runs to this instant, with all that happens then.
    fn run_to(&mut self, until: u64);
    /// Runs on to the next instant at which something happens that can be told, and tells it;
    /// nothing at the end.
    fn step(&mut self) -> Vec<Happening>;
    /// What there is now.
    fn scene(&self) -> Scene;
    /// What all runs have.
    fn head(&mut self) -> Head;
}
