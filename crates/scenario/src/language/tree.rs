//! The scenario as written: a tree of values that know where they stand.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::source::{self, At, LARGEST_BYTES, Source};

/// Dots of a key that are too many for certain: values nest at most 80 deep.
const DEEPEST: usize = 79;

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    pub value: Value,
    pub at: At,
}

/// A TOML value. Numbers keep their text: their key decides how exact they are read.
#[derive(Clone, Debug)]
pub enum Value {
    Text(String),
    Integer(String, u32),
    Float(String),
    Bool(bool),
    Date(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table, in the order of the file.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub key_at: At,
    pub node: Node,
}

impl Node {
    /// A table of nothing.
    pub(crate) fn empty(at: At) -> Self {
        Self {
            value: Value::Table(Vec::new()),
            at,
        }
    }

    pub(crate) fn table(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.table()
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.node)
    }

    /// The same, with places in another source of the same text if they are in the file.
    pub(crate) fn moved(mut self, source: usize) -> Self {
        let of_file = |at: &mut At| {
            if at.source == 0 {
                at.source = source;
            }
        };
        of_file(&mut self.at);
        match &mut self.value {
            Value::List(items) => {
                let moved = items.drain(..).map(|item| item.moved(source));
                *items = moved.collect();
            }
            Value::Table(entries) => {
                for entry in entries {
                    of_file(&mut entry.key_at);
                    entry.node = entry.node.clone().moved(source);
                }
            }
            _ => {}
        }
        self
    }

    /// What it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "a string",
            Value::Integer(..) => "a whole number",
            Value::Float(_) => "a decimal number",
            Value::Bool(_) => "a boolean",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The number's text, if it is one.
    pub(crate) fn number(&self) -> Option<String> {
        match &self.value {
            Value::Integer(text, 10) | Value::Float(text) => Some(text.clone()),
            Value::Integer(text, radix) => i128::from_str_radix(text, *radix)
                .ok()
                .map(|number| number.to_string()),
            _ => None,
        }
    }

    /// As TOML on one line.
    pub(crate) fn to_toml(&self) -> String {
        let list = |items: Vec<String>| items.join(", ");
        match &self.value {
            Value::Text(text) => quoted(text),
            Value::Integer(..) | Value::Float(_) => self.number().unwrap_or_default(),
            Value::Bool(truth) => truth.to_string(),
            Value::Date(text) => text.clone(),
            Value::List(items) => format!("[{}]", list(items.iter().map(Self::to_toml).collect())),
            Value::Table(entries) => {
                let pair = |e: &Entry| format!("{} = {}", toml_key(&e.key), e.node.to_toml());
                format!("{{ {} }}", list(entries.iter().map(pair).collect()))
            }
        }
    }
}

/// A TOML basic string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

pub(crate) fn toml_key(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) {
        key.into()
    } else {
        quoted(key)
    }
}

/// Reads a file that `--set` and axes change, whose texts are the others: its tree, and the
/// mistakes of its syntax.
pub(crate) fn read_source(
    source: &Source,
    others: impl Iterator<Item = Source>,
) -> Result<(Node, Diagnostics), Diagnostics> {
    if source.text.len() > LARGEST_BYTES {
        return Err(source::too_large(&source.name, source.text.len()));
    }
    let sources = [source.clone()].into_iter().chain(others);
    let mut mistakes = Diagnostics::new(sources.collect());
    let root = read_file(&source.text, &mut mistakes);
    Ok((root, mistakes))
}

/// Reads a whole file; every syntax error becomes a diagnostic.
pub(crate) fn read_file(text: &str, mistakes: &mut Diagnostics) -> Node {
    if let Some(place) = text.find('\0') {
        mistakes.push(not_text(place));
        return Node::empty(At::default());
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        // Dotted keys that go too deep are told without their place.
        let is_nowhere = span.start == 0 && is_depth(error.message());
        let span = is_nowhere
            .then(|| deepest_key(text))
            .flatten()
            .unwrap_or(span);
        // A mistake at the end of a line has nothing to point at but the place itself.
        let at = At::range(0, span);
        Diagnostic::error("syntax", format!("not TOML: {}", error.message()))
            .at(&at, "here")
            .help_if(syntax_help(error.message()))
            .tell(mistakes);
    }
    convert(
        0,
        Spanned::new(table.span(), DeValue::Table(table.into_inner())),
    )
}

