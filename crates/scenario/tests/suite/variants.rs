//! A word that is declared and not built does not compile.
//!
//! The sources are copied, a word is added to a scheduler, a source and a flow control, and the
//! copy is compiled in the place of the crate.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where a word is added: file, line before it, the word.
const WORDS: [(&str, &str, &str); 3] = [
    (
        "given/circuits/service.rs",
        "pub(crate) enum Scheduler {",
        "Lifo",
    ),
    (
        "given/circuits/traffic.rs",
        "pub(crate) enum Traffic {",
        "Avalanche",
    ),
    (
        "given/circuits/control.rs",
        "pub(crate) enum ControlKind {",
        "Telepathy",
    ),
];

/// Compiles `lib.rs` of the copy where cargo compiles that of the crate.
const WRAPPER: &str = r#"#!/bin/sh
for argument do
    shift
    case "$argument" in
        *crates/scenario/src/lib.rs) argument="$COPY/lib.rs" ;;
    esac
    set -- "$@" "$argument"
done
exec "$@"
"#;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("sources") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("a copy")),
        }
    }
}

/// The sources, ready to be changed.
fn sources() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("variants");
    let _ = fs::remove_dir_all(&folder);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &folder);
    let wrapper = folder.join("wrapper");
    fs::write(&wrapper, WRAPPER).expect("a script");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("a mode");
    folder
}

fn compile(folder: &Path) -> Output {
    Command::new(env!("CARGO"))
        .args([
            "check",
            "--offline",
            "--package",
            "backwater-scenario",
            "--lib",
        ])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env("RUSTC_WORKSPACE_WRAPPER", folder.join("wrapper"))
        .env("COPY", folder)
        .output()
        .expect("cargo runs")
}

#[test]
fn a_word_that_no_builder_knows_does_not_compile() {
    let folder = sources();
    let plain = compile(&folder);
    let said = String::from_utf8_lossy(&plain.stderr);
    assert!(plain.status.success(), "the copy itself compiles: {said}");

    for (file, before, word) in WORDS {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).expect("a source");
        assert!(text.contains(before), "{file}: {before}");
        let with = format!("{before}\n    /// Nobody builds it.\n    {word},");
        fs::write(&path, text.replacen(before, &with, 1)).expect("a source");
    }
    let changed = compile(&folder);
    let said = String::from_utf8_lossy(&changed.stderr);
    assert!(!changed.status.success(), "{said}");
    for (file, _, word) in WORDS {
        let is_missed = said
            .lines()
            .any(|line| line.starts_with("error[E0004]") && line.contains(&format!("::{word}")));
        assert!(is_missed, "{file}: no error about `{word}`:\n{said}");
    }
}
