//! Short names of keys: `load` for `traffic.load` where only one key can be meant.

use crate::given;
use crate::language::kinds::Form;
use crate::language::suggest;
use crate::language::table::{Default, Section};
use crate::language::tree::{Node, Value};
use crate::prelude::*;
use crate::reference::glossary;
use crate::sweep::overrides;

/// A name of a path; of an item of a list or of a key.
#[derive(Clone, PartialEq, Eq)]
struct Step {
    name: String,
    is_item: bool,
}

/// The whole path: what is written, or what its only name stands for. Keys that stand in the
/// file are meant first, then those of tables that stand there once or hold defaults, then those
/// of tables that may stand there once.
pub(crate) fn resolve(
    path: Vec<(String, At)>,
    base: &Node,
    root: &'static Section,
) -> Result<Vec<(String, At)>, Box<Diagnostic>> {
    let [(name, at)] = path.as_slice() else {
        let long = path.len() > overrides::MOST_NAMES;
        return match long || path.is_empty() {
            true => overrides::too_deep(&overrides::borrowed(&path)).refused(),
            false => Ok(path),
        };
    };
    if root.key(name).is_some() {
        return Ok(path);
    }
    let mut found = Vec::new();
    given(base, name, &mut Vec::new(), &mut found);
    // No key of the file itself has this name: one that stands there is a mistake of its own.
    found.retain(|steps| steps.len() > 1);
    for absent in [false, true] {
        if found.is_empty() {
            let look = Look { name, absent };
            possible(root, Some(base), &look, &mut Vec::new(), &mut found);
        }
    }
    match found.as_slice() {
        [only] => Ok(only
            .iter()
            .map(|step| (step.name.clone(), at.clone()))
            .collect()),
        [] => Err(Box::new(unknown(name, at, root))),
        _ => Err(Box::new(ambiguous(name, at, &found))),
    }
}

/// Keys of this name that stand in the file.
fn given(node: &Node, name: &str, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    let mut step = |own: &str, is_item: bool, node: &Node| {
        path.push(Step {
            name: own.into(),
            is_item,
        });
        if own == name && !is_item {
            found.push(path.clone());
        }
        given(node, name, path, found);
        path.pop();
    };
    match &node.value {
        Value::Table(entries) => entries
            .iter()
            .for_each(|entry| step(&entry.key, false, &entry.node)),
        Value::List(items) => items.iter().enumerate().for_each(|(index, item)| {
            let own = overrides::item_name(item);
            let own = if own.is_empty() {
                index.to_string()
            } else {
                own
            };
            step(&own, true, item);
        }),
        _ => {}
    }
}

/// What to look for.
struct Look<'a> {
    name: &'a str,
    /// Also in tables that may be absent, and are.
    absent: bool,
}

/// Keys of this name in tables that stand at most once in a file.
fn possible(
    section: &Section,
    node: Option<&Node>,
    look: &Look<'_>,
    path: &mut Vec<Step>,
    found: &mut Vec<Vec<Step>>,
) {
    for key in section.keys.iter().filter(|key| !key.repeats()) {
        path.push(Step {
            name: key.name.into(),
            is_item: false,
        });
        if key.name == look.name && path[0].name != "sweep" {
            found.push(path.clone());
        }
        let below = node.and_then(|node| node.get(key.name));
        let stands = below.is_some() || !matches!(key.default, Default::Derived(_));
        if key.kind.form() == Form::Table
            && let Some(section) = key.kind.section()
            && (stands || look.absent)
        {
            possible(section, below, look, path, found);
        }
        path.pop();
    }
}

fn unknown(name: &str, at: &At, root: &'static Section) -> Diagnostic {
    let sections = root.below();
    let homes = sections
        .iter()
        .filter(|section| section.key(name).is_some());
    let homes: Vec<&str> = homes.map(|section| section.name).collect();
    let stands = (!homes.is_empty()).then(|| {
        let (name, homes) = (clip(name), suggest::all_of(homes.iter().copied()));
        format!("`{name}` is a key of {homes}, none of which the file has once: write its path")
    });
    let known = sections.iter().flat_map(|section| section.keys);
    let known = known.map(|key| key.name);
    let known = known.filter(|known| *known != "sweep" && stands.is_none());
    let is = |engine: &'static Section| std::ptr::eq(root, engine);
    let word = glossary::meant(name, root, root);
    let nearest = match word {
        Some(_) => None,
        None => suggest::did_you_mean(name, known),
    };
    let paths = if is(given::FLIT) {
        "`router.vcs`, `traffic.load`"
    } else if is(given::ETHERNET) {
        "`flow_control.xoff`, `flows.*.count`"
    } else {
        "`link.delay`, `flows.*.traffic.load`"
    };
    Diagnostic::error("unknown-key", format!("no key is called `{}`", clip(name)))
        .at(at, "neither a path nor the last name of exactly one path")
        .help_if(stands)
        .help_if(nearest)
        .help_if(word.map(|word| word.help))
        .help(format!("name a key as `--set` takes it: {paths}"))
}

fn ambiguous(name: &str, at: &At, found: &[Vec<Step>]) -> Diagnostic {
    let paths: Vec<String> = found.iter().map(|path| written(path, false)).collect();
    let starred = written(&found[0], true);
    let all_alike = found.iter().all(|path| written(path, true) == starred);
    let all = all_alike.then(|| format!("`{starred}` changes all of them together"));
    Diagnostic::error(
        "ambiguous-key",
        format!("`{}` may be several keys", clip(name)),
    )
    .at(at, format!("{} keys of this name", found.len()))
    .help(format!("write {}", suggest::one_of(&paths)))
    .help_if(all)
}

fn written(path: &[Step], starred: bool) -> String {
    let name = |step: &Step| match step.is_item {
        true if starred => "*".into(),
        _ => overrides::quoted(&step.name),
    };
    path.iter().map(name).collect::<Vec<_>>().join(".")
}
