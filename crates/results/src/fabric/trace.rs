//! Every flit on every channel of a run of the cycle engine, as CSV.

use std::io::{self, Write};

use backwater_flit::probe::Crossing;
use backwater_flit::spec::FabricSpec;

use crate::csv;

/// Header row of a trace.
pub const HEADER: &str = "cycle,channel,vc,source,destination,birth,class,flit,flits";

/// Writes a trace line by line; hand it a buffered writer.
#[derive(Debug)]
pub struct FabricTraceWriter<W: Write> {
    writer: W,
    /// By class, as CSV fields.
    classes: Vec<String>,
}

impl<W: Write> FabricTraceWriter<W> {
    /// Writes the header row.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn new(mut writer: W, spec: &FabricSpec) -> io::Result<FabricTraceWriter<W>> {
        write!(writer, "{HEADER}\r\n")?;
        let classes = spec.classes.iter();
        Ok(FabricTraceWriter {
            writer,
            classes: classes.map(|class| csv::field(&class.name)).collect(),
        })
    }

    /// Writes one line.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn record(&mut self, crossing: &Crossing) -> io::Result<()> {
        let packet = &crossing.packet;
        let name = self.classes.get(usize::from(packet.class));
        write!(
            self.writer,
            "{},{},{},{},{},{},{},{},{}\r\n",
            crossing.cycle,
            crossing.channel,
            crossing.lane,
            packet.source,
            packet.destination,
            packet.birth,
            name.map_or("", String::as_str),
            crossing.flit,
            packet.length
        )
    }

    /// Flushes and hands the writer back.
    ///
    /// # Errors
    /// If what is left can't be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }
}
