//! A scenario with its changes, and runs of it.

use std::io;
use std::path::{Path, PathBuf};

use backwater_run::job::{self, Job};
use backwater_run::memory::{self, Memory};
use backwater_run::{Pace, STEPS, Wanted, WhenMap};
use backwater_scenario::compare::is_comparison;
use backwater_scenario::{Loader, Set, Source, value_at};
use pyo3::prelude::*;

use crate::columns::Columns;
use crate::errors::{Diagnostic, Failure, listed, no_scenario, unreadable};
use crate::found::Found;
use crate::outside::{self, Flow, Given, Trouble};
use crate::stack::roomy;
use crate::table::Table;

/// A scenario's text and what was changed of it; never changes itself.
#[pyclass(frozen, module = "backwater._backwater")]
pub struct Scenario {
    source: Source,
    sets: Vec<Set>,
    /// The files that it names are those that are shipped.
    is_shipped: bool,
}

#[pymethods]
impl Scenario {
    /// What pickle made of one.
    #[new]
    fn new(name: String, text: String, changes: Vec<(String, String)>, is_shipped: bool) -> Self {
        let sets = changes.into_iter().map(|(key, value)| Set { key, value });
        Scenario {
            source: Source { name, text },
            sets: sets.collect(),
            is_shipped,
        }
    }

    /// What pickle makes it of again.
    fn __getnewargs__(&self) -> (&str, &str, Vec<(&str, &str)>, bool) {
        let Source { name, text } = &self.source;
        (name, text, self.changes(), self.is_shipped)
    }

    /// The files that it names are those that are shipped.
    #[getter]
    fn is_shipped(&self) -> bool {
        self.is_shipped
    }

    /// Of a file.
    #[staticmethod]
    fn of_file(py: Python<'_>, path: PathBuf) -> PyResult<Scenario> {
        let read = py.detach(|| backwater::read(&path));
        let source = read.map_err(|what| unreadable(py, &path, &what))?;
        Ok(Scenario::of(source, false))
    }

    /// Of a text; messages call it by this name.
    #[staticmethod]
    fn of_text(name: String, text: String) -> Scenario {
        Scenario::of(Source { name, text }, false)
    }

    /// One that is shipped.
    #[staticmethod]
    fn of_example(py: Python<'_>, name: &str) -> PyResult<Scenario> {
        let found = backwater::example(name).map_err(|what| no_scenario(py, &what))?;
        Ok(Scenario::of(Source::new(found.path, found.text), true))
    }

    /// The same with a key changed; the value is TOML.
    fn changed(&self, key: String, value: String) -> Scenario {
        let mut sets = self.sets.clone();
        sets.push(Set { key, value });
        Scenario {
            source: self.source.clone(),
            sets,
            is_shipped: self.is_shipped,
        }
    }

    /// What messages call it.
    #[getter]
    fn name(&self) -> &str {
        &self.source.name
    }

    /// Its text, without the changes.
    #[getter]
    fn text(&self) -> &str {
        &self.source.text
    }

    /// The changes, as key and value.
    #[getter]
    fn changes(&self) -> Vec<(&str, &str)> {
        let sets = self.sets.iter();
        sets.map(|set| (&*set.key, &*set.value)).collect()
    }

    /// Names and texts of the shipped files that it reads, which are to stand beside it.
    #[getter]
    fn beside(&self) -> Vec<(&'static str, &'static str)> {
        let example = backwater::example(&self.source.name).ok();
        let files = example.filter(|_| self.is_shipped);
        let files = files.map(|one| one.beside()).unwrap_or_default();
        files
            .iter()
            .map(|one| (one.file_name(), one.text))
            .collect()
    }

    /// What is wrong with it.
    fn check(&self, py: Python<'_>) -> PyResult<Vec<Diagnostic>> {
        roomy(py, || match self.read() {
            Ok(scenario) => Ok(listed(&scenario.warnings)),
            Err(Failure::Mistakes(mistakes)) => Ok(listed(&mistakes)),
            Err(other) => Err(other),
        })
    }

    /// With every default and every change written out, as TOML.
    fn resolved(&self, py: Python<'_>) -> PyResult<String> {
        roomy(py, || Ok(self.read()?.resolved))
    }

    /// What stands at a path, as TOML: in the text and its changes, else by default. The whole
    /// scenario at an empty path.
    fn value(&self, py: Python<'_>, path: &str) -> PyResult<Option<String>> {
        let at = |source: &Source, sets: &[Set]| {
            value_at(source, sets, path).map_err(|told| Failure::Mistakes(Box::new(told)))
        };
        roomy(py, || {
            if let Some(value) = at(&self.source, &self.sets)? {
                return Ok(Some(value));
            }
            match self.read() {
                Ok(scenario) => at(&Source::new("resolved.toml", scenario.resolved), &[]),
                // What has mistakes has no defaults.
                Err(Failure::Mistakes(_)) => Ok(None),
                Err(other) => Err(other),
            }
        })
    }

