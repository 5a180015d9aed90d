//! Signals that ask to stop: what was computed is kept, whichever comes and whatever computes.

use std::fs;
use std::process::{Command, Stdio};

use crate::at_work::{COMMANDS, begin, end_of, hearing, prepare, send, start};
use crate::support::{figure_17, folder, json};

const SIGNALS: [(&str, i32); 3] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129)];

#[test]
fn each_signal_ends_each_command_with_its_results_and_its_status() {
    let here = folder("signals");
    prepare(&here);
    for name in COMMANDS {
        for (signal, wanted) in SIGNALS {
            let child = start(&here, name);
            send(&child, signal);
            let (status, err) = end_of(child);
            assert_eq!(status, Some(wanted), "{name} {signal}: {err}");
            assert!(err.contains("what was computed is kept"), "{name}: {err}");
            let out = here.join("out");
            let manifest = json(&out.join("manifest.json"));
            assert_eq!(manifest["partial"], true, "{name} {signal}");
            let files = manifest["files"].as_array().expect("files are listed");
            for file in files {
                let file = out.join(file.as_str().unwrap_or_default());
                assert!(file.is_file(), "{name} {signal}: {file:?} is missing");
            }
            assert!(out.join("report.html").is_file(), "{name} {signal}");
            assert!(!out.join("lock").exists(), "{name} {signal}");
            if name != "reproduce" && name != "compare" {
                let tables = fs::read_dir(out.join("tables")).expect("tables");
                assert!(tables.count() > 0, "{name} {signal}");
            }
            fs::remove_dir_all(out).expect("it can go");
        }
    }
}

/// Where an earlier command left much to clear, a directory is being made for some time.
#[test]
fn a_signal_is_heard_as_soon_as_there_is_something_to_keep() {
    let here = folder("signals-early");
    let manifest = here.join("out/manifest.json");
    prepare(&here);
    for name in COMMANDS {
        let files: Vec<String> = (0..5_000).map(|n| format!("tables/{n}.csv")).collect();
        fs::create_dir_all(here.join("out/tables")).expect("a folder");
        for file in &files {
            fs::write(here.join("out").join(file), "stale").expect("a file");
        }
        let earlier = serde_json::json!({ "program": "backwater", "files": files });
        fs::write(&manifest, earlier.to_string()).expect("a file");
        let child = begin(&here, name);
        while !fs::read_to_string(&manifest).is_ok_and(|text| text.contains("not finished")) {
            std::thread::yield_now();
        }
        send(&child, "-INT");
        let (status, err) = end_of(child);
        assert_eq!(status, Some(130), "{name}: {err}");
        assert_eq!(json(&manifest)["partial"], true, "{name}");
        fs::remove_dir_all(here.join("out")).expect("it can go");
    }
}

/// While points are checked, which takes seconds for a large network, nothing is there to keep.
#[test]
fn a_signal_ends_the_check_of_points() {
    let here = folder("signals-check");
    let large = "engine = \"ethernet\"\n[run]\nduration = \"1 s\"\n\
                 [topology]\nkind = \"fat-tree\"\nports = 48\n\
                 [link]\nrate = \"10 Gbps\"\n[[patterns]]\nname = \"p\"\n\
                 kind = \"permutation\"\ntransport = \"udp\"\n\
                 traffic = { kind = \"constant\", rate = \"1 Gbps\" }\n";
    fs::write(here.join("large.toml"), large).expect("a file");
    let mut sweep = hearing(&here);
    sweep.args(["sweep", "large.toml", "--seeds", "2", "--out", "out"]);
    sweep.stderr(Stdio::piped()).stdout(Stdio::null());
    let child = sweep.spawn().expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(300));
    send(&child, "-INT");
    let (status, err) = end_of(child);
    assert_eq!(status, None, "a status of its own: {err}");
    assert!(!here.join("out").exists());
}

/// The first may come while much is written, or from somebody who means it.
#[test]
fn a_second_signal_ends_it_at_once() {
    let here = folder("signals-two");
    for (second, wanted) in [("-TERM", 143), ("-INT", 130)] {
        // Between two looks for a signal lie seconds here.
        let mut slow = hearing(&here);
        slow.args([
            "run",
            &figure_17(),
            "--set",
            "run.duration=1000000000000 cells",
        ]);
        slow.args(["--out", "out"])
            .stderr(Stdio::piped())
            .stdout(Stdio::null());
        let child = slow.spawn().expect("the program starts");
        while !here.join("out/summary.json").exists() && !here.join("out/lock").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        // Stopped, it hears both when it goes on, before it can do anything else.
        send(&child, "-STOP");
        send(&child, "-HUP");
        send(&child, second);
        send(&child, "-CONT");
        let (status, err) = end_of(child);
        // Which of two waiting signals is delivered first is up to the system.
        assert!(
            status == Some(wanted) || status == Some(129),
            "{status:?}: {err}"
        );
        assert!(!here.join("out/report.html").exists(), "it did not save");
        fs::remove_dir_all(here.join("out")).expect("it can go");
    }
}

/// `nohup` sees to it that a program outlives its terminal.
#[test]
fn a_program_that_is_to_ignore_the_hangup_does() {
    let here = folder("signals-nohup");
    let mut shell = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_backwater");
    let line = format!(
        "trap '' HUP; exec {program} run {} --set run.duration='1000000000000 cells' --out out",
        figure_17()
    );
    shell.current_dir(&here).args(["-c", &line]);
    shell
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = shell.spawn().expect("a shell");
    while !here.join("out/manifest.json").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    send(&child, "-HUP");
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(child.try_wait().expect("it can be asked").is_none());
    send(&child, "-TERM");
    assert_eq!(end_of(child).0, Some(143));
}
