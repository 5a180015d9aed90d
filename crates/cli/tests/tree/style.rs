//! Sizes, and words that code must not hold.

use crate::{code, files, hold};

const MOST_LINES: usize = 499;
const MOST_COLUMNS: usize = 100;
const MOST_FUNCTION_LINES: usize = 69;
/// Files that lend memory to another language.
const LENDS: [&str; 2] = ["crates/python/src/column.rs", "crates/python/src/lend.rs"];

fn complaints_of_all(rule: impl Fn(&str, &str) -> Vec<String>) -> Vec<String> {
    let files = files::ending(".rs");
    files
        .iter()
        .flat_map(|file| rule(&file.path, &file.text))
        .collect()
}

#[test]
fn files_are_short() {
    hold(
        complaints_of_all(too_long),
        "split the file: a folder of its name, a file for each part",
    );
}

#[test]
fn lines_are_narrow() {
    hold(
        complaints_of_all(too_wide),
        "`cargo fmt`, and break strings and comments by hand",
    );
}

#[test]
fn functions_are_short() {
    hold(
        complaints_of_all(too_long_functions),
        "give each step of the function a name and a function of its own",
    );
}

#[test]
fn no_unsafe_code() {
    let rule = |path: &str, text: &str| match LENDS.contains(&path) {
        true => without_reason(path, text),
        false => word(path, text, "unsafe"),
    };
    hold(
        complaints_of_all(rule),
        "find a safe way, or a well-kept crate that has one; where memory is lent to another \
         language, say above each `unsafe` why it is sound: `// SAFETY: ..`, `/// # Safety`",
    );
}

#[test]
fn nothing_is_left_to_do() {
    let rule = |path: &str, text: &str| {
        let mut found = word(path, text, "todo");
        found.extend(word(path, text, "unimplemented"));
        found
    };
    hold(
        complaints_of_all(rule),
        "finish it, or return an error that says what is not supported",
    );
}

#[test]
fn tests_of_a_crate_are_one_program() {
    hold(
        complaints_of_all(|path, _| program_of_tests(path)),
        "move the file to `tests/suite/` and name it in `main.rs` there: each program of tests \
         compiles the engines anew",
    );
}

#[test]
fn no_test_is_ignored() {
    hold(
        complaints_of_all(|path, text| phrase(path, text, "#[ignore")),
        "make the test fast and sound enough to run always, or remove it",
    );
}

#[test]
fn the_engine_hashes_nothing() {
    let rule = |path: &str, text: &str| {
        if !path.starts_with("crates/kernel/") && !path.starts_with("crates/net/") {
            return Vec::new();
        }
        let mut found = word(path, text, "HashMap");
        found.extend(word(path, text, "HashSet"));
        found
    };
    hold(
        complaints_of_all(rule),
        "take an index, a Vec or a BTreeMap: the order of a hash map is not the scenario's",
    );
}

fn too_long(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    let wrong =
        (lines > MOST_LINES).then(|| format!("{path}: {lines} lines, {MOST_LINES} at most"));
    wrong.into_iter().collect()
}

/// Those of the command are apart: what they run is another program anyway.
fn program_of_tests(path: &str) -> Vec<String> {
    let Some((member, file)) = path.split_once("/tests/") else {
        return Vec::new();
    };
    let is_program = !file.contains('/') || file.ends_with("/main.rs");
    let is_allowed = file == "suite/main.rs" || member == "crates/cli" || member.contains("/src");
    match is_program && !is_allowed {
        true => vec![format!("{path}: a second program of tests")],
        false => Vec::new(),
    }
}

fn too_wide(path: &str, text: &str) -> Vec<String> {
    let wide = |(line, text): (usize, &str)| {
        let columns = text.chars().count();
        let at = line + 1;
        (columns > MOST_COLUMNS).then(|| format!("{path}:{at}: {columns} columns"))
    };
    text.lines().enumerate().filter_map(wide).collect()
}

