//! Axes: from paths and values as written to values that can be put in place.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::claims::{Claims, settled};
use super::{Axis, Change, range, values};
use crate::given;
use crate::language::source::Set;
use crate::language::tree::{self, Entry, Node, Value};
use crate::prelude::*;
use crate::sweep::{overrides, paths};

/// Most axes of a sweep.
const MOST_AXES: usize = 32;
/// With so many mistakes no more axes are read.
const ENOUGH: u64 = 100;

/// An axis as written.
pub(super) struct Draft {
    path: Vec<(String, At)>,
    at: At,
    values: Node,
}

/// Reads `sweep.axes`. Dots in a bare key make tables in TOML; they mean the same path here.
pub(super) fn of_file(node: &Node, base: &Node, drafts: &mut Vec<Draft>, found: &mut Diagnostics) {
    match &node.value {
        Value::Table(_) => below(node, &[], base, drafts, found),
        _ => Diagnostic::error(
            "wrong-type",
            "`axes` must be a table of paths and their values",
        )
        .at(&node.at, format!("this is {}", node.kind()))
        .help("write `[sweep.axes]` and below it a line for each axis: `load = [0.1, 0.2]`")
        .tell(found),
    }
}

fn below(
    node: &Node,
    path: &[(String, At)],
    base: &Node,
    drafts: &mut Vec<Draft>,
    found: &mut Diagnostics,
) {
    for entry in node.table() {
        if found.errors() >= ENOUGH {
            return;
        }
        if drafts.len() == MOST_AXES {
            let mistake = Diagnostic::error("too-many-axes", "the sweep has too many axes")
                .at(&entry.key_at, format!("one more than {MOST_AXES}"))
                .help("leave out axes of one value: write them in the scenario");
            return found.push(mistake);
        }
        let mut path = path.to_vec();
        path.extend(steps(entry));
        let is_table = matches!(entry.node.value, Value::Table(_));
        if is_table && !range::is_range(&entry.node) && path.len() <= overrides::MOST_NAMES {
            below(&entry.node, &path, base, drafts, found);
        } else {
            add(path, entry.node.clone(), base, drafts, found);
        }
    }
}

/// The names of a path that stands before a value.
pub(super) fn steps(entry: &Entry) -> impl Iterator<Item = (String, At)> {
    let names = overrides::segments(&entry.key, entry.key_at.source);
    let names = names.into_iter();
    names.map(|(name, _)| (String::from(name), entry.key_at.clone()))
}

/// Reads `--axis`: `load=0.1,0.2`, `load=[0.1, 0.2]` or `load={ from = 0.1, .. }`. A table without
/// a key of a range is a value.
pub(super) fn of_command_line(
    axis: &Set,
    source: usize,
    base: &Node,
    drafts: &mut Vec<Draft>,
    found: &mut Diagnostics,
) {
    let path = overrides::owned(&axis.key, source);
    let offset = axis.key.len() + 1;
    let whole = tree::read_value(&axis.value, source, offset);
    let values = match whole.value {
        Value::List(_) => whole,
        Value::Table(_) if range::is_range(&whole) => whole,
        Value::Table(_) => Node {
            at: whole.at.clone(),
            value: Value::List(vec![whole]),
        },
        _ => Node {
            value: Value::List(between_commas(&axis.value, source, offset)),
            at: whole.at,
        },
    };
    add(path, values, base, drafts, found);
}

/// Each part between commas that stand outside quotes and brackets.
fn between_commas(text: &str, source: usize, offset: usize) -> Vec<Node> {
    let (mut parts, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0_i32, false);
    for (index, c) in text.char_indices().chain([(text.len(), ',')]) {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if (!quoted && depth <= 0) || index == text.len() => {
                let part = &text[start..index];
                let blank = part.len() - part.trim_start().len();
                parts.push(tree::read_value(
                    part.trim(),
                    source,
                    offset + start + blank,
                ));
                start = index + 1;
            }
            _ => {}
        }
    }
    parts
}

/// A later axis takes the place of an earlier one from another source.
fn add(
    path: Vec<(String, At)>,
    values: Node,
    base: &Node,
    drafts: &mut Vec<Draft>,
    found: &mut Diagnostics,
) {
    let at = path.first().map_or_else(At::default, |(_, at)| at.clone());
    let is_joint = values::is_joint(&values);
    let path = match paths::resolve(path.clone(), base, given::root_of(base)) {
        // Its name may be any: it is not looked for.
        _ if is_joint => path,
        Ok(path) => path,
        Err(mistake) => return found.push(*mistake),
    };
    if let Some(mistake) = no_axis(&path, &at).filter(|_| !is_joint) {
        return found.push(mistake);
    }
    let draft = Draft { path, at, values };
    let same = |known: &&mut Draft| names(&known.path).eq(names(&draft.path));
    match drafts.iter_mut().find(same) {
        Some(known) if known.at.source == draft.at.source => {
            Diagnostic::error("contradiction", "two axes change the same key")
                .twice(&draft.at, &known.at)
                .help("join their values in one list")
                .tell(found)
        }
        Some(known) => *known = draft,
        None => drafts.push(draft),
    }
}

