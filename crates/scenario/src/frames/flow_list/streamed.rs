//! A list that is read as the run goes on: line by line, in order of time.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use backwater_formats::hpcc::flows::{WITH_PORT, of_numbers};
use backwater_formats::htsim::connections::Lines;
use backwater_formats::{FileError, StartUnit};
use backwater_kernel::Time;
use backwater_kernel::words::counted;

use super::{Arrival, COLUMNS, MORE, of_cells, of_flow, to_another};
use crate::frames::net::{Net, NumberedHosts};
use crate::language::files::{self, Reopen};
use crate::language::reader::clip;

/// The longest line, bytes: what is longer is no list.
const LONGEST_LINE: u64 = 4_096;

/// The hosts that a list may name.
pub(crate) struct Hosts {
    by_name: BTreeMap<String, u32>,
    numbered: NumberedHosts,
    /// Names of switches, which begin no heading either.
    switches: Vec<String>,
}

impl Hosts {
    pub(crate) fn of(net: &Net<'_>) -> Arc<Hosts> {
        let all = net.hosts();
        let nodes = 0..net.nodes.len() as u32;
        let switches = nodes.filter(|node| !net.is_host(*node));
        Arc::new(Hosts {
            by_name: all
                .iter()
                .map(|host| (net.name(*host).into(), *host))
                .collect(),
            switches: switches.map(|node| net.name(node).into()).collect(),
            numbered: net.numbered_hosts(),
        })
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    fn is_node(&self, name: &str) -> bool {
        self.find(name).is_some() || self.switches.iter().any(|known| known == name)
    }
}

/// What is wrong, in one line.
fn said(wrong: &FileError) -> String {
    let allowed = wrong.allowed.as_ref();
    let allowed = allowed.map_or_else(String::new, |what| format!(" (allowed: {what})"));
    format!("{}{allowed}", wrong.found)
}

/// How lines are read.
enum Form {
    /// By the first line.
    Unknown,
    /// Cells, in this order.
    Columns([usize; 4]),
    /// A connection matrix of htsim.
    Matrix(Lines),
    /// Numbers, so many of each of the flows that are left.
    Hpcc { width: usize, left: usize },
}

/// A file of flows, of which one line is held at a time.
pub(crate) struct List {
    hosts: Arc<Hosts>,
    file: Box<dyn BufRead + Send>,
    line: String,
    number: u64,
    form: Form,
    /// When the last began.
    last: Time,
    /// Flows from here on, and before there, are told.
    span: (Time, Time),
    /// What starts of a matrix count.
    unit: Option<StartUnit>,
    count: Count,
}

/// What a list has, told or not.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    /// Flows that were read,
    pub listed: u64,
    /// how many there are by its first line, if that says so,
    pub stated: Option<u64>,
    /// and when the first begins.
    pub first: Option<Time>,
}

impl List {
    /// From the first line on.
    pub(crate) fn begin(
        reopen: &Reopen,
        hosts: &Arc<Hosts>,
        (span, unit): ((Time, Time), Option<StartUnit>),
    ) -> Result<List, String> {
        Ok(List {
            hosts: hosts.clone(),
            file: reopen().map_err(|error| error.to_string())?,
            line: String::new(),
            number: 0,
            form: Form::Unknown,
            last: Time::ZERO,
            span,
            unit,
            count: Count::default(),
        })
    }

    /// The line of the flow that was told last, or that is wrong.
    pub(crate) const fn line(&self) -> u64 {
        self.number
    }

    /// As it is in the file.
    pub(crate) fn as_written(&self) -> &str {
        self.line.trim()
    }

    pub(crate) const fn has_listed(&self) -> Count {
        self.count
    }

    /// The next flow that begins while they are told; what is wrong with a line, if one is.
    pub(crate) fn next(&mut self) -> Result<Option<Arrival>, String> {
        while let Some(flow) = self.flow()? {
            if flow.at < self.last {
                return Err(format!(
                    "it begins at {} s, before the flow above it at {} s",
                    flow.at.seconds(),
                    self.last.seconds()
                ));
            }
            self.last = flow.at;
            self.count.listed += 1;
            self.count.first = self.count.first.or(Some(flow.at));
            if flow.at >= self.span.1 {
                // All others begin later still; that is read, and held against the rules, too.
                continue;
            }
            if flow.at >= self.span.0 {
                return Ok(Some(flow));
            }
        }
        Ok(None)
    }

