//! The trace of a run of the cycle engine, flit by flit.

use backwater_flit::probe::{Crossing, Probe, TraceProbe};
use backwater_flit::spec::FabricSpec;
use backwater_results::{FabricTraceWriter, FabricVcd, RunDirectory};

use super::super::trace::{File, begun, written};
use super::super::{Looks, Tells};

/// The trace on its way to a file.
pub struct Trace<'a> {
    spec: &'a FabricSpec,
    collected: TraceProbe,
    writer: Option<FabricTraceWriter<File>>,
}

impl<'a> Trace<'a> {
    /// Of a run of this network; its file begins with the run.
    pub fn new(spec: &'a FabricSpec) -> Trace<'a> {
        Trace {
            spec,
            collected: TraceProbe::default(),
            writer: None,
        }
    }
}

impl Probe for Trace<'_> {
    fn on_crossing(&mut self, crossing: &Crossing) {
        self.collected.on_crossing(crossing);
    }
}

impl Looks for Trace<'_> {
    fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
        let spec = self.spec;
        self.writer = Some(begun(directory, "trace.csv", |file| {
            FabricTraceWriter::new(file, spec)
        })?);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let mut crossings = self.collected.take().into_iter();
        written(crossings.try_for_each(|crossing| writer.record(&crossing)))
    }

    fn finish(&mut self, _at: u64) -> Result<(), String> {
        let writer = self.writer.take();
        written(writer.map_or(Ok(()), |writer| writer.finish().map(drop)))
    }
}

impl<F> Tells<F> for Trace<'_> {}

impl Looks for FabricVcd<'_, File> {
    fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
        let file = begun(directory, "trace.vcd", Ok)?;
        let program = concat!("backwater ", env!("CARGO_PKG_VERSION"));
        written(self.begin_file(file, program))
    }

    fn flush(&mut self) -> Result<(), String> {
        written(FabricVcd::flush(self))
    }

    fn finish(&mut self, at: u64) -> Result<(), String> {
        written(FabricVcd::finish(self, at))
    }
}

impl<F> Tells<F> for FabricVcd<'_, File> {}
