//! `run --stop-at` and `step`: a run seen from inside.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Ran, backwater, command, finish, folder, shipped};

/// What is said to these commands.
fn step(folder: &Path, file: &str, more: &[&str], commands: &[&str]) -> Ran {
    let mut all = vec!["step", file];
    all.extend(more);
    commands.iter().for_each(|own| all.extend(["--do", *own]));
    backwater(folder, &all)
}

fn stop_at(folder: &Path, name: &str, more: &[&str]) -> Ran {
    let file = shipped(name);
    let mut all = vec!["run", &*file];
    all.extend(more);
    backwater(folder, &all)
}

/// The fingerprint that a run has in its directory.
fn hash_of(folder: &Path, file: &str, more: &[&str]) -> String {
    let mut all = vec!["run", file, "--out", "whole"];
    all.extend(more);
    let ran = backwater(folder, &all);
    assert!(ran.status <= 1, "{}", ran.err);
    let summary = fs::read_to_string(folder.join("whole/summary.json")).expect("a summary");
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    summary["trace_hash"].as_str().expect("a hash").to_owned()
}

#[test]
fn a_run_that_was_gone_through_to_its_end_is_the_same_run() {
    let folder = folder("step-same");
    let at_once = "run.warm_up=0 us";
    let cycles: [&str; 4] = ["--set", "run.warm_up=50 cycles", "--set", "run.measure=100"];
    let cases: [(&str, &[&str]); 9] = [
        (
            "kung1993/sec45-one-circuit.toml",
            &["--set", "run.duration=3000 cells"],
        ),
        (
            "kung1993/fig22-multicast.toml",
            &["--set", "run.duration=10500 cells"],
        ),
        ("kung1993/sec45-standstill.toml", &[]),
        (
            "ethernet/backwater.toml",
            &["--set", at_once, "--set", "run.duration=300 us"],
        ),
        (
            "ethernet/credits.toml",
            &["--set", at_once, "--set", "run.duration=300 us"],
        ),
        (
            "ethernet/multicast.toml",
            &["--set", at_once, "--set", "run.duration=2 ms"],
        ),
        ("flit/ring-deadlock.toml", &[]),
        ("flit/mesh-8x8.toml", &cycles),
        ("flit/requests.toml", &cycles),
    ];
    for (name, more) in cases {
        let file = shipped(name);
        let looks = ["n 3", "queues", "until first-stop", "next", "n 100000000"];
        let ran = step(&folder, &file, more, &looks);
        let said = ran
            .out
            .lines()
            .rev()
            .find(|line| line.contains("trace hash"));
        let said = said.unwrap_or_else(|| panic!("{name}: {}\n{}", ran.out, ran.err));
        let hash = hash_of(&folder, &file, more);
        assert!(said.contains(&hash), "{name}: {said}, not {hash}");
    }
}

/// A scenario, an instant early in it, the end of keys of instants, and what makes it short.
type Short = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

/// Cells, frames and flits.
const SHORT: [Short; 3] = [
    (
        "kung1993/fig12-greedy.toml",
        "20us",
        "at_ps",
        &["--set", "run.duration=3000 cells"],
    ),
    (
        "ethernet/backwater.toml",
        "20us",
        "at_ps",
        &["--set", "run.warm_up=0 us", "--set", "run.duration=200 us"],
    ),
    (
        "flit/mesh-8x8.toml",
        "40 cycles",
        "at_cycle",
        &["--set", "run.warm_up=20 cycles", "--set", "run.measure=100"],
    ),
];

/// The answers alone.
fn answers(folder: &Path, (name, _, _, more): Short, commands: &[&str]) -> Vec<String> {
    let ran = step(folder, &shipped(name), more, commands).expect(0);
    let answers = ran.out.split("\n> ").skip(1);
    let answers = answers.map(|own| own.split_once('\n').map_or("", |(_, text)| text));
    answers.map(str::to_owned).collect()
}

