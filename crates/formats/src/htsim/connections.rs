//! `.cm`, a connection matrix: a heading (`Nodes n`, `Connections c`, `Triggers t`, `Failures f`),
//! then a line each for connections, `0->1 id 1 start 0 size 2000000 send_done_trigger 1`, and
//! triggers, `trigger id 1 oneshot`.
//!
//! Starts are picoseconds in uet-htsim, and microseconds in csg-htsim and in what uet-htsim came
//! from; nothing in a file says which. They are exact here, and so are sizes, where that program
//! reads a start as a float of 32 bits and a size as an integer of 32.

use std::collections::BTreeMap;
use std::fmt::Write;

use backwater_kernel::decimal::split_number;
use backwater_kernel::words::counted;

use super::triggers::{Conn, Trigger, connect};
use crate::text::{self, clip, no, span};
use crate::{FileError, Flows, Happened, ListedFlow, StartUnit};

/// What a heading may hold.
const HEADING: &str = "`Nodes n`, `Connections c`, `Triggers t`, `Failures f`, and then lines of \
                       connections and triggers";
/// What a line of a connection may hold.
const WORDS: &str = "`id`, `start`, `size`, `msg`, `trigger`, `send_done_trigger`, \
                     `recv_done_trigger` and `prio`, each with a number";

/// What the heading says.
#[derive(Default)]
struct Heading {
    nodes: Option<(u32, u32)>,
    connections: Option<(u32, u32)>,
    triggers: Option<(u32, u32)>,
}

/// What is read of a file.
#[derive(Default)]
struct Reader {
    heading: Heading,
    conns: Vec<Conn>,
    triggers: BTreeMap<u64, Trigger>,
    /// The heading has ended.
    has_begun: bool,
    /// Lines with `prio`, and with `msg`.
    prios: usize,
    messages: usize,
}

/// Reads one; `unit` is what starts count.
///
/// # Errors
/// If a word is none of the form, a number is missing or out of range, counts differ, a start other
/// than 0 has no unit, or what a trigger does can't be said without running it.
pub fn read(text: &str, unit: Option<StartUnit>) -> Result<Flows, FileError> {
    let mut reader = Reader::default();
    for (line, content) in text::lines(text) {
        reader.take(line, content, unit)?;
    }
    reader.counts(reader.conns.len())?;
    reader.flows()
}

/// A matrix without triggers, line by line.
#[derive(Default)]
pub struct Lines {
    reader: Reader,
    flows: usize,
}

impl Lines {
    /// The flow of a line that holds something, if it is not one of the heading.
    ///
    /// # Errors
    /// As [`read`]; or it is, or hits, or waits for a trigger.
    pub fn next(
        &mut self,
        line: u32,
        content: &str,
        unit: Option<StartUnit>,
    ) -> Result<Option<ListedFlow>, FileError> {
        self.reader.take(line, content, unit)?;
        let conn = self.reader.conns.pop();
        let waits = |conn: &Conn| conn.trigger.is_some() || !conn.fires.is_empty();
        if !self.reader.triggers.is_empty() || conn.as_ref().is_some_and(waits) {
            return Err(FileError::new(
                line,
                "a matrix with triggers is read as a whole",
            ));
        }
        self.flows += usize::from(conn.is_some());
        Ok(conn.map(|conn| conn.flow(Vec::new())))
    }

    /// The file ends here.
    ///
    /// # Errors
    /// If it has another number of connections than its heading says.
    pub fn end(&self) -> Result<(), FileError> {
        self.reader.counts(self.flows)
    }
}

fn failure(line: u32) -> FileError {
    FileError::new(
        line,
        "`failure`: links that fail are not read from this form",
    )
    .allowed("connections and triggers")
    .hint("take the line away, and say it with `outages` of `[[links]]`")
}

impl Heading {
    fn take(&mut self, line: u32, words: &[&str]) -> Result<(), FileError> {
        let place = match words[0].to_ascii_lowercase().as_str() {
            "nodes" => &mut self.nodes,
            "connections" => &mut self.connections,
            "triggers" => &mut self.triggers,
            "failures" => {
                let count: u32 = value(line, words, 1)?;
                return if count == 0 {
                    Ok(())
                } else {
                    Err(failure(line))
                };
            }
            _ => return Err(no((line, words[0]), HEADING)),
        };
        if place.replace((line, value(line, words, 1)?)).is_some() {
            let message = format!("a second `{}`", clip(words[0]));
            return Err(FileError::new(line, message).allowed("each once"));
        }
        match words.get(2) {
            Some(more) => Err(no((line, more), "one number in this line")),
            None => Ok(()),
        }
    }
}

