//! Columns lent to Python without a copy, by the Arrow C stream interface.
//!
//! One of the two files of the project with unsafe code; `column.rs` is the other. What makes it
//! sound:
//!
//! - The three structs are those of the Arrow specification, field by field.
//! - What is lent is behind an `Arc` and never changes, so its addresses stay. Every struct that
//!   points into it owns a clone of that `Arc` (`private_data`), and gives it back in `release`.
//! - A struct is released once: `release` takes itself out of the struct. Who moves a struct takes
//!   `release` out of the old place, as the specification says, so its owner then drops nothing.
//! - Nothing here panics, so no panic crosses the border to C.

#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::columns::{Columns, Memory, Values};

/// `EIO`, of a stream that was used after its end.
const WRONG: c_int = 5;
/// A field may hold nothing.
const NULLABLE: i64 = 2;

/// What is lent: a table, as a struct of its columns, or one column.
#[derive(Clone)]
pub enum Lent {
    /// A table.
    Table(Arc<Columns>),
    /// A column.
    Column(Arc<Values>),
}

/// `ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `ArrowArrayStream`.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// What a schema points to.
struct SchemaParts {
    format: CString,
    name: CString,
    metadata: Vec<u8>,
    children: Vec<*mut Schema>,
}

/// What an array points to.
struct ArrayParts {
    _lent: Lent,
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
}

/// What a stream still has to give.
struct StreamParts {
    lent: Lent,
    is_over: bool,
}

// SAFETY: what the pointers lead to belongs to the struct alone or is behind an `Arc` of values
// that never change, so it may be used and released by any thread.
unsafe impl Send for Schema {}
// SAFETY: as for `Schema`.
unsafe impl Send for Stream {}

/// A capsule `arrow_array_stream` with one batch.
pub fn stream(py: Python<'_>, lent: Lent) -> PyResult<Bound<'_, PyCapsule>> {
    let parts = Box::new(StreamParts {
        lent,
        is_over: false,
    });
    let stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(parts).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// A capsule `arrow_schema`.
pub fn schema<'py>(py: Python<'py>, lent: &Lent) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, schema_of(lent), c"arrow_schema")
}

/// Text for C; what stands behind a zero is left out.
fn c_string(text: &str) -> CString {
    let whole = text.split('\0').next().unwrap_or_default();
    CString::new(whole).unwrap_or_default()
}

/// Keys and values as the specification wants them: counts and lengths as 32 bits.
fn metadata(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let number = |bytes: &mut Vec<u8>, count: usize| {
        bytes.extend(i32::try_from(count).unwrap_or(0).to_ne_bytes());
    };
    let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
    number(&mut bytes, pairs.clone().count());
    for (key, value) in pairs {
        for text in [key, value] {
            number(&mut bytes, text.len());
            bytes.extend(text.bytes());
        }
    }
    bytes
}

fn schema_of(lent: &Lent) -> Schema {
    let (format, name, about, children) = match lent {
        Lent::Table(table) => {
            let about = [("name", &*table.name), ("caption", &*table.caption)];
            let columns = table.columns.iter().cloned().map(Lent::Column);
            let children = columns.map(|column| Box::into_raw(Box::new(schema_of(&column))));
            (c"+s", "", metadata(&about), children.collect())
        }
        Lent::Column(values) => {
            let about = [("unit", &*values.unit), ("meaning", &*values.meaning)];
            let format = match values.memory() {
                Memory::Ints(_) | Memory::Instants(_) => c"l",
                Memory::Floats(_) => c"g",
                Memory::Words(..) => c"U",
            };
            (format, &*values.key, metadata(&about), Vec::new())
        }
    };
    let mut parts = Box::new(SchemaParts {
        format: format.to_owned(),
        name: c_string(name),
        metadata: about,
        children,
    });
    Schema {
        format: parts.format.as_ptr(),
        name: parts.name.as_ptr(),
        metadata: parts.metadata.as_ptr().cast(),
        flags: if matches!(lent, Lent::Column(_)) {
            NULLABLE
        } else {
            0
        },
        n_children: parts.children.len() as i64,
        children: parts.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast(),
    }
}

