//! Files that a run writes while it goes on.

use std::fs;
use std::io::{self, BufWriter};

use backwater_kernel::Time;
use backwater_results::directory::fresh_file;
use backwater_results::{PerfettoCells, PerfettoFrames, RunDirectory};

use backwater_kernel::words::printable;

use super::{Looks, Tells};

/// What a trace writes into.
pub type File = BufWriter<fs::File>;

/// Begins the file of this name; `writer` writes its head.
pub fn begun<W>(
    directory: &mut RunDirectory,
    name: &str,
    writer: impl FnOnce(File) -> io::Result<W>,
) -> Result<W, String> {
    let path = directory.adopt(name);
    let file = fresh_file(&path).map(BufWriter::new);
    let begun = file.and_then(writer);
    begun.map_err(|error| {
        format!(
            "can't write {}: {error}",
            printable(&path.display().to_string())
        )
    })
}

/// In words, if it was not.
pub fn written(result: io::Result<()>) -> Result<(), String> {
    result.map_err(|error| format!("can't write the trace: {error}"))
}

/// Begins, flushes and ends the file of a trace for Perfetto.
macro_rules! perfetto {
    ($probe:ident) => {
        impl Looks for $probe<'_, File> {
            fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
                let file = begun(directory, "trace.perfetto", Ok)?;
                self.scene().begin_file(file);
                Ok(())
            }

            fn flush(&mut self) -> Result<(), String> {
                written(self.scene().flush())
            }

            fn finish(&mut self, at: u64) -> Result<(), String> {
                written(self.scene().finish(Time(at)))
            }
        }

        impl<F> Tells<F> for $probe<'_, File> {}
    };
}

perfetto!(PerfettoCells);
perfetto!(PerfettoFrames);