/// What follows a way back is what followed before, to the trace hash.
#[test]
fn what_was_gone_back_over_happens_again() {
    let folder = folder("step-back");
    for short in SHORT {
        let name = short.0;
        let said = |commands: &[&str]| answers(&folder, short, commands);
        let (until, goes_back) = (format!("until {}", short.1), format!("back {}", short.1));
        let once = said(&[&until, "n 5", "n 20", "n 100000000"]);
        let again = [
            &*until,
            "n 5",
            "n 20",
            "back 20",
            "n 20",
            "n 57",
            &goes_back,
            "n 5",
            "n 20",
            "n 100000000",
        ];
        let again = said(&again);
        // The fifth instant behind the stop, and what followed it.
        assert_eq!((&once[1], &once[2]), (&again[1], &again[4]), "{name}");
        assert!(once[1].ends_with(&again[3]), "{name}: {}", again[3]);
        assert_eq!(once[1..], again[7..], "{name}");
        assert!(once[3].contains("trace hash"), "{name}: {}", once[3]);
        // Behind a leap nothing was noted, and the instants before it are found all the same.
        let (leap, plain) = (said(&[&until, "back 3", "n 10"]), said(&[&until, "n 2"]));
        assert!(leap[2].contains(&plain[1]), "{name}: {}", leap[2]);
        assert!(!leap[2].starts_with(&plain[1]), "{name}: {}", leap[2]);
        let beyond = said(&[&until, "back 1000000", "s"]);
        assert!(
            beyond[1].contains("nothing has happened yet"),
            "{}",
            beyond[1]
        );
        assert_eq!(beyond[2], said(&["s"])[0], "{name}");
    }
}

#[test]
fn where_back_does_not_lead_is_said() {
    let folder = folder("step-no-back");
    let file = shipped("kung1993/fig12-greedy.toml");
    for (commands, told) in [
        (["back", "s"], "there is nothing before"),
        (["s", "back 1 s"], "goes on to it"),
        (["until 20us", "until 10us"], "`back 10us` goes back to it"),
        (["until 20us", "back next-stop"], "lies ahead"),
    ] {
        let ran = step(&folder, &file, &[], &commands).expect(2);
        assert!(ran.out.contains(told), "{commands:?}: {}", ran.out);
    }
}

/// Each answer an object on its line, mistakes among them.
#[test]
fn programs_get_an_object_for_each_command() {
    let folder = folder("step-json");
    for (name, _, key, more) in SHORT {
        let commands = [
            "n 3",
            "queues",
            "why nobody",
            "names",
            "next",
            "back",
            "n 100000000",
        ];
        let json = [&["--format", "json"], more].concat();
        let ran = step(&folder, &shipped(name), &json, &commands).expect(2);
        let all: Result<Vec<Value>, _> = ran.out.lines().map(serde_json::from_str).collect();
        let all = all.unwrap_or_else(|error| panic!("{name}: {error}: {}", ran.out));
        assert_eq!(all.len(), 1 + commands.len(), "{name}");
        assert!(all[0]["size"].is_string(), "{}", all[0]);
        let all = &all[1..];
        for (answer, command) in all.iter().zip(commands) {
            assert_eq!(answer["command"], command, "{name}");
        }
        let list = |at: usize, field: &str| all[at][field].as_array().map_or(0, Vec::len);
        assert!(list(0, "happened") >= 3, "{name}: {}", all[0]);
        assert!(all[0]["happened"][0][key].is_u64(), "{name}: {}", all[0]);
        assert!(all[1]["queues"].is_array(), "{name}: {}", all[1]);
        let error = all[2]["error"].as_str().unwrap_or_default();
        assert!(error.contains("nobody"), "{name}: {error}");
        assert!(list(3, "names") > 0 && list(4, "next") > 0, "{name}");
        assert!(
            all[5][key].as_u64() < all[0][key].as_u64(),
            "{name}: {}",
            all[5]
        );
        let (end, hash) = (&all[6], hash_of(&folder, &shipped(name), more));
        assert_eq!(
            (&end["trace_hash"], &end["is_over"]),
            (&hash.into(), &true.into())
        );
    }
}

