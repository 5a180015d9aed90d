//! Commands that would compute for long, to be stopped or disturbed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::comparing::SMALL;
use crate::support::figure_17;
use crate::sweeping::shared;

/// All commands that write a directory of results.
pub const COMMANDS: [&str; 5] = ["run", "sweep", "saturate", "compare", "reproduce"];

const PATIENCE: Duration = Duration::from_secs(120);

/// Writes what they read.
pub fn prepare(here: &Path) {
    shared(
        here,
        &[("1500 cells", "60000 cells"), ("seeds = 3", "seeds = 40")],
    );
    let small = SMALL.replace("every = \"10 ms\"", "every = \"500 ms\"");
    fs::write(here.join("small.toml"), small).expect("a file");
}

/// What to type; the results go to `out`.
pub fn arguments(name: &str) -> Vec<String> {
    let file = figure_17();
    let words: &[&str] = match name {
        "run" => &["run", &file, "--set", "run.duration=1000000000000 cells"],
        "sweep" => &["sweep", "shared.toml", "--jobs", "2"],
        "saturate" => &["saturate", "shared.toml", "--over", "flows.*.traffic.load"],
        "compare" => &["compare", "small.toml", "--set", "run.duration=600 s"],
        _ => &["reproduce", "kung1993", "zhang1991"],
    };
    let words = words.iter().chain(&["--out", "out"]);
    words.map(|word| word.to_string()).collect()
}

/// The program, to be run in `here`, which hears every signal though this process may have been
/// started to ignore some, as by `nohup`.
#[cfg(target_os = "linux")]
pub fn hearing(here: &Path) -> Command {
    let mut env = Command::new("env");
    env.args([
        "--default-signal=HUP,INT,TERM",
        env!("CARGO_BIN_EXE_backwater"),
    ]);
    env.current_dir(here).stdin(Stdio::null());
    env
}

/// The program, to be run in `here`.
#[cfg(not(target_os = "linux"))]
pub fn hearing(here: &Path) -> Command {
    crate::support::command(here)
}

/// Starts one of them.
pub fn begin(here: &Path, name: &str) -> Child {
    let mut command = hearing(here);
    command.args(arguments(name)).stdout(Stdio::null());
    let child = command.stderr(Stdio::piped()).spawn();
    child.expect("the program starts")
}

/// Starts one of them, and waits until it computes.
pub fn start(here: &Path, name: &str) -> Child {
    let mut child = begin(here, name);
    let begun = Instant::now();
    let out = here.join("out");
    // The lock says who is there once the directory is cleared.
    while !fs::read_to_string(out.join("lock")).is_ok_and(|lock| lock.contains("since")) {
        let ended = child.try_wait().expect("it can be asked");
        assert!(
            ended.is_none(),
            "{name} does not begin: {}",
            end_of(child).1
        );
        assert!(begun.elapsed() < PATIENCE, "{name} does not begin");
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(500));
    child
}

/// Sends it a signal.
#[cfg(unix)]
pub fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status();
    assert!(sent.expect("`kill` runs").success());
}

/// Its status and what it complained of, when it has ended.
pub fn end_of(mut child: Child) -> (Option<i32>, String) {
    let begun = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("it did not end within {PATIENCE:?}");
        }
        sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("it ended");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!err.contains("panicked at"), "{err}");
    (output.status.code(), err)
}