    fn flow(&mut self) -> Result<Option<Arrival>, String> {
        loop {
            if !self.read()? {
                if let Form::Matrix(lines) = &self.form {
                    lines.end().map_err(|wrong| said(&wrong))?;
                }
                return Ok(None);
            }
            let line = self.line.split('#').next().unwrap_or("").trim();
            let line = line.trim_start_matches('\u{feff}');
            if line.is_empty() {
                continue;
            }
            match &mut self.form {
                Form::Unknown => {
                    let first = line.to_owned();
                    let flow = self.begin_form(&first)?;
                    if flow.is_some() {
                        return Ok(flow);
                    }
                }
                Form::Matrix(_) => {
                    let flow = self.matrix()?;
                    if flow.is_some() {
                        return Ok(flow);
                    }
                }
                Form::Columns(order) => {
                    let order = *order;
                    return self.by_columns(order);
                }
                Form::Hpcc { width, left } => {
                    if *left == 0 || !line.starts_with(|c: char| c.is_ascii_digit()) {
                        *left = 0;
                        continue;
                    }
                    let cells: Vec<&str> = line.split_whitespace().collect();
                    let wanted = *width;
                    if wanted == 0 && [WITH_PORT - 1, WITH_PORT].contains(&cells.len()) {
                        *width = cells.len();
                    } else if cells.len() != wanted {
                        return Err(format!(
                            "{}: where rows are of groups, each flow has a line",
                            counted(cells.len(), "number")
                        ));
                    }
                    *left -= 1;
                    return of_numbers(&cells)
                        .and_then(|flow| of_flow(&flow, &self.hosts.numbered))
                        .and_then(to_another)
                        .map(Some);
                }
            }
        }
    }

    /// By the first line that says something; the flow that it is, if it is one.
    fn begin_form(&mut self, line: &str) -> Result<Option<Arrival>, String> {
        if let Ok(left) = line.parse() {
            self.form = Form::Hpcc { width: 0, left };
            self.count.stated = Some(left as u64);
            return Ok(None);
        }
        let word = line.split_whitespace().next().unwrap_or_default();
        let is_heading = ["nodes", "connections"].contains(&&*word.to_ascii_lowercase());
        if is_heading || word.contains("->") {
            self.form = Form::Matrix(Lines::default());
            return self.matrix();
        }
        let names_node = || {
            files::cells(line)
                .iter()
                .any(|cell| self.hosts.is_node(cell))
        };
        if files::is_heading(line) && !names_node() {
            let (order, more) = files::heading_with(line, COLUMNS, MORE)?;
            let mut waits = MORE.iter().zip(more).filter(|(_, at)| at.is_some());
            if let Some((name, _)) = waits.next() {
                let what = "flows that wait for others need a row each";
                return Err(format!("`{name}`: {what}"));
            }
            self.form = Form::Columns(order);
            return Ok(None);
        }
        self.form = Form::Columns([0, 1, 2, 3]);
        self.by_columns([0, 1, 2, 3])
    }

    /// A line of a connection matrix, and the flow that it is, if it is one.
    fn matrix(&mut self) -> Result<Option<Arrival>, String> {
        let line = self.line.split('#').next().unwrap_or("").trim();
        let line = line.trim_start_matches('\u{feff}');
        let number = u32::try_from(self.number).unwrap_or(u32::MAX);
        let Form::Matrix(lines) = &mut self.form else {
            return Ok(None);
        };
        let flow = lines.next(number, line, self.unit);
        let Some(flow) = flow.map_err(|wrong| said(&wrong))? else {
            return Ok(None);
        };
        let flow = of_flow(&flow, &self.hosts.numbered).and_then(to_another);
        flow.map(Some)
    }

    fn by_columns(&self, order: [usize; 4]) -> Result<Option<Arrival>, String> {
        let line = self.line.split('#').next().unwrap_or("").trim();
        let line = line.trim_start_matches('\u{feff}');
        let (cells, order) = (files::cells(line), (order, [None; 2]));
        let flow = of_cells(&cells, order, |name| self.hosts.find(name));
        flow.and_then(to_another).map(Some)
    }

    /// Reads a line; false at the end of the file.
    fn read(&mut self) -> Result<bool, String> {
        self.line.clear();
        self.number += 1;
        let file = &mut self.file;
        let mut some = std::io::Read::take(&mut *file, LONGEST_LINE);
        let read = some
            .read_line(&mut self.line)
            .map_err(|error| error.to_string())?;
        match read as u64 == LONGEST_LINE {
            true => Err(format!("`{}` goes on and on", clip(&self.line))),
            false => Ok(read > 0),
        }
    }
}
