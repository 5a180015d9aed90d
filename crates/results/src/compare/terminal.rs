//! One table across papers: a row for each number, a column for each scheme.

use super::conditions::{own, shared};
use super::measures::{Measure, measures};
use super::programs::unfinished;
use super::{SchemeRuns, Workload, without_chance};
use crate::charts::{SEEDS_OF_INTERVALS, TOO_FEW_SEEDS};
use crate::number::hash;

/// Letters of a label.
const LABEL: usize = 26;
/// Letters of a line, where cells are short enough.
const WIDTH: usize = 118;
/// Letters of a scheme's name with the space behind it, at least.
const NAME: usize = 12;
/// Digits of a trace hash shown.
const HASH: usize = 8;

/// The table. A column is as wide as its widest cell, with two spaces before it, or one where the
/// lines would be longer than [`WIDTH`].
pub fn compare_terminal(workload: &Workload, schemes: &[SchemeRuns]) -> String {
    let measures = measures(workload);
    let names = schemes.iter().map(|scheme| scheme.name.clone());
    let mut rows: Vec<(String, Vec<String>)> = vec![(String::new(), names.collect())];
    for measure in measures.iter().filter(|measure| measure.is_main) {
        let measure = &measure.legible(workload, schemes);
        let cells = schemes.iter().map(|scheme| cell(workload, measure, scheme));
        rows.push((measure.label(), cells.collect()));
    }
    let hashes = schemes.iter().map(|scheme| {
        let first = scheme.runs.first();
        let hash = first.map_or(String::new(), |run| hash(run.trace_hash));
        hash.chars().take(HASH).collect()
    });
    rows.push(("trace hash".into(), hashes.collect()));
    let widest = |column: usize| {
        let cells = rows.iter().map(|(_, cells)| cells[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..schemes.len()).map(widest).collect();
    let gap = match LABEL + widths.iter().sum::<usize>() + 2 * widths.len() <= WIDTH {
        true => 2,
        false => 1,
    };
    let mut text = String::new();
    for (label, cells) in &rows {
        let mut line: String = label.chars().take(LABEL).collect();
        line = format!("{line:<LABEL$}");
        for (cell, width) in cells.iter().zip(&widths) {
            let room = width + gap;
            line = format!("{line}{cell:>room$}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    for line in unfinished(workload, schemes) {
        wrap(&mut text, ("", 0), &line);
    }
    if let Some(same) = without_chance(schemes) {
        text.push_str(&format!("{same}\n"));
    } else if has_too_few_seeds(schemes) {
        text.push_str(&format!("{TOO_FEW_SEEDS}\n"));
    }
    text
}

/// Several, and not enough for an interval.
pub(super) fn has_too_few_seeds(schemes: &[SchemeRuns]) -> bool {
    let seeds = schemes.iter().map(|scheme| scheme.runs.len()).max();
    (2..SEEDS_OF_INTERVALS).contains(&seeds.unwrap_or(0))
}

/// Below the table: what all schemes ran on alike, what each ran on otherwise, and what it does.
pub fn compare_notes(schemes: &[SchemeRuns]) -> String {
    let mut text = String::new();
    let letters = schemes.iter().map(|it| it.name.chars().count() + 1).max();
    let room = letters.unwrap_or(0).max(NAME);
    let same = shared(schemes);
    if !same.is_empty() {
        wrap(&mut text, ("all", room), &same);
        text.push('\n');
    }
    let names = [""]
        .into_iter()
        .chain(schemes.iter().map(|it| it.name.as_str()));
    let lines = own(schemes);
    for (name, cells) in names.zip(&lines) {
        let mut line = format!("{name:<room$}");
        for (column, cell) in cells.iter().enumerate() {
            let widths = lines.iter().map(|line| line[column].chars().count());
            let width = widths.max().unwrap_or(0) + 2;
            line += &format!("{cell:<width$}");
        }
        text.push_str(&format!("{}\n", line.trim_end()));
    }
    if !lines.is_empty() {
        text.push('\n');
    }
    for scheme in schemes {
        wrap(&mut text, (&scheme.name, room), &scheme.note);
    }
    text
}

/// A paragraph behind a name that takes so many letters, its lines no longer than [`WIDTH`].
fn wrap(text: &mut String, (name, room): (&str, usize), words: &str) {
    let mut line = format!("{name:<room$}");
    for word in words.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&format!("{}\n", line.trim_end()));
            line = " ".repeat(room);
        }
        if line.len() > room {
            line.push(' ');
        }
        line.push_str(word);
    }
    text.push_str(&format!("{}\n", line.trim_end()));
}

fn cell(workload: &Workload, measure: &Measure, scheme: &SchemeRuns) -> String {
    let words = measure.words(workload, scheme);
    match measure.half_width(workload, scheme) {
        Some(half_width) => format!("{words} ±{half_width}"),
        None => words,
    }
}
