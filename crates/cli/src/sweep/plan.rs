//! What is to be run, checked as a whole before anything runs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use backwater_results::RunDirectory;
use backwater_results::sweep::{FlowColumn, Measure, SweepAxis, SweepInfo, SweepResult, SweepRow};
use backwater_scenario::{Diagnostics, Grid, Limits, Scenario, Source, Sweep};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::asked::{Asked, Kept, Varied};
use super::progress::Progress;
use super::shard::Shard;
use super::store::{Key, Store};
use super::work::Work;
use crate::{Changes, files, holder};
use backwater_results::sweep::Point;
use backwater_run::memory::Memory;
use backwater_run::{Engine, interrupt, machine};

/// Points checked before mistakes are told.
const CHUNK: usize = 4096;
/// With so many mistakes the rest of the points is not looked at.
const ENOUGH: u64 = 100;

/// What sweeps and searches share.
#[derive(clap::Args)]
pub struct How {
    /// What varies.
    #[command(flatten)]
    pub varied: Varied,
    /// Runs in parallel [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    #[arg(help_heading = "Run")]
    jobs: Option<u16>,
    /// Directory for points, tables and report
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Remove points that were computed earlier
    #[arg(long, help_heading = "Run")]
    pub fresh: bool,
    #[command(flatten)]
    /// What runs may take.
    pub memory: Memory,
}

/// A sweep that is sound so far.
pub struct Plan {
    /// The points.
    pub sweep: Sweep,
    /// What was asked for.
    pub asked: Asked,
    /// Threads that work for it.
    pub pool: ThreadPool,
    limits: Limits,
    /// What the scenario names, by path: each is read once, so that all points see the same.
    named: Mutex<BTreeMap<PathBuf, String>>,
}

/// All that is measured, what of that is of flows; title and description of the scenario.
type Measured = (Vec<Measure>, Vec<FlowColumn>, (String, String));

/// Points that can run: what each is known by, and what is measured.
pub struct Checked {
    /// In the order asked for.
    pub keys: Vec<Key>,
    /// What the engine measures, and what is asked for of flows.
    pub measures: Vec<Measure>,
    /// Measures of flows and groups that are asked for.
    pub columns: Vec<FlowColumn>,
    /// Title and description of the scenario.
    pub words: (String, String),
    /// What the author may not have meant.
    warnings: Diagnostics,
}

impl How {
    /// What is asked for of this scenario.
    pub fn asked(&self, source: Source, changes: &Changes) -> Asked {
        Asked {
            source,
            changes: changes.clone(),
            varied: self.varied.clone(),
        }
    }
}

impl Plan {
    /// A plan to compute as `how` says; `grid` comes on top of the axes.
    pub fn to_compute(asked: Asked, how: &How, grid: Option<Grid>) -> Result<Plan, String> {
        let mut plan = Plan::read(asked, how.jobs.map_or(0, usize::from), grid)?;
        plan.keep_within(&how.memory);
        Ok(plan)
    }

    /// From here on runs take no more memory than this, all threads together.
    pub fn keep_within(&mut self, memory: &Memory) {
        self.limits = memory.limits(self.pool.current_num_threads());
        memory.watch(0);
    }

    /// A plan to look at: whether its points fit into this machine's memory is of no interest.
    pub fn read(asked: Asked, jobs: usize, grid: Option<Grid>) -> Result<Plan, String> {
        let (sets, axes) = asked.sets_and_axes()?;
        let sweep = Sweep::read_with_grid(&asked.source, &sets, &axes, grid.as_ref())
            .map_err(|mistakes| files::rendered(&mistakes))?;
        let pool = machine::pool(jobs).map_err(|error| format!("error: {error}"))?;
        Ok(Plan {
            sweep,
            asked,
            pool,
            limits: Limits { memory_bytes: None },
            named: Mutex::default(),
        })
    }

    /// What another machine needs to make the same points.
    pub fn kept(&self, shard: Option<Shard>) -> Kept {
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        Kept {
            asked: self.asked.clone(),
            shard,
            named: named.clone(),
        }
    }

    /// From here on these files are not read again.
    pub fn know(&self, files: BTreeMap<PathBuf, String>) {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        named.extend(files);
    }

    /// The scenario of a point.
    pub fn scenario(&self, point: u64) -> Result<Scenario, Diagnostics> {
        let load = |path: &Path| self.load(path);
        self.sweep.scenario(point, &self.limits, &load)
    }

