//! Help never leads into the next error: each value that a message proposes is written into the
//! file, and what is then wrong there, if anything, is something else.

use std::fs;
use std::ops::Range;
use std::path::Path;

use backwater_scenario::{Diagnostic, Diagnostics, Severity, Source};

use super::diagnostics::{mistakes_of, wrong_files};

/// What stands in backticks.
fn spans(help: &str) -> impl Iterator<Item = &str> {
    help.split('`').skip(1).step_by(2)
}

/// A file with a proposal written into it, and where that stands.
struct Try {
    text: String,
    place: Range<usize>,
    what: String,
}

impl Try {
    fn new(text: &str, place: Range<usize>, put: &str, help: &str) -> Self {
        let text = format!("{}{put}{}", &text[..place.start], &text[place.end..]);
        Self {
            text,
            place: place.start..place.start + put.len(),
            what: format!("`{put}` of: {help}"),
        }
    }
}

/// Help that tells, or that speaks of another table, of all of a file or of more than one key.
const ELSEWHERE: [&str; 16] = [
    "in our words",
    "is not here",
    "`[[",
    "belongs",
    "explain",
    "..",
    "is for `engine",
    "` with `",
    "write it in `",
    "give it",
    "give both",
    "give the flow",
    "let the flow",
    "flow of its own",
    "add `transport",
    "give bytes of payload",
];

/// All that the help of this mistake proposes, each in a file of its own.
fn proposals(text: &str, mistake: &Diagnostic) -> Vec<Try> {
    let Some((at, _)) = mistake.labels.first().filter(|(at, _)| at.source == 0) else {
        return Vec::new();
    };
    let (start, end) = (at.start.min(text.len()), at.end.min(text.len()));
    let label = &text[start..end];
    let mut tries = Vec::new();
    for help in &mistake.help {
        if mistake.code == "syntax" || ELSEWHERE.iter().any(|words| help.contains(words)) {
            continue;
        }
        let mut put = |range, value: &str| tries.push(Try::new(text, range, value, help));
        if let Some(meant) = help.strip_prefix("did you mean `") {
            let meant = meant.trim_end_matches("`?");
            let value = match (label.strip_prefix('"'), mistake.code) {
                (Some(_), "bad-quantity") => {
                    let number = label.trim_matches('"');
                    let unit = number.find(|c: char| !"+.0123456789_ ".contains(c));
                    format!("\"{} {meant}\"", number[..unit.unwrap_or(0)].trim())
                }
                (Some(_), _) => format!("\"{meant}\""),
                (None, _) => meant.to_owned(),
            };
            put(start..end, &value);
            continue;
        }
        if let Some(meant) = help.strip_prefix("write this one as `") {
            put(start..end, meant.trim_end_matches('`'));
            continue;
        }
        for span in spans(help) {
            if let Some((key, value)) = span.split_once(" = ") {
                if key.contains('.') || value.parse::<toml::Value>().is_err() {
                    continue;
                }
                let place = match mistake.message.ends_with(" in the file") {
                    true => None,
                    false => Some(start..end),
                };
                let is_beside = mistake.code != "missing-key";
                let key_at = set(text, place, is_beside, key, help);
                if let Some((range, is_new)) = key_at {
                    match is_new {
                        Some(ending) => put(range, &format!("{key} = {value}{ending}")),
                        None => put(range, value),
                    }
                }
            } else if span.starts_with(|c: char| c.is_ascii_digit())
                && mistake.code == "bad-quantity"
                && span != label.trim_matches('"')
            {
                put(start..end, &format!("\"{span}\""));
            }
        }
    }
    tries
}