    /// Its flows, as a source or control of Python sees them.
    fn flows(&self, py: Python<'_>) -> PyResult<Vec<Flow>> {
        roomy(py, || Ok(outside::flows(&self.read()?)))
    }

    /// What each queue and input under stops needs and has of headroom; nothing where nothing is
    /// stopped.
    fn headroom(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        roomy(py, || {
            let scenario = self.read()?;
            let table = backwater_run::engine(&scenario).headroom();
            Ok(table.map(|table| Table {
                columns: Columns::of(&table).into(),
            }))
        })
    }

    /// What the delay bound of each flow is made of, link by link; nothing where no flow has one.
    fn bound_hops(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        roomy(py, || {
            let scenario = self.read()?;
            let table = backwater_run::engine(&scenario).bound_hops();
            Ok(table.map(|table| Table {
                columns: Columns::of(&table).into(),
            }))
        })
    }

    /// Runs it. `progress` is called with the share that is done and a word on it.
    #[pyo3(signature = (threads, audit, progress, command, given))]
    fn run(
        &self,
        py: Python<'_>,
        threads: u8,
        audit: bool,
        progress: Option<Py<PyAny>>,
        command: String,
        given: Given,
    ) -> PyResult<Found> {
        crate::said::listen();
        let wanted = Wanted {
            audit,
            traces: &[],
            map: WhenMap::Auto,
            threads: threads.into(),
            memory: &Memory::default(),
            fast_forward: false,
        };
        roomy(py, || {
            self.simulate(&wanted, given, progress.as_ref(), command)
        })
    }
}

impl Scenario {
    fn of(source: Source, is_shipped: bool) -> Scenario {
        Scenario {
            source,
            sets: Vec::new(),
            is_shipped,
        }
    }

    /// Reads and checks it.
    fn read(&self) -> Result<backwater_scenario::Scenario, Failure> {
        if is_comparison(&self.source) {
            let name = &self.source.name;
            return Err(Failure::Refused(format!(
                "`{name}` is a comparison, not a scenario: try backwater.compare(scenario)"
            )));
        }
        let limits = Memory::default().limits(1);
        let load: &Loader<'_> = match self.is_shipped {
            true => &shipped,
            false => &backwater::Disk,
        };
        backwater_scenario::parse_with(&self.source, &self.sets, &limits, load)
            .map_err(|mistakes| Failure::Mistakes(Box::new(mistakes)))
    }

    fn simulate(
        &self,
        wanted: &Wanted<'_>,
        given: Given,
        progress: Option<&Py<PyAny>>,
        command: String,
    ) -> Result<Found, Failure> {
        let mut scenario = self.read()?;
        let trouble = Trouble::default();
        given.put(&mut scenario, &trouble)?;
        if !scenario.warnings.is_empty() {
            log::warn!("{}", scenario.warnings.render(false).trim_end());
        }
        let engine = backwater_run::engine(&scenario);
        let mut run = engine.watched(wanted)?;
        trouble.raise()?;
        let needed = backwater_scenario::needed_bytes(&scenario.engine);
        wanted.memory.watch(needed / 2);
        let mut job = Job::new(self.source.clone(), &scenario, &*engine, command);
        let mut pace = Pace::new(run.first_slice());
        job::simulate(&mut *run, &mut pace, |run, _, _| {
            let (position, words) = run.progress();
            Python::attach(|py| -> Result<(), Failure> {
                trouble.raise()?;
                py.check_signals()?;
                if let Some(progress) = progress {
                    let share = position as f64 / STEPS as f64;
                    progress.call1(py, (share, words))?;
                }
                Ok(())
            })
        })?;
        let mut found = run.found();
        drop(run);
        if let Some(audited) = found.told().audited.take() {
            job.note_audit(&audited, None, None);
        }
        job.note(&mut *found);
        if let Some(short) = memory::shortage() {
            return Err(Failure::Refused(format!(
                "memory: stopped in time: {short}; {}",
                found.grew()
            )));
        }
        Ok(Found::of(job, &mut *found, pace.seconds()))
    }
}

/// A shipped file that a shipped scenario names.
fn shipped(path: &Path) -> io::Result<String> {
    let found = backwater::examples().find(|one| Path::new(one.path) == path);
    let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file is shipped");
    found.map(|one| one.text.to_owned()).ok_or_else(missing)
}
