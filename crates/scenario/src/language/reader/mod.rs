//! Checks a tree of values against the key tables.
//!
//! One reader for every section: what may stand where, in which unit and range, is data.

mod forms;
mod guide;
mod value;

use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::record::Record;
use crate::language::suggest::{self, Budget};
use crate::language::table::{Choice, Default, Form, Group, Key, Section, Selector};
use crate::language::tree::{self, Entry, Node, Value};

use guide::WayOn;
pub(crate) use guide::{Guide, Meant};

/// The choice that turns what a table describes off.
const OFF: &str = "none";

/// Reads sections; collects every mistake.
pub struct Reader<'a> {
    pub(crate) mistakes: &'a mut Diagnostics,
    /// What the whole file may hold.
    pub(crate) root: &'static Section,
    /// The table at hand.
    pub(crate) here: &'static Section,
    /// Length of the unit `cells`, picoseconds.
    pub(crate) cell_ps: u64,
    /// Bits of a cell, for the unit `cells/s`.
    pub(crate) cell_bits: u64,
    pub(crate) suggestions: Budget,
    /// Whom to ask about words that are not of the language here.
    pub(crate) guide: &'static Guide,
    /// Is a value only tried, and nothing told?
    pub(crate) is_trial: bool,
    /// Is the value at hand one of a list?
    pub(crate) is_in_list: bool,
}

impl<'a> Reader<'a> {
    /// Of files of this root, for tables in which no cells are counted.
    pub(crate) fn of(root: &'static Section, mistakes: &'a mut Diagnostics) -> Self {
        Self {
            mistakes,
            root,
            here: root,
            cell_ps: 1,
            cell_bits: 8,
            suggestions: Budget::default(),
            guide: Guide::NONE,
            is_trial: false,
            is_in_list: false,
        }
    }

    /// Reads a table. `place` is where to point for what is missing in it.
    pub(crate) fn section(&mut self, section: &'static Section, node: &Node) -> Record {
        let mut record = Record {
            section,
            at: node.at.clone(),
            fields: Vec::new(),
            faulty: Vec::new(),
        };
        let outer = std::mem::replace(&mut self.here, section);
        let choice = match self.is_choice_meant(section, node) {
            true => None,
            false => choice(section, node),
        };
        let mut ignored = Vec::new();
        let abroad = self.keys_of_choice_abroad(section, node);
        for entry in node.table() {
            if abroad.contains(&entry.key.as_str()) {
                continue;
            }
            let Some(key) = self.known(&mut record, entry, choice) else {
                continue;
            };
            if is_turned_off(section, key, node, choice) {
                ignored.push(entry);
                continue;
            }
            let datum = match self.has_meaning(section, key, entry, choice) {
                true => key.kind.read(self, key, &entry.node),
                false => None,
            };
            match datum {
                Some(datum) => record.put(key, &entry.node.at, entry.node.to_toml(), datum, true),
                None => record.faulty.push(key.name),
            }
        }
        self.tell_ignored(section, &ignored);
        self.fill(&mut record, node, choice);
        for group in section.groups {
            self.group(section, group, node, choice);
        }
        self.here = outer;
        record
    }

    /// Is the key that chooses written with a word that is none of ours? Then nobody knows which of
    /// the others have a meaning.
    fn is_choice_meant(&self, section: &'static Section, node: &Node) -> bool {
        const MOST_ASKED: usize = 20;
        let Some(selector) = section.selector else {
            return false;
        };
        if node.get(selector.key).is_some() {
            return false;
        }
        let unknown = node.table().iter().map(|entry| entry.key.as_str());
        let unknown = unknown.filter(|name| section.key(name).is_none());
        unknown.take(MOST_ASKED).any(|name| {
            let way_on = self.guide.way_on(self.root, section, name);
            way_on.keys.contains(&selector.key)
        })
    }

    /// The keys of a choice that only another engine has: who is told of that needs no more.
    fn keys_of_choice_abroad(&self, section: &'static Section, node: &Node) -> Vec<&'static str> {
        let chosen = section.selector.and_then(|selector| {
            let key = section.key(selector.key)?;
            let Value::Text(word) = &node.get(selector.key)?.value else {
                return None;
            };
            let is_own = key.kind.choices()?.iter().any(|own| own.name == word);
            let asked = (selector.key, word.as_str());
            match is_own || !self.suggestions.spend() {
                true => None,
                false => self.guide.choice_abroad(self.root, section, asked),
            }
        });
        let mut keys = chosen.map_or(Vec::new(), |(_, keys)| keys);
        keys.retain(|name| section.key(name).is_none());
        keys
    }

    fn known(
        &mut self,
        record: &mut Record,
        entry: &Entry,
        choice: Option<&str>,
    ) -> Option<&'static Key> {
        let section = record.section;
        let found = section.key_under(&entry.key, choice);
        if found.is_none() {
            let meant = self.suggestions.spend();
            let way_on = match meant {
                true => self.guide.way_on(self.root, section, &entry.key),
                false => WayOn::default(),
            };
            // Its author need not be told as well that the key is missing.
            record.faulty.extend(way_on.keys);
            let mut diagnostic = Diagnostic::error(
                "unknown-key",
                format!(
                    "unknown key `{}` in {}",
                    clip(&entry.key),
                    titled(section, self.root)
                ),
            )
            .at(&entry.key_at, "not a key of this table");
            for help in way_on.help {
                diagnostic = diagnostic.help(help);
            }
            self.mistakes
                .push(diagnostic.note(format!("allowed: {}", names(section))));
        }
        found
    }

