//! What lands on the disk.

use crate::sample;

use std::fs;
use std::path::{Path, PathBuf};

use backwater_results::directory::Holder;
use backwater_results::{Findings, Manifest, RunDirectory, run_manifest};
use serde_json::Value;

/// A directory of one test's own, gone when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("results-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn all_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap();
                found.push(name.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

fn write_all(path: &Path) -> PathBuf {
    let (info, spec, outcome) = (sample::info(), sample::spec(), sample::outcome());
    let mut directory = RunDirectory::create(path, &Holder::default()).unwrap();
    directory
        .write_scenario(&info.scenario, &info.resolved)
        .unwrap();
    let tables = Findings::new(&spec, outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    directory.write_tables(&tables).unwrap();
    directory.write_series(&sample::series()).unwrap();
    directory.write_report(&sample::report()).unwrap();
    let summary = sample::summary(&info, &spec, &outcome, None);
    directory.write_json("summary.json", &summary).unwrap();
    directory
        .finish(&run_manifest(
            &info,
            &Findings::new(&spec, outcome.clone(), sample::CELL),
        ))
        .unwrap()
}

fn json(path: PathBuf) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_run_directory_holds_what_its_manifest_lists_and_nothing_else() {
    let scratch = Scratch::new("whole");
    let path = write_all(&scratch.0.join("run"));
    let manifest = json(path.join("manifest.json"));
    let listed = manifest["files"].as_array().unwrap().iter();
    let mut listed: Vec<String> = listed.map(|f| f.as_str().unwrap().into()).collect();
    listed.sort();
    assert_eq!(listed, all_files(&path));
    for must in [
        "columns.json",
        "report.html",
        "resolved.toml",
        "scenario.toml",
        "summary.json",
        "tables/flows.csv",
        "series/greedy.csv",
        "series/script-b.csv",
        "figures/sweep.svg",
    ] {
        assert!(listed.contains(&must.to_string()), "{must} is missing");
    }
    assert_eq!(manifest["trace_hash"], "h00c0ffee01234567");
    assert_eq!(manifest["partial"], false);
    assert_eq!(manifest["events_per_second"], 9_876_536.0);
    assert_eq!(json(path.join("summary.json"))["balanced"], true);
}

#[test]
fn every_column_of_every_table_is_explained() {
    let scratch = Scratch::new("columns");
    let path = write_all(&scratch.0);
    let columns = json(path.join("columns.json"));
    for name in all_files(&path).iter().filter(|f| f.starts_with("tables/")) {
        let header = fs::read_to_string(path.join(name)).unwrap();
        let header = header.split("\n").next().unwrap().split(',').count();
        let notes = columns[name.as_str()]["columns"].as_array().unwrap();
        assert_eq!(notes.len(), header, "{name}");
        for note in notes {
            assert!(
                !note["meaning"].as_str().unwrap().is_empty(),
                "{name}: {note}"
            );
        }
    }
}

#[test]
fn an_unfinished_directory_says_so() {
    let scratch = Scratch::new("partial");
    let mut directory = RunDirectory::create(&scratch.0, &Holder::default()).unwrap();
    directory.write("scenario.toml", b"seed = 1").unwrap();
    drop(directory);
    assert_eq!(json(scratch.0.join("manifest.json"))["partial"], true);
}

#[test]
fn a_second_run_clears_the_first() {
    let scratch = Scratch::new("again");
    let mut first = RunDirectory::create(&scratch.0, &Holder::default()).unwrap();
    first.write("figures/old.svg", b"old").unwrap();
    first.finish(&Manifest::default()).unwrap();
    fs::write(scratch.0.join("notes.txt"), "mine").unwrap();
    let second = RunDirectory::create(&scratch.0, &Holder::default()).unwrap();
    second.finish(&Manifest::default()).unwrap();
    assert!(!scratch.0.join("figures/old.svg").exists());
    assert_eq!(
        fs::read_to_string(scratch.0.join("notes.txt")).unwrap(),
        "mine"
    );
}

#[test]
fn somebody_elses_directory_is_left_alone() {
    for (case, name, content) in [
        ("no-marker", "thesis.txt", "mine"),
        (
            "other-marker",
            "manifest.json",
            "{\"program\":\"other\",\"files\":[\"a\"]}",
        ),
        ("broken-marker", "manifest.json", "not json"),
    ] {
        let scratch = Scratch::new(case);
        fs::write(scratch.0.join(name), content).unwrap();
        let error = RunDirectory::create(&scratch.0, &Holder::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(scratch.0.to_str().unwrap()), "{error}");
        assert!(error.contains("--out"), "{error}");
        assert_eq!(all_files(&scratch.0), vec![name]);
        assert_eq!(fs::read_to_string(scratch.0.join(name)).unwrap(), content);
    }
}

#[test]
fn a_manifest_cannot_make_us_remove_files_elsewhere() {
    let scratch = Scratch::new("escape");
    let outside = scratch.0.join("outside.txt");
    fs::write(&outside, "mine").unwrap();
    let run = scratch.0.join("run");
    fs::create_dir(&run).unwrap();
    let absolute = outside.to_str().unwrap();
    let files = serde_json::json!(["../outside.txt", absolute, "inside.txt"]);
    let manifest = serde_json::json!({ "program": "backwater", "files": files });
    fs::write(run.join("manifest.json"), manifest.to_string()).unwrap();
    fs::write(run.join("inside.txt"), "ours").unwrap();
    let mut directory = RunDirectory::create(&run, &Holder::default()).unwrap();
    assert!(outside.exists());
    assert!(!run.join("inside.txt").exists());
    assert!(directory.write("../outside.txt", b"theirs").is_err());
    directory.write_named("../outside.txt", "theirs").unwrap();
    directory.write_named("nets/a.edges", "0 1").unwrap();
    assert!(run.join("nets/a.edges").is_file());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
}

#[test]
fn errors_name_the_path_and_the_reason() {
    let scratch = Scratch::new("errors");
    let file = scratch.0.join("file");
    fs::write(&file, "a file").unwrap();
    let error = RunDirectory::create(&file, &Holder::default()).unwrap_err();
    assert!(error.source.is_some());
    let error = error.to_string();
    assert!(
        error.contains(file.to_str().unwrap()) && error.contains("--out"),
        "{error}"
    );
}

#[test]
fn a_write_that_fails_leaves_the_old_file_and_no_other() {
    let scratch = Scratch::new("atomic");
    let mut directory = RunDirectory::create(&scratch.0, &Holder::default()).unwrap();
    directory.write("kept.txt", b"old").unwrap();
    directory.write("kept.txt", b"new").unwrap();
    // A file can't replace a folder.
    fs::create_dir_all(scratch.0.join("taken/inner")).unwrap();
    let before = all_files(&scratch.0);
    assert!(directory.write("taken", b"content").is_err());
    assert_eq!(all_files(&scratch.0), before);
    assert_eq!(
        fs::read_to_string(scratch.0.join("kept.txt")).unwrap(),
        "new"
    );
}

/// Whatever a killed program left, the directory is known as ours, and swept.
#[test]
fn what_a_killed_program_left_is_no_hindrance() {
    let scratch = Scratch::new("killed");
    for crumb in ["manifest.json.4711.tmp", "lock"] {
        fs::write(scratch.0.join(crumb), "").unwrap();
    }
    drop(RunDirectory::create(&scratch.0, &Holder::default()).unwrap());
    assert_eq!(all_files(&scratch.0), ["manifest.json"]);
    let path = write_all(&scratch.0);
    fs::write(path.join("tables/flows.csv.12.tmp"), "half").unwrap();
    fs::write(path.join("tables/my.notes.tmp"), "mine").unwrap();
    drop(RunDirectory::create(&path, &Holder::default()).unwrap());
    assert_eq!(all_files(&path), ["manifest.json", "tables/my.notes.tmp"]);
    let foreign = Scratch::new("killed-foreign");
    fs::write(foreign.0.join("manifest.json.x.tmp"), "").unwrap();
    assert!(RunDirectory::create(&foreign.0, &Holder::default()).is_err());
}
