//! The recipes of CONTRIBUTING.md: a copy of the tree with all their changes compiles, passes the
//! tests they bring, and keeps the rules of the tree.

mod page;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use page::{Change, Page, Way};

/// What a copy needs to be compiled.
const TREE: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "Makefile",
    "crates",
    "docs",
    "scenarios",
    "claims",
    "fuzz/targets.rs",
];

/// Lines of a mechanism,
const MOST_LINES: usize = 250;
/// of which so many may stand outside its own file.
const MOST_OUTSIDE: usize = 60;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::canonicalize(root).expect("the tree has a root")
}

fn page() -> Page {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    Page::read(&text)
}

/// Every changed file, with its new text.
fn changed(page: &Page) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for change in &page.changes {
        let known = files.iter().position(|(path, _)| *path == change.file);
        let at = known.unwrap_or_else(|| {
            let there = fs::read_to_string(root().join(&change.file));
            let text = match (&change.way, there) {
                (Way::New, Err(_)) => String::new(),
                (Way::New, Ok(_)) => panic!("{}: it is there already", change.file),
                (_, Ok(text)) => text,
                (_, Err(why)) => panic!("{}: {why}", change.file),
            };
            files.push((change.file.clone(), text));
            files.len() - 1
        });
        files[at].1 = change.applied_to(&files[at].1);
    }
    files
}

/// Copies what has changed, so that nothing else is compiled again.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
        return;
    }
    write(to, &fs::read(from).expect("a file"));
}

fn write(to: &Path, bytes: &[u8]) {
    if fs::read(to).is_ok_and(|there| there == bytes) {
        return;
    }
    fs::write(to, bytes).expect("a file");
}

/// Files of an older tree or page that are not there any more.
fn sweep(folder: &Path, keep: &dyn Fn(&Path) -> bool) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sweep(&path, keep);
        } else if !keep(&path) {
            fs::remove_file(&path).expect("a file");
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes")
}

/// Makes a copy of the tree with all changes.
fn make(page: &Page) -> PathBuf {
    let files = changed(page);
    let tree = folder().join("tree");
    for name in TREE {
        let (from, to) = (root().join(name), tree.join(name));
        let above = to.parent().expect("below the copy");
        fs::create_dir_all(above).expect("a folder");
        match *name {
            "crates" => {
                // The files of the recipes are written once, with their changes.
                for entry in fs::read_dir(&from).expect("crates") {
                    let name = entry.expect("an entry").file_name();
                    copy_but(&from.join(&name), &to.join(&name), &files);
                }
            }
            _ => copy(&from, &to),
        }
    }
    for (path, text) in &files {
        write(&tree.join(path), text.as_bytes());
    }
    let is_known = |path: &Path| {
        let below = path.strip_prefix(&tree).expect("in the copy");
        let is_new = |(file, _): &(String, String)| Path::new(file) == below;
        root().join(below).exists() || files.iter().any(is_new)
    };
    sweep(&tree, &is_known);
    tree
}

fn ran(command: &mut Command) -> (bool, String) {
    let out = command.output().expect("cargo runs");
    let said = [out.stdout, out.stderr].concat();
    (
        out.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

/// Holds the rules of the tree against the copy: those on its text.
fn held(tree: &Path) -> (bool, String) {
    ran(Command::new(env!("CARGO"))
        .args(["test", "--offline", "-p", "backwater", "--test", "tree"])
        .args(["--", "--skip", "scenarios::", "--skip", "claims::"])
        .env("BACKWATER_TREE", tree)
        .current_dir(root()))
}

/// Runs the tests of the page in the copy; what cargo said.
fn tested(page: &Page, tree: &Path) -> (bool, String) {
    ran(Command::new(env!("CARGO"))
        .args(["test", "--offline"])
        // Compiled once, run for a second.
        .args(["--config", "profile.dev.opt-level=0"])
        .args(["--config", "profile.dev.debug=false"])
        .args(["--config", "profile.dev.package.\"*\".opt-level=0"])
        .args([
            "--config",
            "profile.dev.package.backwater-oracle.opt-level=0",
        ])
        .arg("--target-dir")
        .arg(folder().join("target"))
        .args(["-p", "backwater-ends", "-p", "backwater-net"])
        .args(["-p", "backwater-oracle", "-p", "backwater-scenario"])
        .args(["--lib", "--no-fail-fast"])
        .args(page.test_targets().iter().flat_map(|name| ["--test", name]))
        .arg("--")
        .args(&page.tests)
        .current_dir(tree))
}

fn copy_but(from: &Path, to: &Path, files: &[(String, String)]) {
    let root = root();
    let is_changed = |path: &Path| {
        let below = path.strip_prefix(&root).expect("in the tree");
        files.iter().any(|(file, _)| Path::new(file) == below)
    };
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            copy_but(&from.join(&name), &to.join(&name), files);
        }
    } else if !is_changed(from) {
        copy(from, to);
    }
}

