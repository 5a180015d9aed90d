//! Several commands that want one directory: one has it, and what it finds there is cleared or
//! refused, never mixed.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::at_work::{COMMANDS, arguments, end_of, prepare, start};
use crate::support::{backwater, command, figure_17, folder, json};
use crate::sweeping::{contents, shared};

/// All 25 pairs, the first at work.
#[test]
fn the_second_of_two_is_told_who_is_there() {
    let here = folder("sharing-pairs");
    prepare(&here);
    let out = here.join("out");
    for first in COMMANDS {
        let mut child = start(&here, first);
        let manifest = || fs::read(out.join("manifest.json")).expect("a manifest");
        let has_scenario = || out.join("scenario.toml").is_file();
        let before = (manifest(), has_scenario());
        for second in COMMANDS {
            let ran = backwater(&here, &arguments(second)).expect(2);
            let who = format!("backwater is using it (`backwater {first} ");
            let process = format!("process {}, since 2", child.id());
            ran.complains(&who).complains(&process);
        }
        let after = (manifest(), has_scenario());
        // A run saves every ten seconds.
        assert!(first == "run" || before == after, "{first} was disturbed");
        child.kill().expect("it can be killed");
        assert_eq!(end_of(child).0, None);
        // The lock of a killed program holds nobody up.
        let quick = ["run", &figure_17(), "--out", "out"];
        match first {
            "sweep" | "saturate" => {
                backwater(&here, &quick)
                    .expect(2)
                    .complains("stored points");
            }
            _ => {
                backwater(&here, &quick).expect(0);
                whole(&out);
            }
        }
        fs::remove_dir_all(&out).expect("it can go");
    }
}

/// Nothing is there but what the manifest lists, and all of that.
fn whole(out: &Path) {
    let manifest = json(&out.join("manifest.json"));
    assert_eq!(manifest["partial"], false);
    let listed = manifest["files"]
        .as_array()
        .expect("files are listed")
        .iter();
    let listed: Vec<&str> = listed.filter_map(|file| file.as_str()).collect();
    let there = contents(out);
    for name in there.keys() {
        assert!(listed.contains(&name.as_str()), "{name} is not listed");
    }
    assert_eq!(there.len(), listed.len());
}

#[test]
fn of_equal_runs_at_once_each_is_whole_or_refused() {
    let here = folder("sharing-equal");
    backwater(&here, &["run", &figure_17(), "--out", "alone"]).expect(0);
    let mut done = 0;
    for _ in 0..5 {
        let start = || {
            let mut command = command(&here);
            command.args(["run", &figure_17(), "--out", "out"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().expect("the program starts")
        };
        let children: Vec<_> = (0..4).map(|_| start()).collect();
        let ends: Vec<_> = children.into_iter().map(end_of).collect();
        for (status, err) in &ends {
            let is_refused = err.contains("another backwater is using it");
            assert!(
                *status == Some(0) || (*status == Some(2) && is_refused),
                "{err}"
            );
            done += usize::from(*status == Some(0));
        }
        whole(&here.join("out"));
        let files = |out: &str| contents(&here.join(out)).into_keys().collect::<Vec<_>>();
        assert_eq!(files("out"), files("alone"));
    }
    assert!(done >= 5, "one of each four runs: {done}");
}

/// What another kind of command left goes, but for points, which are not its to clear.
#[test]
fn results_of_two_kinds_are_never_mixed() {
    let here = folder("sharing-kinds");
    prepare(&here);
    let out = here.join("out");
    let small = [
        "compare",
        "small.toml",
        "--out",
        "out",
        "--only",
        "none,reno",
    ];
    let claim = ["reproduce", "kung1993.fig6.buffer-table", "--out", "out"];
    let quick = ["run", &figure_17(), "--out", "out"];
    for command in [&small[..], &quick, &claim, &small, &claim, &quick] {
        backwater(&here, command).expect(0);
        whole(&out);
    }
    shared(&here, &[("seeds = 3", "seeds = 1")]);
    let sweep = ["sweep", "shared.toml", "--out", "out"];
    backwater(&here, &sweep).expect(0);
    assert!(!out.join("resolved.toml").exists(), "a file of the run");
    let before = contents(&out);
    for command in [&small[..], &quick, &claim] {
        let ran = backwater(&here, command).expect(2);
        ran.complains("stored points of a sweep").complains("--out");
        assert!(contents(&out) == before, "{command:?} changed something");
    }
    let ran = backwater(&here, &sweep).expect(0);
    assert!(ran.out.contains("0 computed now"), "{}", ran.out);
}
