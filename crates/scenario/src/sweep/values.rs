//! Values of an axis: bare, with a name, or several keys that change together.
//!
//! `{ name = "fast", value = "1 us" }` is a value with a name, and `{ name = "torus", set = {
//! topology = { .. }, "router.vcs" = 4 } }` sets several keys. No table of the language holds
//! `set` or `value`, so neither can be meant as a value itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::claims::{self, Claims};
use super::{AxisValue, Change, axes};
use crate::given;
use crate::language::tree::{Entry, Node, Value};
use crate::language::units;
use crate::prelude::*;
use crate::sweep::{overrides, paths};

const NAME: &str = "name";
const VALUE: &str = "value";
const SET: &str = "set";

/// Does the axis change several keys at a time? Its own name is then a name only.
pub(super) fn is_joint(values: &Node) -> bool {
    match &values.value {
        Value::List(items) => items.iter().any(|item| item.get(SET).is_some()),
        _ => false,
    }
}

/// What the values of an axis have in common.
pub(super) struct Of<'a> {
    /// Of the key that varies; `None` where values say themselves what they change.
    pub path: Option<Arc<[(String, At)]>>,
    pub base: &'a Node,
}

/// Keys that one value sets.
#[derive(Default)]
struct Together {
    changes: Vec<Change>,
    claims: Claims,
}

/// The unit that all share, and the values; numbers only where all are numbers.
pub(super) fn read(
    of: &Of<'_>,
    nodes: Vec<Node>,
    found: &mut Diagnostics,
) -> Option<(String, Vec<AxisValue>)> {
    let mut shown = Vec::with_capacity(nodes.len());
    let mut changes = Vec::with_capacity(nodes.len());
    let mut compared = Vec::with_capacity(nodes.len());
    for node in nodes {
        let is_bare = [VALUE, SET].iter().all(|key| node.get(key).is_none());
        let one = one(of, node, found);
        let (node, change) = found.kept(one)?;
        let quantity = units::comparable(&text(&node)).filter(|_| is_bare);
        compared.push(quantity.unwrap_or_else(|| node.to_toml()));
        shown.push(node);
        changes.push(change);
    }
    if let Some(mistake) = twice(&shown, compared) {
        found.push(mistake);
        return None;
    }
    let numbers: Vec<Option<(f64, String)>> = shown.iter().map(number).collect();
    let unit = match numbers.first() {
        Some(Some((_, unit))) => unit.clone(),
        _ => String::new(),
    };
    let fits = |one: &Option<(f64, String)>| one.as_ref().is_some_and(|(_, own)| *own == unit);
    let numeric = numbers.iter().all(fits);
    let values = shown.iter().zip(changes).zip(numbers);
    let values = values.map(|((node, changes), number)| AxisValue {
        text: text(node),
        number: number.filter(|_| numeric).map(|(number, _)| number),
        changes,
    });
    let values = values.collect();
    Some((if numeric { unit } else { String::new() }, values))
}

/// What stands for a value in tables and legends, and what the value changes.
fn one(
    of: &Of<'_>,
    node: Node,
    found: &mut Diagnostics,
) -> Result<(Node, Vec<Change>), Box<Diagnostic>> {
    let Some(path) = &of.path else {
        return joint(of, &node, found);
    };
    let change = |node: Node| {
        vec![Change {
            path: Arc::clone(path),
            node,
        }]
    };
    if node.get(VALUE).is_none() {
        return Ok((node.clone(), change(node)));
    }
    only(&node, &[NAME, VALUE])?;
    let given = node.get(NAME);
    let given = given.ok_or_else(|| bad(&node.at, "it has a `value`, and no `name`"))?;
    let value = node.get(VALUE).cloned();
    Ok((name(given)?, value.map(change).unwrap_or_default()))
}

/// A value that sets several keys; without a name it is called by what it sets.
fn joint(
    of: &Of<'_>,
    node: &Node,
    found: &mut Diagnostics,
) -> Result<(Node, Vec<Change>), Box<Diagnostic>> {
    let set = node.get(SET);
    let set = set.ok_or_else(|| bad(&node.at, "no `set` here, as others of this axis have"))?;
    only(node, &[NAME, SET])?;
    if set.table().is_empty() {
        return Err(bad(&set.at, "it sets nothing"));
    }
    let mut together = Together::default();
    below(set, &[], of.base, found, &mut together)?;
    let changes = together.changes;
    let shown = match node.get(NAME) {
        Some(given) => name(given)?,
        None => Node {
            value: Value::Text(changes.iter().map(in_words).collect::<Vec<_>>().join(", ")),
            at: node.at.clone(),
        },
    };
    Ok((shown, changes))
}

