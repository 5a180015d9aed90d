//! What can be opened and never read to its end: refused at once, with the reason.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::at_work::prepare;
use crate::support::{Ran, backwater, command, figure_17, folder, shipped};
use crate::sweeping::shared;

/// Longer than any refusal takes, shorter than reading a device for ever.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the program, and fails if that lasts.
fn soon(here: &Path, arguments: &[&str], stdin: Stdio) -> Ran {
    let file = |name: &str| File::create(here.join(name)).expect("a file");
    let mut command = command(here);
    command.args(arguments).stdin(stdin);
    command.stdout(file("printed")).stderr(file("complained"));
    let mut child = command.spawn().expect("the program starts");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("{arguments:?} does not end");
        }
        sleep(Duration::from_millis(5));
    };
    let text = |name: &str| fs::read_to_string(here.join(name)).unwrap_or_default();
    let (out, err) = (text("printed"), text("complained"));
    assert!(!err.contains("panicked at"), "{arguments:?}: {err}");
    let status = status.code().unwrap_or(-1);
    Ran { status, out, err }
}

fn refused(here: &Path, arguments: &[&str], reason: &str) {
    let ran = soon(here, arguments, Stdio::null());
    assert_eq!(ran.status, 2, "{arguments:?}: {}", ran.err);
    assert!(ran.err.contains(reason), "{arguments:?}: {}", ran.err);
    assert!(
        !ran.err.contains("try:"),
        "advice that helps nobody: {}",
        ran.err
    );
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("`mkfifo` runs").success());
}

#[test]
fn scenarios_and_claims_are_files() {
    let here = folder("endless");
    pipe(&here.join("pipe"));
    let large = File::create(here.join("large")).expect("a file");
    large.set_len(9 << 20).expect("a large file");
    let huge = File::create(here.join("huge")).expect("a file");
    huge.set_len(300 << 30).expect("a sparse file");
    for (file, reason) in [
        ("pipe", "a named pipe, not a file"),
        ("/dev/zero", "a device, not a file"),
        ("large", "larger than 8 MiB"),
        ("huge", "larger than 8 MiB"),
        (".", "a directory, not a file"),
    ] {
        for command in ["check", "run", "sweep", "saturate", "compare"] {
            refused(&here, &[command, file], reason);
        }
        if file != "large" {
            let reason = reason.replace('8', "64");
            refused(&here, &["reproduce", "kung1993", "--claims", file], &reason);
        }
    }
    let mesh = shipped("flit/anynet.toml");
    for file in ["pipe", "huge", "/dev/zero"] {
        fs::copy(&mesh, here.join("net.toml")).expect("a copy");
        let set = format!("topology.file={file:?}");
        let reason = if file == "huge" {
            "larger than"
        } else {
            "not a file"
        };
        refused(&here, &["check", "net.toml", "--set", &set], reason);
    }
}

/// It may be a pipe: somebody asked for that.
#[test]
fn standard_input_has_an_end_or_a_limit() {
    let here = folder("endless-input");
    for name in ["-", "/dev/stdin"] {
        let mut yes = Command::new("yes");
        let mut yes = yes.arg("a=1").stdout(Stdio::piped()).spawn().expect("yes");
        let stdin = Stdio::from(yes.stdout.take().expect("its output"));
        let ran = soon(&here, &["check", name], stdin).expect(2);
        ran.complains("larger than 8 MiB");
        yes.wait().expect("it ends as nobody reads");
        let zero = File::open("/dev/zero").expect("a device");
        soon(&here, &["check", name], zero.into())
            .expect(2)
            .complains("larger than 8 MiB");
        let file = File::open(figure_17()).expect("a scenario");
        let ran = soon(&here, &["check", name], file.into()).expect(0);
        assert!(ran.out.contains("standard input: valid"), "{}", ran.out);
    }
    let line = format!(
        "exec {} check <(cat {})",
        env!("CARGO_BIN_EXE_backwater"),
        figure_17()
    );
    match Command::new("bash").args(["-c", &line]).output() {
        Ok(ran) => assert_eq!(ran.status.code(), Some(0), "{ran:?}"),
        Err(_) => eprintln!("not tried: there is no bash"),
    }
}

#[test]
fn files_of_a_run_directory_are_files() {
    let here = folder("endless-directory");
    prepare(&here);
    let run = ["run", &figure_17(), "--out", "out"];
    backwater(&here, &run).expect(0);
    pipe(&here.join("out/lock"));
    refused(&here, &run, "lock: it is a named pipe");
    refused(
        &here,
        &["sweep", "shared.toml", "--out", "out"],
        "lock: it is a named pipe",
    );
    fs::remove_file(here.join("out/lock")).expect("it can go");
    fs::remove_file(here.join("out/manifest.json")).expect("it can go");
    pipe(&here.join("out/manifest.json"));
    refused(&here, &run, "manifest.json: it is a named pipe");
    fs::remove_file(here.join("out/manifest.json")).expect("it can go");
    let huge = File::create(here.join("out/manifest.json")).expect("a file");
    huge.set_len(300 << 30).expect("a sparse file");
    refused(&here, &run, "manifest.json: it is larger than");
}

#[test]
fn a_stored_point_that_is_none_is_computed_again() {
    let here = folder("endless-points");
    shared(&here, &[("seeds = 3", "seeds = 1")]);
    let sweep = ["sweep", "shared.toml", "--out", "out"];
    backwater(&here, &sweep).expect(0);
    let table = || fs::read(here.join("out/tables/sweep.csv")).expect("a table");
    let whole = table();
    let points = fs::read_dir(here.join("out/points"))
        .expect("points")
        .flatten();
    let points: Vec<_> = points.map(|entry| entry.path()).collect();
    fs::remove_file(&points[0]).expect("it can go");
    pipe(&points[0]);
    let huge = File::options()
        .write(true)
        .open(&points[1])
        .expect("a file");
    huge.set_len(300 << 30).expect("a sparse file");
    let text = fs::read_to_string(&points[2]).expect("a point");
    let at = text.find("values").expect("values");
    let at = at + text[at..].find(['1', '2', '3', '4', '5']).expect("a digit");
    let changed = format!("{}7{}", &text[..at], &text[at + 1..]);
    fs::write(&points[2], changed).expect("a file");
    let ran = soon(&here, &sweep, Stdio::null()).expect(0);
    assert!(ran.out.contains("3 computed now"), "{}", ran.out);
    for reason in ["a named pipe", "larger than", "digest does not match"] {
        assert!(ran.err.contains(reason), "{}", ran.err);
    }
    assert_eq!(ran.err.matches("is damaged").count(), 3, "{}", ran.err);
    assert!(table() == whole, "computed again, the points are the same");
    let ran = soon(&here, &sweep, Stdio::null()).expect(0);
    assert!(ran.out.contains("0 computed now"), "{}", ran.out);
}