/// Where the value of a key stands that is in the same table as a label, or where the key is to be
/// written, with what ends it; without a label that is at the top. What is beside a table in braces
/// is not in it.
fn set(
    text: &str,
    label: Option<Range<usize>>,
    is_beside: bool,
    key: &str,
    help: &str,
) -> Option<(Range<usize>, Option<&'static str>)> {
    let Some(label) = label else {
        let end = text.find("\n[").map_or(text.len(), |at| at + 1);
        return Some(match value_in(&text[..end], key, '\n') {
            Some(range) => (range, None),
            None => (0..0, Some("\n")),
        });
    };
    let line_start = text[..label.start].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line_start..label.start];
    let named = spans(help).find(|span| span.starts_with('['));
    let own = (text[label.clone()].starts_with('{')).then_some(label.start);
    let outer = inner_brace(before).map(|at| line_start + at);
    for (open, may_add) in [(own, !is_beside), (outer, true)] {
        let Some(open) = open.filter(|_| named.is_none()) else {
            continue;
        };
        let close = open + closing(&text[open..])?;
        match value_in(&text[open + 1..close], key, ',') {
            Some(range) => return Some((open + 1 + range.start..open + 1 + range.end, None)),
            None if may_add => return Some((open + 1..open + 1, Some(","))),
            None => {}
        }
    }
    let header = match named {
        Some(table) => text.find(&format!("\n{table}\n"))? + 1,
        None => {
            let line_end = text[label.start..].find('\n');
            let line_end = line_end.map_or(text.len(), |at| label.start + at);
            text[..line_end].rfind("\n[").map_or(0, |at| at + 1)
        }
    };
    let is_table = text[header..].starts_with('[');
    let body = match is_table {
        true => header + text[header..].find('\n')? + 1,
        false => 0,
    };
    let end = text[body..]
        .find("\n[")
        .map_or(text.len(), |at| body + at + 1);
    let own = value_in(&text[body..end], key, '\n');
    Some(match own {
        Some(range) => (body + range.start..body + range.end, None),
        None => (body..body, Some("\n")),
    })
}

