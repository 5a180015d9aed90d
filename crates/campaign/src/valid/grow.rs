//! Random valid scenarios: a start, and steps of which those stay that are still sound.

use std::path::Path;

use backwater_scenario::language::kinds::Form;
use backwater_scenario::reference::tables::{Names, Section, roots, sections_below};
use backwater_scenario::{Engine, Limits, Scenario, Source, parse_with};
use serde_json::{Map, Value};

use super::files::Files;
use super::starts::Starts;
use super::tables::{Wanted, allow, complete, put};
use super::values::Context;
use crate::random::Random;
use crate::toml_tree;

/// Larger networks take too long.
const MOST_BYTES: u64 = 200 << 20;
/// Attempts to bring in a key that a scenario shall have.
const ATTEMPTS: usize = 14;
/// Random steps besides.
const STEPS: usize = 8;
/// The wanted keys of a scenario.
const WANTED: usize = 4;

/// A scenario that the reader accepts.
pub struct Grown {
    /// As a tree.
    pub tree: Value,
    /// The files it names.
    pub files: Files,
    /// What it calls its parts.
    pub names: Names,
    /// Length of the run in picoseconds.
    pub run_ps: u64,
}

/// What the language of one engine has, and the ways to it.
pub struct Language {
    /// The engine.
    pub engine: &'static str,
    /// The file.
    pub root: &'static Section,
    /// Every key, and every word of those that hold one, in a fixed random order.
    pub wanted: Vec<Wanted>,
}

impl Language {
    /// Of each engine.
    pub fn all() -> Vec<Self> {
        let of = |(engine, root): (&'static str, &'static Section)| {
            let mut wanted = Vec::new();
            for section in sections_below(root) {
                for key in section.keys {
                    let words = key.kind.choices().filter(|_| key.name != "engine");
                    let of = |word| Wanted { section, key, word };
                    wanted.push(of(None));
                    wanted.extend(
                        words
                            .unwrap_or_default()
                            .iter()
                            .map(|choice| of(Some(choice.name))),
                    );
                }
            }
            Random::of(0, engine, 0).shuffle(&mut wanted);
            Self {
                engine,
                root,
                wanted,
            }
        };
        roots().into_iter().map(of).collect()
    }
}

/// Reads a scenario as the program would, its files from memory.
pub fn read(tree: &Value, files: &Files) -> Option<Scenario> {
    let source = Source::new("grown.toml", toml_tree::write(tree));
    let load = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        let text = name.and_then(|name| files.get(name)).cloned();
        text.ok_or_else(|| std::io::Error::other("no such file"))
    };
    let limits = Limits {
        memory_bytes: Some(MOST_BYTES),
    };
    parse_with(&source, &[], &limits, &load).ok()
}

/// A random scenario for this trial; it tries to hold some keys that are this trial's turn.
pub fn grow(language: &Language, starts: &Starts, random: &mut Random, trial: u64) -> Grown {
    let turn = |nth: usize| {
        let at = trial as usize * WANTED + nth;
        language.wanted[at % language.wanted.len()]
    };
    let mut grown = starts.pick(language.engine, random);
    for attempt in 0..ATTEMPTS {
        if grown.step(language, turn(0), random) {
            break;
        }
        if attempt % 2 == 1 {
            grown = starts.pick(language.engine, random);
        }
    }
    for nth in 1..WANTED {
        let _ = (0..ATTEMPTS).any(|_| grown.step(language, turn(nth), random));
    }
    for _ in 0..STEPS {
        if let Some(any) = random.pick(&language.wanted).copied() {
            grown.step(language, any, random);
        }
    }
    grown
}

impl Grown {
    /// From a tree, if it is sound.
    pub fn new(tree: Value, files: Files) -> Option<Self> {
        let scenario = read(&tree, &files)?;
        let run_ps = match &scenario.engine {
            Engine::Packet(packet) => packet.network.stop_at.0,
            Engine::Ethernet(ethernet) => ethernet.network.stop_at.0,
            Engine::Flit(_) => 1_000_000,
        };
        Some(Self {
            names: Names::of(&scenario),
            tree,
            files,
            run_ps,
        })
    }

    /// Adds or changes a key; true if the scenario is sound with it.
    fn step(&mut self, language: &Language, wanted: Wanted, random: &mut Random) -> bool {
        let Some(way) = way_to(language.root, wanted.section, random) else {
            return false;
        };
        let mut tree = self.tree.clone();
        let mut files = self.files.clone();
        let mut context = Context {
            names: &self.names,
            run_ps: self.run_ps,
            engine: language.engine,
            files: &mut files,
            random,
        };
        let extra = context.random.below(3) as u64 * 8;
        if descend(&mut context, language.root, &mut tree, &way, wanted, extra).is_none() {
            return false;
        }
        match Self::new(tree, files) {
            Some(next) if next.run_ps <= self.run_ps => {
                *self = next;
                true
            }
            _ => false,
        }
    }
}

/// The keys that lead from one section down to another, by a random way.
fn way_to(
    root: &'static Section,
    to: &'static Section,
    random: &mut Random,
) -> Option<Vec<&'static str>> {
    let mut ways = Vec::new();
    find_ways(root, to, &mut Vec::new(), &mut ways);
    random.pick(&ways).cloned()
}

fn find_ways(
    from: &'static Section,
    to: &'static Section,
    here: &mut Vec<&'static str>,
    ways: &mut Vec<Vec<&'static str>>,
) {
    if std::ptr::eq(from, to) {
        ways.push(here.clone());
        return;
    }
    if here.len() > 5 {
        return;
    }
    for key in from.keys {
        if let Some(section) = key.kind.section() {
            here.push(key.name);
            find_ways(section, to, here, ways);
            here.pop();
        }
    }
}

/// Goes down the way, making what is missing, and puts the key there.
fn descend(
    context: &mut Context<'_>,
    section: &'static Section,
    value: &mut Value,
    way: &[&'static str],
    wanted: Wanted,
    extra: u64,
) -> Option<()> {
    let table = value.as_object_mut()?;
    let Some((first, rest)) = way.split_first() else {
        put(context, section, table, wanted.key, wanted.word, extra);
        return Some(());
    };
    let key = section.key(first)?;
    let below = key.kind.section()?;
    allow(context, section, table, key);
    let child = table.entry(key.name).or_insert(Value::Null);
    match key.kind.form() {
        Form::Tables => {
            let list = child.as_array().cloned().unwrap_or_default();
            *child = Value::Array(list);
            let list = child.as_array_mut()?;
            if list.is_empty() || (list.len() < 6 && context.random.chance(30)) {
                list.push(new_table(context, below));
            }
            let at = context.random.below(list.len());
            descend(context, below, &mut list[at], rest, wanted, extra)
        }
        _ => {
            if !child.is_object() {
                *child = new_table(context, below);
            }
            descend(context, below, child, rest, wanted, extra)
        }
    }
}

fn new_table(context: &mut Context<'_>, section: &'static Section) -> Value {
    let mut table = Map::new();
    complete(context, section, &mut table);
    Value::Object(table)
}
