//! Texts name no folder of anybody's machine, and users read words of the field.

use crate::{files, hold};

#[test]
fn no_paths_of_a_machine() {
    let files = files::all();
    let complaints = files
        .iter()
        .flat_map(|file| machine_paths(&file.path, &file.text));
    hold(
        complaints.collect(),
        "name files from the root of the tree, temporary ones by what the system gives",
    );
}

/// Folders that differ from machine to machine; spelled so that this file holds none.
fn patterns() -> [String; 4] {
    ["work", "root", "home", "Users"].map(|folder| format!("/{folder}/"))
}

fn machine_paths(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (line, text) in text.lines().enumerate() {
        for pattern in patterns() {
            if text.match_indices(&pattern).any(|(at, _)| leads(text, at)) {
                found.push(format!("{path}:{}: a path below {pattern}", line + 1));
            }
        }
    }
    found
}

/// A path begins here: nothing of a longer path or address stands before it.
fn leads(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    !before.is_some_and(|c| c.is_alphanumeric() || "._-/~}".contains(c))
}

#[test]
fn a_path_of_a_machine_is_seen() {
    let [work, root, home, _] = patterns();
    for text in [
        format!("{root}x"),
        format!("see \"{work}a\""),
        format!("(file://a, {home}b)"),
    ] {
        assert_eq!(machine_paths("a", &text).len(), 1, "{text}");
    }
    for text in [
        format!("https://example.org{home}x"),
        format!("runs{work}x"),
        "a /x/".into(),
    ] {
        assert_eq!(machine_paths("a", &text), [""; 0], "{text}");
    }
}

/// Words that only this project would understand, and those of the field in their place. Held in
/// what users read: texts of the program, of pages and of documents.
const PRIVATE: &[(&str, &str)] = &[
    ("at the looks", "share of samples"),
    ("at a look", "the largest sample"),
    ("two looks", "two samples"),
    ("time reached", "full duration"),
    ("told of", "announced, credit-based"),
    ("is told that", "gets a message that"),
    ("by itself before", "expires before"),
    ("ends by itself", "finite, or expires"),
    ("lose nothing", "lossless, or drop no frame"),
    ("loses nothing", "lossless, or drops no frame"),
    ("stands once", "exactly one"),
    ("stand once", "exist once"),
    ("Payload is compared", "Rates count payload"),
    ("level curve", "flat curve"),
    ("most seen", "maximum, the largest sample"),
    ("of the way it goes", "for each direction"),
    ("want of credit", "lack of credit"),
    ("want of room", "lack of room"),
    ("no way leads", "no path leads"),
    ("shorter ways", "shorter paths"),
    ("of its way", "of its path"),
    ("on this way", "on this path"),
    ("ways depend", "paths depend"),
    ("way back of `", "reverse path of"),
    ("tells no rates", "signals no rates"),
];

#[test]
fn users_read_words_of_the_field() {
    let mut files = files::all();
    files.retain(|file| is_read_by_users(&file.path));
    assert!(files.len() > 500, "{}", files.len());
    let complaints = files
        .iter()
        .flat_map(|file| private_words(&file.path, &file.text));
    hold(
        complaints.collect(),
        "write what another engineer would write",
    );
}

/// Sources of the program, whose texts are printed and drawn, and documents for users.
fn is_read_by_users(path: &str) -> bool {
    let is_text = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
    let is_source = path.starts_with("crates/") && path.contains("/src/") && !path.contains("test");
    let is_shown = path.contains("/assets/") || path.contains("/python/python/");
    match path {
        "README.md" => true,
        // History keeps the words it had.
        _ if path.starts_with("docs/dev/changelog-") => false,
        _ if path.starts_with("docs/") => is_text(&[".md"]),
        _ if path.starts_with("scenarios/") => is_text(&[".toml"]),
        _ if path.starts_with("site/") => is_text(&[".md", ".py", ".html", ".js"]),
        _ => (is_source || is_shown) && is_text(&[".rs", ".toml", ".js", ".py", ".tsv", ".html"]),
    }
}

