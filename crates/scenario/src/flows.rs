//! Flows by name, repeated by `count`, or made by a pattern: who sends to whom.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::partners;
use crate::patterns;
use crate::reader::clip;
use crate::record::Record;
use crate::route::{self, Router, Tree};
use crate::source::At;
use crate::suggest::{self, Budget};
use crate::topology::Graph;

/// Flows that a scenario may have.
pub(crate) const MOST_FLOWS: u64 = 4_000_000;
/// Flows times the links they cross.
const MOST_LEGS: u64 = 16_000_000;
/// Steps that the search for all ways may take: some seconds.
const MOST_STEPS: u64 = 4_000_000_000;

/// A flow before its way and its controls are known.
pub(crate) struct Draft<'a> {
    pub name: String,
    pub source: u32,
    pub to: Vec<u32>,
    /// Its table.
    pub record: &'a Record,
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

    /// The table of what it sends, if it has one.
    pub(crate) fn traffic(&self) -> Option<&Record> {
        match self.back_of {
            Some(_) => self.record.record("back"),
            None => self.record.record("traffic"),
        }
    }
}

pub(crate) fn expand(text: &str, number: Option<u64>) -> String {
    match number {
        Some(number) => text.replace("{i}", &number.to_string()),
        None => text.into(),
    }
}

/// The flows of the file, in order: first `[[flows]]`, then `[[patterns]]`.
pub(crate) fn drafts<'a>(
    root: &'a Record,
    graph: &Graph,
    seed: u64,
    mistakes: &mut Diagnostics,
) -> Vec<Draft<'a>> {
    nothing_to_send(root, mistakes);
    // Without nodes, every name would be unknown.
    let lost = graph.nodes.is_empty() && mistakes.errors() > 0;
    if lost || too_many(root, mistakes) {
        return Vec::new();
    }
    let mut drafts = Vec::new();
    for record in root.records("flows") {
        named(record, graph, &mut drafts, mistakes);
    }
    for (index, record) in root.records("patterns").iter().enumerate() {
        patterns::draw(record, graph, seed, index as u64, &mut drafts, mistakes);
        if drafts.len() as u64 > MOST_FLOWS {
            refuse(record.at.clone(), drafts.len() as u64, mistakes);
            return Vec::new();
        }
    }
    let drafts = partners::add_backs(drafts, mistakes);
    duplicates(&drafts, mistakes);
    drafts
}

fn nothing_to_send(root: &Record, mistakes: &mut Diagnostics) {
    let empty = |key| root.records(key).is_empty() && !root.faulty.contains(&key);
    if empty("flows") && empty("patterns") {
        mistakes.push(
            Diagnostic::error(
                "no-flows",
                "the scenario has no flows: nothing would be sent",
            )
            .at(root.at.clone(), "no `[[flows]]` and no `[[patterns]]`")
            .help("add one: `[[flows]]` with `name = \"VC1\"`, `from = \"A\"`, `to = \"B\"`"),
        );
    }
}

fn too_many(root: &Record, mistakes: &mut Diagnostics) -> bool {
    let flows = root.records("flows").iter();
    let patterns = root.records("patterns").iter();
    let mut total = 0_u64;
    for record in flows.chain(patterns) {
        total = total.saturating_add(record.whole("count").unwrap_or(1));
        if total > MOST_FLOWS {
            refuse(record.at("count"), total, mistakes);
            return true;
        }
    }
    false
}

fn refuse(at: At, total: u64, mistakes: &mut Diagnostics) {
    mistakes.push(
        Diagnostic::error("too-large", "too many flows")
            .at(at, format!("with this, {total} flows or more"))
            .note(format!("at most {MOST_FLOWS} flows")),
    );
}

fn named<'a>(
    record: &'a Record,
    graph: &Graph,
    drafts: &mut Vec<Draft<'a>>,
    mistakes: &mut Diagnostics,
) {
    let count = record.whole("count");
    for index in 1..=count.unwrap_or(1) {
        let number = count.map(|_| index);
        let name = match number {
            Some(number) => format!("{}[{number}]", record.text("name")),
            None => record.text("name").into(),
        };
        let mut host = |text: &str, at: &At| {
            let found = graph.find_host(&expand(text, number), at);
            found.map_err(|diagnostic| mistakes.push(*diagnostic)).ok()
        };
        let source = record
            .field("from")
            .map(|from| host(record.text("from"), &from.at));
        let to: Vec<(Option<u32>, &At)> = record
            .list("to")
            .iter()
            .map(|(name, at)| (host(name, at), at))
            .collect();
        let Some(Some(source)) = source else {
            continue;
        };
        if let Some(to) = destinations(record, source, &to, graph, mistakes) {
            let at = record.at("to");
            drafts.push(Draft {
                name,
                source,
                to,
                record,
                number,
                at,
                back_of: None,
            });
        }
    }
}

fn destinations(
    record: &Record,
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
            mistakes.push(
                Diagnostic::error(
                    "bad-flow",
                    format!("`{}` sends to itself", graph.name(node)),
                )
                .at((*at).clone(), "also where it starts")
                .help("a flow goes from one host to another"),
            );
            return None;
        }
        if !seen.insert(node) {
            let message = format!("`{}` is a destination twice", graph.name(node));
            mistakes.push(
                Diagnostic::error("bad-flow", message)
                    .at((*at).clone(), "named before")
                    .help("name each destination once"),
            );
            return None;
        }
        known.push(node);
    }
    if known.is_empty() && record.field("to").is_some() {
        mistakes.push(
            Diagnostic::error("bad-flow", "a flow needs a destination")
                .at(record.at("to"), "an empty list")
                .help("name one host or more: `to = \"B\"`"),
        );
    }
    (!known.is_empty()).then_some(known)
}

