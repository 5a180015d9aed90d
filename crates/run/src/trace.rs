//! Files that a run writes while it goes on.

use std::fs;
use std::io::{self, BufWriter};
use std::path::Path;

use backwater_kernel::words::printable;
use backwater_results::directory::fresh_file;
use backwater_results::{
    Capture, CellTrace, EthernetTrace, FabricTrace, FabricVcd, FctFile, PerfettoCells,
    PerfettoFrames, RunDirectory, TraceFile,
};

use super::{Looks, Tells};

/// What a trace writes into.
pub type File = BufWriter<fs::File>;

/// Begins the file that a probe writes.
fn begun(probe: &mut impl TraceFile<File>, path: &Path) -> io::Result<()> {
    let program = concat!("backwater ", env!("CARGO_PKG_VERSION"));
    let file = fresh_file(path).map(BufWriter::new)?;
    probe.begin(file, program)
}

/// In words, if it was not.
fn written(result: io::Result<()>) -> Result<(), String> {
    result.map_err(|error| format!("can't write the trace: {error}"))
}

/// Begins, flushes and ends the files of these probes.
macro_rules! traces {
    ($($probe:ty),*) => {$(
        impl Looks for $probe {
            fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
                let path = directory.adopt(<$probe as TraceFile<File>>::NAME);
                begun(self, &path).map_err(|error| {
                    let path = path.display().to_string();
                    format!("can't write {}: {error}", printable(&path))
                })
            }

            fn flush(&mut self) -> Result<(), String> {
                written(TraceFile::flush(self))
            }

            fn finish(&mut self, at: u64) -> Result<(), String> {
                written(TraceFile::finish(self, at))
            }
        }

        impl<F> Tells<F> for $probe {}
    )*};
}

traces!(
    CellTrace<'_, File>,
    PerfettoCells<'_, File>,
    EthernetTrace<File>,
    FctFile<File>,
    Capture<'_, File>,
    PerfettoFrames<'_, File>,
    FabricTrace<File>,
    FabricVcd<'_, File>
);
