//! Flows by rule.

use kernel::{Purpose, Stream};

use packet::spec::NodeKind;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::flows::Draft;
use crate::record::Record;
use crate::topology::Graph;

/// Adds the flows of one pattern.
pub(crate) fn draw<'a>(
    record: &'a Record,
    graph: &Graph,
    seed: u64,
    pattern: u64,
    drafts: &mut Vec<Draft<'a>>,
    mistakes: &mut Diagnostics,
) {
    let hosts: Vec<u32> = (0..graph.nodes.len() as u32)
        .filter(|node| graph.is_host(*node))
        .collect();
    if hosts.len() < 2 {
        if !hosts.is_empty() || graph.nodes.iter().any(|node| node.kind == NodeKind::Switch) {
            mistakes.push(
                Diagnostic::error("bad-pattern", "a pattern needs two hosts or more").at(
                    record.at("kind"),
                    format!("the network has {}", hosts.len()),
                ),
            );
        }
        return;
    }
    let mut dice = Stream::new(seed, pattern, Purpose::Pattern);
    let pairs = match record.word("kind") {
        "random-pairs" => random_pairs(&hosts, record.whole("count").unwrap_or(0), &mut dice),
        "permutation" => permutation(&hosts, &mut dice),
        "neighbour" => match neighbours(graph, &hosts) {
            Ok(pairs) => pairs,
            Err(found) => {
                mistakes.push(
                    Diagnostic::error("bad-pattern", "there is no next switch")
                        .at(record.at("kind"), found)
                        .help("use `permutation`, or a network with two switches or more"),
                );
                return;
            }
        },
        "all-to-one" => match all_to_one(record, graph, &hosts) {
            Ok(pairs) => pairs,
            Err(diagnostic) => return mistakes.push(*diagnostic),
        },
        _ => return,
    };
    for (index, (source, to)) in pairs.into_iter().enumerate() {
        let number = index as u64 + 1;
        drafts.push(Draft {
            name: format!("{}[{number}]", record.text("name")),
            source,
            to: vec![to],
            record,
            number: Some(number),
            at: record.at("kind"),
            back_of: None,
        });
    }
}

pub(crate) fn random_pairs(hosts: &[u32], count: u64, dice: &mut Stream) -> Vec<(u32, u32)> {
    let size = hosts.len() as u64;
    let draw = |_| {
        let source = dice.below(size);
        let other = dice.below(size - 1);
        let other = other + u64::from(other >= source);
        (hosts[source as usize], hosts[other as usize])
    };
    (0..count).map(draw).collect()
}

/// A random cyclic permutation (Sattolo): nobody sends to itself.
pub(crate) fn permutation(hosts: &[u32], dice: &mut Stream) -> Vec<(u32, u32)> {
    let mut to = hosts.to_vec();
    for last in (1..to.len()).rev() {
        to.swap(last, dice.below(last as u64) as usize);
    }
    hosts.iter().copied().zip(to).collect()
}

/// Every host to the host of the same number on the next switch that has hosts.
fn neighbours(graph: &Graph, hosts: &[u32]) -> Result<Vec<(u32, u32)>, String> {
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes.len()];
    for host in hosts {
        if let Some((switch, _)) = graph.neighbours[*host as usize].first() {
            groups[*switch as usize].push(*host);
        }
    }
    groups.retain(|group| !group.is_empty());
    if groups.len() < 2 {
        return Err(format!("only {} switch has hosts", groups.len()));
    }
    let next = |index: usize| &groups[(index + 1) % groups.len()];
    let pairs = groups.iter().enumerate().flat_map(|(index, group)| {
        let to = next(index);
        group
            .iter()
            .enumerate()
            .map(move |(n, host)| (*host, to[n % to.len()]))
    });
    Ok(pairs.filter(|(from, to)| from != to).collect())
}

fn all_to_one(
    record: &Record,
    graph: &Graph,
    hosts: &[u32],
) -> Result<Vec<(u32, u32)>, Box<Diagnostic>> {
    let to = graph.find_host(record.text("to"), &record.at("to"))?;
    Ok(hosts
        .iter()
        .filter(|host| **host != to)
        .map(|host| (*host, to))
        .collect())
}
