//! A system that lets few threads start: fewer work, and one note says so.
//!
//! The limit does not bind the superuser, so the program runs as somebody else; that takes
//! `setpriv`, `prlimit` and a test that the superuser runs. Where one is missing nothing is tried
//! here: the threads' own tests start fewer whoever runs them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use crate::at_work::prepare;
use crate::support::{Ran, finish, folder, shipped, trace_hash};
use crate::sweeping::shared;

/// Nobody else runs anything as this user.
const USER: &str = "58231";

/// The program with so many processes and threads at most, itself included.
fn limited(here: &Path, most: u32, arguments: &[&str]) -> Ran {
    let mut command = Command::new("setpriv");
    command
        .current_dir(here)
        .args(["--reuid", USER, "--regid", USER, "--clear-groups"]);
    command.args(["prlimit", &format!("--nproc={most}")]);
    command.arg(env!("CARGO_BIN_EXE_backwater")).args(arguments);
    finish(&mut command)
}

/// A folder where that user may write, if the program can be started so.
fn open_folder(name: &str) -> Option<std::path::PathBuf> {
    let here = folder(name);
    if fs::metadata(&here).ok()?.uid() != 0 {
        return None;
    }
    fs::set_permissions(&here, fs::Permissions::from_mode(0o777)).ok()?;
    let mut command = Command::new("setpriv");
    command.args([
        "--reuid",
        USER,
        "--regid",
        USER,
        "--clear-groups",
        "prlimit",
    ]);
    command.args(["--nproc=64", env!("CARGO_BIN_EXE_backwater"), "--version"]);
    let ran = command.current_dir(&here).output().ok()?;
    ran.status.success().then_some(here)
}

#[test]
fn few_threads_are_no_panic_and_no_other_result() {
    let Some(here) = open_folder("few-threads") else {
        eprintln!("not tried: the superuser's `setpriv` and `prlimit` are needed");
        return;
    };
    prepare(&here);
    shared(&here, &[("seeds = 3", "seeds = 1")]);
    let mesh = shipped("flit/mesh-8x8.toml");
    let run = [
        "run",
        &mesh,
        "--set",
        "run.measure=2000 cycles",
        "--map",
        "off",
        "--threads",
        "4",
    ];
    let sweep = ["sweep", "shared.toml", "--jobs", "4"];
    let compare = ["compare", "small.toml", "--threads", "3"];
    let into = |out: &str, most: u32, words: &[&str]| {
        limited(&here, most, &[words, &["--out", out]].concat()).expect(0)
    };
    into("many", 64, &run);
    into("sweep-many", 64, &sweep);
    into("compare-many", 64, &compare);
    let table = |out: &str| fs::read(here.join(out).join("tables/sweep.csv")).expect("a table");
    for most in [1, 2, 3] {
        let out = format!("few-{most}");
        let ran = into(&out, most, &run);
        assert_eq!(ran.err.matches("instead of 4").count(), 1, "{}", ran.err);
        assert_eq!(trace_hash(&here.join(out)), trace_hash(&here.join("many")));
        let out = format!("sweep-{most}");
        let ran = into(&out, most, &sweep);
        assert_eq!(ran.err.matches("instead of 4").count(), 1, "{}", ran.err);
        assert!(table(&out) == table("sweep-many"));
    }
    let ran = into("compare-1", 1, &compare);
    assert!(ran.err.contains("1 thread instead of 3"), "{}", ran.err);
    let (few, many) = (here.join("compare-1"), here.join("compare-many"));
    assert_eq!(trace_hash(&few), trace_hash(&many));
    let claim = ["reproduce", "kung1993.fig6.buffer-table", "--out", "claim"];
    limited(&here, 1, &claim).expect(0);
}
