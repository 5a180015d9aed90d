//! `import backwater`: the part of the package for Python that is written in Rust.
//!
//! Thin: it reads scenarios and runs them as the command does, and lends what they found.
//! What people call, with its words, is in `python/backwater`.

mod column;
mod columns;
mod errors;
mod found;
mod lend;
mod outside;
mod points;
mod rows;
mod said;
mod saved;
mod scenario;
mod stack;
mod table;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The part that is written in Rust.
#[pymodule]
mod _backwater {
    #[pymodule_export]
    use super::column::Column;
    #[pymodule_export]
    use super::errors::Diagnostic;
    #[pymodule_export]
    use super::found::Found;
    #[pymodule_export]
    use super::outside::{Ack, Flow, Hop};
    #[pymodule_export]
    use super::points::{Points, measure};
    #[pymodule_export]
    use super::saved::{series_of, tables_of, text_of};
    #[pymodule_export]
    use super::scenario::Scenario;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::{command, examples, explain};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Runs the command with these words; gives the exit status.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    stack::roomy(py, || Ok(backwater::command(words)))
}

/// Explains a key, word, term, code of an error, paper or claim.
#[pyfunction]
fn explain(what: &str) -> PyResult<String> {
    backwater::explain(what).map_err(pyo3::exceptions::PyKeyError::new_err)
}

/// Names and titles of the shipped scenarios.
#[pyfunction]
fn examples() -> Vec<(&'static str, &'static str)> {
    let scenarios = backwater::examples().filter(|one| one.path != one.name());
    scenarios.map(|one| (one.name(), one.title())).collect()
}