    fn load(&self, path: &Path) -> io::Result<String> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = named.get(path) {
            return Ok(text.clone());
        }
        let text = files::read_named(path)?;
        named.insert(path.into(), text.clone());
        Ok(text)
    }

    /// Checks the scenario of every point. The error holds the mistakes of all, or nothing after
    /// Ctrl-C.
    pub fn check(&self, points: &[u64]) -> Result<Checked, Option<String>> {
        let mut of_points = Diagnostics::default();
        let mut keys = Vec::with_capacity(points.len());
        let progress = Progress::new("checking", points.len() as u64);
        for chunk in points.chunks(CHUNK) {
            let check = |point: &u64| {
                if interrupt::is_set() {
                    return Err(Diagnostics::default());
                }
                let scenario = self.scenario(*point);
                progress.step();
                scenario
                    .map(|scenario| (Key::of(&scenario, self.sweep.columns()), scenario.warnings))
            };
            let checked: Vec<_> = self.pool.install(|| chunk.par_iter().map(check).collect());
            for (point, result) in chunk.iter().zip(checked) {
                let note = || format!("in the point {}", self.sweep.describe(*point));
                match result {
                    Ok((key, warnings)) => {
                        keys.push(key);
                        if !warnings.is_empty() {
                            of_points.merge(&warnings, &note());
                        }
                    }
                    Err(mistakes) => of_points.merge(&mistakes, &note()),
                }
            }
            if interrupt::is_set() {
                return Err(None);
            }
            if of_points.errors() >= ENOUGH {
                break;
            }
        }
        drop(progress);
        if of_points.errors() > 0 {
            return Err(Some(files::rendered(&of_points)));
        }
        let (measures, columns, words) = self.measures()?;
        Ok(Checked {
            keys,
            measures,
            columns,
            words,
            warnings: of_points,
        })
    }

    /// What is measured, which of that is of flows; title and description. Of the first point of
    /// all, whichever are looked at here: so shards measure the same.
    pub fn measures(&self) -> Result<Measured, Option<String>> {
        let first = self.scenario(0);
        let scenario = first.map_err(|mistakes| Some(files::rendered(&mistakes)))?;
        let engine = backwater_run::engine(&scenario);
        let columns = self.columns(&*engine)?;
        let chosen = columns.iter().map(|column| column.measure.clone());
        let measures = engine.measures().iter().cloned().chain(chosen).collect();
        let title = backwater_run::job::title(&scenario.title, &self.asked.source);
        Ok((measures, columns, (title, scenario.about.trim().to_owned())))
    }

    /// The columns of flows that are asked for, in runs of the first point.
    fn columns(&self, engine: &dyn Engine) -> Result<Vec<FlowColumn>, Option<String>> {
        let mut mistakes = Diagnostics::default();
        let mut columns = Vec::new();
        for (index, text) in self.sweep.columns().enumerate() {
            match backwater_run::column(engine, text) {
                Ok(column) => columns.push(column),
                Err(no) => {
                    let wrong = self.sweep.wrong_column(index, &no.what, &no.known);
                    mistakes.merge(&wrong, &format!("of `{text}`"));
                }
            }
        }
        match mistakes.errors() {
            0 => Ok(columns),
            _ => Err(Some(files::rendered(&mistakes))),
        }
    }

    /// What the data doesn't say.
    pub fn info(&self, checked: &Checked, command: String) -> SweepInfo {
        SweepInfo {
            name: checked.words.0.clone(),
            description: checked.words.1.clone(),
            command,
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: self.asked.source.text.clone(),
        }
    }

    /// The axes as reports take them.
    pub fn axes(&self) -> Vec<SweepAxis> {
        let axis = |axis: &backwater_scenario::Axis| SweepAxis {
            name: axis.name.clone(),
            path: axis.path.clone(),
            unit: axis.unit.clone(),
            values: axis.values.iter().map(|value| value.text.clone()).collect(),
            numbers: axis.values.iter().map(|value| value.number).collect(),
        };
        self.sweep.axes().iter().map(axis).collect()
    }

    /// Results of these points, in their order; what was not computed is left out.
    pub fn result(
        &self,
        measures: &[Measure],
        points: &[u64],
        found: Vec<Option<Point>>,
    ) -> SweepResult {
        let rows = points.iter().zip(found).filter_map(|(number, point)| {
            let point = point?;
            let (values, seed) = self.sweep.choice(*number);
            Some(SweepRow {
                values,
                seed: self.sweep.seeds()[seed],
                measured: point.values,
                trace_hash: point.trace_hash,
            })
        });
        let rows: Vec<SweepRow> = rows.collect();
        SweepResult {
            axes: self.axes(),
            seeds: self.sweep.seeds().to_vec(),
            measures: measures.to_vec(),
            partial: rows.len() < points.len(),
            rows,
            planned: points.len() as u64,
        }
    }

    /// Takes the directory: what tables an earlier command left there goes, its points stay.
    pub fn start(
        &self,
        out: &Path,
        fresh: bool,
        checked: &Checked,
    ) -> Result<(Work<'_>, RunDirectory), String> {
        if !checked.warnings.is_empty() {
            eprintln!("{}", files::rendered(&checked.warnings));
        }
        let directory = RunDirectory::create_with_points(out, &holder());
        let mut directory = directory.map_err(|error| error.to_string())?;
        let store = Store::open(out, fresh)?;
        store.tell_of_another();
        self.write_sources(&mut directory)
            .map_err(|error| error.to_string())?;
        Ok((Work::new(self, checked, store), directory))
    }

    /// The scenario and the files it names.
    fn write_sources(
        &self,
        directory: &mut RunDirectory,
    ) -> Result<(), backwater_results::DirectoryError> {
        let folder = Path::new(&self.asked.source.name).parent();
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, text) in named.iter() {
            let name = path.strip_prefix(folder.unwrap_or(Path::new("")));
            if let Some(name) = name.ok().and_then(Path::to_str) {
                directory.write_named(name, text)?;
            }
        }
        directory.write("scenario.toml", self.asked.source.text.as_bytes())
    }
}