/// A file that can't run has a document of the usual form.
#[test]
fn mistakes_of_a_file_have_a_document() {
    let folder = folder("step-json-wrong");
    let wrong = ["--set", "run.duration=0 s", "--format", "json"];
    let file = shipped("kung1993/fig12-greedy.toml");
    let ran = step(&folder, &file, &wrong, &["s"]).expect(2);
    let told: Value = serde_json::from_str(&ran.out).expect("one document");
    let words = (&told["command"], &told["verdict"]);
    assert_eq!(words, (&"step".into(), &"error".into()));
    let mistakes = told["diagnostics"].as_array();
    assert!(mistakes.is_some_and(|all| !all.is_empty()), "{told}");
}

#[test]
fn credit_that_ran_out_is_told() {
    let folder = folder("step-credit");
    let file = shipped("kung1993/fig12-greedy.toml");
    let ran = step(&folder, &file, &[], &["until first-stop", "why VC"]).expect(0);
    for told in [
        "40.90032 us  cell 60 of `VC` (53 bytes) starts on A -> S\n             `VC` has used up",
        "no credit from S since 40.90032 us",
        "credit: 0 of 61; the next cell takes 1",
        "61 on the wire; 0 in the buffer at the far end",
        "Here it begins",
    ] {
        assert!(ran.out.contains(told), "no `{told}` in\n{}", ran.out);
    }
}

