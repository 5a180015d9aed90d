//! Mistakes in a scenario: what was found, where, what is allowed, how to go on.

use backwater_kernel::words::{is_unprintable, printable};
use std::collections::BTreeMap;
use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::language::errors;
use crate::language::source::{At, Source};

mod gathered;
mod lines;
mod severity;
use gathered::{Follows, Gathered};
use lines::{floor_boundary, line_at, lines_around, span_in_line};
pub use severity::Severity;

/// More mistakes than this are counted, not listed.
const LISTED: u64 = 100;
/// Lines longer than this many bytes are pointed at, not shown.
const SHOWN_BYTES: usize = 4096;

/// A kind of mistake and its place.
type Place = (&'static str, Option<At>, String);

/// One mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How grave.
    pub severity: Severity,
    /// Which kind of mistake, in kebab-case; stable, for scripts.
    pub code: &'static str,
    /// What is wrong, in one line.
    pub message: String,
    /// Where, and what was found there; the first is the main one.
    pub labels: Vec<(At, String)>,
    /// What is behind it.
    pub notes: Vec<String>,
    /// How to go on.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        debug_assert!(errors::is_known(code), "`{code}` is not in errors.toml");
        Self {
            severity: Severity::Error,
            code,
            message: printable(&message.into()),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// A note.
    pub(crate) fn note_of(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, message)
        }
    }

    /// An error, or only a warning where the author said that it is meant.
    pub(crate) fn error_unless(meant: bool, code: &'static str, message: String) -> Self {
        match meant {
            true => Self::warning(code, message),
            false => Self::error(code, message),
        }
    }

    /// An error: the key has no meaning where it stands; `how` is what is there.
    pub(crate) fn no_meaning(key: &str, how: impl fmt::Display) -> Self {
        Self::error("no-meaning", format!("`{key}` has no meaning {how}"))
    }

    /// The same of a key at this place, for this reason.
    pub(crate) fn useless_here(key: &str, at: &At, why: &str) -> Self {
        Self::no_meaning(key, "here")
            .at(at, why)
            .help("leave it out")
    }

    /// Only a note, if what it contradicts was chosen from outside, at this place.
    pub(crate) fn aside_after(self, chosen: Option<At>) -> Self {
        let Some(chosen) = chosen.filter(At::is_outside) else {
            return self;
        };
        Self {
            severity: Severity::Note,
            code: "set-aside",
            help: Vec::new(),
            ..self
        }
        .at(&chosen, "chosen here")
        .note("it is set aside")
    }

    fn place(&self) -> Place {
        let at = self.labels.first().map(|label| label.0.clone());
        // What is missing has no place of its own: several share one.
        let missing = match self.code {
            "missing-key" => self.message.clone(),
            _ => String::new(),
        };
        (self.code, at, missing)
    }

    /// Points at a place; the first place is the main one.
    pub fn at(mut self, at: &At, label: impl Into<String>) -> Self {
        self.labels.push((at.clone(), shown(&label.into())));
        self
    }

    /// Points at what is there twice, and at the first of the two.
    pub(crate) fn twice(self, second: &At, first: &At) -> Self {
        self.at(second, "the second").at(first, "the first")
    }

    /// Adds what is behind the mistake.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(shown(&note.into()));
        self
    }

    /// Adds what is behind the mistake, if anything is.
    pub(crate) fn note_if(mut self, note: Option<String>) -> Self {
        self.notes.extend(note.map(|note| shown(&note)));
        self
    }

    /// Adds a way to go on.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(shown(&help.into()));
        self
    }

    /// Adds a way to go on, if there is one.
    pub(crate) fn help_if(mut self, help: Option<String>) -> Self {
        self.help.extend(help.map(|help| shown(&help)));
        self
    }

    /// It, in the place of what was looked for.
    pub(crate) fn refused<T>(self) -> Result<T, Box<Self>> {
        Err(Box::new(self))
    }

    /// Puts it among the others.
    pub fn tell(self, mistakes: &mut Diagnostics) {
        mistakes.push(self);
    }
}

/// The mistakes of one scenario, with the texts they point into.
#[derive(Clone, Default)]
pub struct Diagnostics {
    sources: Vec<Source>,
    list: Vec<Diagnostic>,
    /// The same mistake at the same place (one value, many links) is told once.
    seen: BTreeMap<Place, u64>,
    /// Of each severity, in their order.
    counts: [u64; 3],
    /// Mistakes that would only follow from others.
    follows: Box<Follows>,
}

impl Diagnostics {
    /// None yet, of these texts.
    pub fn new(sources: Vec<Source>) -> Self {
        Self {
            sources,
            ..Self::default()
        }
    }

