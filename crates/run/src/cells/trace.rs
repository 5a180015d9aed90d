//! The trace of a run of the packet engine, line by line.

use std::collections::BTreeMap;

use backwater_kernel::Channels;
use backwater_net::probe::{
    ControlKind, Crossing, Passage, Probe, TraceEntry, TraceProbe, UnitKind,
};
use backwater_net::spec::NetworkSpec;
use backwater_results::{RunDirectory, TraceRecord, TraceWriter};

use super::super::trace::{File, begun, written};
use super::super::{Looks, Tells};

/// The trace on its way to a file.
pub struct Trace<'a> {
    network: &'a NetworkSpec,
    collected: TraceProbe,
    writer: Option<TraceWriter<File>>,
    /// Of control units, by leg, kind and whether they leave a node.
    numbers: BTreeMap<(u32, ControlKind, bool), u64>,
}

impl<'a> Trace<'a> {
    /// Of a run of this network; its file begins with the run.
    pub fn new(network: &'a NetworkSpec) -> Trace<'a> {
        Trace {
            network,
            collected: TraceProbe::default(),
            writer: None,
            numbers: BTreeMap::new(),
        }
    }

    fn record(&mut self, entry: &TraceEntry) -> std::io::Result<()> {
        let crossing = &entry.crossing;
        let (from, to) = self.network.links.ends(crossing.channel);
        let (node, direction) = match entry.what {
            Passage::Out => (from, backwater_results::Crossing::Out),
            Passage::In => (to, backwater_results::Crossing::In),
            Passage::Lost => return Ok(()),
        };
        let (number, value) = match crossing.kind {
            UnitKind::Control(kind) => {
                let is_out = entry.what == Passage::Out;
                let counter = self
                    .numbers
                    .entry((crossing.leg, kind, is_out))
                    .or_default();
                *counter += 1;
                (*counter - 1, Some(crossing.value as i64))
            }
            _ => (crossing.value, None),
        };
        let record = TraceRecord {
            time: crossing.at,
            node,
            crossing: direction,
            channel: crossing.channel,
            flow: crossing.flow,
            kind: crossing.kind,
            number,
            value,
        };
        let writer = self.writer.as_mut();
        writer.map_or(Ok(()), |writer| writer.record(&record))
    }
}

impl Probe for Trace<'_> {
    fn on_start(&mut self, crossing: Crossing) {
        self.collected.on_start(crossing);
    }

    fn on_arrival(&mut self, crossing: Crossing) {
        self.collected.on_arrival(crossing);
    }
}

impl Looks for Trace<'_> {
    fn begin(&mut self, directory: &mut RunDirectory) -> Result<(), String> {
        let network = self.network;
        self.writer = Some(begun(directory, "trace.csv", |file| {
            TraceWriter::new(file, network)
        })?);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        let mut entries = self.collected.take().into_iter();
        written(entries.try_for_each(|entry| self.record(&entry)))
    }

    fn finish(&mut self, _at: u64) -> Result<(), String> {
        let writer = self.writer.take();
        written(writer.map_or(Ok(()), |writer| writer.finish().map(drop)))
    }
}

impl<F> Tells<F> for Trace<'_> {}