#[test]
fn a_deadlock_is_seen_as_it_closes() {
    let folder = folder("step-deadlock");
    let file = shipped("ethernet/tree-deadlock.toml");
    let ran = step(&folder, &file, &[], &["until deadlock", "why S1->S2"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    assert!(ran.out.contains("S2 -> S1 is stopped by S1"), "{}", ran.out);
    assert!(
        ran.out.contains("S1 -> S2, class 0 again: these wait"),
        "{}",
        ran.out
    );
    // A moment before, one of the two may still go.
    let before = ["until 76814us", "why S1->S2"];
    let ran = step(&folder, &file, &[], &before).expect(0);
    assert!(!ran.out.contains("deadlock. None"), "{}", ran.out);
    let file = shipped("flit/ring-deadlock.toml");
    let ran = step(
        &folder,
        &file,
        &[],
        &["until deadlock", "why (x=0) -> (x=1)"],
    )
    .expect(0);
    assert!(
        ran.out.contains("VC 0 again: these wait for each other"),
        "{}",
        ran.out
    );
    let ran = step(&folder, &file, &[], &["until 139", "why (x=0) -> (x=1)"]).expect(0);
    assert!(!ran.out.contains("again: these wait"), "{}", ran.out);
}

#[test]
fn an_instant_is_shown_as_text_and_as_data() {
    let folder = folder("stop-at");
    let at = ["--stop-at", "40us", "--show", "C->D"];
    let text = stop_at(&folder, "ethernet/backwater.toml", &at).expect(0);
    assert!(
        text.out.contains("C -> D, class 3: 11 frames"),
        "{}",
        text.out
    );
    assert!(
        text.out.contains("stopped by D since 37.87912 us"),
        "{}",
        text.out
    );
    assert!(
        text.out.lines().all(|line| line.chars().count() <= 100),
        "{}",
        text.out
    );
    let mut more = at.to_vec();
    more.extend(["--format", "json"]);
    let data = stop_at(&folder, "ethernet/backwater.toml", &more).expect(0);
    let data: Value = serde_json::from_str(&data.out).expect("JSON");
    assert_eq!(data["at_ps"], 40_000_000);
    assert_eq!(
        data["queues"][0]["units"].as_array().map(Vec::len),
        Some(11)
    );
    assert_eq!(data["queues"][0]["hold"]["since_ps"], 37_879_120);
    // Nothing is written.
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
    let cycles = ["--stop-at", "120cycles", "--format", "json"];
    let data = stop_at(&folder, "flit/mesh-8x8.toml", &cycles).expect(0);
    let data: Value = serde_json::from_str(&data.out).expect("JSON");
    assert_eq!(data["at_cycle"], 120);
}

#[test]
fn what_can_not_be_had_is_said() {
    let folder = folder("stop-at-wrong");
    let cases: [(&str, &[&str], i32, &str); 10] = [
        (
            "kung1993/fig12-greedy.toml",
            &["--stop-at", "12"],
            2,
            "`12` has no unit: give ps",
        ),
        (
            "kung1993/fig12-greedy.toml",
            &["--stop-at", "-1us"],
            2,
            "is before the run begins",
        ),
        (
            "ethernet/backwater.toml",
            &["--stop-at", "40 cells"],
            2,
            "the unit `cells`",
        ),
        (
            "flit/mesh-8x8.toml",
            &["--stop-at", "12us"],
            2,
            "give cycles, as `120`",
        ),
        (
            "flit/mesh-8x8.toml",
            &["--stop-at", "first-drop"],
            2,
            "flits are never dropped",
        ),
        (
            "flit/mesh-8x8.toml",
            &["--stop-at", "dedlock"],
            2,
            "did you mean `deadlock`?",
        ),
        (
            "kung1993/fig12-greedy.toml",
            &["--stop-at", "first-drop"],
            1,
            "nothing is lost",
        ),
        (
            "kung1993/fig12-greedy.toml",
            &["--stop-at", "deadlock"],
            1,
            "never comes",
        ),
        (
            "ethernet/backwater.toml",
            &["--stop-at", "1us", "--show", "sendr"],
            2,
            "`sender`",
        ),
        (
            "ethernet/backwater.toml",
            &["--stop-at", "1us", "--audit"],
            2,
            "cannot be used with",
        ),
    ];
    for (name, more, status, told) in cases {
        stop_at(&folder, name, more).expect(status).complains(told);
    }
}

#[test]
fn wrong_commands_are_answered() {
    let folder = folder("step-wrong");
    let file = shipped("ethernet/backwater.toml");
    let cases = [
        ("queue", "Did you mean `queues`?"),
        ("until noon", "neither an instant"),
        ("why nobody", "no port, node or flow is called `nobody`"),
        ("flow", "takes a name"),
        (
            "flow near",
            "no flow is called `near`: did you mean `to near`?",
        ),
    ];
    for (said, told) in cases {
        let ran = step(&folder, &file, &[], &[said]).expect(2);
        assert!(ran.out.contains(told), "{said}: {}", ran.out);
    }
    step(&folder, "-", &[], &[])
        .expect(2)
        .complains("give the scenario as a file");
}

#[test]
fn commands_come_through_a_pipe_and_the_end_of_it_ends() {
    let folder = folder("step-pipe");
    let mut child = command(&folder)
        .args(["step", &shipped("kung1993/fig12-greedy.toml")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"\nn 2\nflow VC\n").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{out}");
    assert!(out.contains("> n 2\n0.681672 us  cell 1 of `VC`"), "{out}");
    assert!(out.contains("> flow VC\n"), "{out}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_at_once() {
    const PATIENCE: Duration = Duration::from_secs(60);
    let folder = folder("step-signal");
    let mut child = command(&folder)
        .args(["step", &shipped("kung1993/fig12-greedy.toml")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    finish(std::process::Command::new("kill").args(["-INT", &id])).expect(0);
    let start = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        assert!(start.elapsed() < PATIENCE, "it waits for more commands");
        sleep(Duration::from_millis(20));
    }
}
