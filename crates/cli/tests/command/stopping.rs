//! Runs that are stopped: by Ctrl-C, and without any warning.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::fabric::TORUS;
use crate::support::{backwater, command, figure_17, folder, json};

const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a run of years and lets it compute for a while.
fn long_run(folder: &Path, more: &[&str]) -> Child {
    let mut all = vec!["--set", "run.duration=1000000000000 cells"];
    all.extend(more);
    start(folder, &figure_17(), &all)
}

/// Starts a run and lets it compute for a while.
fn start(folder: &Path, file: &str, more: &[&str]) -> Child {
    let child = command(folder)
        .args(["run", file, "--out", "out"])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let start = Instant::now();
    while !folder.join("out/manifest.json").exists() {
        assert!(start.elapsed() < PATIENCE, "no manifest");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_secs(1));
    child
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("`kill` runs").success());
}

fn wait(mut child: Child) -> (Option<i32>, String) {
    let start = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("it did not end within {PATIENCE:?}");
        }
        sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("it ended");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!err.contains("panicked at"), "{err}");
    (output.status.code(), err)
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_there_is() {
    let here = folder("ctrl-c");
    let child = long_run(&here, &[]);
    interrupt(&child);
    let (status, err) = wait(child);
    assert_eq!(status, Some(130), "{err}");
    let manifest = json(&here.join("out/manifest.json"));
    assert_eq!(manifest["partial"], true);
    assert!(manifest["events"].as_u64().unwrap_or(0) > 0, "{manifest}");
    for file in manifest["files"].as_array().expect("files are listed") {
        assert!(
            here.join("out")
                .join(file.as_str().unwrap_or_default())
                .is_file()
        );
    }
    for file in ["tables/flows.csv", "summary.json", "report.html"] {
        assert!(here.join("out").join(file).is_file(), "{file} is missing");
    }
}

#[cfg(unix)]
#[test]
fn an_audit_stopped_by_ctrl_c_compares_nothing() {
    let here = folder("ctrl-c-audit");
    let child = long_run(&here, &["--audit"]);
    interrupt(&child);
    let (status, err) = wait(child);
    assert_eq!(status, Some(130), "{err}");
    assert!(
        err.contains("promises checked") && !err.contains("DIFFERENT"),
        "{err}"
    );
    let checks = json(&here.join("out/manifest.json"))["checks"].clone();
    assert_eq!(checks[0]["holds"], true, "{checks}");
}

/// What the run with the audit found stands, and is not held against half of the other.
#[cfg(unix)]
#[test]
fn an_audit_stopped_while_it_runs_without_compares_nothing() {
    let here = folder("ctrl-c-without-audit");
    let mut child = command(&here)
        .args(["run", &figure_17(), "--out", "out", "--audit"])
        .args(["--set", "run.duration=3000000 cells"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let mut next = || lines.next().expect("it goes on").expect("text");
    while !next().contains("once more without") {}
    interrupt(&child);
    let rest: Vec<String> = std::iter::from_fn(|| lines.next()?.ok()).collect();
    let (status, _) = wait(child);
    assert_eq!(status, Some(0), "{rest:?}");
    let stopped = rest.iter().any(|line| line.contains("stopped before"));
    assert!(stopped && !rest.concat().contains("DIFFERENT"), "{rest:?}");
    let manifest = json(&here.join("out/manifest.json"));
    assert_eq!(manifest["partial"], false);
    assert_eq!(manifest["checks"][0]["holds"], true, "{manifest}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_the_flit_engine_found() {
    let here = folder("ctrl-c-flit");
    fs::write(here.join("torus.toml"), TORUS).expect("a file");
    let child = start(
        &here,
        "torus.toml",
        &["--set", "run.measure=1000000000 cycles"],
    );
    interrupt(&child);
    let (status, err) = wait(child);
    assert_eq!(status, Some(130), "{err}");
    let manifest = json(&here.join("out/manifest.json"));
    assert_eq!(manifest["partial"], true);
    assert!(manifest["cycles"].as_u64().unwrap_or(0) > 0, "{manifest}");
    let summary = json(&here.join("out/summary.json"));
    assert_eq!(summary["stop"], "it was interrupted");
    assert_eq!(summary["balanced"], true);
    assert!(here.join("out/report.html").is_file());
}

#[test]
fn a_killed_run_says_that_it_is_partial() {
    let here = folder("killed");
    let mut child = long_run(&here, &[]);
    child.kill().expect("it can be killed");
    let (status, _) = wait(child);
    assert_ne!(status, Some(0));
    assert_eq!(json(&here.join("out/manifest.json"))["partial"], true);
    backwater(&here, &["run", &figure_17(), "--out", "out"]).expect(0);
    assert_eq!(json(&here.join("out/manifest.json"))["partial"], false);
}

#[cfg(unix)]
#[test]
fn a_reproduction_stopped_by_ctrl_c_keeps_its_verdicts() {
    let here = folder("ctrl-c-reproduce");
    let printed = here.join("printed.txt");
    let out = fs::File::create(&printed).expect("a file");
    let child = command(&here)
        .args(["reproduce", "kung1993", "zhang1991", "--out", "out"])
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let start = Instant::now();
    let verdicts = || fs::read_to_string(&printed).unwrap_or_default();
    while !verdicts().contains("agrees") {
        assert!(start.elapsed() < PATIENCE, "no verdict");
        sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    let (status, err) = wait(child);
    assert_eq!(status, Some(130), "{err}");
    let found = json(&here.join("out/claims.json"));
    let claims = found["claims"].as_array().expect("claims");
    // The cheap ones are done, and what takes minutes is not.
    assert!(!claims.is_empty() && claims.len() < 39, "{}", claims.len());
    assert!(claims.iter().all(|claim| claim["verdict"] != "failed"));
    assert_eq!(json(&here.join("out/manifest.json"))["partial"], true);
    assert!(here.join("out/report.html").is_file());
    assert!(verdicts().contains("report: "), "{}", verdicts());
}
