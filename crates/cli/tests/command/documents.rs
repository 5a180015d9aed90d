//! The commands that README and the documents show: they end as told and print what is shown.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::num::NonZero;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, thread};

use crate::support::{Ran, command, finish, folder};

mod blocks;

use blocks::{Part, Told};

/// The release program, which runs all commands; without it those that take long are parsed only.
const PROGRAM: &str = "BINARY";
/// These, and why. Their files must be there.
const SLOW: &[(&str, &str)] = &[
    ("backwater reproduce", "a paper takes up to minutes"),
    ("backwater bench", "measures for minutes"),
    ("backwater sweep", "hundreds of runs"),
    ("backwater saturate", "dozens of runs"),
    ("backwater merge", "what sweeps have computed"),
];
/// Programs that are not ours; what they do is not tested here.
const OTHERS: &[&str] = &[
    "booksim",
    "export",
    "htsim_roce",
    "make",
    "cargo",
    "git",
    "cd",
    "python3",
    "tshark",
    "apt-get",
    "sudo",
    "man",
];

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::canonicalize(root).expect("the tree has a root")
}

/// Pages that are printed from tables or runs.
const GENERATED: [&str; 5] = [
    "docs/errors.md",
    "docs/glossary.md",
    "docs/papers/",
    "docs/reference.md",
    "docs/reference/",
];

/// README and the documents below `docs/`, but for those that are generated.
fn documents() -> Vec<(String, String)> {
    let mut found = vec!["README.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(root().join(&below)).expect("documents") {
            let entry = entry.expect("a file");
            let path = format!("{below}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") && !GENERATED.iter().any(|own| path.starts_with(own)) {
                found.push(path);
            }
        }
    }
    found.sort();
    let text = |path: String| {
        let text = fs::read_to_string(root().join(&path)).expect("a document");
        (path, text)
    };
    found.into_iter().map(text).collect()
}

/// A folder with the shipped scenarios and the program in reach.
fn workplace(document: &str) -> PathBuf {
    let here = folder(&format!("document-{}", document.replace('/', "-")));
    symlink(root().join("scenarios"), here.join("scenarios")).expect("a link");
    fs::create_dir(here.join("bin")).expect("a folder");
    let program = env::var_os(PROGRAM).unwrap_or_else(|| env!("CARGO_BIN_EXE_backwater").into());
    symlink(root().join(program), here.join("bin/backwater")).expect("a link");
    here
}

/// The command as a shell takes it, both outputs together.
fn run(here: &Path, typed: &str) -> Ran {
    let mut path = OsString::from(here.join("bin"));
    path.push(":/usr/bin:/bin");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{{ {typed}\n}} 2>&1"));
    finish(shell.current_dir(here).env("PATH", path))
}

fn without_folder(told: &str) -> String {
    told.replace("target/release/backwater", "backwater")
}

/// Its words are understood, as far as that can be seen without running it.
fn parses(here: &Path, typed: &str) -> Result<(), String> {
    let typed = without_folder(typed);
    let first = typed.split([';', '|', '>']).next().unwrap_or(&typed);
    let first = first.split("&&").next().unwrap_or(first);
    let ran = run(here, &format!("{first} --help"));
    match ran.status {
        0 => Ok(()),
        _ => Err(ran.out),
    }
}

/// Scenarios that the words name and that are not there.
fn missing(here: &Path, typed: &str) -> Vec<String> {
    let words = typed
        .split_whitespace()
        .filter(|word| word.ends_with(".toml"));
    let missing = words.filter(|word| !here.join(word).is_file());
    missing.map(String::from).collect()
}

/// A word such as FILE stands for something else.
fn stands_in(typed: &str) -> bool {
    let is_upper = |word: &str| word.chars().all(|c| c.is_ascii_uppercase());
    let words = typed.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .into_iter()
        .any(|word| word == "N" || (word.len() > 1 && is_upper(word)))
}

fn is_slow(typed: &str) -> bool {
    env::var_os(PROGRAM).is_none() && SLOW.iter().any(|(start, _)| typed.starts_with(start))
}

