//! Flows by name, repeated by `count`, or made by a pattern: who sends to whom.

use backwater_kernel::words::counted;
use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::{Purpose, Stream};
use backwater_net::spec::FLOW_LEGS_MAX;

use crate::Limits;
use crate::circuits::abr::Way;
use crate::circuits::partners;
use crate::circuits::route::{self, Router, Tree};
use crate::circuits::topology::Graph;
use crate::given::circuits::PacketFile;
use crate::given::circuits::flows::{FlowSettings, Flows, Patterns};
use crate::given::circuits::traffic::Traffic;
use crate::given::topology::PatternsKind;
use crate::language::suggest::{self, Budget};
use crate::network::memory;
use crate::network::numbered::expand;
use crate::network::patterns::{self, Pairs, Room};
use crate::network::wildcard;
use crate::prelude::*;

/// Flows times the links they cross.
const MOST_LEGS: u64 = 16_000_000;
/// Steps that the search for all ways may take: some seconds.
const MOST_STEPS: u64 = 4_000_000_000;

/// A flow before its way and its controls are known.
pub(crate) struct Draft<'a> {
    pub name: String,
    pub source: u32,
    pub to: Vec<u32>,
    /// Where the table stands.
    pub table: &'a At,
    /// Where its name stands.
    pub name_at: &'a At,
    /// What it has, named or made by rule.
    pub settings: &'a FlowSettings,
    /// Its table, if it has one of its own.
    pub own: Option<&'a Flows>,
    /// The number that stands for `{i}`.
    pub number: Option<u64>,
    /// Where a mistake about its way is shown.
    pub at: At,
    /// The flow whose way back it is, where it was made for one; its table is that flow's.
    pub back_of: Option<u32>,
}

impl Draft<'_> {
    /// A name in its table, with `{i}` replaced.
    pub(crate) fn expand(&self, text: &str) -> String {
        expand(text, self.number)
    }

    /// The table of what it sends, unless that answers another flow.
    pub(crate) fn table_of_traffic(&self) -> Option<&Chosen<Traffic>> {
        match self.back_of {
            Some(_) => self.settings.back.as_ref(),
            None => Some(&self.settings.traffic),
        }
    }

    /// As its source of ABR sees it.
    pub(crate) fn way(&self) -> Way {
        let answer = partners::answer(self.settings);
        let own = self.traffic();
        match (self.back_of, answer, own) {
            (None, ..) => Way::Forth,
            (_, Some(partners::Answer::Server), _) => Way::Back,
            (_, Some(partners::Answer::TcpBack), _) => Way::Answers,
            (_, None, None | Some(Traffic::Silent)) => Way::Answers,
            (_, None, Some(_)) => Way::Back,
        }
    }

    /// What it sends, unless that answers another flow.
    pub(crate) fn traffic(&self) -> Option<&Traffic> {
        self.table_of_traffic().map(|table| &table.value)
    }

    /// Where its source is named, or else its table.
    pub(crate) fn source_at(&self) -> &At {
        self.own.map_or(self.table, |own| &own.from.at)
    }
}

/// The flows of the file, in order: first `[[flows]]`, then `[[patterns]]`.
pub(crate) fn drafts<'a>(
    file: &'a Placed<PacketFile>,
    graph: &Graph,
    limits: &Limits,
    mistakes: &mut Diagnostics,
) -> Vec<Draft<'a>> {
    // Each crosses a link at least, and two where all hosts are on switches.
    let links = if file.topology.is_some() { 2 } else { 1 };
    let room = Room {
        of: "flows",
        most: patterns::MOST_FLOWS,
        each: memory::of_legs(links, 0),
        limits: *limits,
    };
    let example = "`name = \"VC1\"`, `from = \"A\"`, `to = \"B\"`";
    patterns::nothing_to_send(&file.flows, &file.patterns, (&file.at, example), mistakes);
    // Without nodes, every name would be unknown.
    let lost = graph.nodes.is_empty() && mistakes.errors() > 0;
    let counted = file.flows.iter().filter(|flows| flows.count.is_some());
    let many = counted.map(|flows| &flows.name);
    let many = many.chain(file.patterns.iter().map(|pattern| &pattern.name));
    if lost || too_many(file, room, mistakes) || patterns::named_twice(many, mistakes) {
        return Vec::new();
    }
    let mut drafts = Vec::new();
    for flows in file.flows.iter() {
        named(flows, graph, &mut drafts, mistakes);
    }
    for (index, pattern) in file.patterns.iter().enumerate() {
        let mut dice = Stream::new(file.run.seed, index as u64, Purpose::Pattern);
        let Some(hosts) = patterns::hosts(&pattern.from, graph, mistakes) else {
            continue;
        };
        let made = pattern.kind.flows(hosts.len() as u64);
        let total = drafts.len() as u64 + made.map_or(0, |(count, _)| count);
        let is_too_much = room.refuses(&pattern.at, total, mistakes)
            || too_long(graph, (pattern, &hosts), made, mistakes);
        if is_too_much {
            return Vec::new();
        }
        let among = (hosts.as_slice(), &pattern.from);
        if let Some(pairs) = patterns::pairs(&pattern.kind, among, graph, &mut dice, mistakes) {
            by_rule(pattern, pairs, &mut drafts);
        }
    }
    let drafts = partners::add_backs(drafts, mistakes);
    duplicates(&drafts, mistakes);
    drafts
}

