//! What runs have to say goes to the logger `backwater` of Python.

use log::{Level, LevelFilter, Metadata, Record};
use pyo3::prelude::*;

struct ToPython;

/// From now on.
pub fn listen() {
    // Whoever listens already, as the command does, goes on.
    if log::set_logger(&ToPython).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

impl log::Log for ToPython {
    fn enabled(&self, about: &Metadata<'_>) -> bool {
        about.level() <= Level::Info && about.target().starts_with("backwater")
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let text = record.args().to_string();
        let method = match record.level() {
            Level::Error => "error",
            Level::Warn => "warning",
            _ => "info",
        };
        // Nobody hears it while the interpreter ends, or where a handler fails.
        Python::try_attach(|py| -> PyResult<()> {
            let logger = py
                .import("logging")?
                .call_method1("getLogger", ("backwater",))?;
            logger.call_method1(method, ("%s", text.trim()))?;
            Ok(())
        });
    }

    fn flush(&self) {}
}
