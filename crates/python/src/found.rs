//! What a run found, as Python sees it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use backwater_results::directory::Holder;
use backwater_results::{Manifest, Report, RunDirectory};
use backwater_run::job::{Ending, Job};
use backwater_run::{Head, Shown, Told, machine};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::columns::Columns;
use crate::errors::Failure;
use crate::table::Table;

/// The results of a run.
#[pyclass(frozen, module = "backwater._backwater")]
pub struct Found {
    job: Job,
    tables: Vec<backwater_results::Table>,
    /// Each table by columns, once it was asked for.
    columns: Vec<OnceLock<Arc<Columns>>>,
    told: Arc<Told>,
    summary: Value,
    report: Report,
    manifest: Manifest,
    head: Head,
    words: String,
    standstill: Option<String>,
    wall_seconds: f64,
}

impl Found {
    /// Of a run that took so long.
    pub fn of(job: Job, found: &mut dyn backwater_run::Found, wall_seconds: f64) -> Found {
        let head = found.head();
        let partial = Ending::of(&head).is_early();
        let Shown {
            tables,
            summary,
            report,
            manifest,
            ..
        } = job.shown(found, wall_seconds, partial);
        let summary = Value::from(summary);
        let tables = tables.into_owned();
        Found {
            words: found.summary(&job.info(wall_seconds)),
            standstill: found.standstill(),
            told: Arc::new(std::mem::take(found.told())),
            columns: tables.iter().map(|_| OnceLock::new()).collect(),
            tables,
            summary,
            report,
            manifest,
            head,
            job,
            wall_seconds,
        }
    }
}

#[pymethods]
impl Found {
    /// Fingerprint of everything that crossed a channel, and when.
    #[getter]
    fn trace_hash(&self) -> &str {
        &self.manifest.trace_hash
    }

    /// Events handled.
    #[getter]
    fn events(&self) -> u64 {
        self.head.events
    }

    /// Units, frames or flits that crossed a channel.
    #[getter]
    fn hops(&self) -> u64 {
        self.head.hops
    }

    /// Promises broken.
    #[getter]
    fn broken(&self) -> u64 {
        self.head.broken
    }

    /// It ended as it should.
    #[getter]
    fn ok(&self) -> bool {
        Ending::of(&self.head) == Ending::Done
    }

    /// What can't move any more.
    #[getter]
    fn standstill(&self) -> Option<&str> {
        self.standstill.as_deref()
    }

    /// Wall time in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.wall_seconds
    }

    /// The summary as the command prints it.
    #[getter]
    fn words(&self) -> &str {
        &self.words
    }

    /// The summary as JSON.
    #[getter]
    fn summary(&self) -> String {
        self.summary.to_string()
    }

    /// What was promised and what was checked, as JSON.
    #[getter]
    fn claims(&self) -> String {
        let Manifest {
            promises, checks, ..
        } = &self.manifest;
        json!({ "promises": promises, "checks": checks }).to_string()
    }

    /// Names of the tables.
    #[getter]
    fn tables(&self) -> Vec<&str> {
        self.tables.iter().map(|table| &*table.name).collect()
    }

    /// The table of this name.
    fn table(&self, name: &str) -> Option<Table> {
        let index = self.tables.iter().position(|table| table.name == name)?;
        let columns =
            self.columns[index].get_or_init(|| Arc::new(Columns::of(&self.tables[index])));
        Some(Table {
            columns: Arc::clone(columns),
        })
    }

    /// Names of the series.
    #[getter]
    fn series_names(&self) -> Vec<&str> {
        self.told.series.iter().map(|one| &*one.name).collect()
    }

    /// The series of this name.
    fn series(&self, name: &str) -> Option<Table> {
        let index = self.told.series.iter().position(|one| one.name == name)?;
        Some(Table {
            columns: Arc::new(Columns::of_series(&self.told, index)),
        })
    }

    /// The report, one page of HTML.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| backwater_results::page(&self.report))
    }

    /// Writes a directory of results as the command does; gives its path.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<PathBuf> {
        py.detach(|| self.write(folder))
            .map_err(|failure| failure.raise(py))
    }
}

impl Found {
    fn write(&self, folder: PathBuf) -> Result<PathBuf, Failure> {
        let told = |error: backwater_results::DirectoryError| Failure::Refused(error.to_string());
        let holder = Holder {
            command: self.report.command.clone(),
            process: std::process::id(),
            since: machine::now(),
        };
        let mut directory = RunDirectory::create(folder, &holder).map_err(told)?;
        let shown = Shown {
            tables: self.tables.as_slice().into(),
            told: &self.told,
            summary: self.summary.clone().into(),
            report: self.report.clone(),
            manifest: self.manifest.clone(),
        };
        self.job.save(&shown, &mut directory).map_err(told)?;
        Ok(directory.path().to_path_buf())
    }
}
