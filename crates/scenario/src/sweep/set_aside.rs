//! A kind that is chosen by `--set` or an axis: what the file says for another kind is set aside.
//!
//! In the file itself such a key is a mistake. But a scheme that is switched off, or to another
//! kind, from outside leaves the keys of the file's own kind behind, and they mean no harm.

use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::reader::{self, titled};
use crate::language::source::{At, Set};
use crate::language::suggest;
use crate::language::table::{Key, Section};
use crate::language::tree::{Node, Value};
use crate::sweep::overrides::{self, Segment};
use crate::sweep::paths;

/// The kind that a change chose.
#[derive(Clone, Copy)]
struct Chosen {
    /// The key that chooses.
    selector: &'static Key,
    choice: &'static str,
}

/// What was set aside for one change.
#[derive(Default)]
struct Aside {
    /// The table, the choice and its place, of the first table.
    of: Option<(&'static Section, &'static str, At)>,
    /// Each name once.
    names: Vec<String>,
    /// The first of them.
    first: Option<At>,
}

/// The same after every `--set`.
pub(crate) fn after_sets(
    root: &mut Node,
    section: &'static Section,
    sets: &[Set],
    mistakes: &mut Diagnostics,
) {
    for (set, source) in sets.iter().zip(1..) {
        let path = paths::resolve(overrides::owned(&set.key, source), root, section);
        // Where it leads nowhere, that was told as it was put there.
        if let Ok(path) = path {
            after(root, section, &overrides::borrowed(&path), mistakes);
        }
    }
}

/// After the change of the key at `path`: if it chooses a kind, keys of other kinds are taken out
/// of its table, and out of the tables that override it.
pub(crate) fn after(
    root: &mut Node,
    section: &'static Section,
    path: &[Segment<'_>],
    mistakes: &mut Diagnostics,
) {
    let mut aside = Aside::default();
    visit(root, section, path, &mut aside);
    let (Some((chosen, choice, at)), Some(first)) = (aside.of, aside.first) else {
        return;
    };
    let selector = chosen.selector.map_or("", |selector| selector.key);
    let names = suggest::in_code(&aside.names, ", ");
    Diagnostic::note_of(
        "set-aside",
        format!(
            "keys of another {selector} of {} are set aside",
            titled(chosen, section)
        ),
    )
    .at(&at, format!("the {selector} is chosen here"))
    .at(&first, "the first of them")
    .note(format!("set aside with `{choice}`: {names}"))
    .tell(mistakes);
}

/// Follows the path to the tables it leads to. Says what was chosen if this is such a table.
fn visit(
    node: &mut Node,
    section: &'static Section,
    path: &[Segment<'_>],
    aside: &mut Aside,
) -> Option<Chosen> {
    let ((name, at), rest) = path.split_first()?;
    if let Value::List(items) = &mut node.value {
        if *name == "*" {
            for item in items {
                visit(item, section, rest, aside);
            }
        } else if let Ok(item) = overrides::item_of(items, name, at) {
            visit(item, section, rest, aside);
        }
        return None;
    }
    if rest.is_empty() {
        let selector = section.selector.filter(|selector| selector.key == *name)?;
        let chosen = Chosen {
            selector: section.key(selector.key)?,
            choice: reader::choice(section, node)?,
        };
        strip(node, section, chosen, aside);
        return Some(chosen);
    }
    let below = section.key(name)?.kind.section()?;
    let chosen = visit(entry_of(node, name)?, below, rest, aside)?;
    // What overrides the table that is changed stands below the same table as it.
    strip_overrides(node, section, chosen, aside);
    None
}

fn entry_of<'a>(node: &'a mut Node, name: &str) -> Option<&'a mut Node> {
    let Value::Table(entries) = &mut node.value else {
        return None;
    };
    let entry = entries.iter_mut().find(|entry| entry.key == name);
    entry.map(|entry| &mut entry.node)
}

/// Takes the keys that have no meaning under the choice out of a table.
fn strip(table: &mut Node, section: &'static Section, chosen: Chosen, aside: &mut Aside) {
    let Value::Table(entries) = &mut table.value else {
        return;
    };
    let selector = entries.iter().find(|e| e.key == chosen.selector.name);
    if let Some(entry) = selector.filter(|_| aside.of.is_none()) {
        aside.of = Some((section, chosen.choice, entry.key_at.clone()));
    }
    entries.retain(|entry| {
        let key = section.key_under(&entry.key, Some(chosen.choice));
        if key.is_none_or(|key| key.applies(Some(chosen.choice))) {
            return true;
        }
        aside.first.get_or_insert(entry.key_at.clone());
        if !aside.names.contains(&entry.key) {
            aside.names.push(entry.key.clone());
        }
        false
    });
}

/// The same in tables below that override the changed one and choose no kind of their own.
fn strip_overrides(node: &mut Node, section: &'static Section, chosen: Chosen, aside: &mut Aside) {
    match &mut node.value {
        Value::List(items) => items
            .iter_mut()
            .for_each(|item| strip_overrides(item, section, chosen, aside)),
        Value::Table(entries) => {
            let tables = entries.iter_mut().filter_map(|entry| {
                let key = section.key(&entry.key)?;
                Some((key.kind.section()?, &mut entry.node))
            });
            tables.for_each(|(below, table)| strip_overrides(table, below, chosen, aside));
            let own = section.key(chosen.selector.name);
            let overrides = own.is_some_and(|own| own.repeats() && own.is_same(chosen.selector));
            if overrides && node.get(chosen.selector.name).is_none() {
                strip(node, section, chosen, aside);
            }
        }
        _ => {}
    }
}
