//! The trace of a run of the cycle engine, flit by flit.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use backwater_flit::probe::Crossing;
use backwater_flit::spec::FabricSpec;
use backwater_results::FabricTraceWriter;
use backwater_results::directory::fresh_file;

use crate::files::shown;

/// The trace on its way to a file.
pub struct Trace(FabricTraceWriter<BufWriter<File>>);

impl Trace {
    /// Begins the file.
    pub fn create(path: &Path, spec: &FabricSpec) -> Result<Trace, String> {
        let wrong = |error| format!("can't write {}: {error}", shown(path));
        let file = fresh_file(path).map_err(wrong)?;
        let writer = FabricTraceWriter::new(BufWriter::new(file), spec).map_err(wrong)?;
        Ok(Trace(writer))
    }

    /// Adds these.
    pub fn write(&mut self, crossings: Vec<Crossing>) -> Result<(), String> {
        let mut crossings = crossings.iter();
        crossings
            .try_for_each(|crossing| self.0.record(crossing))
            .map_err(|error| format!("can't write the trace: {error}"))
    }

    /// Flushes.
    pub fn finish(self) -> Result<(), String> {
        let flushed = self.0.finish().map_err(|error| error.to_string())?;
        drop(flushed);
        Ok(())
    }
}
