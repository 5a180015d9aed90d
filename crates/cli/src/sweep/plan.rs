//! What is to be run, checked as a whole before anything runs; and its running.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use backwater_results::RunDirectory;
use backwater_results::sweep::{FlowColumn, Measure, SweepAxis, SweepInfo, SweepResult, SweepRow};
use backwater_scenario::{Diagnostics, Limits, Scenario, Set, Source, Sweep};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::progress::Progress;
use super::store::{Key, Store};
use crate::{Changes, command_of, files, holder};
use backwater_results::sweep::Point;
use backwater_run::Engine;
use backwater_run::memory::{self, Memory};
use backwater_run::{interrupt, machine};

/// Points checked before mistakes are told.
const CHUNK: usize = 4096;
/// With so many mistakes the rest of the points is not looked at.
const ENOUGH: u64 = 100;

/// What sweeps and searches share.
#[derive(clap::Args)]
pub struct How {
    /// Add an axis or replace one of the scenario, as `--axis load=0.1,0.2` or
    /// `--axis 'load={ from = 0.1, to = 0.9, step = 0.1 }'`
    #[arg(long = "axis", value_name = "KEY=VALUES")]
    axes: Vec<String>,
    /// Number of seeds, or a list of them: 5 or 1,2,7
    #[arg(long, value_name = "N")]
    seeds: Option<String>,
    /// Columns of flows or groups in addition to those of the whole network, as
    /// victim.goodput,incast.fct_p99
    #[arg(long, value_name = "FLOW.COLUMN,..")]
    columns: Option<String>,
    /// Runs in parallel [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Directory for points, tables and report
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Remove points that were computed earlier
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    memory: Memory,
}

/// A sweep that is sound so far.
pub struct Plan {
    /// The points.
    pub sweep: Sweep,
    source: Source,
    pool: ThreadPool,
    limits: Limits,
    /// What the scenario names, by path: each is read once, so that all points see the same.
    named: Mutex<BTreeMap<PathBuf, String>>,
}

/// A sweep at work in its directory.
pub struct Work<'a> {
    plan: &'a Plan,
    measures: Vec<Measure>,
    columns: Vec<FlowColumn>,
    store: Store,
}

/// Points that can run: what each is known by, and what is measured.
pub struct Checked {
    /// In the order asked for.
    pub keys: Vec<Key>,
    /// What the engine measures, and what is asked for of flows.
    pub measures: Vec<Measure>,
    columns: Vec<FlowColumn>,
    /// Title and description of the scenario.
    pub words: (String, String),
    /// What the author may not have meant.
    warnings: Diagnostics,
}

impl How {
    /// Options that change what comes out, as typed.
    fn words(&self) -> Vec<String> {
        let axes = self
            .axes
            .iter()
            .flat_map(|axis| ["--axis".into(), axis.clone()]);
        let seeds = self
            .seeds
            .iter()
            .flat_map(|seeds| ["--seeds".into(), seeds.clone()]);
        let columns = self
            .columns
            .iter()
            .flat_map(|columns| ["--columns".into(), columns.clone()]);
        axes.chain(seeds).chain(columns).collect()
    }
}

/// The command that gives the same: without what moves no number.
pub fn command(name: &str, plan: &Plan, changes: &Changes, how: &How, more: Vec<String>) -> String {
    let sets = changes
        .sets
        .iter()
        .flat_map(|set| ["--set".into(), set.clone()]);
    let seed = changes
        .seed
        .iter()
        .flat_map(|seed| ["--seed".into(), seed.to_string()]);
    let words = [String::from(name), plan.source.name.clone()].into_iter();
    command_of(words.chain(sets).chain(seed).chain(how.words()).chain(more))
}

impl Plan {
    /// Reads the scenario and its axes; `more` comes on top of `--axis`.
    pub fn read(
        source: Source,
        changes: &Changes,
        how: &How,
        more: Option<Set>,
    ) -> Result<Plan, String> {
        let mut sets = files::sets(changes).map_err(|message| format!("error: {message}"))?;
        if let Some(seeds) = &how.seeds {
            let is_list = seeds.contains(',') && !seeds.trim_start().starts_with('[');
            sets.push(Set {
                key: "sweep.seeds".into(),
                value: if is_list {
                    format!("[{seeds}]")
                } else {
                    seeds.clone()
                },
            });
        }
        if let Some(columns) = &how.columns {
            let columns = columns.split(',').map(|column| format!("{column:?}"));
            let columns: Vec<String> = columns.collect();
            sets.push(Set {
                key: "sweep.columns".into(),
                value: format!("[{}]", columns.join(", ")),
            });
        }
        let mut axes = Vec::new();
        for text in &how.axes {
            let Some((key, value)) = text.split_once('=') else {
                return Err(format!(
                    "error: --axis takes KEY=VALUES, as load=0.1,0.2; this is `{text}`"
                ));
            };
            axes.push(Set {
                key: key.trim().into(),
                value: value.trim().into(),
            });
        }
        axes.extend(more);
        let sweep = Sweep::read(&source, &sets, &axes)
            .map_err(|mistakes| mistakes.render(files::color()))?;
        let jobs = how.jobs.map_or(0, usize::from);
        let pool = machine::pool(jobs).map_err(|error| format!("error: {error}"))?;
        let limits = how.memory.limits(pool.current_num_threads());
        how.memory.watch(0);
        Ok(Plan {
            sweep,
            source,
            pool,
            limits,
            named: Mutex::default(),
        })
    }

