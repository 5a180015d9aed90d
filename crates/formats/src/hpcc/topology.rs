//! `topology.txt`: `nodes switches links`, then the numbers of the switches, then for each link
//! `a b rate delay error`.
//!
//! Nodes are 0 to nodes - 1; those that are not among the switches are hosts. A link is the same
//! both ways, and `error` is the probability that a packet is lost on it.

use std::fmt::Write;

use crate::text::{self, Tokens};
use crate::{FileError, Link, Node, Topology};

/// Reads one.
///
/// # Errors
/// If a number is missing, out of range, or something follows the last link.
pub fn read(text: &str) -> Result<Topology, FileError> {
    let mut tokens = text::tokens(text);
    let nodes: u32 = tokens.number("the number of nodes")?;
    let (line, word) = tokens.next("the number of switches")?;
    let switches: u32 = text::number((line, word), "the number of switches")?;
    if switches > nodes {
        let what = format!("at most as many switches as nodes, {nodes}");
        return Err(text::no((line, word), what));
    }
    let links: u32 = tokens.number("the number of links")?;
    let mut is_switch = Vec::new();
    for number in 0..switches {
        let what = format!("switch {} of {switches} by the first line", number + 1);
        let (line, node) = node(&mut tokens, (nodes, &what))?;
        let node = node as usize;
        if is_switch.len() <= node {
            is_switch.resize(node + 1, false);
        }
        if std::mem::replace(&mut is_switch[node], true) {
            let message = format!("node {node} is among the switches twice");
            return Err(FileError::new(line, message).allowed("each switch once"));
        }
    }
    let mut topology = Topology::default();
    for number in 0..links {
        let what = format!("link {} of {links} by the first line", number + 1);
        topology.links.push(link(&mut tokens, (nodes, &what))?);
    }
    if let Some((line, word)) = tokens.rest() {
        let message = format!("`{}` behind the last link", text::clip(word));
        return Err(FileError::new(line, message)
            .allowed(format!("{links} links by the first line"))
            .hint("count the links again, or take away what follows them"));
    }
    most_named(nodes, &topology, switches)?;
    let is_switch = |node: usize| is_switch.get(node).copied().unwrap_or(false);
    let nodes = (0..nodes as usize).map(|node| Node::numbered(node, !is_switch(node)));
    topology.nodes = nodes.collect();
    Ok(topology)
}

/// Nodes that nothing names can't make the file small and the network large.
fn most_named(nodes: u32, topology: &Topology, switches: u32) -> Result<(), FileError> {
    let named = 2 * topology.links.len() + switches as usize;
    if nodes as usize <= named + 1_000 {
        return Ok(());
    }
    let said = format!("{nodes} nodes, of which the file names {named} at most");
    Err(FileError::new(1, said)
        .allowed("nodes that links join")
        .hint("count the nodes again: they are 0 to nodes - 1"))
}

fn node<'a>(
    tokens: &mut Tokens<'a, impl Iterator<Item = (u32, &'a str)>>,
    (nodes, what): (u32, &str),
) -> Result<(u32, u32), FileError> {
    let (line, word) = tokens.next(what)?;
    let node: Option<u32> = text::number((line, word), what).ok();
    let node = node.filter(|node| *node < nodes);
    let node = node.ok_or_else(|| {
        let range = match nodes.checked_sub(1) {
            Some(last) => format!("{what}: a node, from 0 to {last}"),
            None => format!("{what}: a node, of which there is none"),
        };
        text::no((line, word), range)
    })?;
    Ok((line, node))
}

fn link<'a>(
    tokens: &mut Tokens<'a, impl Iterator<Item = (u32, &'a str)>>,
    (nodes, what): (u32, &str),
) -> Result<Link, FileError> {
    let (line, a) = node(tokens, (nodes, what))?;
    let (_, b) = node(tokens, (nodes, what))?;
    if a == b {
        let message = format!("a link from node {a} to itself");
        return Err(FileError::new(line, message).allowed("two different nodes"));
    }
    Ok(Link {
        ends: [a, b],
        rate_bps: Some(text::rate(tokens.next(what)?)?),
        delay_ps: Some(text::time(tokens.next(what)?)?),
        loss: text::probability(tokens.next(what)?)?,
        line,
    })
}

