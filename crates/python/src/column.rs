//! A column of a table, as Python sees it: a sequence, a stream of Arrow's, a buffer.
//!
//! One of the two files of the project with unsafe code: the interpreter has a view of memory
//! filled through a pointer.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyBufferError, PyImportError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyList};

use crate::columns::{Memory, Value, Values};
use crate::lend::{self, Lent};
use crate::rows::{self, Picked};

/// One column of a table: a sequence of numbers or words, `None` where nothing was measured.
///
/// It leaves as `__arrow_c_stream__` and, if it holds numbers, by the buffer protocol:
/// `np.asarray(column)` reads the same memory, of int64 or float64 (NaN where absent). Of int64
/// with absent values it reads float64 with NaN. `column * 2`, `column > 3` and the like give
/// arrays of numpy; `column[1:]` and `column[column > 3]` are columns of some rows.
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

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let what = format!("the column `{}`", self.values.key);
        match rows::places(&key, self.values.len(), &what)? {
            Picked::One(row) => value(py, &self.values, row),
            Picked::Many(rows) => {
                let column = Column::of(&Arc::new(self.values.take(&rows)));
                Ok(column.into_pyobject(py)?.into_any())
            }
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        list(py, &self.values)?.try_iter()
    }

    /// As an array of numpy, which it needs: the same memory, if all values are numbers that are
    /// there.
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf.py())?.call_method1("asarray", (slf,))
    }

    /// As a list, `None` where nothing was measured.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.values)
    }

    fn __add__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "add", &other, false)
    }

    fn __radd__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "add", &other, true)
    }

    fn __sub__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "sub", &other, false)
    }

    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "sub", &other, true)
    }

    fn __mul__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "mul", &other, false)
    }

    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "mul", &other, true)
    }

    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "truediv", &other, false)
    }

    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "truediv", &other, true)
    }

    fn __floordiv__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "floordiv", &other, false)
    }

    fn __rfloordiv__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "floordiv", &other, true)
    }

    fn __mod__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "mod", &other, false)
    }

    fn __rmod__<'py>(slf: &Bound<'py, Self>, other: Any<'py>) -> PyResult<Any<'py>> {
        combined(slf, "mod", &other, true)
    }

    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: Any<'py>,
        modulo: Option<Any<'py>>,
    ) -> PyResult<Any<'py>> {
        power(slf, &other, modulo, false)
    }

    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: Any<'py>,
        modulo: Option<Any<'py>>,
    ) -> PyResult<Any<'py>> {
        power(slf, &other, modulo, true)
    }

    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Any<'py>> {
        Self::to_numpy(slf)?.neg()
    }

    fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Any<'py>> {
        Self::to_numpy(slf)?.abs()
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: Any<'py>,
        op: CompareOp,
    ) -> PyResult<Any<'py>> {
        let name = match op {
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        };
        combined(slf, name, &other, false)
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

/// Any object of Python.
type Any<'py> = Bound<'py, PyAny>;

/// numpy, or how to get it.
fn numpy(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("numpy").map_err(|_| {
        PyImportError::new_err("columns reckon through numpy: pip install numpy; or take a list")
    })
}

/// A power; NumPy has none with a remainder.
fn power<'py>(
    column: &Bound<'py, Column>,
    other: &Any<'py>,
    modulo: Option<Any<'py>>,
    is_reflected: bool,
) -> PyResult<Any<'py>> {
    match modulo {
        None => combined(column, "pow", other, is_reflected),
        Some(_) => Err(PyTypeError::new_err(
            "a column has no pow() with three arguments: take % of the result",
        )),
    }
}

/// What an operator of Python's `operator` gives of a column as an array and something else.
fn combined<'py>(
    column: &Bound<'py, Column>,
    operator: &str,
    other: &Any<'py>,
    is_reflected: bool,
) -> PyResult<Any<'py>> {
    let own = Column::to_numpy(column)?;
    let other = match other.cast::<Column>() {
        Ok(other) => Column::to_numpy(other)?,
        Err(_) => other.clone(),
    };
    let operator = column.py().import("operator")?.getattr(operator)?;
    match is_reflected {
        true => operator.call1((other, own)),
        false => operator.call1((own, other)),
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