    fn has_meaning(
        &mut self,
        section: &Section,
        key: &Key,
        entry: &Entry,
        choice: Option<&'static str>,
    ) -> bool {
        if key.applies(choice) {
            return true;
        }
        let selector = section.selector.map_or("", |selector| selector.key);
        let choice = choice.unwrap_or("");
        let homes = suggest::one_of(section.homes(key.name));
        let (is, help) = match section.selector.and_then(|selector| selector.default) {
            Some(default) if default == choice => {
                (", the default", format!("choose a {selector}: {homes}"))
            }
            _ => ("", format!("leave it out, or choose {homes}")),
        };
        Diagnostic::no_meaning(key.name, format!("with {selector} `{choice}`"))
            .at(&entry.key_at, format!("the {selector} is `{choice}`{is}"))
            .help(help)
            .tell(self.mistakes);
        false
    }

    /// Keys beside a selector that says `none`: one word turns a table off, so that a sweep or
    /// `--set` can do it.
    fn tell_ignored(&mut self, section: &Section, ignored: &[&Entry]) {
        let (Some(first), Some(selector)) = (ignored.first(), section.selector) else {
            return;
        };
        let keys = suggest::in_code(ignored.iter().map(|entry| &entry.key), ", ");
        Diagnostic::warning(
            "ignored",
            format!(
                "with {} `{OFF}` the rest of {} has no effect",
                selector.key,
                titled(section, self.root)
            ),
        )
        .at(&first.key_at, "the first of them")
        .note(format!("ignored: {keys}"))
        .help(format!(
            "leave them out, or keep them for another {}",
            selector.key
        ))
        .tell(self.mistakes);
    }

    /// Fills in defaults and reports what is missing.
    fn fill(&mut self, record: &mut Record, node: &Node, choice: Option<&'static str>) {
        let section = record.section;
        let undecided = section.selector.is_some() && choice.is_none();
        for key in section.keys {
            let absent = node.get(key.name).is_none();
            if !absent
                || record.faulty.contains(&key.name)
                || !key.applies(choice)
                || (undecided && !key.only.is_empty())
            {
                continue;
            }
            match key.default {
                Default::Is(toml) => {
                    let value = tree::read_value(toml, node.at.source, 0);
                    let value = Node {
                        at: node.at.clone(),
                        ..value
                    };
                    if let Some(datum) = key.kind.read(self, key, &value) {
                        record.put(key, &node.at, toml.into(), datum, false);
                    }
                }
                Default::Required => self.missing(section, key, node),
                Default::Derived(_) => {}
            }
        }
    }

    fn missing(&mut self, section: &Section, key: &Key, node: &Node) {
        let (what, help) = match key.kind.section() {
            Some(of) if key.kind.form() == Form::Table => {
                let keys = suggest::in_code(of.needed().map(Key::example), " and ");
                let with = match keys.is_empty() {
                    true => keys,
                    false => format!(" with {keys}"),
                };
                (
                    format!("`[{}]`", key.name),
                    format!("add `[{}]`{with}", key.name),
                )
            }
            _ if key.kind.refers() => (
                format!("`{}`", key.name),
                format!("add `{}`, {}", key.name, key.kind.facts().allowed),
            ),
            _ => (
                format!("`{}`", key.name),
                self.as_table(section, node)
                    .unwrap_or_else(|| format!("add `{}`", key.example())),
            ),
        };
        let mut diagnostic = Diagnostic::error(
            "missing-key",
            format!("{what} is missing in {}", titled(section, self.root)),
        )
        .at(&node.at, format!("no {what} here"))
        .note(format!("{}: {}", key.name, key.meaning))
        .help(help)
        .help_if(self.as_set(section, node, key));
        if let Some(choices) = key.kind.choices() {
            diagnostic = diagnostic.note(format!("allowed: {}", words(choices)));
        }
        self.mistakes.push(diagnostic);
    }