/// What is wrong with a command of a document.
fn complaint(here: &Path, told: &Told) -> Option<String> {
    let typed = without_folder(&told.command);
    if !blocks::is_ours(&typed) {
        let program = typed.split_whitespace().next().unwrap_or_default();
        let is_known = OTHERS.contains(&program);
        return (!is_known).then(|| format!("`{program}` is not on the list of other programs"));
    }
    if stands_in(&typed) {
        return None;
    }
    if is_slow(&typed) {
        let missing = missing(here, &typed);
        if !missing.is_empty() {
            return Some(format!("there is no {}", missing.join(", ")));
        }
        return parses(here, &typed).err();
    }
    let ran = run(here, &typed);
    if ran.status != told.status {
        return Some(format!("ended with {}:\n{}", ran.status, ran.out));
    }
    let found: Vec<&str> = ran.out.lines().map(str::trim_end).collect();
    let wanted = told.output.as_ref()?;
    (!blocks::is_like(wanted, &found)).then(|| format!("prints\n{}", ran.out))
}

/// All that is wrong with the commands of a document, in their order.
fn complaints(name: &str, text: &str) -> Vec<String> {
    let here = workplace(name);
    let mut complaints = Vec::new();
    for part in blocks::parts(text) {
        match part {
            Part::File(file, text) => fs::write(here.join(file), text).expect("a file"),
            Part::Command(told) => complaints.extend(
                complaint(&here, &told)
                    .map(|what| format!("{name}:{}: `{}`: {what}", told.line, told.command)),
            ),
            Part::Unmarked(line) => complaints.push(format!(
                "{name}:{line}: a command in a block that is neither ```sh nor ```console"
            )),
        }
    }
    for (line, typed) in blocks::inline(text) {
        if stands_in(&typed) {
            continue;
        }
        if let Err(what) = parses(&here, &typed) {
            complaints.push(format!("{name}:{line}: `{typed}`: {what}"));
        }
    }
    complaints
}

#[test]
fn commands_of_documents_do_what_is_told() {
    let documents = documents();
    let next = AtomicUsize::new(0);
    // Documents share nothing, and most of their commands take one thread.
    let some = || {
        let taken = iter::from_fn(|| documents.get(next.fetch_add(1, Ordering::Relaxed)));
        taken
            .flat_map(|(name, text)| complaints(name, text))
            .collect::<Vec<String>>()
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut found = thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        let all = all.into_iter().map(|one| one.join().expect("it ends"));
        all.flatten().collect::<Vec<String>>()
    });
    found.sort();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

#[test]
fn wrong_commands_are_found_out() {
    let bad = |text: &str| complaints("bad", text).join("\n");
    assert!(bad("```sh\nbackwater run nosuch.toml\n```").contains("ended with 2"));
    assert!(bad("```sh\nbackwater sweep nosuch.toml\n```").contains("there is no nosuch.toml"));
    assert!(bad("```sh\nbackwater bench --nosuch\n```").contains("--nosuch"));
    assert!(bad("```sh\nnosuch x\n```").contains("list of other programs"));
    assert!(bad("```console\n$ backwater --version\nbackwater 0\n```").contains("prints"));
    assert!(bad("```\nbackwater --version\n```").contains("neither"));
    assert!(bad("See `backwater nosuch`.").contains("nosuch"));
    let good = "```console\n$ backwater run nosuch.toml   # exits with 2\n\
        error: can't read ...\n...\n```\n\
        ```sh\nbackwater example fig17-two-switches > a.toml && backwater check a.toml\n\
        backwater check a.toml\n```\n`backwater run FILE`, `backwater reproduce --all`\n";
    assert_eq!(bad(good), "");
}

#[test]
fn what_takes_long_is_a_command() {
    let here = folder("slow-commands");
    for (start, why) in SLOW {
        let word = start.split_whitespace().nth(1).expect("a subcommand");
        finish(command(&here).args([word, "--help"])).expect(0);
        assert!(!why.is_empty());
    }
}
