//! A column of a table, as Python sees it: a sequence, a stream of Arrow's, a buffer.
//!
//! One of the two files of the project with unsafe code: the interpreter has a view of memory
//! filled through a pointer.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyBufferError, PyIndexError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyList};

use crate::columns::{Memory, Value, Values};
use crate::lend::{self, Lent};

/// One column of a table: a sequence of numbers or words, `None` where nothing was measured.
///
/// It leaves as `__arrow_c_stream__` and, if it holds numbers, by the buffer protocol:
/// `np.asarray(column)` reads the same memory, of int64 or float64 (NaN where absent). Of int64
/// with absent values it reads float64 with NaN.
#[pyclass(frozen, sequence, module = "backwater")]
pub struct Column {
    values: Arc<Values>,
}

impl Column {
    /// Of these values.
    pub fn of(values: &Arc<Values>) -> Column {
        Column {
            values: Arc::clone(values),
        }
    }
}

#[pymethods]
impl Column {
    /// Its name, which ends with the unit.
    #[getter]
    fn name(&self) -> &str {
        &self.values.key
    }

    /// Unit; empty where there is none.
    #[getter]
    fn unit(&self) -> &str {
        &self.values.unit
    }

    /// What the values mean.
    #[getter]
    fn meaning(&self) -> &str {
        &self.values.meaning
    }

    /// Type in Arrow's words: `int64`, `float64` or `large_string`.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.values.type_name()
    }

    /// How many values are absent.
    #[getter]
    fn null_count(&self) -> usize {
        self.values.absent
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, row: isize) -> PyResult<Bound<'py, PyAny>> {
        let len = self.values.len() as isize;
        let at = if row < 0 { row + len } else { row };
        if !(0..len).contains(&at) {
            let name = &self.values.key;
            return Err(PyIndexError::new_err(format!(
                "row {row} of the column `{name}`, which has {len}"
            )));
        }
        value(py, &self.values, at as usize)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        list(py, &self.values)?.try_iter()
    }

    /// A stream of one batch in Arrow's C interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        lend::stream(py, Lent::Column(Arc::clone(&self.values)))
    }

    /// The schema in Arrow's C interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        lend::schema(py, &Lent::Column(Arc::clone(&self.values)))
    }

    /// # Safety
    /// `view` may be written: the interpreter sees to that.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        // SAFETY: as this function's.
        unsafe { fill_view(&slf, view, flags) }
    }

    fn __repr__(&self) -> String {
        let Values { key, unit, .. } = &*self.values;
        let unit = match unit.as_str() {
            "" => String::new(),
            unit => format!(" in {unit}"),
        };
        let (len, kind) = (self.values.len(), self.values.type_name());
        format!("<backwater.Column {key}: {len} values of {kind}{unit}>")
    }
}

/// Fills a view of the numbers of a column.
///
/// # Safety
/// `view` may be written, or is null.
unsafe fn fill_view(
    owner: &Bound<'_, Column>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    let values = &owner.get().values;
    let (memory, format): (*const c_void, &'static CStr) = match values.memory() {
        Memory::Words(..) => return refused("it holds words; `list(column)` has them"),
        Memory::Floats(values) => (values.as_ptr().cast(), c"d"),
        _ if values.absent > 0 => (values.with_nan().as_ptr().cast(), c"d"),
        Memory::Ints(values) => (values.as_ptr().cast(), c"q"),
        Memory::Instants(values) => (values.as_ptr().cast(), c"q"),
    };
    if view.is_null() || flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        return refused("results can't be written");
    }
    let wants = |flag: c_int| flags & flag == flag;
    let shape = ptr::from_ref(&values.shape).cast::<isize>().cast_mut();
    // SAFETY: the interpreter calls with a view that it lets us fill. The view owns a reference to
    // `owner`, which holds `values`, so memory, shape and strides stay as long as the view. They
    // are never written: the view is read-only, and nobody writes shape and strides. The shape has
    // two entries: the second is the stride.
    unsafe {
        (*view).obj = owner.clone().into_any().into_ptr();
        (*view).buf = memory.cast_mut();
        (*view).len = values.shape[0] * values.shape[1];
        (*view).itemsize = values.shape[1];
        (*view).readonly = 1;
        (*view).ndim = 1;
        (*view).format = match wants(ffi::PyBUF_FORMAT) {
            true => format.as_ptr().cast_mut(),
            false => ptr::null_mut(),
        };
        (*view).shape = match wants(ffi::PyBUF_ND) {
            true => shape,
            false => ptr::null_mut(),
        };
        (*view).strides = match wants(ffi::PyBUF_STRIDES) {
            true => shape.add(1),
            false => ptr::null_mut(),
        };
        (*view).suboffsets = ptr::null_mut();
        (*view).internal = ptr::null_mut();
    }
    Ok(())
}

fn refused<T>(why: &str) -> PyResult<T> {
    Err(PyBufferError::new_err(format!(
        "no buffer of this column: {why}"
    )))
}

/// All values of a column as Python's, `None` where one is absent.
pub fn list<'py>(py: Python<'py>, column: &Values) -> PyResult<Bound<'py, PyList>> {
    let values = (0..column.len()).map(|row| value(py, column, row));
    PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)
}

/// A value as Python's: `None` where it is absent.
pub fn value<'py>(py: Python<'py>, column: &Values, row: usize) -> PyResult<Bound<'py, PyAny>> {
    match column.get(row) {
        Value::Int(count) => count.into_bound_py_any(py),
        Value::Float(value) => value.into_bound_py_any(py),
        Value::Word(word) => word.into_bound_py_any(py),
        Value::Absent => Ok(py.None().into_bound(py)),
    }
}
