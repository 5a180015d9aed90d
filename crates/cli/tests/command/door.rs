//! What everybody types first, and options that commands share.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Ran, backwater, command, figure_17, finish, folder, json, shipped};

#[test]
fn alone_it_greets_with_commands_that_work() {
    let here = folder("door-greeting");
    let greeted = backwater(&here, &[] as &[&str]).expect(0);
    let typed: Vec<&str> = (greeted.out.lines().map(str::trim))
        .filter(|line| line.starts_with("backwater ") && !line.contains("simulates"))
        .collect();
    assert_eq!(typed.len(), 3, "{}", greeted.out);
    for one in typed.iter().flat_map(|line| line.split(" && ")) {
        let words: Vec<&str> = one.split_whitespace().skip(1).collect();
        let words = match words[0] {
            // The paper takes long: that it is there is enough.
            "reproduce" => vec!["explain", words[1]],
            _ => words,
        };
        backwater(&here, &words).expect(0);
    }
}

/// A program in the place of a browser that writes down what it is given.
#[cfg(unix)]
fn browser(here: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = here.join("browser");
    fs::write(
        &path,
        "#!/bin/sh\nprintf %s \"$1\" > \"$(dirname \"$0\")/opened\"\n",
    )
    .expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it may run");
    path
}

#[test]
#[cfg(unix)]
fn a_report_is_opened_or_named() {
    let here = folder("door-open");
    let browser = browser(&here);
    let scenario = figure_17();
    let run = |name: &str, browser: &Path| {
        let mut command = command(&here);
        command.args(["run", &scenario, "--open", "--out", name]);
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        finish(command.env("BROWSER", browser)).expect(0)
    };
    run("first", &browser);
    let opened = fs::read_to_string(here.join("opened")).expect("it was started");
    let report = here.join("first/report.html");
    assert_eq!(fs::canonicalize(opened).ok(), fs::canonicalize(report).ok());
    run("second", Path::new("/nosuch/browser"))
        .complains("no browser could be started; the report is second/report.html");
}

#[test]
fn quiet_says_nothing_and_verbose_names_files() {
    let here = folder("door-quiet");
    let scenario = figure_17();
    for arguments in [
        &["run", &scenario, "-q"][..],
        &["check", &scenario, "--quiet"],
        &[
            "sweep",
            &scenario,
            "-q",
            "--axis",
            "n3=155,160",
            "--threads=1",
        ],
        &["reproduce", "kung1993.fig8", "-q"],
        &["plot", "runs/fig17-two-switches", "-q"],
    ] {
        let arguments: Vec<&str> = (arguments.iter().copied())
            .filter(|word| *word != "--threads=1")
            .collect();
        let ran = backwater(&here, &arguments).expect(0);
        assert_eq!((&*ran.out, &*ran.err), ("", ""), "{arguments:?}");
    }
    backwater(&here, &["check", &scenario, "-q", "--set", "n3=none"])
        .expect(2)
        .complains("n3");
    let told = backwater(&here, &["run", &scenario, "-v"]).expect(0).out;
    for part in ["trace hash ", "manifest.json", "tables/", "flows.csv"] {
        assert!(told.contains(part), "no {part}: {told}");
    }
}

/// The fields that docs/json.md lists below a heading.
fn fields(heading: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let text = fs::read_to_string(path).expect("the document");
    let (_, rest) = text
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("no `{heading}`"));
    let section = rest.split("\n## ").next().unwrap_or_default();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = cells.filter_map(|line| line.split(" | ").next());
    let names = names.flat_map(|cell| cell.split(", "));
    names.map(|name| name.trim_matches('`').into()).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    let object = value.as_object().expect("an object");
    object.keys().cloned().collect()
}

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
}

/// The document of a command, whose fields are those that are listed.
fn told(here: &Path, arguments: &[&str], status: i32, headings: &[&str], absent: &[&str]) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    let ran = backwater(here, &arguments).expect(status);
    let document = document(&ran);
    let mut listed: BTreeSet<String> = headings.iter().flat_map(|one| fields(one)).collect();
    listed.retain(|name| !absent.contains(&&**name));
    assert_eq!(keys(&document), listed, "{arguments:?}");
    assert_eq!(document["command"], arguments[0]);
    assert_eq!(document["exit_status"], status, "{arguments:?}");
    document
}

const EVERY: &str = "Every document";

#[test]
fn documents_have_the_fields_that_are_listed() {
    let here = folder("door-json");
    let scenario = figure_17();
    let unasked = ["audit", "fast_forward"];
    let run = told(&here, &["run", &scenario], 0, &[EVERY, "run"], &unasked);
    assert_eq!(run["verdict"], "done");
    let directory = here.join(run["directory"].as_str().expect("a directory"));
    let manifest = json(&directory.join("manifest.json"));
    assert_eq!(run["trace_hash"], manifest["trace_hash"]);
    assert_eq!(run["seed"], manifest["seed"]);
    assert_eq!(run["summary"], json(&directory.join("summary.json")));
    told(
        &here,
        &["run", &scenario, "--audit"],
        0,
        &[EVERY, "run"],
        &["fast_forward"],
    );

    let axis = ["sweep", &scenario, "--axis", "n3=16,51"];
    let sweep = told(&here, &axis, 0, &[EVERY, "sweep"], &[]);
    let points = sweep["points"].as_array().expect("points");
    assert_eq!((points.len(), &sweep["computed"]), (2, &2.into()));
    assert_eq!(points[1]["values"]["n3"], 51.0);
    assert!(points[1]["measures"]["accepted_mbps"].is_f64(), "{sweep}");
    let again = told(&here, &axis, 0, &[EVERY, "sweep"], &[]);
    assert_eq!(again["computed"], 0);
    let listed = told(
        &here,
        &["sweep", &scenario, "--axis", "n3=16,51", "--list"],
        0,
        &[EVERY, "sweep"],
        &[
            "directory",
            "report",
            "axes",
            "planned",
            "computed",
            "partial",
        ],
    );
    assert_eq!(listed["points"][1]["number"], 2);

    let claims = told(
        &here,
        &["reproduce", "kung1993.fig8"],
        0,
        &[EVERY, "reproduce"],
        &[],
    );
    assert_eq!(claims["claims"][0]["verdict"], "agrees");
    let link = ["buffer", "--rate", "400G", "--length", "300m"];
    let link = [&link[..], &["--picture", "link.svg"]].concat();
    told(
        &here,
        &link,
        0,
        &[EVERY, "buffer"],
        &["directory", "report"],
    );
    let plot = ["plot", "runs/fig17-two-switches"];
    told(&here, &plot, 0, &[EVERY], &[]);
}