/// The number at this place of a line, behind its word.
fn value<T: std::str::FromStr>(line: u32, words: &[&str], at: usize) -> Result<T, FileError> {
    let what = format!("a whole number behind `{}`", clip(words[at - 1]));
    match words.get(at) {
        Some(word) => text::number((line, word), &what),
        None => Err(FileError::new(line, "the line ends here").allowed(what)),
    }
}

/// A number from 1 on.
fn id(line: u32, words: &[&str], at: usize) -> Result<u64, FileError> {
    match value(line, words, at)? {
        0 => Err(no(
            (line, "0"),
            format!("a number from 1 on behind `{}`", words[at - 1]),
        )),
        id => Ok(id),
    }
}

impl Reader {
    /// Takes a line.
    fn take(&mut self, line: u32, content: &str, unit: Option<StartUnit>) -> Result<(), FileError> {
        let words: Vec<&str> = content.split_whitespace().collect();
        let Some(first) = words.first() else {
            return Ok(());
        };
        match *first {
            "failure" => return Err(failure(line)),
            "trigger" => self.trigger(line, &words[1..])?,
            _ if first.contains("->") => self.connection(line, &words, unit)?,
            _ if !self.has_begun => return self.heading.take(line, &words),
            _ => {
                let what = "a connection, `0->1 start 0 size 2000000`, or `trigger id 1 oneshot`";
                return Err(no((line, first), what));
            }
        }
        self.has_begun = true;
        Ok(())
    }

    fn trigger(&mut self, line: u32, words: &[&str]) -> Result<(), FileError> {
        let (mut number, mut kind, mut count) = (None, None, None);
        let mut at = 0;
        while let Some(word) = words.get(at) {
            match *word {
                "id" => number = Some(id(line, words, at + 1)?),
                "count" => count = Some(value(line, words, at + 1)?),
                "oneshot" | "multishot" | "barrier" if kind.is_none() => {
                    kind = Some(word.to_string());
                    at += 1;
                    continue;
                }
                _ => {
                    let what = "`id` and `count`, each with a number, and one of `oneshot`, \
                                `multishot` and `barrier`";
                    return Err(no((line, word), what));
                }
            }
            at += 2;
        }
        let missing = |what: &str| FileError::new(line, "a trigger").allowed(what.to_owned());
        let number = number.ok_or_else(|| missing("`id` with a number"))?;
        let trigger = Trigger {
            line,
            kind: kind.ok_or_else(|| missing("`oneshot`, `multishot` or `barrier`"))?,
            count,
        };
        if self.triggers.insert(number, trigger).is_some() {
            return Err(FileError::new(line, format!("a second trigger {number}"))
                .allowed("each trigger once"));
        }
        Ok(())
    }

    fn connection(
        &mut self,
        line: u32,
        words: &[&str],
        unit: Option<StartUnit>,
    ) -> Result<(), FileError> {
        let (from, to) = words[0].split_once("->").unwrap_or_default();
        let what = "two nodes without a blank between, such as `0->15`";
        let end = |word| text::number((line, word), what).map_err(|_| no((line, words[0]), what));
        let mut conn = Conn::new(
            line,
            self.node(line, end(from)?)?,
            self.node(line, end(to)?)?,
        );
        let (mut size, mut at) = (None, 1);
        while let Some(word) = words.get(at) {
            let twice = match *word {
                "id" => conn.id.replace(id(line, words, at + 1)?).is_some(),
                "start" => conn
                    .start_ps
                    .replace(start(line, words.get(at + 1), unit)?)
                    .is_some(),
                "size" => size.replace(value(line, words, at + 1)?).is_some(),
                "trigger" => conn.trigger.replace(id(line, words, at + 1)?).is_some(),
                "send_done_trigger" => {
                    conn.fires.push((id(line, words, at + 1)?, Happened::Sent));
                    false
                }
                "recv_done_trigger" => {
                    conn.fires
                        .push((id(line, words, at + 1)?, Happened::Received));
                    false
                }
                "prio" => {
                    let _: u64 = value(line, words, at + 1)?;
                    self.prios += 1;
                    false
                }
                "msg" => {
                    let _: u64 = value(line, words, at + 1)?;
                    self.messages += 1;
                    false
                }
                _ => return Err(no((line, word), WORDS)),
            };
            if twice {
                return Err(FileError::new(line, format!("a second `{word}`")).allowed("each once"));
            }
            at += 2;
        }
        let lacks = "a connection without `size`, which never ends";
        let ends = "`size` with the bytes that it sends";
        conn.bytes = size.ok_or_else(|| FileError::new(line, lacks).allowed(ends))?;
        if conn.start_ps.is_some() == conn.trigger.is_some() {
            let message = match conn.trigger {
                Some(_) => "both `start` and `trigger`",
                None => "neither `start` nor `trigger`",
            };
            return Err(FileError::new(line, message).allowed("one of the two"));
        }
        self.conns.push(conn);
        Ok(())
    }

