//! Flows by rule.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::Stream;

use crate::Limits;
use crate::given::topology::PatternsKind;
use crate::network::room::out_of_memory;
use crate::network::wildcard;
use crate::network::wires::{Link, Node, Wires};
use crate::prelude::*;

/// Sources and destinations.
pub(crate) type Pairs = Vec<(u32, u32)>;

/// Flows that a scenario may have.
pub(crate) const MOST_FLOWS: u64 = 4_000_000;

/// Flows that have no row, with those that have one.
pub(crate) const MOST_MEMBERS: u64 = 1_000_000_000;

/// For how many flows, or messages of flows, there is room. Asked by their number, before they are
/// made.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    /// What they are.
    pub of: &'static str,
    /// Bytes of one at least.
    pub each: u64,
    /// So many at most, whatever there is.
    pub most: u64,
    /// What there is.
    pub limits: Limits,
}

impl Room {
    /// The same where flows are made as they begin: as many as can be numbered.
    pub(crate) const fn of_members(self) -> Room {
        Room {
            each: 0,
            most: MOST_MEMBERS,
            ..self
        }
    }

    /// Says that so many are too many, if they are.
    pub(crate) fn refuses(&self, at: &At, total: u64, mistakes: &mut Diagnostics) -> bool {
        let needed = total.saturating_mul(self.each);
        let Room { of, most, .. } = self;
        let mistake = match self.limits.memory_bytes {
            _ if total > *most => Diagnostic::error("too-large", format!("too many {of}"))
                .at(at, format!("with this, {total} {of} or more"))
                .note(format!("at most {most} {of}")),
            Some(free) if needed > free => {
                let place = (at, "the largest part comes from here");
                out_of_memory(place, (needed, &format!("{total} {of}")), free)
                    .help(format!("use fewer {of}"))
            }
            _ => return false,
        };
        mistake.tell(mistakes);
        true
    }
}

/// Says that a host is both ends of a flow.
pub(crate) fn sends_to_itself(name: &str, at: &At) -> Diagnostic {
    Diagnostic::error("bad-flow", format!("`{name}` sends to itself"))
        .at(at, "also where it starts")
        .help("a flow goes from one host to another")
}

/// Is nothing sent at all? `at` is the file, `example` a flow.
pub(crate) fn nothing_to_send<F, P>(
    flows: &Placed<Vec<F>>,
    patterns: &Placed<Vec<P>>,
    (at, example): (&At, &str),
    mistakes: &mut Diagnostics,
) {
    let is_faulty = flows.is_faulty || patterns.is_faulty;
    if flows.is_empty() && patterns.is_empty() && !is_faulty {
        let what = "the scenario has no flows: nothing would be sent";
        Diagnostic::error("no-flows", what)
            .at(at, "no `[[flows]]` and no `[[patterns]]`")
            .help(format!("add one: `[[flows]]` with {example}"))
            .tell(mistakes);
    }
}

/// Do two tables name their many flows alike? Told by table, before a million flows are made whose
/// names are all taken.
pub(crate) fn named_twice<'a>(
    names: impl Iterator<Item = &'a Placed<String>>,
    mistakes: &mut Diagnostics,
) -> bool {
    let mut first: BTreeMap<&str, &At> = BTreeMap::new();
    let mut is_twice = false;
    // A name that is none was told as such.
    for name in names.filter(|name| !name.is_empty()) {
        let Some(before) = first.insert(&name.value, &name.at) else {
            continue;
        };
        is_twice = true;
        let message = format!("two tables name their flows `{}[..]`", clip(&name.value));
        Diagnostic::error("duplicate-name", message)
            .twice(&name.at, before)
            .help("give the flows of each table their own name")
            .tell(mistakes);
    }
    is_twice
}

/// Those that are named, each once, or all.
pub(crate) fn hosts<N: Node, L: Link>(
    named: &Placed<Option<Vec<Named>>>,
    network: &Wires<N, L>,
    mistakes: &mut Diagnostics,
) -> Option<Vec<u32>> {
    let Some(names) = named.sure()? else {
        return Some(network.hosts());
    };
    let found = network.all_hosts(names, mistakes)?;
    let mut known = BTreeSet::new();
    let twice = found.iter().find(|host| !known.insert(**host));
    let mistake = match (found.is_empty(), twice) {
        (true, _) => "an empty list".to_owned(),
        (_, Some(twice)) => format!("`{}` twice", clip(network.name(*twice))),
        _ => return Some(found),
    };
    Diagnostic::error("bad-flow", "it needs hosts, each named once")
        .at(&named.at, mistake)
        .help("name some, or leave the key out for all")
        .tell(mistakes);
    None
}

