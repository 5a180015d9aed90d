//! Flows by rule.

use kernel::Stream;

use packet::spec::NodeKind;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::flows::Draft;
use crate::given::packet::flows::{Patterns, PatternsKind};
use crate::source::At;
use crate::topology::Graph;
use crate::typed::Placed;

/// Sources and destinations.
type Pairs = Vec<(u32, u32)>;

/// Adds the flows of one pattern.
pub(crate) fn draw<'a>(
    pattern: &'a Placed<Patterns>,
    graph: &Graph,
    mut dice: Stream,
    drafts: &mut Vec<Draft<'a>>,
    mistakes: &mut Diagnostics,
) {
    let Some(kind) = pattern.kind.sure() else {
        return;
    };
    let hosts: Vec<u32> = (0..graph.nodes.len() as u32)
        .filter(|node| graph.is_host(*node))
        .collect();
    let at = &pattern.kind.at;
    if hosts.len() < 2 {
        if !hosts.is_empty() || graph.nodes.iter().any(|node| node.kind == NodeKind::Switch) {
            mistakes.push(
                Diagnostic::error("bad-pattern", "a pattern needs two hosts or more")
                    .at(at.clone(), format!("the network has {}", hosts.len())),
            );
        }
        return;
    }
    let pairs = match kind {
        PatternsKind::RandomPairs { count } => Ok(random_pairs(&hosts, **count, &mut dice)),
        PatternsKind::Permutation => Ok(permutation(&hosts, &mut dice)),
        PatternsKind::Neighbour => neighbours(graph, &hosts, at),
        PatternsKind::AllToOne { to } => match to.sure() {
            Some(name) => all_to_one(name, &to.at, graph, &hosts),
            None => return,
        },
    };
    let pairs = match pairs {
        Ok(pairs) => pairs,
        Err(diagnostic) => return mistakes.push(*diagnostic),
    };
    for (index, (source, to)) in pairs.into_iter().enumerate() {
        let number = index as u64 + 1;
        drafts.push(Draft {
            name: format!("{}[{number}]", *pattern.name),
            source,
            to: vec![to],
            table: &pattern.at,
            name_at: &pattern.name.at,
            settings: &pattern.settings,
            own: None,
            number: Some(number),
            at: at.clone(),
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
fn neighbours(graph: &Graph, hosts: &[u32], at: &At) -> Result<Pairs, Box<Diagnostic>> {
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes.len()];
    for host in hosts {
        if let Some((switch, _)) = graph.neighbours[*host as usize].first() {
            groups[*switch as usize].push(*host);
        }
    }
    groups.retain(|group| !group.is_empty());
    if groups.len() < 2 {
        return Err(Box::new(
            Diagnostic::error("bad-pattern", "there is no next switch")
                .at(
                    at.clone(),
                    format!("only {} switch has hosts", groups.len()),
                )
                .help("use `permutation`, or a network with two switches or more"),
        ));
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

fn all_to_one(name: &str, at: &At, graph: &Graph, hosts: &[u32]) -> Result<Pairs, Box<Diagnostic>> {
    let to = graph.find_host(name, at)?;
    let others = hosts.iter().filter(|host| **host != to);
    Ok(others.map(|host| (*host, to)).collect())
}
