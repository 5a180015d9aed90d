//! Graphs as plain lists of edges.
//!
//! `a b` is a link between routers a and b with a channel each way, `a -> b` a channel one way;
//! a number after it is its latency. `terminal a` is a terminal at router a. `#` starts a comment.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::file::{FileError, error, latency, lines};
use super::verify_values;
use crate::spec::{ChannelSpec, Graph, Shape};

#[derive(Default)]
struct Parser {
    numbers: BTreeMap<String, u32>,
    names: Vec<String>,
    /// Both ends, latency and line.
    channels: BTreeMap<(u32, u32), (u16, u32)>,
    terminals: Vec<u32>,
}

/// Reads a list of edges. Routers are numbered as they are first named, or by their names if
/// those are the numbers from 0 without gaps. Without a line `terminal` each router has
/// `terminals`; `default_latency` holds where a line gives none.
///
/// # Errors
/// The line, what is wrong there and what is allowed.
pub fn edge_list(text: &str, terminals: u32, default_latency: u16) -> Result<Graph, FileError> {
    let mut parser = Parser::default();
    let mut last = 1;
    for (line, content) in lines(text) {
        parser.line(line, content, default_latency)?;
        last = line;
    }
    parser.finish(terminals).map_err(|what| error(last, what))
}

impl Parser {
    fn line(&mut self, line: u32, content: &str, default: u16) -> Result<(), FileError> {
        let words: Vec<&str> = content.split_whitespace().collect();
        let (from, to, both, given) = match words[..] {
            ["terminal", name] => {
                let router = self.router(name);
                self.terminals.push(router);
                return Ok(());
            }
            ["terminal", ..] | [_] => None,
            [from, "->", to] => Some((from, to, false, None)),
            [from, "->", to, given] => Some((from, to, false, Some(given))),
            [_, _, "->", ..] | [_, "->", ..] => None,
            [from, to] => Some((from, to, true, None)),
            [from, to, given] => Some((from, to, true, Some(given))),
            _ => None,
        }
        .ok_or_else(|| {
            let allowed = "`a b`, `a -> b`, either with a latency, or `terminal a`";
            error(line, format!("`{content}`: allowed are {allowed}"))
        })?;
        let latency = given.map_or(Ok(default), |word| latency(line, word))?;
        if from == to {
            let what = format!("router {from} is linked to itself: a link is to another router");
            return Err(error(line, what));
        }
        let (a, b) = (self.router(from), self.router(to));
        self.link(a, b, latency, line)?;
        if both {
            self.link(b, a, latency, line)?;
        }
        Ok(())
    }

    fn router(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), number);
        number
    }

    fn link(&mut self, from: u32, to: u32, latency: u16, line: u32) -> Result<(), FileError> {
        match self.channels.insert((from, to), (latency, line)) {
            None => Ok(()),
            Some((_, before)) => {
                let (from, to) = (&self.names[from as usize], &self.names[to as usize]);
                let what = format!(
                    "a second channel from {from} to {to}, after line {before}: \
                     one each way is allowed"
                );
                Err(error(line, what))
            }
        }
    }

    /// New number of each router.
    fn order(&self) -> Vec<u32> {
        let count = self.names.len() as u32;
        let by_name: Option<Vec<u32>> = self
            .names
            .iter()
            .map(|name| {
                name.parse()
                    .ok()
                    .filter(|number: &u32| *number < count && number.to_string() == *name)
            })
            .collect();
        by_name.unwrap_or_else(|| (0..count).collect())
    }

    fn finish(self, terminals: u32) -> Result<Graph, String> {
        let order = self.order();
        let number = |router: u32| order[router as usize];
        let mut names = self.names.clone();
        for (name, number) in self.names.iter().zip(&order) {
            names[*number as usize].clone_from(name);
        }
        let mut channels: Vec<ChannelSpec> = self
            .channels
            .iter()
            .map(|((from, to), (latency, _))| ChannelSpec {
                from: number(*from),
                to: number(*to),
                latency: *latency,
            })
            .collect();
        channels.sort_by_key(|channel| (channel.from, channel.to));
        let homes: Vec<u32> = if self.terminals.is_empty() {
            let each = |router| core::iter::repeat_n(router, terminals as usize);
            let most = super::TERMINALS_MAX as usize + 1;
            (0..order.len() as u32).flat_map(each).take(most).collect()
        } else {
            self.terminals
                .iter()
                .map(|router| number(*router))
                .collect()
        };
        let graph = Graph {
            shape: Shape::Irregular,
            routers: order.len() as u32,
            channels,
            inject: homes.clone(),
            eject: homes,
            injection_latency: 1,
            ejection_latency: 1,
            terminal_latency: Vec::new(),
            names,
        };
        verify_values(&graph).map_err(|wrong| wrong.0)?;
        Ok(graph)
    }
}
