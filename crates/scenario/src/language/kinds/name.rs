//! Text: titles, names, and names of what is declared elsewhere.

use std::ops::RangeInclusive;

use backwater_kernel::words::is_unprintable;
use serde_json::{Value, json};

use super::{Facts, Kind, any_of, of, usual};
use crate::language::diagnostics::Diagnostic;
use crate::language::reader::{Reader, clip};
use crate::language::record::Datum;
use crate::language::source::At;
use crate::language::table::Key;
use crate::language::tree::{self, Node};

/// Any text.
pub struct Text;

/// A name: not empty, without `->` and characters that can't be printed.
pub struct Name;

/// One name of something declared elsewhere; the text says of what.
pub struct Reference(pub &'static str);

/// One such name or a list of them.
pub struct References(pub &'static str);

/// A list of such names.
pub struct ReferenceList(pub &'static str);

/// A list of new names.
pub struct Names;

/// The path of a file, from the folder of the scenario.
pub struct Path;

impl Kind for Text {
    fn facts(&self) -> Facts {
        Facts::new("text", "\"Two switches\"", text())
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        reader.text(key, node).map(Datum::Text)
    }
}

impl Kind for Name {
    fn refers(&self) -> bool {
        true
    }

    fn facts(&self) -> Facts {
        Facts::new("a name", "\"VC1\"", text())
            .allowed("any text that is not empty and has no `->` in it")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let text = reader.text(key, node)?;
        is_name(reader, key, &text, &node.at).then_some(Datum::Text(text))
    }
}

impl Kind for Reference {
    fn refers(&self) -> bool {
        true
    }

    fn facts(&self) -> Facts {
        let facts = |example| Facts::new(format!("the name of a {}", self.0), example, text());
        match self.0 {
            "flow" => facts("\"VC1\""),
            "channel" => facts("\"S1->S2\"").allowed("`from->to`, two nodes that a link joins"),
            _ => facts("\"A\""),
        }
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        Text.read(reader, key, node)
    }
}

impl Kind for References {
    fn refers(&self) -> bool {
        true
    }

    fn facts(&self) -> Facts {
        let noun = format!("the name of a {} or a list of names", self.0);
        Facts::new(noun, "\"A\"", any_of([text(), texts()]))
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match &node.value {
            tree::Value::Text(text) => {
                let mut names = Vec::new();
                let is_sound = expand_ranges(reader, text, &node.at, &mut names);
                is_sound.then_some(Datum::List(names))
            }
            _ => list(reader, key, node, |_, _, _| true),
        }
    }
}

impl Kind for ReferenceList {
    fn refers(&self) -> bool {
        self.0 != "scheme"
    }

    fn facts(&self) -> Facts {
        let example = match self.0 {
            "node" => "[\"A\", \"S1\"]",
            "scheme" => "[\"pause\", \"pfc\"]",
            _ => "[\"A\", \"B\"]",
        };
        let mut schema = texts();
        // Some lists may name one thing many times, a path its nodes; a scheme runs once.
        if self.0 == "scheme" {
            schema["uniqueItems"] = json!(true);
        }
        Facts::new(format!("a list of names of {}s", self.0), example, schema)
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        list(reader, key, node, |_, _, _| true)
    }
}

impl Kind for Names {
    fn facts(&self) -> Facts {
        Facts::new("a list of names", "[\"A\", \"B\"]", texts())
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        list(reader, key, node, |reader, text, at| {
            is_name(reader, key, text, at)
        })
    }
}

impl Kind for Path {
    fn facts(&self) -> Facts {
        let schema = json!({ "type": "string", "minLength": 1 });
        Facts::new("the path of a file", "\"demand.csv\"", schema)
            .allowed("the path of a file, from the folder of the scenario")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let text = reader.text(key, node)?;
        if text.trim().is_empty() || text.contains('\0') {
            Diagnostic::error("bad-name", format!("`{}` names no file", key.name))
                .at(&node.at, "no path")
                .help(format!("write it like this: `{}`", key.example()))
                .tell(reader.mistakes);
            return None;
        }
        Some(Datum::Text(text))
    }
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn texts() -> Value {
    json!({ "type": "array", "items": text() })
}

/// Names that one range may stand for.
const LONGEST_RANGE: u64 = 1_000_000;

fn is_name(reader: &mut Reader<'_>, key: &Key, text: &str, at: &At) -> bool {
    let fault = if text.trim().is_empty() {
        "it is empty"
    } else if text.contains("->") {
        "`->` joins two nodes to a channel"
    } else if text.chars().any(char::is_control) {
        "it holds a control character"
    } else if text.chars().any(is_unprintable) {
        "it holds a character that can't be seen and changes how others look"
    } else {
        return true;
    };
    Diagnostic::error(
        "bad-name",
        format!("`{}` is no name for `{}`", clip(text), key.name),
    )
    .at(at, fault)
    .help("give it a name of letters, digits and signs, such as `S1`")
    .tell(reader.mistakes);
    false
}

/// A list of names, without those that are not `good`.
fn list<'a>(
    reader: &mut Reader<'a>,
    key: &Key,
    node: &Node,
    good: impl Fn(&mut Reader<'a>, &str, &At) -> bool,
) -> Option<Datum> {
    let tree::Value::List(items) = &node.value else {
        return reader.wrong_type(key, node);
    };
    let (mut names, mut is_sound) = (Vec::with_capacity(items.len()), true);
    for item in items {
        if let Some(text) = reader.within(|reader| reader.text(key, item))
            && good(reader, &text, &item.at)
        {
            is_sound &= expand_ranges(reader, &text, &item.at, &mut names);
        }
    }
    // An empty list would be a mistake of its own.
    (is_sound || !names.is_empty()).then_some(Datum::List(names))
}

/// `D{1..5}` stands for `D1` to `D5`, `H{1..2}_{1..4}` for eight names; a name without a range for
/// itself. Says whether the ranges are sound.
fn expand_ranges(
    reader: &mut Reader<'_>,
    text: &str,
    at: &At,
    names: &mut Vec<(String, At)>,
) -> bool {
    let fault = match expanded(text) {
        Ok(Some(all)) => {
            names.extend(all.into_iter().map(|name| (name, at.clone())));
            return true;
        }
        Ok(None) => {
            names.push((text.into(), at.clone()));
            return true;
        }
        Err(fault) => fault,
    };
    Diagnostic::error("bad-name", format!("`{}` is no range of names", clip(text)))
        .at(at, fault)
        .help("`D{1..5}` stands for `D1` to `D5`")
        .tell(reader.mistakes);
    false
}

/// All that the ranges of a name stand for, the last range counting fastest; nothing where it has
/// none.
fn expanded(text: &str) -> Result<Option<Vec<String>>, &'static str> {
    let (mut names, mut rest) = (vec![String::new()], text);
    while let Some((before, numbers, after)) = range(rest)? {
        let many = numbers.end() - numbers.start() + 1;
        if many.saturating_mul(names.len() as u64) > LONGEST_RANGE {
            return Err("it stands for more than 1,000,000 names");
        }
        let longer = names.iter().flat_map(|name| {
            let numbers = numbers.clone();
            numbers.map(move |number| format!("{name}{before}{number}"))
        });
        names = longer.collect();
        rest = after;
    }
    if rest.len() == text.len() {
        return Ok(None);
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Ok(Some(names))
}

/// What stands before a range, its numbers and what stands after it; nothing where there is none.
/// `{i}`, which stands for the number of a flow, is none.
type Numbered<'a> = Option<(&'a str, RangeInclusive<u64>, &'a str)>;

fn range(text: &str) -> Result<Numbered<'_>, &'static str> {
    let is_number_or_sign = |c: char| c.is_ascii_digit() || "-,;: ".contains(c);
    for (open, _) in text.match_indices('{') {
        let Some((inside, after)) = text[open + 1..].split_once('}') else {
            return Ok(None);
        };
        let seems_one = inside.contains("..") || inside.chars().all(is_number_or_sign);
        if !seems_one {
            continue;
        }
        let ends = inside.split_once("..");
        let ends = ends.and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        return match ends {
            None => Err("two whole numbers with `..` between them make a range"),
            Some((first, last)) if first > last => Err("the first number is the larger"),
            Some((first, last)) if last - first >= LONGEST_RANGE => {
                Err("it stands for more than 1,000,000 names")
            }
            Some((first, last)) => Ok(Some((&text[..open], first..=last, after))),
        };
    }
    Ok(None)
}

of! {
    Text for String { Datum::Text(text) => text.clone() } else |_| String::new();
    Name for String { Datum::Text(text) => text.clone() } else |_| String::new();
    Reference for String { Datum::Text(text) => text.clone() } else |_| String::new();
    Path for String { Datum::Text(text) => text.clone() } else |_| String::new();
    References for Vec<(String, At)> { Datum::List(names) => names.clone() } else |_| Vec::new();
    ReferenceList for Vec<(String, At)> { Datum::List(names) => names.clone() } else |_| Vec::new();
    Names for Vec<(String, At)> { Datum::List(names) => names.clone() } else |_| Vec::new();
}
usual! {
    String: Text;
    Vec<(String, At)>: Names;
}