    fn scenario(&self, point: u64) -> Result<Scenario, Diagnostics> {
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
        let mut found = Diagnostics::default();
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
                            found.merge(&warnings, &note());
                        }
                    }
                    Err(mistakes) => found.merge(&mistakes, &note()),
                }
            }
            if interrupt::is_set() {
                return Err(None);
            }
            if found.errors() >= ENOUGH {
                break;
            }
        }
        drop(progress);
        if found.errors() > 0 {
            return Err(Some(found.render(files::color())));
        }
        let first = points.first().and_then(|point| self.scenario(*point).ok());
        let scenario = first.ok_or_else(|| Some("error: there is nothing to run".to_owned()))?;
        let engine = backwater_run::engine(&scenario);
        let columns = self.columns(&*engine)?;
        let chosen = columns.iter().map(|column| column.measure.clone());
        Ok(Checked {
            keys,
            measures: engine.measures().iter().cloned().chain(chosen).collect(),
            columns,
            words: (
                backwater_run::job::title(&scenario.title, &self.source),
                scenario.about.trim().to_owned(),
            ),
            warnings: found,
        })
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
            _ => Err(Some(mistakes.render(files::color()))),
        }
    }

    /// What the data doesn't say.
    pub fn info(&self, checked: &Checked, command: String) -> SweepInfo {
        SweepInfo {
            name: checked.words.0.clone(),
            description: checked.words.1.clone(),
            command,
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: self.source.text.clone(),
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
        how: &How,
        checked: &Checked,
    ) -> Result<(Work<'_>, RunDirectory), String> {
        if !checked.warnings.is_empty() {
            eprintln!("{}", checked.warnings.render(files::color()));
        }
        let directory = RunDirectory::create_with_points(out, &holder());
        let mut directory = directory.map_err(|error| error.to_string())?;
        let store = Store::open(out, how.fresh)?;
        self.write_sources(&mut directory)
            .map_err(|error| error.to_string())?;
        let work = Work {
            plan: self,
            measures: checked.measures.clone(),
            columns: checked.columns.clone(),
            store,
        };
        Ok((work, directory))
    }

    /// The scenario and the files it names.
    fn write_sources(
        &self,
        directory: &mut RunDirectory,
    ) -> Result<(), backwater_results::DirectoryError> {
        let folder = Path::new(&self.source.name).parent();
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, text) in named.iter() {
            let name = path.strip_prefix(folder.unwrap_or(Path::new("")));
            if let Some(name) = name.ok().and_then(Path::to_str) {
                directory.write_named(name, text)?;
            }
        }
        directory.write("scenario.toml", self.source.text.as_bytes())
    }
}

impl Work<'_> {
    /// The stored points of these keys. Of those that are damaged it says so.
    pub fn stored(&self, points: &[u64], keys: &[Key]) -> Vec<Option<Point>> {
        let load = |key: &Key| self.store.load(key, &self.measures);
        let pool = &self.plan.pool;
        let found: Vec<_> = pool.install(|| keys.par_iter().map(load).collect());
        let all = points.iter().zip(found);
        let point = |(number, found): (&u64, Result<Option<Point>, String>)| {
            found.unwrap_or_else(|damage| {
                let point = self.plan.sweep.describe(*number);
                eprintln!("note: the stored point {point} is damaged ({damage}): computed again");
                None
            })
        };
        all.map(point).collect()
    }

    /// Computes what `found` lacks, each scenario once, and stores it. After Ctrl-C the rest stays
    /// `None`.
    pub fn complete(
        &self,
        points: &[u64],
        keys: &[Key],
        found: &mut [Option<Point>],
    ) -> Result<(), String> {
        let mut missing: Vec<usize> = (0..points.len())
            .filter(|at| found[*at].is_none())
            .collect();
        let all = missing.clone();
        missing.sort_by_key(|at| (keys[*at], *at));
        missing.dedup_by_key(|at| keys[*at]);
        missing.sort();
        let progress = Progress::new("running", missing.len() as u64);
        let compute = |at: &usize| {
            let point = self.compute(points[*at], &keys[*at])?;
            progress.step();
            Ok((*at, point))
        };
        let computed: Result<Vec<(usize, Option<Point>)>, String> = self
            .plan
            .pool
            .install(|| missing.par_iter().map(compute).collect());
        for (at, point) in computed? {
            found[at] = point;
        }
        for at in all {
            if found[at].is_none() {
                // The same scenario under another number.
                let same = missing.iter().find(|other| keys[**other] == keys[at]);
                found[at] = same.and_then(|other| found[*other].clone());
            }
        }
        Ok(())
    }

    fn compute(&self, point: u64, key: &Key) -> Result<Option<Point>, String> {
        if interrupt::is_set() || memory::is_short() {
            return Ok(None);
        }
        let told = |message: String| format!("{}: {message}", self.plan.sweep.describe(point));
        let scenario = self
            .plan
            .scenario(point)
            .map_err(|wrong| told(wrong.render(false)))?;
        let measured = backwater_run::engine(&scenario).measure(&self.columns);
        let Some(measured) = measured.map_err(told)? else {
            return Ok(None);
        };
        self.store.save(key, &self.measures, &measured)?;
        Ok(Some(measured))
    }
}
