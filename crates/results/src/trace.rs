//! A time-stamped trace of units entering and leaving every node, as CSV.

use std::io::{self, Write};

use backwater_kernel::Time;
use backwater_net::probe::UnitKind;
use backwater_net::spec::NetworkSpec;

use crate::csv;

/// Header row of a trace.
pub const HEADER: &str = "time_ps,node,direction,port,flow,kind,number,value";

/// Which way a unit crosses a node's edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crossing {
    /// It enters the node.
    In,
    /// It leaves the node.
    Out,
}

/// One unit crossing one node's edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceRecord {
    /// When.
    pub time: Time,
    /// Node (index in the spec).
    pub node: u32,
    /// Entering or leaving.
    pub crossing: Crossing,
    /// Channel it travels on (index).
    pub channel: u32,
    /// Flow it belongs to (index in the spec).
    pub flow: u32,
    /// What it is.
    pub kind: UnitKind,
    /// Its number within flow and kind, from 0.
    pub number: u64,
    /// A control unit's value, in units; none for data.
    pub value: Option<i64>,
}

/// Writes a trace line by line; hand it a buffered writer.
#[derive(Debug)]
pub struct TraceWriter<W: Write> {
    writer: W,
    nodes: Vec<String>,
    flows: Vec<String>,
}

impl<W: Write> TraceWriter<W> {
    /// Writes the header row. Names come from `spec`.
    pub fn new(mut writer: W, spec: &NetworkSpec) -> io::Result<TraceWriter<W>> {
        write!(writer, "{HEADER}\r\n")?;
        Ok(TraceWriter {
            writer,
            nodes: spec.nodes.iter().map(|n| csv::field(&n.name)).collect(),
            flows: spec.flows.iter().map(|f| csv::field(&f.name)).collect(),
        })
    }

    /// Writes one line.
    pub fn record(&mut self, record: &TraceRecord) -> io::Result<()> {
        let name = |names: &[String], index: u32| match names.get(index as usize) {
            Some(name) => name.clone(),
            None => index.to_string(),
        };
        let crossing = match record.crossing {
            Crossing::In => "in",
            Crossing::Out => "out",
        };
        let kind = record.kind.name();
        write!(
            self.writer,
            "{},{},{crossing},{},{},{kind},{},",
            record.time.ps(),
            name(&self.nodes, record.node),
            record.channel,
            name(&self.flows, record.flow),
            record.number
        )?;
        match record.value {
            Some(value) => write!(self.writer, "{value}\r\n"),
            None => write!(self.writer, "\r\n"),
        }
    }

    /// Flushes and hands the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }
}
