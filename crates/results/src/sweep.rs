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

use crate::charts::{SEEDS_CHANGE_NOTHING, over_seeds};
use crate::number::{self, grouped};

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
    /// It is a time of what ends: a bound from below in runs in which some has not.
    pub may_be_bound: bool,
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
    /// How much had begun and not ended: then measures that may be bounds from below are.
    Unfinished,
    /// Promises broken.
    Broken,
    /// 1 where what waits can never move again, else 0.
    Standstill,
    /// Asked for, of one flow or group.
    Chosen,
    /// How long what ends took: a bound from below where some has not.
    Took,
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
    /// The values as numbers, where all are.
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
    /// Fingerprint of all runs in order, `h` and 16 hexadecimal digits.
    pub trace_hash: String,
}

/// One point over all its seeds.
struct Group<'a> {
    values: &'a [usize],
    seeds: usize,
    /// Mean and half width of the 95 % interval, by measure.
    means: Vec<(f64, Option<f64>)>,
    /// Some of what was measured has not ended in one of its runs at least.
    is_bounded: bool,
}

impl SweepResult {
    /// The manifest of these results.
    pub fn manifest<'a>(&'a self, kind: &'static str, info: &'a SweepInfo) -> SweepManifest<'a> {
        let mut hash = TraceHash::new();
        for row in &self.rows {
            hash.add(number::hash_value(&row.trace_hash).unwrap_or(0));
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

    /// Which p99 of these measures are empty in how many runs, though something was measured there,
    /// and why.
    pub fn without_p99(&self, measures: impl Iterator<Item = usize>) -> Option<String> {
        const MOST: usize = 4;
        let place = |name: &str| self.measures.iter().position(|own| own.name == name);
        let empty = |measure: usize| {
            let name = &self.measures[measure].name;
            let mean = place(&name.replace("p99", "mean"));
            let has_values = |row: &&SweepRow| mean.is_none_or(|mean| !row.value(mean).is_nan());
            let rows = self.rows.iter().filter(has_values);
            rows.filter(|row| row.value(measure).is_nan()).count()
        };
        let is_p99 = |name: &str| name.contains("p99") && !name.contains("p99.9");
        let measures = measures.filter(|at| is_p99(&self.measures[*at].name));
        let emptiness = measures.map(|at| (&self.measures[at].name, empty(at)));
        let unmeasured: Vec<String> = emptiness
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("`{name}` is empty in {count}"))
            .take(MOST)
            .collect();
        (!unmeasured.is_empty()).then(|| {
            format!(
                "{} of {}: p99 needs 100 samples in a run, of which one in a hundred at most has \
                 not ended; a longer run has more",
                unmeasured.join(", "),
                counted(self.rows.len(), "run")
            )
        })
    }

    fn groups(&self) -> Vec<Group<'_>> {
        let points = self.rows.chunk_by(|one, next| one.values == next.values);
        points.map(|rows| self.group(rows)).collect()
    }

    /// No interval where all seeds gave one run, nor of what is a bound. A mean of bounds is one;
    /// where one run has none the rest is no mean.
    fn group<'a>(&self, rows: &'a [SweepRow]) -> Group<'a> {
        let is_bounded = rows.iter().any(|row| self.is_bounded(row));
        let are_same = are_same(rows);
        let mean = |(at, measure): (usize, &Measure)| {
            let values = rows.iter().map(|row| row.value(at));
            let (mean, half_width) = over_seeds(values.clone());
            match is_bounded && measure.may_be_bound {
                true if values.clone().all(f64::is_finite) => (mean, None),
                true => (f64::NAN, None),
                false => (mean, half_width.filter(|_| !are_same)),
            }
        };
        Group {
            values: &rows[0].values,
            seeds: rows.len(),
            means: self.measures.iter().enumerate().map(mean).collect(),
            is_bounded,
        }
    }

    /// Some of what was measured in this run had not ended.
    fn is_bounded(&self, row: &SweepRow) -> bool {
        let measure = self.with_role(Role::Unfinished);
        measure.is_some_and(|measure| row.value(measure) > 0.0)
    }

    /// Points of several seeds whose runs are all the same, and what is said of them.
    pub fn without_chance(&self) -> Option<String> {
        let points: Vec<&[SweepRow]> = self
            .rows
            .chunk_by(|one, next| one.values == next.values)
            .collect();
        let same = points.iter().filter(|rows| are_same(rows)).count();
        let points = points.len();
        let of = match same {
            0 => return None,
            _ if same == points => String::new(),
            _ => format!(
                "in {} of {}: ",
                grouped(same as u64),
                counted(points, "point")
            ),
        };
        Some(format!(
            "{of}{SEEDS_CHANGE_NOTHING}; `run.start_jitter` lets sources start a little later, by \
             chance (cells and frames)"
        ))
    }

    /// The name of a point where curves are told apart: a value that is a word needs no key before
    /// it, unless another axis has the same word.
    fn label(&self, values: &[usize], without: &[usize]) -> String {
        let told = |axis: &usize| self.axes[*axis].values.len() > 1 && !without.contains(axis);
        let told: Vec<usize> = (0..self.axes.len()).filter(told).collect();
        let is_elsewhere = |axis: usize, value: &String| {
            let mut others = told.iter().filter(|other| **other != axis);
            others.any(|other| self.axes[*other].values.contains(value))
        };
        let parts = told.iter().map(|index| {
            let axis = &self.axes[*index];
            let value = axis.values.get(values[*index]).cloned().unwrap_or_default();
            match is_name(&value) && !is_elsewhere(*index, &value) {
                true => value,
                false => format!("{} = {value}", axis.name),
            }
        });
        parts.collect::<Vec<_>>().join(", ")
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

/// A value that says what it is: a word that is neither a number nor yes or no.
pub(crate) fn is_name(value: &str) -> bool {
    const MUTE: [&str; 4] = ["true", "false", "none", "unset"];
    let begins = value.chars().next();
    begins.is_some_and(char::is_alphabetic) && !MUTE.contains(&value)
}

/// Of several seeds, and the same.
fn are_same(rows: &[SweepRow]) -> bool {
    rows.len() > 1
        && rows
            .windows(2)
            .all(|two| two[0].trace_hash == two[1].trace_hash)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A sweep says what an empty p99 takes, where something was measured.
    #[test]
    fn an_empty_p99_says_why() {
        let measure = |name: &'static str| Measure {
            name: name.into(),
            unit: "ms".into(),
            meaning: "of transfers".into(),
            role: Role::Chosen,
            digits: 3,
            may_be_bound: false,
        };
        let row = |mean: f64, p99: f64| SweepRow {
            measured: vec![mean, p99],
            values: Vec::new(),
            seed: 1,
            trace_hash: number::hash(1),
        };
        let told = |rows: Vec<SweepRow>| {
            let measures = vec![measure("fct mean"), measure("fct p99")];
            let found = SweepResult {
                measures,
                rows,
                ..SweepResult::default()
            };
            found.without_p99(0..2)
        };
        let why = told(vec![row(2.0, 3.0), row(2.0, f64::NAN)]).expect("one is empty");
        let wanted = "`fct p99` is empty in 1 of 2 runs: p99 needs 100 samples in a run";
        assert!(why.starts_with(wanted), "{why}");
        assert_eq!(told(vec![row(2.0, 3.0), row(f64::NAN, f64::NAN)]), None);
    }
}
