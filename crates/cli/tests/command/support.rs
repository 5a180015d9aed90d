//! Starts the program in a folder of its own.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command left behind.
pub struct Ran {
    /// Exit status; -1 where a signal ended it.
    pub status: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The program, to run in `folder` without input.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwater"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the program; a panic fails the test whatever else it expects.
pub fn backwater<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Ran {
    finish(command(folder).args(arguments))
}

/// The same for a command already put together.
pub fn finish(command: &mut Command) -> Ran {
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ran = Ran {
        status: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    };
    assert!(!ran.err.contains("panicked at"), "{command:?}: {}", ran.err);
    ran
}

impl Ran {
    /// Fails unless it ended with this status.
    pub fn expect(self, status: i32) -> Ran {
        assert_eq!(self.status, status, "{}\n{}", self.out, self.err);
        self
    }

    /// Fails unless standard error holds this.
    pub fn complains(self, text: &str) -> Ran {
        assert!(self.err.contains(text), "no `{text}` in: {}", self.err);
        self
    }
}

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder can be removed");
    }
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// A shipped scenario.
pub fn shipped(name: &str) -> String {
    format!("{}/../../scenarios/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Figure 17: greedy sources, no chance.
pub fn figure_17() -> String {
    shipped("kung1993/fig17-two-switches.toml")
}

/// A scenario with chance in it, and short.
pub fn with_chance(folder: &Path, arguments: &[&str]) -> Ran {
    let file = shipped("kung1993/sec45-lost-credit.toml");
    let mut all = vec!["run", &file, "--set", "run.duration=6000 cells"];
    all.extend(["--set", "run.warm_up=500 cells"]);
    all.extend(arguments);
    backwater(folder, &all)
}

/// A JSON file of a run directory.
pub fn json(path: &Path) -> serde_json::Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}: {text}"))
}

/// The fingerprint of a run.
pub fn trace_hash(directory: &Path) -> String {
    let manifest = json(&directory.join("manifest.json"));
    let hash = manifest["trace_hash"].as_str().unwrap_or_default();
    assert!(hash.len() == 17 && hash.starts_with('h'), "{manifest}");
    hash.to_owned()
}
