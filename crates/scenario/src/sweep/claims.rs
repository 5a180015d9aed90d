//! Which keys axes set, so that none undoes what another sets.
//!
//! An axis of a table may be followed by an axis of a key in that table: the later refines the
//! earlier. But a key that the table holds itself would be lost, and so would one in a table that
//! is replaced later.

use std::collections::BTreeMap;

use crate::language::tree::{Node, Value};
use crate::prelude::*;
use crate::sweep::overrides;

/// Stands for all items of a list.
pub(super) const ALL: &str = "*";

/// Keys that are set, as a tree of their names.
#[derive(Default)]
pub(super) struct Claims {
    by: Option<At>,
    below: BTreeMap<String, Claims>,
}

impl Claims {
    /// Where a key was set that is lost when this one is set too.
    pub(super) fn lost_to(&self, path: &[String]) -> Option<&At> {
        let Some((name, rest)) = path.split_first() else {
            let mut below = self.below.values();
            return self
                .by
                .as_ref()
                .or_else(|| below.find_map(|one| one.lost_to(path)));
        };
        let meets = |known: &String| [known, name].iter().any(|one| *one == ALL) || known == name;
        let mut below = self.below.iter().filter(|(known, _)| meets(known));
        below.find_map(|(_, one)| one.lost_to(rest))
    }

    /// This is put there: all keys that a table holds.
    pub(super) fn add(&mut self, path: &[String], node: &Node, at: &At) {
        if let Some((name, rest)) = path.split_first() {
            let below = self.below.entry(name.clone()).or_default();
            return below.add(rest, node, at);
        }
        let items: Vec<(&str, &Node)> = match &node.value {
            Value::Table(entries) => {
                let keys = entries.iter();
                keys.map(|entry| (entry.key.as_str(), &entry.node))
                    .collect()
            }
            Value::List(items) => items.iter().map(|item| (ALL, item)).collect(),
            _ => Vec::new(),
        };
        if items.is_empty() {
            self.by.get_or_insert_with(|| at.clone());
        }
        for (name, item) in items {
            self.add(&[name.to_owned()], item, at);
        }
    }
}

/// The names of a path, with items of the file's lists by number: an item may have a name too.
pub(super) fn settled(path: &[(String, At)], base: &Node) -> Vec<String> {
    let mut node = Some(base);
    let step = |(name, _): &(String, At)| match node.map(|node| &node.value) {
        Some(Value::List(items)) => {
            let index = overrides::index_of(items, name);
            node = index.map(|index| &items[index]);
            index.map_or_else(|| name.clone(), |index| index.to_string())
        }
        _ => {
            node = node.and_then(|node| node.get(name));
            name.clone()
        }
    };
    path.iter().map(step).collect()
}

/// Does a change of the one path set all that a change of the other has set?
pub(super) fn covers(path: &[String], other: &[String]) -> bool {
    let steps = path.iter().zip(other);
    path.len() <= other.len()
        && steps
            .into_iter()
            .all(|(one, other)| one == ALL || one == other)
}
