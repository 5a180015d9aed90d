//! What experiments find in short runs, line by line, against files in `tests/values`: a change in
//! what measures shows here, where bounds are too wide to see it.
//!
//! `UPDATE_VALUES=1 cargo test -p backwater-papers --test suite measures` writes the files. Values
//! move with results of engines only, which CHANGELOG then says, or where an experiment changes.

use std::fs;
use std::path::Path;

use backwater_papers::{Evidence, Experiment, Measured};
use backwater_results::Block;

/// The lines of an experiment.
pub fn lines(experiment: &Experiment, evidence: &Evidence) -> Vec<String> {
    let mut lines = vec![format!("# {}", experiment.title)];
    for finding in &evidence.findings {
        let of = |one: &Measured| {
            let ends = one.interval.map(|own| format!(" within {}", shown(&own)));
            let ends = ends.unwrap_or_default();
            format!("{} {} = {:.8e}{ends}", finding.claim, one.name, one.value)
        };
        lines.extend(finding.measured.iter().map(of));
    }
    lines.extend(evidence.blocks.iter().filter_map(|block| {
        let name = match block {
            Block::Plot(plot) => &plot.id,
            Block::Table(table) => &table.name,
            _ => return None,
        };
        Some(format!("{name} {:016x}", digest(&shown(block))))
    }));
    lines
}

/// Holds the lines of a paper against its file.
pub fn hold(paper: &str, lines: &[String]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/values");
    let path = folder.join(format!("{paper}.txt"));
    let found = lines.join("\n") + "\n";
    if std::env::var_os("UPDATE_VALUES").is_some() {
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(&path, found).expect("it can be written");
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let kept: Vec<&str> = kept.lines().collect();
    let moved = lines.iter().filter(|line| !kept.contains(&line.as_str()));
    let moved: Vec<&String> = moved.take(20).collect();
    assert!(
        moved.is_empty() && kept.len() == lines.len(),
        "{paper}: {} lines, {} in tests/values/{paper}.txt; new: {moved:#?}\nif results are meant \
         to change: UPDATE_VALUES=1",
        lines.len(),
        kept.len()
    );
}

/// As Rust shows it, each number that is not whole with six digits: the last ones depend on the
/// system's logarithm.
fn shown(what: &impl std::fmt::Debug) -> String {
    let text = format!("{what:?}");
    let is_of_number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_of_number(c)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end.max(first.len_utf8()));
        match token.parse::<f64>() {
            Ok(value) if token.contains(['.', 'e']) => out += &format!("{value:.5e}"),
            _ => out += token,
        }
        rest = after;
    }
    out
}

/// FNV-1a, 64 bits.
fn digest(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn the_sixth_digit_counts_and_the_ninth_does_not() {
    let of = |value: f64| shown(&("fig.5", vec![value, 3.0], 17));
    assert_eq!(of(1.25), "(\"fig.5\", [1.25000e0, 3.00000e0], 17)");
    assert_eq!(of(1.25), of(1.250_000_001));
    assert_ne!(of(1.25), of(1.250_1));
    assert_ne!(digest(&of(1.25)), digest(&of(1.250_1)));
    assert_eq!(digest("a"), 0xaf63_dc4c_8601_ec8c);
}
