//! The trace of a run of the packet engine, line by line.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use backwater_net::probe::{ControlKind, Passage, TraceEntry, UnitKind};
use backwater_net::spec::NetworkSpec;
use backwater_results::directory::fresh_file;
use backwater_results::{TraceRecord, TraceWriter};

use crate::files::shown;

/// The trace on its way to a file.
pub struct Trace {
    writer: TraceWriter<BufWriter<File>>,
    ends: Vec<(u32, u32)>,
    numbers: BTreeMap<(u32, u8), u64>,
}

impl Trace {
    /// Begins the file.
    pub fn create(path: &Path, network: &NetworkSpec) -> Result<Trace, String> {
        let file =
            fresh_file(path).map_err(|error| format!("can't write {}: {error}", shown(path)))?;
        let writer = TraceWriter::new(BufWriter::new(file), network)
            .map_err(|error| format!("can't write {}: {error}", shown(path)))?;
        let links = network.links.iter();
        let ends = links
            .flat_map(|link| [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])])
            .collect();
        Ok(Trace {
            writer,
            ends,
            numbers: BTreeMap::new(),
        })
    }

    /// Adds these.
    pub fn write(&mut self, entries: Vec<TraceEntry>) -> Result<(), String> {
        for entry in entries {
            self.record(&entry)
                .map_err(|error| format!("can't write the trace: {error}"))?;
        }
        Ok(())
    }

    fn record(&mut self, entry: &TraceEntry) -> std::io::Result<()> {
        let crossing = &entry.crossing;
        let (from, to) = self.ends[crossing.channel as usize];
        let (kind, index) = match crossing.kind {
            UnitKind::Data => (backwater_results::UnitKind::Data, 0),
            UnitKind::Control(ControlKind::Credit) => (backwater_results::UnitKind::Credit, 1),
            UnitKind::Control(ControlKind::Request) => (backwater_results::UnitKind::Request, 2),
            UnitKind::Control(ControlKind::Sync) => (backwater_results::UnitKind::Sync, 3),
            UnitKind::Control(ControlKind::Alarm) => (backwater_results::UnitKind::Alarm, 4),
            UnitKind::Control(ControlKind::Session) => (backwater_results::UnitKind::Session, 5),
            UnitKind::ForwardRm => (backwater_results::UnitKind::ForwardRm, 0),
            UnitKind::BackwardRm => (backwater_results::UnitKind::BackwardRm, 0),
            UnitKind::Control(ControlKind::Notice) => (backwater_results::UnitKind::Notice, 6),
            UnitKind::Control(ControlKind::Stop) => (backwater_results::UnitKind::Stop, 7),
        };
        let (node, direction) = match entry.what {
            Passage::Out => (from, backwater_results::Crossing::Out),
            Passage::In => (to, backwater_results::Crossing::In),
            Passage::Lost => return Ok(()),
        };
        let (number, value) = if crossing.kind.is_queued() {
            (crossing.value, None)
        } else {
            let outward = (entry.what == Passage::Out) as u8;
            let counter = self
                .numbers
                .entry((crossing.leg, index * 2 + outward))
                .or_default();
            *counter += 1;
            (*counter - 1, Some(crossing.value as i64))
        };
        self.writer.record(&TraceRecord {
            time: crossing.at,
            node,
            crossing: direction,
            channel: crossing.channel,
            flow: crossing.flow,
            kind,
            number,
            value,
        })
    }

    /// Flushes.
    pub fn finish(self) -> Result<(), String> {
        let flushed = self.writer.finish().map_err(|error| error.to_string())?;
        drop(flushed);
        Ok(())
    }
}
