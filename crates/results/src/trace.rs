//! Files that probes write while a run goes on: traces, captures, waveforms.

use std::io::{self, Write};

/// A probe that writes a file while a run goes on.
pub trait TraceFile<W: Write> {
    /// The file's name in a run directory.
    const NAME: &'static str;
    /// Begins the file, made by this program. Hand it a buffered writer.
    ///
    /// # Errors
    /// If it can't be written.
    fn begin(&mut self, file: W, program: &str) -> io::Result<()>;
    /// Hands on what is still in memory, so that the file can be read as it is.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    fn flush(&mut self) -> io::Result<()>;
    /// The run is over at this instant, or after so many cycles.
    ///
    /// # Errors
    /// If it can't be written, or what came before could not.
    fn finish(&mut self, _at: u64) -> io::Result<()> {
        self.flush()
    }
}