pub(super) fn names(path: &[(String, At)]) -> impl Iterator<Item = &String> {
    path.iter().map(|(name, _)| name)
}

/// Keys that are no axis although they can be set.
pub(super) fn no_axis(path: &[(String, At)], at: &At) -> Option<Diagnostic> {
    let help = match names(path).map(String::as_str).collect::<Vec<_>>()[..] {
        ["run", "seed"] => "give the seeds as `seeds = 5` or `seeds = [1, 2, 7]` in `[sweep]`",
        ["engine"] => "engines have keys of their own: write a scenario for each",
        ["sweep", ..] => "an axis changes the scenario, not the sweep",
        _ => return None,
    };
    Some(
        Diagnostic::error("no-axis", format!("`{}` is no axis", clip(&joined(path))))
            .at(at, "can't vary in a sweep")
            .help(help),
    )
}

/// As `--set` takes it.
pub(super) fn joined(path: &[(String, At)]) -> String {
    let names = names(path).map(|name| overrides::quoted(name));
    names.collect::<Vec<_>>().join(".")
}

/// Reads the values and names the axes.
pub(super) fn finish(drafts: Vec<Draft>, base: &Node, found: &mut Diagnostics) -> Vec<Axis> {
    let paths: Vec<Vec<(String, At)>> = drafts.iter().map(|draft| draft.path.clone()).collect();
    let last = |path: &[(String, At)]| path.last().map_or("", |last| &last.0).to_owned();
    let mut axes = Vec::new();
    for draft in drafts {
        let nodes = match &draft.values.value {
            Value::List(items) => Ok(items.clone()),
            Value::Table(_) => range::values(&draft.values),
            _ => Err(Box::new(no_values(&draft, "neither a list nor a range"))),
        };
        let Some(nodes) = found.kept(nodes) else {
            continue;
        };
        if nodes.is_empty() {
            found.push(no_values(&draft, "no value"));
            continue;
        }
        let of = values::Of {
            path: (!values::is_joint(&draft.values)).then(|| Arc::from(draft.path.as_slice())),
            base,
        };
        let Some((unit, values)) = values::read(&of, nodes, found) else {
            continue;
        };
        let name = last(&draft.path);
        let alone = paths.iter().filter(|path| last(path) == name).count() == 1;
        let path = joined(&draft.path);
        axes.push(Axis {
            name: if alone && name != "seed" {
                name
            } else {
                path.clone()
            },
            path,
            unit,
            values,
            at: draft.at,
        });
    }
    if let Some(mistake) = overlap(&axes, base) {
        found.push(mistake);
    }
    axes
}

/// One key that two axes change.
fn overlap(axes: &[Axis], base: &Node) -> Option<Diagnostic> {
    let mut claims = Claims::default();
    for axis in axes {
        let changes = || axis.values.iter().flat_map(|value| &value.changes);
        let paths: BTreeMap<Vec<String>, &Change> = changes()
            .map(|change| (settled(&change.path, base), change))
            .collect();
        for (path, change) in &paths {
            if let Some(first) = claims.lost_to(path) {
                return Some(twice_changed(axis, change, first));
            }
        }
        for change in changes() {
            let path = settled(&change.path, base);
            claims.add(&path, &change.node, place(axis, change));
        }
    }
    None
}

fn place<'a>(axis: &'a Axis, change: &'a Change) -> &'a At {
    change.path.first().map_or(&axis.at, |(_, at)| at)
}

fn twice_changed(axis: &Axis, change: &Change, first: &At) -> Diagnostic {
    let is_table = matches!(change.node.value, Value::Table(_));
    let replaces = "a table replaces what an axis before it set there: let the table come first";
    let path = joined(&change.path);
    Diagnostic::error(
        "contradiction",
        format!("two axes change `{}`", clip(&path)),
    )
    .twice(place(axis, change), first)
    .help("let one of them set it")
    .help_if(is_table.then(|| replaces.into()))
}

fn no_values(draft: &Draft, what: &str) -> Diagnostic {
    let path = joined(&draft.path);
    Diagnostic::error(
        "no-values",
        format!("the axis `{}` has no values", clip(&path)),
    )
    .at(&draft.values.at, what)
    .help("write a list, `[0.1, 0.2, 0.4]`")
    .help("or a range, `{ from = 0.1, to = 0.9, step = 0.1 }` or `{ .., factor = 2 }`")
}
