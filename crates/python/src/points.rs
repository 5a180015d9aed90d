//! Sweeps whose points other processes compute.

use std::ffi::OsString;
use std::sync::Arc;

use backwater::NotOpened;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::Columns;
use crate::errors::{Failure, no_scenario, run_error};
use crate::stack::roomy;
use crate::table::Table;

/// A sweep in its directory, whose points are computed elsewhere.
#[pyclass(frozen, module = "backwater._backwater")]
pub struct Points {
    inner: std::sync::Mutex<Option<Arc<backwater::Points>>>,
}

#[pymethods]
impl Points {
    /// Of the command `sweep` with these words. With `text` the scenario is not read: the file that
    /// is named has this text.
    #[new]
    #[pyo3(signature = (words, text = None))]
    fn new(py: Python<'_>, words: Vec<OsString>, text: Option<String>) -> PyResult<Points> {
        let opened = roomy(py, || Ok(backwater::Points::open(words, text)))?;
        let opened = opened.map_err(|wrong| match wrong {
            NotOpened::Asked(what) => no_scenario(py, what.trim_end()),
            NotOpened::Directory(what) => run_error(py, what.trim_end()),
        })?;
        Ok(Points {
            inner: std::sync::Mutex::new(Some(Arc::new(opened))),
        })
    }

    /// What a worker needs besides the numbers of points.
    #[getter]
    fn plan(&self) -> PyResult<String> {
        Ok(self.inner()?.plan().to_owned())
    }

    /// Points in all.
    #[getter]
    fn count(&self) -> PyResult<usize> {
        Ok(self.inner()?.count())
    }

    /// Numbers of the points to compute: of several that are the same scenario only one.
    #[getter]
    fn missing(&self) -> PyResult<Vec<u64>> {
        Ok(self.inner()?.missing().to_vec())
    }

    /// Numbers of the points that were there.
    #[getter]
    fn stored(&self) -> PyResult<Vec<u64>> {
        Ok(self.inner()?.stored().to_vec())
    }

    /// Stores what a worker computed of these points; gives the numbers of all that are there by
    /// that.
    fn take(&self, py: Python<'_>, points: Vec<u64>, texts: Vec<String>) -> PyResult<Vec<u64>> {
        let inner = self.inner()?;
        roomy(py, || inner.take(&points, &texts).map_err(Failure::Refused))
    }

    /// Rows of stored points.
    fn rows(&self, py: Python<'_>, points: Vec<u64>) -> PyResult<Table> {
        let inner = self.inner()?;
        let table = roomy(py, || Ok(inner.rows(&points)))?;
        Ok(Table {
            columns: Arc::new(Columns::of(&table)),
        })
    }

    /// Lets go of the directory.
    fn close(&self) {
        let mut inner = self
            .inner
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        *inner = None;
    }
}

impl Points {
    fn inner(&self) -> PyResult<Arc<backwater::Points>> {
        let inner = self
            .inner
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        inner
            .clone()
            .ok_or_else(|| PyValueError::new_err("the sweep is closed"))
    }
}

/// Computes points of a plan, on a worker; gives the text of each.
#[pyfunction]
pub fn measure(py: Python<'_>, plan: &str, points: Vec<u64>) -> PyResult<Vec<String>> {
    crate::said::listen();
    roomy(py, || {
        backwater::measure(plan, &points).map_err(Failure::Refused)
    })
}