    fn node(&self, line: u32, node: u32) -> Result<u32, FileError> {
        match self.heading.nodes {
            Some((_, nodes)) if node >= nodes => {
                let what = format!("a node from 0 to {}", i64::from(nodes) - 1);
                Err(no((line, &node.to_string()), what))
            }
            _ => Ok(node),
        }
    }

    fn counts(&self, flows: usize) -> Result<(), FileError> {
        let stated = [
            (self.heading.connections, flows, "connection"),
            (self.heading.triggers, self.triggers.len(), "trigger"),
        ];
        for (stated, count, what) in stated {
            let Some((line, stated)) = stated.filter(|(_, stated)| *stated as usize != count)
            else {
                continue;
            };
            let message = format!(
                "{} by this line, {count} in the file",
                counted(stated, what)
            );
            return Err(FileError::new(line, message).allowed(format!("`{count}`")));
        }
        if flows == 0 {
            return Err(FileError::new(1, "no connection in the file").allowed("one or more"));
        }
        Ok(())
    }

    fn flows(self) -> Result<Flows, FileError> {
        let waits = connect(&self.conns, &self.triggers)?;
        let mut left_out = Vec::new();
        if self.prios > 0 {
            let lines = counted(self.prios, "line");
            left_out.push(format!(
                "`prio` of {lines}: the priority of a flow at its source"
            ));
        }
        if self.messages > 0 {
            let lines = counted(self.messages, "line");
            left_out.push(format!("`msg` of {lines}: each line is a flow of its own"));
        }
        let conns = self.conns.into_iter().zip(waits);
        let flows = conns.map(|(conn, after)| conn.flow(after));
        Ok(Flows {
            entries: flows.collect(),
            hosts: self.heading.nodes.map(|(_, nodes)| nodes),
            left_out,
            doubts: Vec::new(),
        })
    }
}

/// When a connection starts, picoseconds. 0 needs no unit.
fn start(line: u32, word: Option<&&str>, unit: Option<StartUnit>) -> Result<u64, FileError> {
    let what = "a time from 0 on behind `start`";
    let word = word.ok_or_else(|| FileError::new(line, "the line ends here").allowed(what))?;
    let number = split_number(word).ok().filter(|(_, rest)| rest.is_empty());
    let (number, _) = number.ok_or_else(|| no((line, word), what))?;
    let Some(unit) = unit else {
        if number.is_zero() {
            return Ok(0);
        }
        let message = format!("`start {}`, and nothing says in which unit", clip(word));
        return Err(FileError::new(line, message)
            .allowed("picoseconds, as uet-htsim has it, or microseconds, as csg-htsim has it")
            .hint(
                "say which: `start_unit = \"ps\"` or `start_unit = \"us\"` beside `file`, \
                 `--start-unit ps` or `--start-unit us` of `backwater import`",
            ));
    };
    span(word, unit.ps()).ok_or_else(|| no((line, word), what))
}

/// Writes one without triggers, starts in picoseconds.
///
/// # Errors
/// If a flow waits for others.
pub fn write(flows: &Flows) -> Result<String, FileError> {
    let most = flows
        .entries
        .iter()
        .map(|flow| flow.source.max(flow.destination))
        .max();
    let nodes = flows
        .hosts
        .unwrap_or_else(|| most.map_or(0, |most| most + 1));
    let mut out = format!("Nodes {nodes}\nConnections {}\n", flows.entries.len());
    for flow in &flows.entries {
        if !flow.after.is_empty() {
            let message = "a flow that waits for others";
            return Err(FileError::new(flow.line, message).allowed("flows that start by the clock"));
        }
        let _ = write!(out, "{}->{}", flow.source, flow.destination);
        if let Some(id) = flow.id {
            let _ = write!(out, " id {id}");
        }
        let _ = writeln!(out, " start {} size {}", flow.start_ps, flow.bytes);
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
