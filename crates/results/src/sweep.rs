//! Many points of one scenario: tidy tables, curves, a page.

mod columns;
mod pivot;
mod plots;
mod report;
mod saturation;
mod tables;

use std::borrow::Cow;

use backwater_kernel::TraceHash;
use backwater_kernel::words::counted;
use serde::Serialize;

use crate::charts::over_seeds;
use crate::number;

pub use columns::FlowColumn;
pub use pivot::{saturation_pivot, sweep_pivot};
pub use plots::sweep_plots;
pub use report::sweep_report;
pub use saturation::{Saturation, saturation_report, saturation_table};
pub use tables::sweep_tables;

/// What a number of a point measures.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its unit; empty where there is none.
    pub unit: Cow<'static, str>,
    /// What it means, in a sentence.
    pub meaning: Cow<'static, str>,
    /// What reports take it for.
    pub role: Role,
    /// Decimals that reports show.
    pub digits: u8,
}

/// What one run of a sweep measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// By measure; not a number where there was nothing to measure.
    pub values: Vec<f64>,
    /// Fingerprint of the run.
    pub trace_hash: String,
}

/// What reports take a measurement for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// What the sources offer.
    Offered,
    /// What the network delivers, in the same unit.
    Accepted,
    /// How long that takes.
    Latency,
    /// How long that would take if nothing met anything.
    ZeroLoad,
    /// 1 where the network can't carry what is offered, else 0.
    Saturated,
    /// Promises broken.
    Broken,
    /// 1 where what waits can never move again, else 0.
    Standstill,
    /// Asked for, of one flow or group.
    Chosen,
    /// Nothing of the kind.
    Other,
}

/// A key that varies.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SweepAxis {
    /// Heading of its column.
    pub name: String,
    /// Its path in the scenario.
    pub path: String,
    /// Unit of all values; empty for none.
    pub unit: String,
    /// Each as written.
    pub values: Vec<String>,
    /// The same as numbers, where all are.
    #[serde(skip)]
    pub numbers: Option<Vec<f64>>,
}

/// A point with one seed.
#[derive(Clone, Debug)]
pub struct SweepRow {
    /// The value of each axis, by index.
    pub values: Vec<usize>,
    /// The seed.
    pub seed: u64,
    /// By measure; not a number where there is nothing to measure.
    pub measured: Vec<f64>,
    /// Fingerprint of the run.
    pub trace_hash: String,
}

/// What a sweep found. Rows of one point stand together.
#[derive(Clone, Debug, Default)]
pub struct SweepResult {
    /// What varies.
    pub axes: Vec<SweepAxis>,
    /// The seeds of each point.
    pub seeds: Vec<u64>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// One for each point and seed.
    pub rows: Vec<SweepRow>,
    /// Rows that it has once it is whole, as far as that is known.
    pub planned: u64,
    /// It was interrupted.
    pub partial: bool,
}

/// What the data of a sweep doesn't say about it.
#[derive(Clone, Debug, Default)]
pub struct SweepInfo {
    /// The scenario's name.
    pub name: String,
    /// What it shows; empty for nothing.
    pub description: String,
    /// The command that does the same.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// The scenario as given.
    pub scenario: String,
}

/// The manifest of a sweep.
#[derive(Serialize)]
pub struct SweepManifest<'a> {
    /// `sweep` or `saturate`.
    pub kind: &'static str,
    /// Version of the program.
    pub version: &'a str,
    /// The command that does the same.
    pub command: &'a str,
    /// What varies.
    pub axes: &'a [SweepAxis],
    /// The seeds of each point.
    pub seeds: &'a [u64],
    /// Points times seeds, planned and done.
    pub points: u64,
    /// Those that are done.
    pub done: u64,
    /// Not all are done.
    pub partial: bool,
    /// Fingerprint of all runs in order; 16 hexadecimal digits.
    pub trace_hash: String,
}

/// One point over all its seeds.
struct Group<'a> {
    values: &'a [usize],
    seeds: usize,
    /// Mean and half width of the 95 % interval, by measure.
    means: Vec<(f64, Option<f64>)>,
}

impl SweepResult {
    /// The manifest of these results.
    pub fn manifest<'a>(&'a self, kind: &'static str, info: &'a SweepInfo) -> SweepManifest<'a> {
        let mut hash = TraceHash::new();
        for row in &self.rows {
            hash.add(u64::from_str_radix(&row.trace_hash, 16).unwrap_or(0));
        }
        SweepManifest {
            kind,
            version: &info.version,
            command: &info.command,
            axes: &self.axes,
            seeds: &self.seeds,
            points: self.planned,
            done: self.rows.len() as u64,
            partial: self.partial,
            trace_hash: number::hash(hash.value()),
        }
    }

    /// Which measure has this role.
    pub fn with_role(&self, role: Role) -> Option<usize> {
        self.measures
            .iter()
            .position(|measure| measure.role == role)
    }

    /// Rows in which the measure of this role is above 0.
    pub fn count(&self, role: Role) -> usize {
        let Some(measure) = self.with_role(role) else {
            return 0;
        };
        let counts = |row: &&SweepRow| row.value(measure) > 0.0;
        self.rows.iter().filter(counts).count()
    }

    /// In how many runs nothing could move any more, as the measure of that is called, and in
    /// which first.
    pub fn standstills(&self) -> Option<String> {
        let measure = self.with_role(Role::Standstill)?;
        let first = self.rows.iter().find(|row| row.value(measure) > 0.0)?;
        let point = self.describe(&first.values, &[]);
        let point = [point, format!("seed = {}", first.seed)];
        let point: Vec<String> = point.into_iter().filter(|part| !part.is_empty()).collect();
        Some(format!(
            "in {} nothing could move any more, first with {}: see `{}` in the tables",
            counted(self.count(Role::Standstill), "run"),
            point.join(", "),
            self.measures[measure].name
        ))
    }

    fn groups(&self) -> Vec<Group<'_>> {
        let points = self.rows.chunk_by(|one, next| one.values == next.values);
        points
            .map(|rows| Group {
                values: &rows[0].values,
                seeds: rows.len(),
                means: (0..self.measures.len())
                    .map(|at| over_seeds(rows.iter().map(|row| row.value(at))))
                    .collect(),
            })
            .collect()
    }

    /// The values of a point in words, leaving out axes of one value and those of `without`.
    fn describe(&self, values: &[usize], without: &[usize]) -> String {
        let told = |axis: &usize| self.axes[*axis].values.len() > 1 && !without.contains(axis);
        let parts = (0..self.axes.len()).filter(told).map(|index| {
            let axis = &self.axes[index];
            let value = axis.values.get(values[index]).map_or("", String::as_str);
            format!("{} = {value}", axis.name)
        });
        parts.collect::<Vec<_>>().join(", ")
    }
}

impl SweepRow {
    /// Of a measure; not a number where there is nothing to measure.
    fn value(&self, measure: usize) -> f64 {
        self.measured.get(measure).copied().unwrap_or(f64::NAN)
    }
}

impl Group<'_> {
    /// Where more than half of the seeds say so.
    fn is_saturated(&self, measure: Option<usize>) -> bool {
        measure.is_some_and(|measure| self.means[measure].0 > 0.5)
    }
}
