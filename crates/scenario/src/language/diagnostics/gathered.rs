//! Mistakes that all follow from one choice: the first is told, and where the others are.

use super::{Diagnostic, Diagnostics};
use crate::language::source::At;
use crate::language::suggest;

/// Names that stand for nothing in the network as it was chosen.
const FOLLOW: [&str; 5] = [
    "unknown-node",
    "no-link",
    "unreachable",
    "unconnected",
    "unknown-flow",
];

/// So many lines are named.
const SHOWN: usize = 12;

/// What is told as one mistake.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    /// Where the network was chosen.
    chosen: At,
    /// The mistake that is told, by its place among all.
    told: Option<usize>,
    /// Lines of the others.
    lines: Vec<usize>,
}

impl Diagnostics {
    /// The network was chosen from outside, here: names of the file that it does not have are one
    /// mistake.
    pub(crate) fn gather_names(&mut self, chosen: At) {
        self.gathered = Some(Gathered {
            chosen,
            told: None,
            lines: Vec::new(),
        });
    }

    /// It, to be told, if it is not one of those that are gathered.
    pub(super) fn gathered_or(&mut self, diagnostic: Diagnostic) -> Option<Diagnostic> {
        if self.gathered.is_none() || !FOLLOW.contains(&diagnostic.code) {
            return Some(diagnostic);
        }
        let line = self.line_of(&diagnostic);
        let next = self.list.len();
        let own = self.gathered.as_mut()?;
        let Some(told) = own.told else {
            if diagnostic.code != FOLLOW[0] {
                return Some(diagnostic);
            }
            own.told = Some(next);
            own.lines.extend(line);
            return Some(first(diagnostic, &own.chosen));
        };
        own.lines
            .extend(line.filter(|line| !own.lines.contains(line)));
        let (others, told) = (own.lines.get_mut(1..)?, self.list.get_mut(told)?);
        others.sort_unstable();
        told.notes.truncate(2);
        if !others.is_empty() {
            let more = |more| format!(" and {more} more");
            let lines = suggest::first(others, SHOWN, ToString::to_string, more);
            let lines_are = if others.len() == 1 { "line" } else { "lines" };
            told.notes
                .push(format!("others stand on {lines_are} {lines}"));
        }
        None
    }
}

/// The one that is told.
fn first(mut diagnostic: Diagnostic, chosen: &At) -> Diagnostic {
    let nodes = diagnostic.notes.drain(..).next().unwrap_or_default();
    diagnostic.help.clear();
    diagnostic
        .at(chosen, "the network is chosen here")
        .note("the file names nodes of the network that it has itself")
        .note(nodes)
        .help("leave the network as the file has it, or change those names, too")
}
