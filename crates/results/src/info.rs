//! What a run's own data doesn't say about it.

use crate::directory::Check;
use crate::number::significant;

/// What a run's own data doesn't say about it.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The scenario's name.
    pub name: String,
    /// What it shows, in a sentence or two; empty for nothing.
    pub description: String,
    /// The command that runs it.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// The scenario as given; empty where there is none.
    pub scenario: String,
    /// The scenario with every default filled in; empty where there is none.
    pub resolved: String,
    /// Wall time the run took in seconds, where measured.
    pub wall_seconds: Option<f64>,
    /// What was checked.
    pub checks: Vec<Check>,
    /// Lossless classes that may lose frames because the scenario says so.
    pub given_up: Vec<GivenUp>,
}

impl RunInfo {
    /// So many over the wall time in seconds, if that was measured and any passed.
    pub(crate) fn per_second(&self, count: u64) -> Option<f64> {
        let wall = self.wall_seconds.filter(|wall| *wall > 0.0)?;
        Some(count as f64 / wall)
    }

    /// Time and speed of a run of so many hops, for its first line; empty if not measured.
    pub(crate) fn pace(&self, hops: u64) -> String {
        let wall = self.wall_seconds.zip(self.per_second(hops));
        wall.map_or(String::new(), |(wall, rate)| {
            format!(
                " in {} s ({} M hops/s)",
                significant(wall, 3),
                significant(rate / 1e6, 3)
            )
        })
    }

    /// How fast the run was, for a remark behind the number of hops.
    pub(crate) fn speed(&self, hops: u64) -> Option<String> {
        let rate = self.per_second(hops)?;
        Some(format!("{} million a second", significant(rate / 1e6, 3)))
    }
}

/// Lossless classes that may lose frames because the scenario says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenUp {
    /// A bit for each class.
    pub classes: backwater_net::frames::spec::ClassBits,
    /// Nodes where they may.
    pub nodes: Vec<u32>,
    /// The line that says so.
    pub by: String,
}
