//! Every unit that enters or leaves a node of a run of circuits, as CSV.

use std::collections::BTreeMap;
use std::io::{self, Write};

use backwater_kernel::Channels;
use backwater_net::probe::{ControlKind, Crossing, Probe, UnitKind};
use backwater_net::spec::NetworkSpec;

use crate::csv;
use crate::sink::Sink;
use crate::trace::TraceFile;

/// Header row of a trace.
const HEADER: &str = "time_ps,node,direction,port,flow,kind,number,value";

/// A probe that writes a line for each unit that enters a node or leaves one.
#[derive(Debug)]
pub struct CellTrace<'a, W: Write> {
    spec: &'a NetworkSpec,
    file: Sink<W>,
    nodes: Vec<String>,
    flows: Vec<String>,
    /// Of control units, by leg, kind and whether they leave a node.
    numbers: BTreeMap<(u32, ControlKind, bool), u64>,
}

impl<'a, W: Write> CellTrace<'a, W> {
    /// Of a run of this network; without a file yet.
    pub fn new(spec: &'a NetworkSpec) -> CellTrace<'a, W> {
        CellTrace {
            spec,
            file: Sink::new(None),
            nodes: spec.nodes.iter().map(|n| csv::field(&n.name)).collect(),
            flows: spec.flows.iter().map(|f| csv::field(&f.name)).collect(),
            numbers: BTreeMap::new(),
        }
    }

    fn line(&mut self, unit: &Crossing, node: u32, direction: &str) {
        // Data have numbers of their own, and no value.
        let (number, value) = match unit.kind {
            UnitKind::Control(kind) => {
                let counter = (unit.leg, kind, direction == "out");
                let counter = self.numbers.entry(counter).or_default();
                *counter += 1;
                (*counter - 1, (unit.value as i64).to_string())
            }
            _ => (unit.value, String::new()),
        };
        let node = &self.nodes[node as usize];
        let flow = &self.flows[unit.flow as usize];
        self.file.write(|file| {
            write!(
                file,
                "{},{node},{direction},{},{flow},{},{number},{value}\n",
                unit.at.ps(),
                unit.channel,
                unit.kind.name()
            )
        });
    }
}

impl<W: Write> TraceFile<W> for CellTrace<'_, W> {
    const NAME: &'static str = "trace.csv";

    fn begin(&mut self, file: W, _: &str) -> io::Result<()> {
        self.file = Sink::with_header(file, HEADER)?;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<W: Write> Probe for CellTrace<'_, W> {
    fn on_start(&mut self, crossing: Crossing) {
        let (from, _) = self.spec.links.ends(crossing.channel);
        self.line(&crossing, from, "out");
    }

    fn on_arrival(&mut self, crossing: Crossing) {
        let (_, to) = self.spec.links.ends(crossing.channel);
        self.line(&crossing, to, "in");
    }
}
