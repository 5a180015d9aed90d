//! Flows without a row, one by one as they end, as CSV.

use std::io::{self, Write};

use backwater_kernel::Time;
use backwater_net::frames::Network;
use backwater_net::frames::probe::{EndedFlow, Probe};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::parts::{Divided, Own};

use crate::csv;
use crate::events::names;
use crate::sink::Sink;
use crate::trace::TraceFile;

/// Header row.
const HEADER: &str = "flow,start_ps,from,to,bytes,fct_ps,alone_ps,dropped";

/// Names of flows without a row: `name[1]`, `name[2]`, .. of each group.
#[derive(Clone, Debug)]
pub struct MemberNames {
    /// Number of the first of each group, and what the group is called.
    groups: Vec<(u32, String)>,
}

impl MemberNames {
    /// Of this network.
    pub fn new(spec: &EthernetSpec) -> MemberNames {
        let mut first = spec.flows.len() as u32;
        let groups = spec.rules.arrivals.iter().map(|group| {
            let number = first;
            first += group.count;
            (number, csv::field(&group.name))
        });
        MemberNames {
            groups: groups.collect(),
        }
    }

    /// The name of the flow of this number, if it has no row.
    pub fn name(&self, flow: u32) -> Option<String> {
        let group = self.groups.iter().rev().find(|(first, _)| *first <= flow);
        group.map(|(first, name)| format!("{name}[{}]", flow - first + 1))
    }
}

/// A probe that writes a line for each flow without a row as it ends, and at the end of the run one
/// for each that has not. Where not all bytes came, the time is empty.
#[derive(Debug)]
pub struct FctFile<W: Write> {
    file: Sink<W>,
    nodes: Vec<String>,
    names: MemberNames,
    is_over: bool,
}

impl<W: Write> FctFile<W> {
    /// Of a run of this network; without a file yet.
    pub fn new(spec: &EthernetSpec) -> FctFile<W> {
        let nodes = (0..).take(spec.nodes.len());
        FctFile {
            file: Sink::new(None),
            nodes: nodes.map(|id| csv::field(&names::node(spec, id))).collect(),
            names: MemberNames::new(spec),
            is_over: false,
        }
    }

    fn line(&mut self, flow: &EndedFlow) {
        let name = self.names.name(flow.number).unwrap_or_default();
        let node = |id: u32| self.nodes.get(id as usize).map_or("", String::as_str);
        let (from, to) = (node(flow.source), node(flow.destination));
        let or_empty = |ps: Option<u64>| ps.map_or_else(String::new, |ps| ps.to_string());
        let (took, alone) = (or_empty(flow.took_ps), flow.alone.map(|alone| alone.ps()));
        self.file.write(|file| {
            writeln!(
                file,
                "{name},{},{from},{to},{},{took},{},{}",
                flow.start.ps(),
                flow.bytes,
                or_empty(alone),
                flow.dropped
            )
        });
    }
}

/// A copy has no file: a run of such flows takes one thread, and one writes.
impl<W: Write> Clone for FctFile<W> {
    fn clone(&self) -> FctFile<W> {
        FctFile {
            file: Sink::new(None),
            nodes: self.nodes.clone(),
            names: self.names.clone(),
            is_over: self.is_over,
        }
    }
}

impl<W: Write> Divided for FctFile<W> {
    fn join(&mut self, _other: &Self, _own: Own<'_>) {}
}

impl<W: Write> TraceFile<W> for FctFile<W> {
    const NAME: &'static str = "fct.csv";

    fn begin(&mut self, file: W, _: &str) -> io::Result<()> {
        self.file = Sink::with_header(file, HEADER)?;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<W: Write> Probe for FctFile<W> {
    const IN_ALL_FORMS: bool = true;

    fn watches(&self, _channel: u32) -> bool {
        false
    }

    fn on_flow_ended(&mut self, _at: Time, flow: &EndedFlow) {
        self.line(flow);
    }

    fn on_end(&mut self, _at: Time, network: &Network) {
        if !self.is_over {
            self.is_over = true;
            network.active_members().for_each(|flow| self.line(&flow));
        }
    }
}