fn too_long_functions(path: &str, text: &str) -> Vec<String> {
    let functions = code::functions(&code::blanked(text));
    let long = functions
        .iter()
        .filter(|function| function.lines > MOST_FUNCTION_LINES);
    let say = |f: &code::Function| format!("{path}:{}: `{}`: {} lines", f.line, f.name, f.lines);
    long.map(say).collect()
}

fn word(path: &str, text: &str, wanted: &str) -> Vec<String> {
    let code = code::blanked(text);
    let found = code::words(&code)
        .into_iter()
        .filter(|(_, word)| *word == wanted);
    found
        .map(|(line, _)| format!("{path}:{line}: `{wanted}`"))
        .collect()
}

/// Every `unsafe` that begins a block or an implementation has a line `SAFETY` above it; functions
/// have `# Safety`.
fn without_reason(path: &str, text: &str) -> Vec<String> {
    let code = code::blanked(text);
    let above: Vec<&str> = text.lines().collect();
    let has_reason = |line: usize| {
        let comments = above[..line].iter().rev();
        let mut comments = comments.take_while(|line| line.trim_start().starts_with("//"));
        comments.any(|line| line.contains("SAFETY:") || line.contains("# Safety"))
    };
    // A pointer to a function promises nothing itself.
    let promises = |line: usize| !above[line].contains("Option<unsafe extern");
    let lines = code::words(&code)
        .into_iter()
        .filter(|(_, word)| *word == "unsafe");
    lines
        .filter(|(line, _)| promises(line - 1) && !has_reason(line - 1))
        .map(|(line, _)| format!("{path}:{line}: `unsafe` without a reason"))
        .collect()
}

fn phrase(path: &str, text: &str, wanted: &str) -> Vec<String> {
    let code = code::blanked(text);
    let found = code
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains(wanted));
    found
        .map(|(line, _)| format!("{path}:{}: `{wanted}`", line + 1))
        .collect()
}

#[test]
fn every_rule_can_complain() {
    assert_eq!(too_long("a", &"\n".repeat(500)).len(), 1);
    assert_eq!(too_long("a", &"\n".repeat(499)).len(), 0);
    assert_eq!(too_wide("a", &"é".repeat(100)).len(), 0);
    assert_eq!(too_wide("a", &"é".repeat(101)), ["a:1: 101 columns"]);
    let function = |lines: usize| format!("fn f() {{{}}}\n", "\n".repeat(lines - 1));
    assert_eq!(too_long_functions("a", &function(69)).len(), 0);
    assert_eq!(
        too_long_functions("a", &function(70)),
        ["a:1: `f`: 70 lines"]
    );
    assert_eq!(word("a", "x\nunsafe {}", "unsafe"), ["a:2: `unsafe`"]);
    assert_eq!(
        word("a", "// unsafe\n\"unsafe\" unsafe_code", "unsafe").len(),
        0
    );
    assert_eq!(
        without_reason("a", "x\nunsafe { y }"),
        ["a:2: `unsafe` without a reason"]
    );
    let reasoned = "// SAFETY: y is there.\nunsafe { y }\n/// # Safety\n/// None.\nunsafe fn f()";
    assert_eq!(without_reason("a", reasoned), [""; 0]);
    assert_eq!(phrase("a", "#[ignore = \"slow\"]", "#[ignore").len(), 1);
    assert_eq!(phrase("a", "// #[ignore]", "#[ignore").len(), 0);
    assert_eq!(program_of_tests("crates/net/tests/abr.rs").len(), 1);
    assert_eq!(program_of_tests("crates/net/tests/abr/main.rs").len(), 1);
    assert_eq!(program_of_tests("crates/net/tests/suite/abr.rs").len(), 0);
    assert_eq!(
        program_of_tests("crates/net/src/abr/tests/laws.rs").len(),
        0
    );
}