    /// The texts that they point into.
    pub(crate) fn sources(&self) -> Vec<Source> {
        self.sources.clone()
    }

    pub(crate) fn single(source: Source, diagnostic: Diagnostic) -> Self {
        let mut all = Self::new(vec![source]);
        all.push(diagnostic);
        all
    }

    /// From here on no mistake of this kind is told: it would only follow from one that was.
    pub(crate) fn leave_out(&mut self, code: &'static str) {
        self.follows.left_out.push(code);
    }

    /// The network was chosen from outside, here: names of the file that it does not have are one
    /// mistake.
    pub(crate) fn gather_names(&mut self, chosen: At) {
        self.follows.gathered = Some(Gathered::chosen(chosen));
    }

    /// Adds one.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if self.follows.left_out.contains(&diagnostic.code) {
            return;
        }
        let key = diagnostic.place();
        if let Some(again) = self.seen.get_mut(&key) {
            *again += 1;
            return;
        }
        let line = self.line_of(&diagnostic);
        if let Some(gathered) = &mut self.follows.gathered
            && gathered.swallows(&mut diagnostic, line, &mut self.list)
        {
            self.seen.insert(key, 0);
            return;
        }
        let count = &mut self.counts[diagnostic.severity as usize];
        *count += 1;
        if *count <= LISTED {
            self.seen.insert(key, 0);
            self.list.push(diagnostic);
        }
    }

    /// What was found; a mistake instead of it is added.
    pub(crate) fn kept<T>(&mut self, found: Result<T, Box<Diagnostic>>) -> Option<T> {
        found.map_err(|mistake| self.push(*mistake)).ok()
    }

    /// All that was found, or nothing; every mistake is added.
    pub(crate) fn kept_all<T>(
        &mut self,
        found: impl Iterator<Item = Result<T, Box<Diagnostic>>>,
    ) -> Option<Vec<T>> {
        let found: Vec<Option<T>> = found.map(|one| self.kept(one)).collect();
        found.into_iter().collect()
    }

    /// Takes over what was found in another reading of the same sources, noting of which.
    pub fn merge(&mut self, other: &Self, note: &str) {
        if self.sources.is_empty() {
            self.sources.clone_from(&other.sources);
        }
        self.extend(other.list.iter().map(|one| one.clone().note(note)));
    }

    /// Takes over what another reading of a file with syntax errors found, but not what may only
    /// be missing because of them.
    pub(crate) fn add_beyond_syntax(&mut self, other: &Self) {
        let lines: Vec<usize> = self.list.iter().filter_map(|d| self.line_of(d)).collect();
        for diagnostic in &other.list {
            let line = self.line_of(diagnostic);
            let doubtful = matches!(diagnostic.code, "missing-key" | "wrong-type");
            if !doubtful && line.is_none_or(|line| !lines.contains(&line)) {
                self.push(diagnostic.clone());
            }
        }
    }

    fn line_of(&self, diagnostic: &Diagnostic) -> Option<usize> {
        let (at, _) = diagnostic.labels.first().filter(|(at, _)| at.source == 0)?;
        self.position(at).map(|(_, line, _)| line)
    }

    /// All that are listed, in the order of the file: errors first where they are too many.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        let mut order: Vec<&Diagnostic> = self.list.iter().collect();
        order.sort_by_key(|diagnostic| diagnostic.severity);
        order.truncate(LISTED as usize);
        order.sort_by_key(|d| d.labels.first().map(|label| label.0.clone()));
        order.into_iter()
    }

    /// Errors; the same at one place counts once.
    pub fn errors(&self) -> u64 {
        self.counts[Severity::Error as usize]
    }

    /// Warnings; the same at one place counts once.
    pub fn warnings(&self) -> u64 {
        self.counts[Severity::Warning as usize]
    }

    /// Is nothing wrong at all?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The source a label points into, and its line and column there (both from 1, the column in
    /// characters).
    pub fn position(&self, at: &At) -> Option<(&Source, usize, usize)> {
        let source = self.sources.get(at.source)?;
        let text = &source.text;
        let start = floor_boundary(text, at.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = line_at(text, line_start);
        Some((source, line, 1 + text[line_start..start].chars().count()))
    }

    /// The file once more, as a source of its own: for what of it stands outside the scenario.
    pub(crate) fn file_again(&mut self) -> usize {
        self.sources.extend(self.sources.first().cloned());
        self.sources.len().saturating_sub(1)
    }

    /// What stands at a place.
    pub(crate) fn written(&self, at: &At) -> Option<&str> {
        self.sources.get(at.source)?.text.get(at.start..at.end)
    }

    /// What was typed where this place is of the command line, and not of the file.
    pub(crate) fn command_line(&self, at: &At) -> Option<&str> {
        let typed = self.sources.get(at.source)?;
        let is_file = self
            .sources
            .first()
            .is_some_and(|file| file.name == typed.name);
        (!is_file).then_some(typed.text.as_str())
    }

    /// As text for a terminal, in colour if asked.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mut text = String::new();
        for diagnostic in self.iter() {
            text.push_str(&self.render_one(&renderer, diagnostic));
            text.push_str("\n\n");
        }
        text.push_str(&severity::closing_line(&self.counts, LISTED));
        text.push('\n');
        text.chars()
            .map(|letter| on_terminal(letter, color))
            .collect()
    }

    fn render_one(&self, renderer: &Renderer, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut group = Group::with_title(
            level
                .primary_title(diagnostic.message.as_str())
                .id(diagnostic.code),
        );
        let mut shown: Vec<usize> = Vec::new();
        for (at, _) in &diagnostic.labels {
            if !shown.contains(&at.source) {
                shown.push(at.source);
                group = self.snippet(group, diagnostic, at);
            }
        }
        let again = self.again(diagnostic);
        for note in diagnostic.notes.iter().chain(&again) {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        for help in &diagnostic.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    fn again(&self, diagnostic: &Diagnostic) -> Option<String> {
        let key = diagnostic.place();
        match self.seen.get(&key) {
            Some(1) => Some("the same comes up once more".into()),
            Some(again) if *again > 1 => Some(format!("the same comes up {again} more times")),
            _ => None,
        }
    }

    /// The labels that point into the source of `main`, shown in one piece of it.
    fn snippet<'a>(&'a self, group: Group<'a>, diagnostic: &'a Diagnostic, main: &At) -> Group<'a> {
        let Some((source, line, column)) = self.position(main) else {
            return group;
        };
        let labels = || {
            diagnostic
                .labels
                .iter()
                .filter(|(at, _)| at.source == main.source)
        };
        let window = labels()
            .map(|(at, _)| lines_around(&source.text, at))
            .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
            .unwrap_or(0..0);
        let longest = source.text[window.clone()]
            .split('\n')
            .map(str::len)
            .max()
            .unwrap_or(0);
        if source.text.is_empty() || longest > SHOWN_BYTES {
            let origin = Origin::path(printable(&source.name))
                .line(line)
                .char_column(column);
            return group.element(origin);
        }
        let first = line_at(&source.text, window.start);
        let mut snippet = Snippet::source(&source.text[window.clone()])
            .path(printable(&source.name))
            .line_start(first);
        for (index, (at, label)) in labels().enumerate() {
            let kind = if index == 0 && diagnostic.labels[0].0 == *at {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            let span = span_in_line(&source.text, at);
            let span = span.start - window.start..span.end - window.start;
            let label = (!label.is_empty()).then_some(label.as_str());
            snippet = snippet.annotation(kind.span(span).label(label));
        }
        group.element(snippet)
    }

    /// For programs: one object for each diagnostic.
    pub fn to_json(&self) -> serde_json::Value {
        self.iter()
            .map(|diagnostic| self.json_of(diagnostic))
            .collect()
    }

    fn json_of(&self, diagnostic: &Diagnostic) -> serde_json::Value {
        let place = |(at, label): &(At, String)| {
            let (source, line, column) = self.position(at)?;
            let end = At {
                start: at.end,
                ..at.clone()
            };
            let (_, end_line, end_column) = self.position(&end)?;
            Some(serde_json::json!({
                "file": source.name, "line": line, "column": column, "end_line": end_line,
                "end_column": end_column, "start_byte": at.start, "end_byte": at.end,
                "label": label,
            }))
        };
        serde_json::json!({
            "severity": diagnostic.severity.word(),
            "code": diagnostic.code,
            "message": diagnostic.message,
            "places": diagnostic.labels.iter().filter_map(place).collect::<Vec<_>>(),
            "notes": diagnostic.notes,
            "help": diagnostic.help,
        })
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, found: T) {
        found.into_iter().for_each(|one| self.push(one));
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

/// Names in it do nothing to a terminal; it may have several lines.
fn shown(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

/// What a quoted line of a file may hold and a terminal should not get has a letter in its place;
/// colours are ours.
fn on_terminal(letter: char, color: bool) -> char {
    match letter {
        '\n' | '\t' => letter,
        '\u{1b}' if color => letter,
        _ if is_unprintable(letter) => char::REPLACEMENT_CHARACTER,
        _ => letter,
    }
}