/// One message for what is no text: every second byte of UTF-16 would be a mistake of its own.
fn not_text(place: usize) -> Diagnostic {
    Diagnostic::error("not-text", "the file holds NUL bytes: it is not UTF-8 text")
        .at(&At::range(0, place..place + 1), "the first of them")
        .help("UTF-16 looks like this: save the file as UTF-8")
}

fn is_depth(message: &str) -> bool {
    message.contains("recursion") || message.contains("depth")
}

/// The first key with more dots than values nest, as far as dots outside of quotes tell.
fn deepest_key(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(key) = deep_key(line) {
            return Some(start + key.start..start + key.end);
        }
        start += line.len();
    }
    None
}

/// A run of more than [`DEEPEST`] parts with dots between them in one line, without text in quotes.
fn deep_key(line: &str) -> Option<Range<usize>> {
    let (mut dots, mut first, mut quote) = (0, None, None);
    for (place, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '.') => dots += 1,
            (None, c) if c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '\t') => {}
            (None, '#') => return None,
            (None, _) if dots >= DEEPEST => break,
            (None, _) => (dots, first) = (0, None),
        }
        let is_start = first.is_none() && !c.is_whitespace() && !matches!(c, '[' | '{' | ',');
        if is_start {
            first = Some(place);
        }
    }
    first
        .filter(|_| dots >= DEEPEST)
        .map(|place| place..place + 1)
}

fn syntax_help(message: &str) -> Option<String> {
    let help = if is_depth(message) {
        "values nest at most 80 deep"
    } else if message.contains("duplicate") {
        "give each key once; a list of tables starts with `[[name]]`"
    } else if message.contains("missing value") || message.contains("string values must be quoted")
    {
        "text and quantities stand in quotes: `delay = \"50 us\"`"
    } else {
        return None;
    };
    Some(help.into())
}

/// Reads the value of a `--set`; what is no TOML value is a string.
pub(crate) fn read_value(text: &str, source: usize, offset: usize) -> Node {
    let (value, errors) = DeValue::parse_recoverable(text);
    if errors.is_empty() && !text.is_empty() {
        let mut node = convert(source, value);
        shift(&mut node, offset);
        return node;
    }
    let at = At::range(source, offset..offset + text.len());
    Node {
        value: Value::Text(text.into()),
        at,
    }
}

fn shift(node: &mut Node, offset: usize) {
    node.at.start += offset;
    node.at.end += offset;
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| shift(item, offset)),
        Value::Table(entries) => entries.iter_mut().for_each(|entry| {
            entry.key_at.start += offset;
            entry.key_at.end += offset;
            shift(&mut entry.node, offset);
        }),
        _ => {}
    }
}

fn convert(source: usize, value: Spanned<DeValue<'_>>) -> Node {
    let at = At::range(source, value.span());
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => Value::Integer(number.as_str().into(), number.radix()),
        DeValue::Float(number) => Value::Float(number.as_str().into()),
        DeValue::Boolean(truth) => Value::Bool(truth),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => Value::List(
            items
                .into_iter()
                .map(|item| convert(source, item))
                .collect(),
        ),
        DeValue::Table(table) => {
            let mut entries: Vec<Entry> = table
                .into_iter()
                .map(|(key, node)| Entry {
                    key_at: At::range(source, key.span()),
                    key: key.into_inner().into_owned(),
                    node: convert(source, node),
                })
                .collect();
            entries.sort_by_key(|entry| entry.key_at.start);
            Value::Table(entries)
        }
    };
    Node { value, at }
}
