//! Graphs in the `anynet` format of the BookSim simulator.
//!
//! A line names a router or a node and what it is linked to: `router 0 node 0 node 1 router 1 5`.
//! A number after a link is its latency, 1 if there is none. A link between routers has a channel
//! each way, but a latency holds one way only, as in BookSim: the way back takes 1 cycle unless
//! the line of the other router says more. A node is a terminal and has one router; its latency
//! holds both ways. (BookSim takes the latency in a line that begins with a node for that of the
//! node with the router's number.)

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::iter::Peekable;
use core::str::SplitWhitespace;

use super::file::{FileError, error, latency, lines};
use super::{ROUTERS_MAX, verify_values};
use crate::spec::{ChannelSpec, Graph, Shape};

#[derive(Clone, Copy, PartialEq)]
enum End {
    Router(u32),
    Node(u32),
}

/// A latency, and the line that said so; `None` if it is only implied.
#[derive(Clone, Copy)]
struct Said {
    latency: u16,
    line: Option<u32>,
}

#[derive(Default)]
struct Parser {
    /// Router and line that first named it.
    routers: BTreeMap<u32, u32>,
    /// Node, its router and the line that first linked them.
    nodes: BTreeMap<u32, (u32, Said)>,
    /// Both ends.
    channels: BTreeMap<(u32, u32), Said>,
}

/// Reads a graph in anynet format.
///
/// # Errors
/// The line, what is wrong there and what is allowed.
pub fn anynet(text: &str) -> Result<Graph, FileError> {
    let mut parser = Parser::default();
    let mut last = 1;
    for (line, content) in lines(text) {
        parser.line(line, content)?;
        last = line;
    }
    parser.finish(last)
}

impl Parser {
    fn line(&mut self, line: u32, content: &str) -> Result<(), FileError> {
        let mut words = content.split_whitespace().peekable();
        let head = self.end(line, &mut words)?;
        while words.peek().is_some() {
            let other = self.end(line, &mut words)?;
            let given = words.next_if(|word| word.starts_with(|c: char| c.is_ascii_digit()));
            let said = Said {
                latency: given.map_or(Ok(1), |word| latency(line, word))?,
                line: Some(line),
            };
            match (head, other) {
                (End::Router(router), End::Node(node)) | (End::Node(node), End::Router(router)) => {
                    self.attach(node, router, line, said)?;
                }
                (End::Router(from), End::Router(to)) => self.link(from, to, line, said)?,
                (End::Node(a), End::Node(b)) => {
                    let what =
                        format!("node {a} is linked to node {b}: a node's link is to a router");
                    return Err(error(line, what));
                }
            }
        }
        Ok(())
    }

    /// `router` or `node` and its number.
    fn end(
        &mut self,
        line: u32,
        words: &mut Peekable<SplitWhitespace<'_>>,
    ) -> Result<End, FileError> {
        let kind = words.next().unwrap_or_default();
        if kind != "router" && kind != "node" {
            return Err(error(
                line,
                format!("`{kind}`: expected `router` or `node`"),
            ));
        }
        let word = words.next().unwrap_or_default();
        let number = match word.parse::<u32>() {
            Ok(number) if number < ROUTERS_MAX => number,
            _ => {
                let most = ROUTERS_MAX - 1;
                let what = format!("`{word}` after `{kind}`: expected a number, 0 to {most}");
                return Err(error(line, what));
            }
        };
        if kind == "node" {
            return Ok(End::Node(number));
        }
        self.routers.entry(number).or_insert(line);
        Ok(End::Router(number))
    }

    fn attach(&mut self, node: u32, router: u32, line: u32, said: Said) -> Result<(), FileError> {
        let (home, before) = *self.nodes.entry(node).or_insert((router, said));
        if home != router {
            let seen = before.line.unwrap_or(line);
            let what = format!(
                "node {node} is linked to router {router}, but line {seen} links \
                 it to router {home}: a node has one router"
            );
            return Err(error(line, what));
        }
        if before.latency != said.latency {
            let what = format!(
                "latency {} of node {node}, but {} on line {}: a node has one latency",
                said.latency,
                before.latency,
                before.line.unwrap_or(line)
            );
            return Err(error(line, what));
        }
        Ok(())
    }

    fn link(&mut self, from: u32, to: u32, line: u32, said: Said) -> Result<(), FileError> {
        if from == to {
            let what = format!("router {from} is linked to itself: a link is to another router");
            return Err(error(line, what));
        }
        let before = self.channels.insert((from, to), said);
        if let Some(Said {
            latency,
            line: Some(seen),
        }) = before
            && latency != said.latency
        {
            let what = format!(
                "latency {} from router {from} to {to}, but {latency} on line \
                 {seen}: a link has one latency each way",
                said.latency
            );
            return Err(error(line, what));
        }
        self.channels.entry((to, from)).or_insert(Said {
            latency: 1,
            line: None,
        });
        Ok(())
    }

    fn finish(self, last: u32) -> Result<Graph, FileError> {
        let node_lines = self
            .nodes
            .iter()
            .map(|(node, (_, said))| (*node, said.line));
        gapless("node", node_lines, last)?;
        gapless(
            "router",
            self.routers
                .iter()
                .map(|(router, line)| (*router, Some(*line))),
            last,
        )?;
        let homes: Vec<u32> = self.nodes.values().map(|(router, _)| *router).collect();
        let latencies: Vec<u16> = self.nodes.values().map(|(_, said)| said.latency).collect();
        let (&first, others) = latencies.split_first().unwrap_or((&1, &[]));
        let is_same = others.iter().all(|other| *other == first);
        let channel = |(ends, said): (&(u32, u32), &Said)| ChannelSpec {
            from: ends.0,
            to: ends.1,
            latency: said.latency,
        };
        let graph = Graph {
            shape: Shape::Irregular,
            routers: self.routers.len() as u32,
            channels: self.channels.iter().map(channel).collect(),
            inject: homes.clone(),
            eject: homes,
            injection_latency: first,
            ejection_latency: first,
            terminal_latency: if is_same { Vec::new() } else { latencies },
            names: self.routers.keys().map(ToString::to_string).collect(),
        };
        verify_values(&graph).map_err(|wrong| error(last, wrong.0))?;
        Ok(graph)
    }
}

/// Checks that numbers run from 0 without gaps.
fn gapless(
    kind: &str,
    numbers: impl Iterator<Item = (u32, Option<u32>)>,
    last: u32,
) -> Result<(), FileError> {
    let mut count = 0;
    for (number, line) in numbers {
        if number != count {
            let what = format!(
                "{kind} {number} but no {kind} {count}: numbers run from 0 \
                 without gaps"
            );
            return Err(error(line.unwrap_or(last), what));
        }
        count += 1;
    }
    match count {
        0 => Err(error(
            last,
            format!("no {kind} in the file: at least one is needed"),
        )),
        _ => Ok(()),
    }
}