#[test]
fn every_change_finds_its_place() {
    let files = changed(&page());
    assert!(files.len() > 10, "only {} files", files.len());
}

#[test]
fn files_are_there_and_counted() {
    let page = page();
    for file in &page.named {
        let is_new = page
            .changes
            .iter()
            .any(|one| one.file == *file && one.way == Way::New);
        assert!(is_new || root().join(file).exists(), "{file} is not there");
    }
    for recipe in &page.recipes {
        let (said, counted) = (recipe.said, recipe.listed.len());
        assert_eq!(said, counted, "{}: files said, files listed", recipe.name);
        if !recipe.touched.is_empty() {
            assert_eq!(recipe.listed, recipe.touched, "{}: files", recipe.name);
        }
    }
    let names: Vec<&str> = page.recipes.iter().map(|recipe| &recipe.name[..]).collect();
    assert_eq!(names.len(), 8, "{names:?}");
}

/// A mechanism is a file of its own, and a line or two where it is picked.
#[test]
fn what_a_recipe_takes_is_little() {
    for recipe in page().recipes {
        let (name, [own, outside, tests]) = (&recipe.name, recipe.lines);
        println!(
            "{name}: {} source files, {own} lines in new ones, {outside} in others; {tests} of \
             tests",
            recipe.said
        );
        assert!(own + outside <= MOST_LINES, "{name}: {own} + {outside}");
        assert!(outside <= MOST_OUTSIDE, "{name}: {outside}");
    }
}

#[test]
fn the_recipes_work() {
    let page = page();
    assert!(page.tests.len() >= 8, "{:?}", page.tests);
    let tree = make(&page);
    let (is_fine, said) = held(&tree);
    assert!(is_fine, "{said}");
    let (is_fine, said) = tested(&page, &tree);
    assert!(is_fine, "{said}");
    for test in &page.tests {
        let passed = said
            .lines()
            .any(|line| line.starts_with("test ") && line.ends_with(&format!("{test} ... ok")));
        assert!(passed, "`{test}` did not run:\n{said}");
    }
}

#[test]
fn a_change_without_its_place_is_seen() {
    let change = |way| Change {
        file: "a.rs".into(),
        way,
        text: "    Lifo,\n".into(),
    };
    let below = change(Way::Below("Fifo,".into()));
    assert_eq!(
        below.applied_to("{\n    Fifo,\n}\n"),
        "{\n    Fifo,\n    Lifo,\n}\n"
    );
    let instead = change(Way::InsteadOf("Fifo,".into()));
    assert_eq!(instead.applied_to("{\n    Fifo,\n}\n"), "{\n    Lifo,\n}\n");
    let after = change(Way::InsteadOfNext("{".into()));
    assert_eq!(after.applied_to("{\n    Fifo,\n}\n"), "{\n    Lifo,\n}\n");
    for text in ["{\n}\n", "Fifo,\nFifo,\n"] {
        assert!(std::panic::catch_unwind(|| below.applied_to(text)).is_err());
    }
}
