//! `--set key=value`: changes values of the tree before it is checked.

use crate::given;
use crate::language::source::Set;
use crate::language::suggest;
use crate::language::table::Section;
use crate::language::tree::{self, Entry, Node, Value};
use crate::prelude::*;
use crate::sweep::paths;
use crate::sweep::set_aside;

/// The value that takes a key away, so that its default holds; in quotes it is a text.
const UNSET: &str = "unset";

/// More names than any key of the language has, and few enough to follow.
pub(crate) const MOST_NAMES: usize = 16;

/// Applies every `--set`, the first being source 1, and sets aside what belongs to a kind that
/// they changed.
pub(crate) fn apply(root: &mut Node, sets: &[Set], mistakes: &mut Diagnostics) {
    put_all(root, given::root_of, sets, mistakes);
    set_aside::after_sets(root, given::root_of(root), sets, mistakes);
}

/// Applies every `--set`, whatever belongs to which kind. `section` is what the file may hold.
pub(crate) fn put_all(
    root: &mut Node,
    section: impl Fn(&Node) -> &'static Section,
    sets: &[Set],
    mistakes: &mut Diagnostics,
) {
    for (set, source) in sets.iter().zip(1..) {
        let path = paths::resolve(owned(&set.key, source), root, section(root));
        let done = path.and_then(|path| match set.value.trim() {
            UNSET => take_away(root, &borrowed(&path)),
            value => {
                let at = set.key.len() + 1;
                put(root, &borrowed(&path), tree::read_value(value, source, at))
            }
        });
        mistakes.kept(done);
    }
}

pub(crate) type Segment<'a> = (&'a str, At);

/// A name as paths have it: its dots don't part it.
pub(crate) fn quoted(name: &str) -> String {
    match name.contains('.') {
        true => format!("\"{name}\""),
        false => name.into(),
    }
}

/// A path that keeps its names.
pub(crate) fn owned(key: &str, source: usize) -> Vec<(String, At)> {
    let names = segments(key, source).into_iter();
    names.map(|(name, at)| (name.into(), at)).collect()
}

/// The same, borrowed.
pub(crate) fn borrowed(path: &[(String, At)]) -> Vec<Segment<'_>> {
    let names = path.iter();
    names.map(|(name, at)| (&**name, at.clone())).collect()
}

/// Splits `flows.VC1.n3` at its dots; quotes keep a name with dots together.
pub(crate) fn segments(key: &str, source: usize) -> Vec<Segment<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (index, c) in key.char_indices().chain([(key.len(), '.')]) {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted || index == key.len() => {
                let part = key[start..index].trim_matches('"');
                parts.push((
                    part,
                    At {
                        source,
                        start,
                        end: index,
                    },
                ));
                start = index + 1;
            }
            _ => {}
        }
    }
    parts
}