/// Writes one; nodes go by their places, and links without a rate or a delay have 0.
pub fn write(topology: &Topology) -> String {
    let mut out = String::new();
    let switches = topology.nodes.iter().zip(0_u32..);
    let switches = switches.filter(|(node, _)| !node.is_host);
    let switches: Vec<String> = switches.map(|(_, number)| number.to_string()).collect();
    let (nodes, links) = (topology.nodes.len(), topology.links.len());
    let _ = writeln!(out, "{nodes} {} {links}", switches.len());
    let _ = writeln!(out, "{}", switches.join(" "));
    for link in &topology.links {
        let [a, b] = link.ends;
        let (rate, delay) = (link.rate_bps.unwrap_or(0), link.delay_ps.unwrap_or(0));
        let _ = writeln!(out, "{a} {b} {rate}bps {delay}ps {}", link.loss);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "4 1 3\r\n2\r\n0 2 100Gbps 1us 0\r\n1 2 400000000bps 0.001ms 0.5\r\n\
                         3 2 25Gbps 1000ns 1e-3\r\n";

    #[test]
    fn hosts_are_those_that_are_no_switches() {
        let read = read(SMALL).expect("it is right");
        let names: Vec<&str> = read.nodes.iter().map(|node| &*node.name).collect();
        assert_eq!(names, ["H0", "H1", "S2", "H3"]);
        let said = |link: &Link| {
            (
                link.ends,
                link.rate_bps,
                link.delay_ps,
                link.loss,
                link.line,
            )
        };
        let us = Some(1_000_000);
        let wanted = [
            ([0, 2], Some(100_000_000_000), us, 0.0, 3),
            ([1, 2], Some(400_000_000), us, 0.5, 4),
            ([3, 2], Some(25_000_000_000), us, 0.001, 5),
        ];
        assert_eq!(read.links.iter().map(said).collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn what_was_read_is_written() {
        let first = read(SMALL).expect("it is right");
        let mut again = read(&write(&first)).expect("it is right");
        assert_eq!(first, again);
        again.links[1].delay_ps = Some(1);
        assert_ne!(first, again);
        // A network without switches has an empty line.
        let pair = read("2 0 1\n\n0 1 1Gbps 0ns 0\n").expect("it is right");
        assert_eq!(read(&write(&pair)), Ok(pair));
    }

    #[test]
    fn each_mistake_has_its_line() {
        let wrong = [
            ("", 1, "the file ends here"),
            ("x 0 0", 1, "`x`"),
            ("-1 0 0", 1, "`-1`"),
            ("4 5 0", 1, "`5`"),
            ("4 1 1\n4\n", 2, "`4`"),
            ("4 2 1\n2 2\n", 2, "node 2 is among the switches twice"),
            ("2 0 1\n\n0 2 1Gbps 1us 0\n", 3, "`2`"),
            (
                "2 0 1\n\n1 1 1Gbps 1us 0\n",
                3,
                "a link from node 1 to itself",
            ),
            ("2 0 1\n\n0 1 1 1us 0\n", 3, "`1`"),
            ("2 0 1\n\n0 1 0Gbps 1us 0\n", 3, "`0Gbps`"),
            ("2 0 1\n\n0 1 1Gbps 1 0\n", 3, "`1`"),
            ("2 0 1\n\n0 1 1Gbps 1us 1.5\n", 3, "`1.5`"),
            ("2 0 1\n\n0 1 1Gbps 1us -0.5\n", 3, "`-0.5`"),
            ("2 0 1\n\n0 1 1Gbps 1us\n", 3, "the file ends here"),
            ("2 0 2\n\n0 1 1Gbps 1us 0\n", 3, "the file ends here"),
            (
                "2 0 1\n\n0 1 1Gbps 1us 0\n1 0 1Gbps 1us 0",
                4,
                "`1` behind the last link",
            ),
            (
                "4000000000 0 0",
                1,
                "4000000000 nodes, of which the file names 0 at most",
            ),
        ];
        for (text, line, found) in wrong {
            let mistake = read(text).expect_err(text);
            assert_eq!((mistake.line, &*mistake.found), (line, found), "{text}");
            assert!(mistake.allowed.is_some(), "{text}");
        }
    }
}