fn private_words(path: &str, text: &str) -> Vec<String> {
    let is_code = |line: &&str| {
        let line = line.trim_start();
        // Documentation of Rust is for developers, but of a key: that is in the reference.
        !line.starts_with("//") || path.contains("/given/")
    };
    let lines: Vec<&str> = text.lines().filter(is_code).collect();
    // A text may go on in the next line, in Rust behind a backslash.
    let words = lines.iter().flat_map(|line| line.split_whitespace());
    let whole = words.filter(|word| *word != "\\").collect::<Vec<_>>();
    let whole = whole.join(" ");
    let found = PRIVATE.iter().filter(|(word, _)| whole.contains(word));
    found
        .map(|(word, rather)| format!("{path}: \"{word}\": rather \"{rather}\""))
        .collect()
}

#[test]
fn a_private_word_is_seen() {
    let path = "crates/results/src/a.rs";
    for text in ["note(\"a level curve\")", "\"a level \\\n    curve\""] {
        assert_eq!(private_words(path, text).len(), 1, "{text}");
    }
    assert_eq!(private_words("docs/a.md", "It loses\nnothing.").len(), 1);
    assert_eq!(private_words(path, "// a level curve\nx"), [""; 0]);
    assert_eq!(private_words(path, "\"a flat curve\""), [""; 0]);
}

/// What is counted in texts, more than one of it.
const COUNTED: &[&str] = &[
    "flits",
    "cells",
    "units",
    "frames",
    "hosts",
    "flows",
    "switches",
    "classes",
    "seeds",
    "points",
    "runs",
    "transfers",
    "packets",
    "terminals",
    "routers",
    "ports",
    "circuits",
    "rows",
    "cycles",
    "links",
    "places",
    "queues",
    "channels",
    "nodes",
    "weights",
    "bytes",
    "VCs",
];

/// Numbers before such a word that stand there whether it is one or several: units behind a mean, a
/// power of two, a number that is never one. May only fall.
const COUNTED_LEFT: usize = 83;

/// `1 flit`, `2 flits`: `counted` of `backwater_kernel::words` knows the difference.
#[test]
fn one_of_a_thing_has_no_plural() {
    let mut files = files::ending(".rs");
    files.retain(|file| {
        let crates = ["cli", "results", "run", "scenario"];
        let is_of = |name: &&str| file.path.starts_with(&format!("crates/{name}/src/"));
        crates.iter().any(is_of) && !file.path.contains("test")
    });
    let found: Vec<String> = files
        .iter()
        .flat_map(|file| numbered_plurals(&file.path, &file.text))
        .collect();
    let complaint = (found.len() > COUNTED_LEFT).then(|| {
        let all = found.join("\n");
        format!("{} of them, {COUNTED_LEFT} may be left\n{all}", found.len())
    });
    hold(
        complaint.into_iter().collect(),
        "count with `counted` of backwater_kernel::words",
    );
}

/// Places of a format in which such a word follows a value.
fn numbered_plurals(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lines = (1..).zip(text.lines().take_while(|line| *line != "#[cfg(test)]"));
    for (number, line) in lines {
        let ends = line.match_indices("} ").map(|(at, _)| &line[at + 2..]);
        let words = ends.map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
        let mut plurals = words.flatten().filter(|word| COUNTED.contains(word));
        if let Some(word) = plurals
            .next()
            .filter(|_| !line.trim_start().starts_with("//"))
        {
            found.push(format!("{path}:{number}: {word}"));
        }
    }
    found
}

#[test]
fn a_plural_behind_a_number_is_seen() {
    assert_eq!(numbered_plurals("a", "format!(\"for {n} flows\")").len(), 1);
    assert_eq!(
        numbered_plurals("a", "format!(\"for {}\", x)\n// {n} flows"),
        [""; 0]
    );
    assert_eq!(
        numbered_plurals("a", "format!(\"{a} flowsy {} -> cells\")"),
        [""; 0]
    );
}