/// The last brace that is open at the end of a line's beginning.
fn inner_brace(before: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (at, letter) in before.char_indices() {
        match letter {
            '{' => open.push(at),
            '}' => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

/// Where the first brace of a text is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, letter)| {
        depth += match letter {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    })
}

/// The value of this key among entries that something ends.
fn value_in(entries: &str, key: &str, end: char) -> Option<Range<usize>> {
    let mut from = 0;
    entries.split(end).find_map(|entry| {
        let start = from;
        from += entry.len() + end.len_utf8();
        let (name, value) = entry.split_once('=')?;
        let place = start + name.len() + 1;
        let space = value.len() - value.trim_start().len();
        let value = value.split(" #").next().unwrap_or(value).trim();
        (name.trim() == key).then(|| place + space..place + space + value.len())
    })
}

/// Mistakes in a value itself; others are of what it means beside the rest of the file.
const OF_VALUES: [&str; 8] = [
    "bad-quantity",
    "out-of-range",
    "wrong-type",
    "unknown-word",
    "unknown-key",
    "unknown-node",
    "no-meaning",
    "bad-name",
];

/// What is wrong with a proposal: it is refused, or the mistake is still there.
fn fault(tried: &Try, before: &Diagnostic, found: &Diagnostics, folder: &Path) -> Option<String> {
    let after = mistakes_of(&Source::new("scenario.toml", &*tried.text), folder);
    let errors = || after.iter().filter(|it| it.severity == Severity::Error);
    let on_it = errors()
        .filter(|it| OF_VALUES.contains(&it.code))
        .find(|it| {
            let first = it.labels.first().filter(|(at, _)| at.source == 0);
            first
                .is_some_and(|(at, _)| tried.place.contains(&at.start) && at.end <= tried.place.end)
        });
    let told = |it: &Diagnostic| {
        let label = it.labels.first().map(|label| label.1.clone());
        (it.code, it.message.clone(), label)
    };
    let count = |all: &Diagnostics| all.iter().filter(|it| told(it) == told(before)).count();
    let is_still_there = count(&after) >= count(found);
    let again = errors().find(|it| is_still_there && told(it) == told(before));
    let wrong = on_it.or(again)?;
    Some(format!("{}\n    leads to: {}", tried.what, wrong.message))
}

fn faults(text: &str, found: &Diagnostics, folder: &Path, tried: &mut u32) -> Vec<String> {
    let errors = found.iter().filter(|it| it.severity == Severity::Error);
    let mut wrong = Vec::new();
    for mistake in errors {
        for one in proposals(text, mistake) {
            *tried += 1;
            let fault = fault(&one, mistake, found, folder);
            wrong.extend(fault.map(|fault| format!("{}: {fault}", mistake.message)));
        }
    }
    wrong
}

#[test]
fn what_help_proposes_for_the_wrong_files_is_accepted() {
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for file in wrong_files() {
        let text = fs::read_to_string(&file).expect("UTF-8");
        let folder = file.parent().expect("a subject");
        let found = mistakes_of(&Source::new("scenario.toml", &*text), folder);
        let name = file
            .strip_prefix(folder)
            .expect("below")
            .display()
            .to_string();
        let own = faults(&text, &found, folder, &mut tried).into_iter();
        wrong.extend(own.map(|fault| format!("{name}: {fault}")));
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried > 100, "only {tried} proposals");
}

/// Commands that help names are there.
#[test]
fn what_help_says_to_explain_is_explained() {
    let mut seen = 0;
    for file in wrong_files() {
        let text = fs::read_to_string(&file).expect("UTF-8");
        let folder = file.parent().expect("a subject");
        let found = mistakes_of(&Source::new("scenario.toml", text), folder);
        for help in found.iter().flat_map(|mistake| &mistake.help) {
            for name in spans(help).filter_map(|span| span.strip_prefix("backwater explain ")) {
                assert!(
                    backwater_scenario::explain(name).is_ok(),
                    "{name} of {help}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 2, "only {seen}");
}

/// A bare number of bytes is one, also where the usual value is a share.
#[test]
fn thresholds_without_a_unit_are_bytes() {
    let text = "engine = \"ethernet\"\n[flow_control]\nkind = \"pfc\"\nxoff = 50000\nxon = 64\n";
    let found = mistakes_of(&Source::new("scenario.toml", text), Path::new("."));
    let help: Vec<&String> = found.iter().flat_map(|mistake| &mistake.help).collect();
    for wanted in ["`xoff = \"50000 B\"`", "`xon = \"64 %\"`"] {
        assert!(help.iter().any(|help| help.contains(wanted)), "{help:?}");
    }
}

/// Slips that people make in a file that is right: a unit left out or of another tool, a letter
/// left out of a key or a word, a key left out, a value in quotes or in a list.
fn slips(text: &str) -> Vec<String> {
    const UNITS: [&str; 7] = ["GB/s", "Mb", "KB", "usec", "hours", "percent", "MBPS"];
    let mut all = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (from, from + line.len());
        from = end;
        let mut put = |range: Range<usize>, with: &str| {
            all.push(format!(
                "{}{with}{}",
                &text[..range.start],
                &text[range.end..]
            ));
        };
        let Some((key, value)) = line.split_once(" = ") else {
            continue;
        };
        put(start..end, "");
        if key.len() > 3 {
            put(start + 2..start + 3, "");
        }
        let at = start + key.len() + 3;
        let quoted = value.trim_end();
        let Some(inner) = quoted
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
        else {
            let in_quotes = format!("\"{quoted}\"");
            if quoted.parse::<f64>().is_ok() || quoted.parse::<bool>().is_ok() {
                for form in [in_quotes, format!("[{quoted}]"), format!("{quoted}.0")] {
                    put(at..at + quoted.len(), &form);
                }
            }
            continue;
        };
        let value_at = at..at + quoted.len();
        put(value_at.clone(), &format!("[{quoted}]"));
        match inner.split_once(' ') {
            Some((number, _)) if number.parse::<f64>().is_ok() => {
                put(value_at.clone(), number);
                put(value_at.clone(), "0.001");
                put(value_at.clone(), "100000");
                for unit in UNITS {
                    put(value_at.clone(), &format!("\"{number} {unit}\""));
                }
            }
            _ if inner.len() > 3 => put(value_at, &format!("\"{}{}\"", &inner[..1], &inner[2..])),
            _ => {}
        }
    }
    all
}

#[test]
fn what_help_proposes_after_a_slip_is_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for name in [
        "abr.toml",
        "ethernet.toml",
        "everything.toml",
        "flit.toml",
        "service.toml",
    ] {
        let text = fs::read_to_string(folder.join(name)).expect("UTF-8");
        for slip in slips(&text) {
            let found = mistakes_of(&Source::new("scenario.toml", &*slip), &folder);
            let own = faults(&slip, &found, &folder, &mut tried).into_iter();
            wrong.extend(own.map(|fault| format!("{name}: {fault}")));
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried > 500, "only {tried} proposals");
}
