//! Input that nobody should give: a clear error within reasonable time, never a panic.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{command, figure_17, folder};

const PATIENCE: Duration = Duration::from_secs(60);

/// The status of a command that must end by itself and say why it can't go on.
fn status(here: &Path, arguments: &[OsString]) -> i32 {
    let shown = format!("{:.200}", format!("{arguments:?}"));
    let mut child = command(here)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(fs::File::create(here.join("stderr")).expect("a file"))
        .spawn()
        .expect("the program starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            break status;
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("{shown} hangs");
        }
        sleep(Duration::from_millis(5));
    };
    let err = fs::read(here.join("stderr")).expect("a file");
    let err = String::from_utf8_lossy(&err);
    assert!(!err.contains("panicked at"), "{shown}: {err}");
    let status = status.code();
    assert!(
        status == Some(0) || !err.trim().is_empty(),
        "{shown}: no word of why"
    );
    status.unwrap_or_else(|| panic!("{shown} was killed: {err}"))
}

fn words(arguments: &[&str]) -> Vec<OsString> {
    arguments.iter().map(OsString::from).collect()
}

#[test]
fn bad_changes_are_refused() {
    let here = folder("nasty-sets");
    let long = format!("{}=1", "a.".repeat(20_000));
    for set in [
        "",
        "=",
        "=1",
        "run.seed",
        "run.seed=",
        "run.seed=-1",
        "run.seed=99999999999999999999999",
        "run.seed=1e999",
        "run.duration=\"1 parsec\"",
        "run.duration=\"-5 cells\"",
        "run.duration=\"999999999999999999999999999 s\"",
        "run.duration=nan",
        "flows=3",
        "flows.99.priority=1",
        "flows.VC1=[[[[",
        "....=1",
        "a.b.c.d.e.f=1",
        "\"=1",
        "flow_control.kind=\"\\u0000\"",
        "flow_control.n3=-1",
        "flow_control.n3=9223372036854775807",
        "link.rate=\"0 bps\"",
        "link.delay=\"1e300 s\"",
        "unit.bytes=0",
        "unit.bytes=18446744073709551615",
        "\u{1b}[2J=1",
        &long,
    ] {
        let arguments = words(&["run", &figure_17(), "--out", "out", "--set", set]);
        assert_eq!(status(&here, &arguments), 2, "{set:.80}");
    }
    assert!(!here.join("out").exists(), "bad input leaves no directory");
}

#[test]
fn bad_files_are_refused() {
    let here = folder("nasty-files");
    let write = |name: &str, bytes: &[u8]| fs::write(here.join(name), bytes).expect("a file");
    write("empty.toml", b"");
    write("binary.toml", &[0, 159, 146, 150, 255, 254, 0, 1]);
    write("zeros.toml", &[0; 4096]);
    write("marks.toml", b"\xef\xbb\xbf[run]\r\n");
    write(
        "deep.toml",
        format!("x = {}", "[".repeat(100_000)).as_bytes(),
    );
    write("big.toml", &b"# nothing\n".repeat(900_000));
    write(
        "dots.toml",
        format!("{}x = 1", "a.".repeat(50_000)).as_bytes(),
    );
    for file in [
        "empty.toml",
        "binary.toml",
        "zeros.toml",
        "marks.toml",
        "deep.toml",
        "big.toml",
        "dots.toml",
        ".",
        "",
        "/dev/null",
        "missing.toml",
        "empty.toml/inside.toml",
        env!("CARGO_BIN_EXE_backwater"),
    ] {
        for command in ["run", "check"] {
            let arguments = words(&[command, file]);
            assert_eq!(status(&here, &arguments), 2, "{command} {file}");
        }
    }
}

#[test]
fn bad_places_for_results_are_refused() {
    let here = folder("nasty-places");
    fs::write(here.join("file"), "").expect("a file");
    for out in ["file", "file/below", "/dev/null", "", "\u{0}"] {
        if out.contains('\u{0}') {
            continue;
        }
        let arguments = words(&["run", &figure_17(), "--out", out]);
        assert_eq!(status(&here, &arguments), 2, "{out}");
    }
    let claim = "kung1993.fig6.buffer-table";
    let arguments = words(&["reproduce", claim, "--markdown", "missing/file"]);
    assert_eq!(status(&here, &arguments), 2);
}

#[test]
fn bad_words_are_refused() {
    let here = folder("nasty-words");
    for arguments in [
        &["--seed"][..],
        &["run"],
        &["run", "a.toml", "b.toml"],
        &["run", "a.toml", "--seed", "-1"],
        &["run", "a.toml", "--seed", "99999999999999999999999"],
        &["run", "a.toml", "--trace", "pcap"],
        &["explain"],
        &["explain", ""],
        &["explain", "..."],
        &["explain", "[[flows]].traffic.kind.on"],
        &["explain", "\u{1b}[2J"],
        &["reproduce", ""],
        &["reproduce", "../../etc/passwd"],
        &["reproduce", "--all", "nosuch"],
        &["bench", "--runs", "-1"],
        &["bench", "nosuch"],
        &["check"],
        &["\u{0301}"],
    ] {
        assert_eq!(status(&here, &words(arguments)), 2, "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn names_need_not_be_text() {
    use std::os::unix::ffi::OsStringExt;
    let here = folder("nasty-bytes");
    let odd = OsString::from_vec(vec![b'o', 0xff, b't']);
    let run = |arguments: &[&str]| {
        let mut all = words(arguments);
        all.push(odd.clone());
        status(&here, &all)
    };
    assert_eq!(run(&["run"]), 2);
    assert_eq!(run(&["explain"]), 2);
    assert_eq!(run(&["run", &figure_17(), "--set"]), 2);
    assert_eq!(run(&["run", &figure_17(), "--out"]), 0);
    assert!(here.join(&odd).join("report.html").is_file());
}