#[test]
fn a_search_and_a_comparison_as_documents() {
    let here = folder("door-json-search");
    let mesh = shipped("bench/mesh.toml");
    let search = [
        "saturate",
        &mesh,
        "--precision=0.25",
        "--set",
        "run.measure=400 cycles",
        "--set",
        "run.warm_up=100 cycles",
    ];
    let found = told(&here, &search, 0, &[EVERY, "sweep", "saturate"], &[]);
    let found = &found["saturation"][0];
    let (low, high) = (found["carried"].as_f64(), found["saturated"].as_f64());
    assert!(low < high && high <= Some(1.0), "{found}");

    let comparison = shipped("compare/parking-lot.toml");
    let compare = [
        "compare",
        &comparison,
        "--only=none,pause",
        "--set=run.duration=20 ms",
        "--set=run.warm_up=5 ms",
    ];
    let compared = told(&here, &compare, 0, &[EVERY, "compare"], &[]);
    assert_eq!(compared["schemes"][1]["scheme"], "pause");
}

#[test]
fn mistakes_are_in_the_document() {
    let here = folder("door-json-mistakes");
    let scenario = figure_17();
    let unread = ["directory", "report"];
    let mistakes = ["check", &scenario, "nosuch.toml", "--set", "n3=none"];
    let checked = told(&here, &mistakes, 2, &[EVERY, "check"], &unread);
    assert_eq!(checked["verdict"], "invalid");
    assert_eq!(checked["files"][1]["verdict"], "invalid");
    let told_of = checked["messages"][0].as_str().unwrap_or_default();
    assert!(told_of.contains("nosuch.toml"), "{checked}");
    let diagnostic = &checked["diagnostics"][0];
    assert_eq!(keys(diagnostic), fields("Diagnostics"));
    assert_eq!(diagnostic["file"], "--set");
    assert_eq!(
        (&diagnostic["line"], &diagnostic["column"]),
        (&1.into(), &4.into())
    );
    let valid = told(&here, &["check", &scenario], 0, &[EVERY, "check"], &unread);
    assert_eq!(valid["files"][0]["verdict"], "valid");
    assert_eq!(valid["verdict"], "valid");

    for (arguments, part) in [
        (&["run", "nosuch.toml"][..], "nosuch.toml"),
        (&["run", "--format", "json"], "FILE"),
        (&["run", &scenario, "--bogus"], "--bogus"),
        (&["sweep", &scenario], "nothing varies"),
        (&["saturate", &shipped("ethernet/backwater.toml")], "frames"),
        (&["compare", "nosuch.toml"], "nosuch.toml"),
        (&["reproduce", "nosuch"], "nosuch"),
    ] {
        let arguments = [arguments, &["--format=json"]].concat();
        let document = document(&backwater(&here, &arguments).expect(2));
        assert_eq!(document["verdict"], "error", "{arguments:?}");
        let messages = document["messages"].to_string();
        assert!(messages.contains(part), "no {part} in {document}");
    }
    let mistake = ["sweep", &scenario, "--axis", "n3=none,2", "--format=json"];
    let swept = document(&backwater(&here, &mistake).expect(2));
    assert!(swept["diagnostics"][0]["code"].is_string(), "{swept}");
}

/// Each option stands in a group that says what it is about.
#[test]
fn options_stand_in_groups() {
    let here = folder("door-groups");
    let whole = backwater(&here, &["--help"]).expect(0).out;
    let (_, commands) = whole.split_once("Commands:\n").expect("commands");
    let names = commands.lines().map_while(|line| {
        let line = line.strip_prefix("  ")?;
        // What goes on from the line above is indented more.
        Some(line.split(' ').next().unwrap_or_default())
    });
    let names: Vec<&str> = names.filter(|name| !["", "help"].contains(name)).collect();
    assert!(names.len() > 12, "{names:?}");
    for name in names {
        let help = backwater(&here, &[name, "-h"]).expect(0).out;
        let Some((_, plain)) = help.split_once("\nOptions:\n") else {
            continue;
        };
        let plain = plain.split("\n\n").next().unwrap_or_default();
        let options: Vec<&str> = (plain.split_whitespace())
            .filter(|word| word.starts_with("--"))
            .collect();
        let usual = ["--help", "--version"];
        assert!(
            options.iter().all(|one| usual.contains(one)),
            "{name}: {options:?}"
        );
    }
}
