//! Mistakes that all follow from one choice: the first is told, and where the others are.

use super::Diagnostic;
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

/// Mistakes that would only follow from others.
#[derive(Clone, Default)]
pub(super) struct Follows {
    /// Kinds that are not told,
    pub left_out: Vec<&'static str>,
    /// and those that are told as one.
    pub gathered: Option<Gathered>,
}

/// What is told as one mistake.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    /// Where the network was chosen.
    chosen: At,
    /// The mistake that is told, by its place among all.
    told: Option<usize>,
    /// Lines of all of them, its own first.
    lines: Vec<usize>,
}

impl Gathered {
    /// The network was chosen here.
    pub fn chosen(chosen: At) -> Gathered {
        Gathered {
            chosen,
            told: None,
            lines: Vec::new(),
        }
    }

    /// Is it told by another of the list? The first is changed to speak for all.
    pub fn swallows(
        &mut self,
        diagnostic: &mut Diagnostic,
        line: Option<usize>,
        list: &mut [Diagnostic],
    ) -> bool {
        if !FOLLOW.contains(&diagnostic.code) {
            return false;
        }
        let line = line.filter(|line| !self.lines.contains(line));
        let Some(told) = self.told else {
            if diagnostic.code == FOLLOW[0] {
                self.told = Some(list.len());
                self.lines.extend(line);
                speaks_for_all(diagnostic, &self.chosen);
            }
            return false;
        };
        self.lines.extend(line);
        if let Some(told) = list.get_mut(told) {
            point_at(&mut self.lines, told);
        }
        true
    }
}

fn speaks_for_all(diagnostic: &mut Diagnostic, chosen: &At) {
    let label = "the network is chosen here".into();
    diagnostic.labels.push((chosen.clone(), label));
    let own = "the file names nodes of the network that it has itself".into();
    diagnostic.notes.insert(0, own);
    diagnostic.notes.truncate(2);
    diagnostic.help =
        vec!["leave the network as the file has it, or change those names, too".into()];
}

/// Says where the others stand.
fn point_at(lines: &mut [usize], diagnostic: &mut Diagnostic) {
    let Some((_, others)) = lines.split_first_mut().filter(|own| !own.1.is_empty()) else {
        return;
    };
    others.sort_unstable();
    let more = |more| format!(" and {more} more");
    let shown = suggest::first(others, SHOWN, ToString::to_string, more);
    let word = if others.len() == 1 { "line" } else { "lines" };
    diagnostic.notes.truncate(2);
    diagnostic
        .notes
        .push(format!("others stand on {word} {shown}"));
}