fn in_words(change: &Change) -> String {
    let last = change.path.last().map_or("", |(name, _)| name);
    format!("{last} = {}", text(&change.node))
}

/// The keys that are set. A dotted key is a path: what TOML makes tables of stands in no braces.
fn below(
    node: &Node,
    path: &[(String, At)],
    base: &Node,
    found: &Diagnostics,
    together: &mut Together,
) -> Result<(), Box<Diagnostic>> {
    for entry in node.table() {
        let mut path = path.to_vec();
        path.extend(axes::steps(entry));
        if is_dotted(entry, found) && path.len() <= overrides::MOST_NAMES {
            below(&entry.node, &path, base, found, together)?;
            continue;
        }
        let path: Arc<[_]> = paths::resolve(path, base, given::root_of(base))?.into();
        if let Some(mistake) = axes::no_axis(&path, &entry.key_at) {
            return Err(Box::new(mistake));
        }
        let settled = claims::settled(&path, base);
        if together.claims.lost_to(&settled).is_some() {
            return Err(bad(&entry.key_at, "this key is set twice"));
        }
        together.claims.add(&settled, &entry.node, &entry.key_at);
        together.changes.push(Change {
            path,
            node: entry.node.clone(),
        });
    }
    Ok(())
}

fn is_dotted(entry: &Entry, found: &Diagnostics) -> bool {
    let written = found.written(&entry.node.at).unwrap_or_default();
    matches!(entry.node.value, Value::Table(_)) && !written.starts_with('{')
}

fn name(node: &Node) -> Result<Node, Box<Diagnostic>> {
    let is_name = match &node.value {
        Value::Text(text) => !text.trim().is_empty(),
        _ => node.number().is_some(),
    };
    match is_name {
        true => Ok(node.clone()),
        false => Err(bad(&node.at, "a name is a text or a number")),
    }
}

fn only(node: &Node, keys: &[&str]) -> Result<(), Box<Diagnostic>> {
    let entries = node.table().iter();
    let mut others = entries.filter(|entry| !keys.contains(&entry.key.as_str()));
    match others.next() {
        None => Ok(()),
        Some(other) => Err(bad(&other.key_at, "not a key of such a value")),
    }
}

fn bad(at: &At, what: &str) -> Box<Diagnostic> {
    Diagnostic::error("bad-value", "no value of an axis")
        .at(at, what)
        .help("a value with a name: `{ name = \"short\", value = \"1 us\" }`")
        .help(
            "several keys together: \
                 `{ name = \"large\", set = { \"router.vcs\" = 4, \"router.depth\" = 8 } }`",
        )
        .into()
}

fn text(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        _ => node.to_toml(),
    }
}

/// Values that are equal as compared.
fn twice(nodes: &[Node], compared: Vec<String>) -> Option<Diagnostic> {
    let mut seen = BTreeMap::new();
    for (node, value) in nodes.iter().zip(compared) {
        if let Some(first) = seen.insert(value, node) {
            let toml = node.to_toml();
            return Some(
                Diagnostic::error("contradiction", format!("`{}` is given twice", clip(&toml)))
                    .twice(&node.at, &first.at)
                    .help("give each value once; more seeds repeat a point"),
            );
        }
    }
    None
}

/// A number and its unit; quantities are text that starts with one.
fn number(node: &Node) -> Option<(f64, String)> {
    let (number, unit) = match (&node.value, node.number()) {
        (Value::Text(text), _) => {
            let (number, unit) = units::split_number(text).ok()?;
            let is_unit = |c: char| c.is_alphabetic() || "%/".contains(c);
            if unit.is_empty() || !unit.chars().all(is_unit) {
                return None;
            }
            (number.approximate(), units::usual(unit).to_owned())
        }
        (_, Some(number)) => (number.replace('_', "").parse().ok()?, String::new()),
        _ => return None,
    };
    number.is_finite().then_some((number, unit))
}