/// The pairs of one pattern among these hosts, which stand in its `from` if they are not all;
/// `None` if there are none, which is then said.
pub(crate) fn pairs<N: Node, L: Link>(
    kind: &Chosen<PatternsKind>,
    (hosts, from): (&[u32], &Placed<Option<Vec<Named>>>),
    network: &Wires<N, L>,
    dice: &mut Stream,
    mistakes: &mut Diagnostics,
) -> Option<Pairs> {
    let at = &kind.at;
    let kind = kind.sure()?;
    let to = match kind {
        PatternsKind::AllToOne { to } => {
            let name = to.sure()?;
            if is_several(name) && network.node(name).is_none() {
                several(name, &to.at).tell(mistakes);
                return None;
            }
            Some(mistakes.kept(network.find_host(name, &to.at))?)
        }
        _ => None,
    };
    // One is enough to send to another.
    let others = hosts.iter().filter(|host| Some(**host) != to).count();
    if others < 2 - usize::from(to.is_some()) {
        let wrong = Diagnostic::error("bad-pattern", "a pattern needs two hosts or more");
        let wrong = match from.place() {
            Some(from) => wrong
                .at(from, format!("only {others} that may send"))
                .help("name more in `from`, or leave it out for all"),
            None => wrong
                .at(at, format!("the network has {}", hosts.len()))
                .help("name more in `[network]`, or raise the numbers of `[topology]`"),
        };
        wrong.tell(mistakes);
        return None;
    }
    let found = match kind {
        PatternsKind::RandomPairs { count } => Ok(random_pairs(hosts, **count, dice)),
        PatternsKind::Permutation => Ok(permutation(hosts, dice)),
        PatternsKind::Neighbour => neighbours(network, hosts, at),
        PatternsKind::AllToAll => Ok(all_to_all(hosts)),
        PatternsKind::AllToOne { .. } => Ok(all_to_one(to?, hosts)),
    };
    mistakes.kept(found)
}

/// May a name be meant to stand for more hosts than one?
fn is_several(name: &str) -> bool {
    wildcard::is_many(name) || name.contains(['{', ','])
}

/// Says that the one to whom all others send can't be many.
fn several(name: &str, at: &At) -> Diagnostic {
    let message = format!("`{}` is more than one host", clip(name));
    Diagnostic::error("bad-pattern", message)
        .at(at, "with `all-to-one` one host gets all")
        .help("name one host, as `to = \"H1_1\"`")
        .help("or let all send to all: `kind = \"all-to-all\"`, without `to`")
        .help("or give each its own `[[patterns]]`, of another `name`")
}

fn random_pairs(hosts: &[u32], count: u32, dice: &mut Stream) -> Pairs {
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
fn permutation(hosts: &[u32], dice: &mut Stream) -> Pairs {
    let mut to = hosts.to_vec();
    for last in (1..to.len()).rev() {
        to.swap(last, dice.below(last as u64) as usize);
    }
    hosts.iter().copied().zip(to).collect()
}

/// Every host to the host of the same number on the next switch that has hosts.
fn neighbours<N, L>(
    network: &Wires<N, L>,
    hosts: &[u32],
    at: &At,
) -> Result<Pairs, Box<Diagnostic>> {
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for host in hosts {
        if let Some((switch, _)) = network.neighbours[*host as usize].first() {
            groups.entry(*switch).or_default().push(*host);
        }
    }
    let groups: Vec<Vec<u32>> = groups.into_values().collect();
    if groups.len() < 2 {
        return Diagnostic::error("bad-pattern", "there is no next switch")
            .at(at, format!("only {} switch has hosts", groups.len()))
            .help("use `permutation`, or a network with two switches or more")
            .refused();
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

fn all_to_all(hosts: &[u32]) -> Pairs {
    let pairs = hosts
        .iter()
        .flat_map(|from| hosts.iter().map(move |to| (*from, *to)));
    pairs.filter(|(from, to)| from != to).collect()
}

fn all_to_one(to: u32, hosts: &[u32]) -> Pairs {
    let others = hosts.iter().filter(|host| **host != to);
    others.map(|host| (*host, to)).collect()
}