fn duplicates(drafts: &[Draft<'_>], mistakes: &mut Diagnostics) {
    let mut first: BTreeMap<&str, &Record> = BTreeMap::new();
    // A name that is none was told as such.
    for draft in drafts.iter().filter(|draft| !draft.name.is_empty()) {
        match first.get(draft.name.as_str()) {
            Some(record) => mistakes.push(
                Diagnostic::error(
                    "duplicate-name",
                    format!("two flows are called `{}`", clip(&draft.name)),
                )
                .at(draft.record.at("name"), "the second")
                .at(record.at("name"), "the first")
                .help("give each flow its own name, or one table with `count`"),
            ),
            None => {
                first.insert(&draft.name, draft.record);
            }
        }
    }
}

/// The way of every flow; an empty tree where there is none.
pub(crate) fn trees(graph: &Graph, drafts: &[Draft<'_>], mistakes: &mut Diagnostics) -> Vec<Tree> {
    let mut trees: Vec<Tree> = vec![Tree::new(); drafts.len()];
    // Searching once for all flows with the same root, in the order of roots.
    let searched = drafts.iter().enumerate();
    let mut order: Vec<(u32, usize)> = searched
        .filter(|(_, draft)| draft.back_of.is_none())
        .map(|(index, draft)| (Router::root_of(graph, draft.source), index))
        .collect();
    order.sort_unstable();
    if too_long(graph, drafts, &order, mistakes) {
        return trees;
    }
    let mut router = Router::new(graph);
    let mut legs = 0_u64;
    for (_, index) in order {
        match tree(graph, &mut router, &drafts[index]) {
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
            Err(_) if graph.is_broken() => {}
            Err(diagnostic) => mistakes.push(*diagnostic),
        }
        if legs > MOST_LEGS {
            mistakes.push(
                Diagnostic::error("too-large", "the flows cross too many links")
                    .at(
                        drafts[index].at.clone(),
                        format!("with this, {legs} legs or more"),
                    )
                    .note(format!(
                        "a leg is one flow on one link; at most {MOST_LEGS} are run"
                    ))
                    .help("use fewer flows, or a network with shorter ways"),
            );
            break;
        }
    }
    trees
}

fn too_long(
    graph: &Graph,
    drafts: &[Draft<'_>],
    order: &[(u32, usize)],
    mistakes: &mut Diagnostics,
) -> bool {
    let roots = order.chunk_by(|a, b| a.0 == b.0).count() as u64;
    let trunks: usize = graph.trunks.iter().map(Vec::len).sum();
    let steps = roots.saturating_mul((graph.nodes.len() + trunks) as u64);
    let (true, Some(draft)) = (steps > MOST_STEPS, drafts.first()) else {
        return false;
    };
    mistakes.push(
        Diagnostic::error("too-large", "finding all the ways would take too long")
            .at(
                draft.record.at.clone(),
                format!("flows start at {roots} places"),
            )
            .note(format!(
                "{roots} searches through {} nodes",
                graph.nodes.len()
            ))
            .help("make the network smaller, or let fewer hosts send"),
    );
    true
}

fn tree(
    graph: &Graph,
    router: &mut Router<'_>,
    draft: &Draft<'_>,
) -> Result<Tree, Box<Diagnostic>> {
    let has_path = draft.record.section.key("path").is_some();
    if has_path && let Some(field) = draft.record.field("path") {
        if draft.to.len() > 1 {
            return Err(Box::new(
                Diagnostic::error("bad-path", "a path leads to one destination")
                    .at(field.at.clone(), format!("the flow has {}", draft.to.len()))
                    .help("leave `path` out: a multicast tree is made of shortest ways"),
            ));
        }
        let path: Vec<(String, At)> = draft
            .record
            .list("path")
            .iter()
            .map(|(name, at)| (draft.expand(name), at.clone()))
            .collect();
        let ends = (draft.source, draft.to[0]);
        return route::along(graph, (&path, &field.at), ends.0, ends.1).map_err(|diagnostic| {
            let shortest = router.tree(ends.0, &[ends.1]).ok();
            Box::new(diagnostic.help_if(shortest.map(|tree| {
                format!(
                    "the shortest path is `{}`",
                    route::nodes_of(graph, ends.0, &tree)
                )
            })))
        });
    }
    router.tree(draft.source, &draft.to).map_err(|missed| {
        let (from, to) = (graph.name(draft.source), graph.name(missed));
        let lonely = |node: u32| graph.neighbours[node as usize].is_empty();
        let mut diagnostic = Diagnostic::error(
            "unreachable",
            format!("no way leads from `{from}` to `{to}`"),
        )
        .at(draft.at.clone(), format!("`{to}` can't be reached"));
        for node in [draft.source, missed] {
            if lonely(node) {
                diagnostic = diagnostic.note(format!("`{}` has no link at all", graph.name(node)));
            }
        }
        Box::new(
            diagnostic
                .note("hosts forward nothing: ways pass through switches only")
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

    pub(crate) fn find(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.0.get(name).copied().ok_or_else(|| {
            let looked = if self.1.spend() { 10_000 } else { 0 };
            let known = || self.0.keys().copied().take(looked);
            let numbered = format!("{name}[1]");
            let hint = self.0.contains_key(numbered.as_str());
            Box::new(
                Diagnostic::error("unknown-flow", format!("there is no flow `{}`", clip(name)))
                    .at(at.clone(), "not the name of a flow")
                    .help_if(if hint {
                        Some(format!("it is repeated: name one of them, `{numbered}`"))
                    } else {
                        suggest::did_you_mean(name, known())
                    })
                    .note(format!("flows: {}", suggest::one_of(known()))),
            )
        })
    }
}