fn by_rule<'a>(pattern: &'a Placed<Patterns>, pairs: Pairs, drafts: &mut Vec<Draft<'a>>) {
    for (number, (source, to)) in (1..).zip(pairs) {
        drafts.push(Draft {
            name: format!("{}[{number}]", *pattern.name),
            source,
            to: vec![to],
            table: &pattern.at,
            name_at: &pattern.name.at,
            settings: &pattern.settings,
            own: None,
            number: Some(number),
            at: pattern.kind.at.clone(),
            back_of: None,
        });
    }
}

/// How many flows each table makes, as far as it says without knowing the hosts, where that
/// stands, and the table.
pub(crate) fn counts(file: &PacketFile) -> impl Iterator<Item = (Option<u64>, &At, &At)> {
    let flows = file.flows.iter();
    let flows = flows.map(|flows| (flows.count.value, &flows.count.at, &flows.at));
    let patterns = file.patterns.iter();
    let patterns = patterns.map(|pattern| match pattern.kind.stated() {
        Some((count, at)) => (Some(count), at, &pattern.at),
        None => (None, &pattern.at, &pattern.at),
    });
    flows.chain(patterns)
}

fn too_many(file: &PacketFile, room: Room, mistakes: &mut Diagnostics) -> bool {
    let mut total = 0_u64;
    for (count, at, _) in counts(file) {
        total = total.saturating_add(count.unwrap_or(1));
        if room.refuses(at, total, mistakes) {
            return true;
        }
    }
    false
}

fn named<'a>(
    flows: &'a Placed<Flows>,
    graph: &Graph,
    drafts: &mut Vec<Draft<'a>>,
    mistakes: &mut Diagnostics,
) {
    let count = *flows.count;
    // Where a name is not known: others that one place stands for are not looked for.
    let mut unknown: Option<&At> = None;
    for index in 1..=count.unwrap_or(1) {
        // A place may stand for a million names, and each flow would expand them all anew.
        if unknown.is_some() {
            break;
        }
        let number = count.map(|_| index);
        let name = match number {
            Some(number) => format!("{}[{number}]", *flows.name),
            None => flows.name.value.clone(),
        };
        let source = flows.from.sure().map(|from| {
            let from = expand(from, number);
            mistakes.kept(graph.find_host(&from, &flows.from.at))
        });
        let to = flows.to.iter().flat_map(|(name, at)| {
            let name = expand(name, number);
            let found = match unknown == Some(at) {
                true => None,
                false => mistakes.kept(graph.find_hosts(&name, at)),
            };
            if found.is_none() {
                unknown = Some(at);
            }
            // All but the source itself.
            let is_other = |host: &u32| !wildcard::is_many(&name) || Some(Some(*host)) != source;
            let found = found.map(|mut hosts| {
                hosts.retain(is_other);
                hosts.into_iter().map(Some).collect()
            });
            let found: Vec<Option<u32>> = found.unwrap_or_else(|| vec![None]);
            found.into_iter().map(move |host| (host, at))
        });
        let to: Vec<(Option<u32>, &At)> = to.collect();
        let Some(Some(source)) = source else {
            continue;
        };
        if let Some(to) = destinations(&flows.to, source, &to, graph, mistakes) {
            drafts.push(Draft {
                name,
                source,
                to,
                table: &flows.at,
                name_at: &flows.name.at,
                settings: &flows.settings,
                own: Some(flows),
                number,
                at: flows.to.at.clone(),
                back_of: None,
            });
        }
    }
}

