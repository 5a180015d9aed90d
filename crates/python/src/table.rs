//! Tables of results, as Python sees them.

use std::sync::Arc;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCapsule, PyDict, PyIterator, PyList};

use crate::column::{Column, list, value};
use crate::columns::{Columns, Values};
use crate::lend::{self, Lent};
use crate::rows::{self, Picked};

/// A table of results: rows of flows, ports and the like.
///
/// `table["delay_p99_us"]` is a column, `table[0]` a row, `table[:3]` and
/// `table[table["lost"] > 0]` tables of some rows, `table[["flow", "lost"]]` one of some columns.
/// Who goes through it meets its rows, each a dictionary by column.
///
/// pandas, polars, pyarrow and DuckDB take it without a copy, by the Arrow C stream interface:
/// `table.to_polars()`, `table.to_arrow()`, `table.to_pandas()`. Types are int64,
/// float64 and large_string; where nothing was measured, a value is absent (null). Unit and meaning
/// of a column are in the metadata of its field.
#[pyclass(frozen, module = "backwater")]
pub struct Table {
    /// Its columns.
    pub columns: Arc<Columns>,
}

#[pymethods]
impl Table {
    /// Its name, such as `flows`; of a series, that of the series.
    #[getter]
    fn name(&self) -> &str {
        &self.columns.name
    }

    /// One sentence on what the rows are.
    #[getter]
    fn caption(&self) -> &str {
        &self.columns.caption
    }

    /// Names of its columns, left to right. Each ends with its unit: `delay_p99_us`.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        let columns = self.columns.columns.iter();
        columns.map(|column| &*column.key).collect()
    }

    /// Units by column; empty where there is none.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let units = PyDict::new(py);
        for column in &self.columns.columns {
            units.set_item(&column.key, &column.unit)?;
        }
        Ok(units)
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.columns.rows, self.columns.columns.len())
    }

    fn __len__(&self) -> usize {
        self.columns.rows
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let of = |columns| Table { columns }.into_pyobject(py).map(Bound::into_any);
        if let Ok(name) = key.extract::<&str>() {
            let column = Column::of(self.find(name)?);
            return Ok(column.into_pyobject(py)?.into_any());
        }
        if let Ok(names) = key.extract::<Vec<String>>()
            && !names.is_empty()
        {
            let columns = names.iter().map(|name| Ok(Arc::clone(self.find(name)?)));
            return of(Arc::new(Columns {
                columns: columns.collect::<PyResult<_>>()?,
                ..self.columns.headings()
            }));
        }
        let what = format!("the table `{}`", self.columns.name);
        match rows::places(&key, self.columns.rows, &what)? {
            Picked::One(row) => Ok(self.row(py, row)?.into_any()),
            Picked::Many(rows) => of(Arc::new(self.columns.take(&rows))),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.columns.find(name).is_some()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.rows(py)?.try_iter()
    }

    /// The rows as dictionaries by column.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = (0..self.columns.rows).map(|row| self.row(py, row));
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// As a Table of pyarrow, without a copy. Needs pyarrow.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// As a DataFrame of polars, without a copy. Needs polars.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// As a DataFrame of pandas, whose columns have the types of these whatever was measured:
    /// counts are int64, or Int64 where some are absent; measurements float64; words what pandas
    /// has for words. Needs pandas.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let pandas = slf.py().import("pandas")?;
        let data = PyDict::new(slf.py());
        for values in &slf.get().columns.columns {
            // Left to itself pandas takes a list of nothing for one of anything.
            let kind = match values.type_name() {
                "int64" if values.absent > 0 => "Int64",
                "large_string" => "str",
                kind => kind,
            };
            let list = list(slf.py(), values)?;
            let named = [("dtype", kind)].into_py_dict(slf.py())?;
            let series = pandas.getattr("Series")?.call((list,), Some(&named))?;
            data.set_item(&values.key, series)?;
        }
        pandas.call_method1("DataFrame", (data,))
    }

    /// By the interchange protocol of dataframes, for what does not read Arrow. Needs pyarrow.
    #[pyo3(signature = (nan_as_null = false, allow_copy = true))]
    fn __dataframe__<'py>(
        slf: &Bound<'py, Self>,
        nan_as_null: bool,
        allow_copy: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arrow = Self::to_arrow(slf)?;
        arrow.call_method1("__dataframe__", (nan_as_null, allow_copy))
    }

    /// A stream of one batch in Arrow's C interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Another schema may be asked for; the interface lets the owner give its own.
        drop(requested_schema);
        lend::stream(py, Lent::Table(Arc::clone(&self.columns)))
    }

    /// The schema in Arrow's C interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        lend::schema(py, &Lent::Table(Arc::clone(&self.columns)))
    }

    /// What a notebook shows: the first rows.
    fn _repr_html_(&self) -> String {
        rows::html(&self.columns)
    }

    /// Names that a notebook offers between brackets.
    fn _ipython_key_completions_(&self) -> Vec<&str> {
        self.columns()
    }

    fn __str__(&self) -> String {
        rows::text(&self.columns)
    }

    fn __repr__(&self) -> String {
        let Columns {
            name,
            rows,
            columns,
            ..
        } = &*self.columns;
        let names: Vec<&str> = columns.iter().map(|column| &*column.key).collect();
        format!(
            "<backwater.Table {name}: {rows} rows, {} columns: {}>",
            names.len(),
            names.join(", ")
        )
    }
}

impl Table {
    /// A row as a dictionary by column.
    fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyDict>> {
        let cells = PyDict::new(py);
        for column in &self.columns.columns {
            cells.set_item(&column.key, value(py, column, row)?)?;
        }
        Ok(cells)
    }

    fn find(&self, name: &str) -> PyResult<&Arc<Values>> {
        let found = self.columns.find(name);
        found.ok_or_else(|| PyKeyError::new_err(self.no_column(name)))
    }

    fn no_column(&self, wanted: &str) -> String {
        let known = self.columns.columns.iter().map(|column| &*column.key);
        let meant = match backwater_scenario::nearest(wanted, known.clone()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("it has {}", known.collect::<Vec<_>>().join(", ")),
        };
        let name = &self.columns.name;
        format!("the table `{name}` has no column `{wanted}`; {meant}")
    }
}
