//! Texts name no folder of anybody's machine.

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