fn array_of(lent: &Lent) -> Array {
    let (length, absent, buffers, children) = match lent {
        Lent::Table(table) => {
            let columns = table.columns.iter().cloned().map(Lent::Column);
            let children = columns.map(|column| Box::into_raw(Box::new(array_of(&column))));
            (table.rows, 0, vec![ptr::null()], children.collect())
        }
        Lent::Column(values) => {
            let bits = values.validity.as_ref();
            let mut buffers = vec![bits.map_or(ptr::null(), |bits| bits.as_ptr().cast())];
            match values.memory() {
                Memory::Ints(values) => buffers.push(values.as_ptr().cast()),
                // The same 64 bits: instants are below 2^63.
                Memory::Instants(values) => buffers.push(values.as_ptr().cast()),
                Memory::Floats(values) => buffers.push(values.as_ptr().cast()),
                Memory::Words(offsets, bytes) => {
                    buffers.extend([offsets.as_ptr().cast(), bytes.as_ptr().cast()]);
                }
            }
            (values.len(), values.absent, buffers, Vec::new())
        }
    };
    let mut parts = Box::new(ArrayParts {
        _lent: lent.clone(),
        buffers,
        children,
    });
    Array {
        length: length as i64,
        null_count: absent as i64,
        offset: 0,
        n_buffers: parts.buffers.len() as i64,
        n_children: parts.children.len() as i64,
        buffers: parts.buffers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast(),
    }
}

/// # Safety
/// `stream` is one of ours, not yet released; `out` may be written.
unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: until it is released, the stream's private data are the parts made in `stream`.
    unsafe {
        let parts = &*(*stream).private_data.cast::<StreamParts>();
        out.write(schema_of(&parts.lent));
    }
    0
}

/// # Safety
/// As for `get_schema`; nobody else uses the stream meanwhile.
unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: as in `get_schema`; the specification forbids two calls at once.
    unsafe {
        let parts = (*stream).private_data.cast::<StreamParts>();
        if parts.is_null() {
            return WRONG;
        }
        if (*parts).is_over {
            // The end of a stream is an array that is released already: all of it is zero.
            out.write_bytes(0, 1);
        } else {
            (*parts).is_over = true;
            out.write(array_of(&(*parts).lent));
        }
    }
    0
}

/// # Safety
/// None is needed: nothing is read.
unsafe extern "C" fn get_last_error(_: *mut Stream) -> *const c_char {
    ptr::null()
}

/// # Safety
/// `stream` is one of ours, not yet released.
unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: the parts were boxed in `stream`, and are freed once: `release` goes with them.
    unsafe {
        (*stream).release = None;
        drop(Box::from_raw((*stream).private_data.cast::<StreamParts>()));
        (*stream).private_data = ptr::null_mut();
    }
}

/// # Safety
/// `schema` is one of ours, not yet released.
unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: parts and children were boxed in `schema_of`, and are freed once. A child that was
    // moved away has no `release` any more, and its box holds nothing else.
    unsafe {
        (*schema).release = None;
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        for child in &parts.children {
            drop(Box::from_raw(*child));
        }
        (*schema).private_data = ptr::null_mut();
    }
}

/// # Safety
/// `array` is one of ours, not yet released.
unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as in `release_schema`.
    unsafe {
        (*array).release = None;
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        for child in &parts.children {
            drop(Box::from_raw(*child));
        }
        (*array).private_data = ptr::null_mut();
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: what has a `release` is not yet released.
            unsafe { release(self) };
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: what has a `release` is not yet released.
            unsafe { release(self) };
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: what has a `release` is not yet released.
            unsafe { release(self) };
        }
    }
}