fn destinations(
    given: &Placed<Vec<Named>>,
    source: u32,
    to: &[(Option<u32>, &At)],
    graph: &Graph,
    mistakes: &mut Diagnostics,
) -> Option<Vec<u32>> {
    let mut known: Vec<u32> = Vec::with_capacity(to.len());
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    for (node, at) in to {
        let node = (*node)?;
        if node == source {
            mistakes.push(patterns::sends_to_itself(graph.name(node), at));
            return None;
        }
        if !seen.insert(node) {
            let message = format!("`{}` is a destination twice", graph.name(node));
            Diagnostic::error("bad-flow", message)
                .at(at, "named before")
                .help("name each destination once")
                .tell(mistakes);
            return None;
        }
        known.push(node);
    }
    if known.is_empty() && !given.is_faulty {
        Diagnostic::error("bad-flow", "a flow needs a destination")
            .at(&given.at, "an empty list")
            .help("name one host or more in `to`")
            .tell(mistakes);
    }
    (!known.is_empty()).then_some(known)
}

fn duplicates(drafts: &[Draft<'_>], mistakes: &mut Diagnostics) {
    let mut first: BTreeMap<&str, &At> = BTreeMap::new();
    // A name that is none was told as such.
    for draft in drafts.iter().filter(|draft| !draft.name.is_empty()) {
        match first.get(draft.name.as_str()) {
            Some(at) => Diagnostic::error(
                "duplicate-name",
                format!("two flows are called `{}`", clip(&draft.name)),
            )
            .twice(draft.name_at, at)
            .help("give each flow its own name, or one table with `count`")
            .tell(mistakes),
            None => {
                first.insert(&draft.name, draft.name_at);
            }
        }
    }
}

/// The way of every flow; an empty tree where there is none. `spread` is the seed by which flows
/// are spread over shortest ways, if they are.
pub(crate) fn trees(
    graph: &Graph,
    drafts: &[Draft<'_>],
    spread: Option<u64>,
    mistakes: &mut Diagnostics,
) -> Vec<Tree> {
    let mut trees: Vec<Tree> = vec![Tree::new(); drafts.len()];
    // Searching once for all flows with the same root, in the order of roots.
    let searched = drafts.iter().enumerate();
    let mut order: Vec<(u32, usize)> = searched
        .filter(|(_, draft)| draft.back_of.is_none())
        .map(|(index, draft)| (Router::root_of(graph, draft.source), index))
        .collect();
    order.sort_unstable();
    let roots = order.chunk_by(|a, b| a.0 == b.0).count() as u64;
    if let (true, Some(draft)) = (takes_long(graph, roots), drafts.first()) {
        mistakes.push(long_search(graph, draft.table, roots));
        return trees;
    }
    let mut router = Router::new(graph, spread);
    let mut legs = 0_u64;
    for (_, index) in order {
        match tree(graph, &mut router, index, &drafts[index]) {
            Ok(tree) if tree.len() > FLOW_LEGS_MAX => {
                let legs = tree.len();
                Diagnostic::error("too-large", "the flow crosses too many links")
                    .at(&drafts[index].at, counted(legs, "link"))
                    .note(format!("a flow crosses at most {FLOW_LEGS_MAX}"))
                    .help("use a network with shorter paths, or fewer destinations")
                    .tell(mistakes);
                break;
            }
            Ok(tree) => {
                legs += tree.len() as u64;
                if drafts
                    .get(index + 1)
                    .is_some_and(|next| next.back_of == Some(index as u32))
                {
                    legs += tree.len() as u64;
                    trees[index + 1] = route::back(&tree);
                }
                trees[index] = tree;
            }
            // A way may be missing only because its link could not be read.
            Err(_) if graph.broken => {}
            Err(diagnostic) => mistakes.push(*diagnostic),
        }
        if legs > MOST_LEGS {
            Diagnostic::error("too-large", "the flows cross too many links")
                .at(&drafts[index].at, format!("with this, {legs} legs or more"))
                .note(format!(
                    "a leg is one flow on one link; at most {MOST_LEGS} are run"
                ))
                .help("use fewer flows, or a network with shorter paths")
                .tell(mistakes);
            break;
        }
    }
    trees
}

/// Would finding the ways from all hosts take too long? Asked before there are flows.
fn too_long(
    graph: &Graph,
    (pattern, hosts): (&Placed<Patterns>, &[u32]),
    made: Option<(u64, Option<&At>)>,
    mistakes: &mut Diagnostics,
) -> bool {
    // Fewer flows start at some of them only.
    if made.is_none_or(|(flows, _)| flows < hosts.len() as u64) {
        return false;
    }
    let starts_everywhere = pattern.kind.sure().is_some_and(|kind| match kind {
        PatternsKind::Permutation | PatternsKind::AllToAll | PatternsKind::Neighbour => true,
        PatternsKind::AllToOne { .. } | PatternsKind::RandomPairs { .. } => false,
    });
    let roots = hosts.iter().map(|host| Router::root_of(graph, *host));
    let roots = roots.collect::<BTreeSet<u32>>().len() as u64;
    let is_long = starts_everywhere && takes_long(graph, roots);
    if is_long {
        mistakes.push(long_search(graph, &pattern.at, roots));
    }
    is_long
}

fn takes_long(graph: &Graph, roots: u64) -> bool {
    let trunks: usize = graph.trunks.iter().map(Vec::len).sum();
    roots.saturating_mul((graph.nodes.len() + trunks) as u64) > MOST_STEPS
}

fn long_search(graph: &Graph, at: &At, roots: u64) -> Diagnostic {
    Diagnostic::error("too-large", "finding all the paths would take too long")
        .at(at, format!("flows start at {}", counted(roots, "place")))
        .note(format!(
            "{roots} searches through {} nodes",
            graph.nodes.len()
        ))
        .help("make the network smaller, or let fewer hosts send")
}

fn tree(
    graph: &Graph,
    router: &mut Router<'_>,
    flow: usize,
    draft: &Draft<'_>,
) -> Result<Tree, Box<Diagnostic>> {
    let path = draft.own.map(|own| &own.path);
    if let Some(path) = path.filter(|path| path.is_given) {
        let at = &path.at;
        if draft.to.len() > 1 {
            return Diagnostic::error("bad-path", "a path leads to one destination")
                .at(at, format!("the flow has {}", draft.to.len()))
                .help("leave `path` out: a multicast tree is made of shortest paths")
                .refused();
        }
        let nodes = path.iter();
        let nodes = nodes.map(|(name, at)| (draft.expand(name), at.clone()));
        let nodes: Vec<Named> = nodes.collect();
        let ends = (draft.source, draft.to[0]);
        return route::along(graph, (&nodes, at), ends.0, ends.1).map_err(|diagnostic| {
            let shortest = router.tree(flow, ends.0, &[ends.1]).ok();
            Box::new(diagnostic.help_if(shortest.map(|tree| {
                format!(
                    "the shortest path is `{}`",
                    route::nodes_of(graph, ends.0, &tree)
                )
            })))
        });
    }
    router
        .tree(flow, draft.source, &draft.to)
        .map_err(|missed| {
            let (from, to) = (graph.name(draft.source), graph.name(missed));
            let lonely = |node: u32| graph.neighbours[node as usize].is_empty();
            let mut diagnostic = Diagnostic::error(
                "unreachable",
                format!("no path leads from `{from}` to `{to}`"),
            )
            .at(&draft.at, format!("`{to}` can't be reached"));
            for node in [draft.source, missed] {
                if lonely(node) {
                    diagnostic =
                        diagnostic.note(format!("`{}` has no link at all", graph.name(node)));
                }
            }
            Box::new(
                diagnostic
                    .note("hosts forward nothing: paths pass through switches only")
                    .help("add the missing `[[links]]`"),
            )
        })
}

/// Names of flows, to refer to them.
pub(crate) struct FlowNames<'a>(BTreeMap<&'a str, u32>, Budget);

impl<'a> FlowNames<'a> {
    pub(crate) fn new(drafts: &'a [Draft<'_>]) -> Self {
        let named = drafts.iter().enumerate();
        let named = named.map(|(index, draft)| (draft.name.as_str(), index as u32));
        Self(named.collect(), Budget::default())
    }

    /// The flows that share a name, or all of them, in their order; none where one flow has the
    /// name itself.
    pub(crate) fn group(&self, name: &str) -> Vec<u32> {
        if self.0.contains_key(name) {
            return Vec::new();
        }
        if name == wildcard::ALL {
            let mut all: Vec<u32> = self.0.values().copied().collect();
            all.sort_unstable();
            return all;
        }
        let numbered = format!("{name}[");
        let from = self.0.range(numbered.as_str()..);
        let of = from.take_while(|(flow, _)| flow.starts_with(&numbered));
        let mut of: Vec<u32> = of.map(|(_, index)| *index).collect();
        of.sort_unstable();
        of
    }

    pub(crate) fn find(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.0.get(name).copied().ok_or_else(|| {
            let looked = if self.1.spend() { 10_000 } else { 0 };
            let known = || self.0.keys().copied().take(looked);
            let numbered = format!("{name}[1]");
            let hint = self.0.contains_key(numbered.as_str());
            Diagnostic::error("unknown-flow", format!("there is no flow `{}`", clip(name)))
                .at(at, "not the name of a flow")
                .help_if(if hint {
                    Some(format!("it is repeated: name one of them, `{numbered}`"))
                } else {
                    suggest::did_you_mean(name, known())
                })
                .note(format!("flows: {}", suggest::one_of(known())))
                .into()
        })
    }
}