    fn group(&mut self, section: &Section, group: &Group, node: &Node, choice: Option<&str>) {
        let applies = group.only.is_empty() || choice.is_some_and(|c| group.only.contains(&c));
        if !applies {
            return;
        }
        let given: Vec<&Entry> = node
            .table()
            .iter()
            .filter(|entry| group.keys.contains(&entry.key.as_str()))
            .collect();
        let keys = suggest::one_of(group.keys.iter().copied());
        if let [first, second, ..] = given.as_slice() {
            Diagnostic::error(
                "contradiction",
                format!("`{}` and `{}` say the same thing", first.key, second.key),
            )
            .at(&second.key_at, "given as well")
            .at(&first.key_at, "given here")
            .help(format!("keep one of {keys}"))
            .tell(self.mistakes);
        } else if given.is_empty() && group.required {
            let first = section.key(group.keys[0]);
            let example = first.map(Key::example).unwrap_or_default();
            let as_set = first.and_then(|key| self.as_set(section, node, key));
            Diagnostic::error(
                "missing-key",
                format!("{keys} is missing in {}", titled(section, self.root)),
            )
            .at(&node.at, format!("none of {keys} here"))
            .help(format!("add one of them, such as `{example}`"))
            .help_if(as_set)
            .tell(self.mistakes);
        }
    }
}

impl Reader<'_> {
    /// What to write where a word alone stands for a table that needs more.
    fn as_table(&self, section: &Section, node: &Node) -> Option<String> {
        // The word stands for the table: both are at one place.
        let [word] = node.table() else { return None };
        let short = (word.key_at == node.at).then(|| section.name.rsplit('.').next())??;
        let choice = choice(section, node);
        let chosen = node.get(section.selector?.key)?.to_toml();
        let own = section.keys.iter().filter(|key| key.applies(choice));
        let own = own.filter(|key| matches!(key.default, Default::Required));
        let selector = section.selector?.key;
        let keys = own.filter(|key| key.name != selector).map(Key::example);
        let keys: Vec<String> = keys.collect();
        let keys = keys.join(", ");
        Some(format!(
            "write `{short} = {{ {selector} = {chosen}, {keys} }}`"
        ))
    }

    /// Where the command line chose the kind of a table: the `--set` that gives a key which this
    /// kind needs.
    fn as_set(&self, section: &Section, node: &Node, key: &Key) -> Option<String> {
        let selector = section.selector?.key;
        let mut entries = node.table().iter();
        let chosen = entries.find(|entry| entry.key == selector)?;
        let command = self.mistakes.command_line(&chosen.key_at)?;
        let table = command.split_once('=')?.0.strip_suffix(selector)?;
        let example = key.example();
        (!table.is_empty()).then(|| format!("or give it beside: `--set '{table}{example}'`"))
    }
}

/// What the selector chooses: `None` where that is not known.
pub(crate) fn choice(section: &Section, node: &Node) -> Option<&'static str> {
    let selector = section.selector?;
    let Some(given) = node.get(selector.key) else {
        return selector.default;
    };
    let choices = section.key(selector.key)?.kind.choices()?;
    let Value::Text(word) = &given.value else {
        return None;
    };
    choices
        .iter()
        .find(|choice| choice.name == word)
        .map(|choice| choice.name)
}

/// Has the file turned the table off that this key is of? A default does not count: who leaves
/// the selector out and writes other keys wants them.
fn is_turned_off(section: &Section, key: &Key, node: &Node, choice: Option<&str>) -> bool {
    let is_given = |selector: Selector| node.get(selector.key).is_some();
    choice == Some(OFF) && !key.applies(choice) && section.selector.is_some_and(is_given)
}

/// "`[link]`", or "the file".
pub(crate) fn titled(section: &Section, root: &Section) -> String {
    if std::ptr::eq(section, root) {
        "the file".into()
    } else {
        format!("`{}`", section.name)
    }
}

/// The names of its keys, each once.
fn names(section: &Section) -> String {
    let mut names: Vec<&str> = Vec::new();
    for key in section.keys {
        if !names.contains(&key.name) {
            names.push(key.name);
        }
    }
    suggest::in_code(names, ", ")
}

pub(crate) fn words(choices: &[Choice]) -> String {
    suggest::in_code(choices.iter().map(|choice| choice.name), ", ")
}

/// Text of the user's in a message: not longer than a line.
pub(crate) fn clip(text: &str) -> String {
    const SHOWN: usize = 60;
    if text.chars().count() <= SHOWN {
        return text
            .escape_debug()
            .to_string()
            .replace("\\'", "'")
            .replace("\\\"", "\"");
    }
    format!(
        "{}..",
        text.chars().take(SHOWN).collect::<String>().escape_debug()
    )
}