pub(crate) fn too_deep(path: &[Segment<'_>]) -> Diagnostic {
    let deep = format!("a key of {} names, one in another", path.len());
    Diagnostic::error("bad-set", deep)
        .at(&path[0].1, "no key is that deep")
        .help("name a key as in the file: `run.seed`, `flows.VC1.priority`")
}

pub(crate) fn put(
    node: &mut Node,
    path: &[Segment<'_>],
    value: Node,
) -> Result<(), Box<Diagnostic>> {
    let Some(((name, at), rest)) = path.split_first() else {
        *node = value;
        return Ok(());
    };
    match &mut node.value {
        Value::Table(entries) => put(entry_of(entries, name, at), rest, value),
        Value::List(items) if *name == "*" && !items.is_empty() => items
            .iter_mut()
            .try_for_each(|item| put(item, rest, value.clone())),
        Value::List(items) => put(item_of(items, name, at)?, rest, value),
        _ => Diagnostic::error("bad-set", format!("nothing called `{}` here", clip(name)))
            .at(at, format!("what it should be in is {}", node.kind()))
            .help("name a key as in the file: `run.seed`, `flows.VC1.priority`")
            .refused(),
    }
}

/// Takes out what stands at a path.
fn take_away(node: &mut Node, path: &[Segment<'_>]) -> Result<(), Box<Diagnostic>> {
    let Some(((name, at), rest)) = path.split_first() else {
        return Ok(());
    };
    match &mut node.value {
        Value::Table(entries) => {
            let index = entries.iter().position(|entry| entry.key == *name);
            match index {
                Some(index) if rest.is_empty() => drop(entries.remove(index)),
                Some(index) => take_away(&mut entries[index].node, rest)?,
                None => return not_there(name, at).refused(),
            }
            Ok(())
        }
        Value::List(items) if *name == "*" => {
            let mut done = items.iter_mut().map(|item| take_away(item, rest));
            // What some of them have is taken from those.
            let first = done.next().unwrap_or(Ok(()));
            done.fold(first, |all, one| all.or(one))
        }
        Value::List(items) => match index_of(items, name) {
            Some(index) if rest.is_empty() => {
                items.remove(index);
                Ok(())
            }
            _ => take_away(item_of(items, name, at)?, rest),
        },
        _ => not_there(name, at).refused(),
    }
}

fn not_there(name: &str, at: &At) -> Diagnostic {
    Diagnostic::error("bad-set", format!("`{}` does not stand there", clip(name)))
        .at(at, "nothing to take away")
        .help("leave this `--set` out, or name a key that the file gives")
}

fn entry_of<'a>(entries: &'a mut Vec<Entry>, name: &str, at: &At) -> &'a mut Node {
    let index = entries
        .iter()
        .position(|entry| entry.key == name)
        .unwrap_or_else(|| {
            entries.push(Entry {
                key: name.into(),
                key_at: at.clone(),
                node: Node::empty(at.clone()),
            });
            entries.len() - 1
        });
    entries[index].key_at = at.clone();
    &mut entries[index].node
}

/// An item of a list: by its name, by the nodes it joins (`A-S1`) or by its number from 0.
pub(crate) fn item_of<'a>(
    items: &'a mut [Node],
    name: &str,
    at: &At,
) -> Result<&'a mut Node, Box<Diagnostic>> {
    match index_of(items, name) {
        Some(index) => Ok(&mut items[index]),
        None => no_item(items, name, at).refused(),
    }
}

/// Its number, from 0.
pub(crate) fn index_of(items: &[Node], name: &str) -> Option<usize> {
    let is_it = |item: &Node| !name.is_empty() && item_name(item) == name;
    let numbered = || name.parse().ok();
    let index = items.iter().position(is_it).or_else(numbered);
    index.filter(|index| *index < items.len())
}

fn no_item(items: &[Node], name: &str, at: &At) -> Diagnostic {
    let names: Vec<String> = items.iter().map(item_name).collect();
    let turned = name.split_once('-').map(|(a, b)| format!("{b}-{a}"));
    let turned = turned.filter(|turned| names.contains(turned));
    let meant = match turned {
        Some(turned) => Some(format!("did you mean `{turned}`, from the other end?")),
        None => suggest::did_you_mean(name, names.iter().map(String::as_str)),
    };
    Diagnostic::error("bad-set", format!("no item called `{}`", clip(name)))
        .at(at, "neither a name nor a number of this list")
        .help_if(meant)
        .note(format!(
            "it has {}, and numbers from 0",
            suggest::one_of(&names)
        ))
}

pub(crate) fn item_name(item: &Node) -> String {
    let text = |node: &Node| match &node.value {
        Value::Text(text) => text.clone(),
        _ => String::new(),
    };
    if let Some(name) = item.get("name").or_else(|| item.get("link")) {
        return text(name);
    }
    match item.get("between").map(|node| &node.value) {
        Some(Value::List(ends)) => ends.iter().map(text).collect::<Vec<_>>().join("-"),
        _ => String::new(),
    }
}
