//! Sweeps in shards, merged: the same bytes as of one machine, or a word on what is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Ran, backwater, command, finish, folder, json};
use crate::sweeping::{SHARED_POINTS, log, mesh, same_contents, shared};

/// Computes the shards of `shared.toml` into `out-shards`.
fn shards(here: &Path, of: usize, which: impl IntoIterator<Item = usize>) {
    for which in which {
        let shard = format!("{which}/{of}");
        let arguments = ["sweep", "shared.toml", "--shard", &shard, "--out", "out"];
        backwater(here, &arguments).expect(0);
    }
}

fn merge(here: &Path, arguments: &[&str]) -> Ran {
    let whole = ["merge"].into_iter().chain(arguments.iter().copied());
    backwater(here, &whole.collect::<Vec<_>>())
}

/// The sweep of one machine, into `whole`.
fn whole(here: &Path) -> PathBuf {
    backwater(here, &["sweep", "shared.toml", "--out", "whole"]).expect(0);
    here.join("whole")
}

fn stored(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory.join("points")).expect("points");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn merged_shards_are_the_sweep_of_one_machine() {
    let here = folder("shards");
    shared(&here, &[]);
    let whole = whole(&here);
    shards(&here, 5, 1..=5);
    let counts = (1..=5).map(|which| log(&here.join(format!("out-shards/{which}-of-5"))).len());
    let counts: Vec<usize> = counts.collect();
    assert_eq!(counts.iter().sum::<usize>(), SHARED_POINTS);
    assert!(
        counts.iter().all(|count| [7, 8].contains(count)),
        "{counts:?}"
    );
    let ran = merge(&here, &["out-shards", "--out", "merged"]).expect(0);
    assert!(
        ran.out.contains("36 of 36 runs, of 5 directories"),
        "{}",
        ran.out
    );
    same_contents(&here.join("merged"), &whole);
    // In another order, each named, and some twice: another division of the same points.
    shards(&here, 2, [2]);
    let names = [3, 1, 5, 4, 2].map(|which| format!("out-shards/{which}-of-5"));
    let mut arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    arguments.extend(["out-shards/2-of-2", "whole", "--out", "twice"]);
    merge(&here, &arguments).expect(0);
    same_contents(&here.join("twice"), &whole);
    // What was merged goes on as a sweep does.
    let again = ["sweep", "shared.toml", "--out", "twice"];
    let ran = backwater(&here, &again).expect(0);
    assert!(
        ran.out.contains("36 of 36 runs, 0 computed now"),
        "{}",
        ran.out
    );
    same_contents(&here.join("twice"), &whole);
}

/// With settings of the command line, on the other engine, and from another folder.
#[test]
fn settings_travel_with_the_shards() {
    let here = folder("shards-settings");
    mesh(&here, &[]);
    let settings = [
        "--set",
        "router.storage=16",
        "--axis",
        "load=0.1,0.2",
        "--seeds",
        "4,9",
    ];
    let sweep = |more: &[&str]| {
        let words = ["sweep", "shared.toml"].iter().chain(&settings).chain(more);
        backwater(&here, &words.collect::<Vec<_>>()).expect(0)
    };
    sweep(&["--out", "whole"]);
    for which in ["2/3", "3/3", "1/3"] {
        sweep(&["--shard", which]);
    }
    let elsewhere = folder("shards-settings-elsewhere");
    fs::remove_file(here.join("shared.toml")).expect("a file");
    let made = here.join("runs/shared-sweep,router.storage=16-shards");
    let made = made.to_str().expect("a name");
    let out = elsewhere.join("runs/shared-sweep,router.storage=16");
    merge(&elsewhere, &[made]).expect(0);
    same_contents(&out, &here.join("whole"));
}

#[test]
fn half_written_shards_are_told_and_repaired() {
    let here = folder("shards-half");
    shared(&here, &[]);
    let whole = whole(&here);
    shards(&here, 3, 1..=3);
    let second = here.join("out-shards/2-of-3");
    let points = stored(&second);
    let text = fs::read(&points[0]).expect("a point");
    fs::write(&points[0], &text[..text.len() / 2]).expect("a cut point");
    fs::remove_file(&points[1]).expect("a point");
    fs::write(second.join("points/x.json.1.tmp"), "half").expect("a file");
    let ran = merge(&here, &["out-shards", "--out", "merged"]).expect(2);
    let ran = ran
        .complains("is damaged")
        .complains("2 of 36 points missing");
    ran.complains("backwater sweep shared.toml --shard 2/3 --out out\n")
        .complains("n3 = ");
    assert!(!here.join("merged").exists(), "nothing is written");
    // What is there, for those who want it.
    merge(&here, &["out-shards", "--partial", "--out", "merged"]).expect(0);
    let manifest = json(&here.join("merged/manifest.json"));
    assert_eq!(
        (&manifest["partial"], &manifest["done"]),
        (&true.into(), &34.into())
    );
    // As it was told.
    shards(&here, 3, [2]);
    merge(&here, &["out-shards", "--out", "merged"]).expect(0);
    same_contents(&here.join("merged"), &whole);
    // A copy that is damaged does not matter where another is whole; neither does its plan.
    fs::write(second.join("plan.json"), "{").expect("a file");
    fs::write(&stored(&second)[3], "{").expect("a file");
    let again = ["out-shards", "whole", "--out", "again"];
    merge(&here, &again)
        .expect(0)
        .complains("plan.json is damaged");
    same_contents(&here.join("again"), &whole);
    // The merge of what is left without one shard, into what was merged, has it all.
    fs::remove_dir_all(&second).expect("a folder");
    merge(&here, &["out-shards", "--out", "again"]).expect(0);
    let ran = merge(&here, &["out-shards", "--out", "new"]).expect(2);
    ran.complains("12 of 36 points missing")
        .complains("and 7 more");
}

#[test]
fn shards_of_two_sweeps_are_refused() {
    let here = folder("shards-two");
    shared(&here, &[]);
    shards(&here, 2, [1]);
    let other = ["sweep", "shared.toml", "--shard", "2/2", "--out", "other"];
    let changed = [&other[..], &["--set", "flow_control.n2=2"]].concat();
    backwater(&here, &changed).expect(0);
    let both = ["out-shards", "other-shards"];
    let ran = merge(&here, &both).expect(2).complains("are of two sweeps");
    ran.complains("--set flow_control.n2=2");
    shared(&here, &[("delay = \"5 cells\"", "delay = \"6 cells\"")]);
    backwater(&here, &other).expect(0);
    merge(&here, &both)
        .expect(2)
        .complains("their scenarios differ");
    merge(&here, &["no-such"]).expect(2).complains("no-such");
    fs::create_dir(here.join("empty")).expect("a folder");
    merge(&here, &["empty"])
        .expect(2)
        .complains("no directory of a sweep");
}

/// Files that the scenario names travel with the shards, also those that lie elsewhere and those
/// that only some points read; where they differ, shards are of two sweeps.
#[test]
fn files_that_are_named_travel_too() {
    let here = folder("shards-files");
    let study = here.join("study");
    fs::create_dir(&study).expect("a folder");
    let nets = [("a", "1"), ("b", "3")].map(|(name, delay)| {
        let text = format!("router 0 node 0 node 1 router 1 {delay}\nrouter 1 node 2 node 3\n");
        fs::write(here.join(format!("{name}.anynet")), text).expect("a file");
        format!("\"../{name}.anynet\"")
    });
    let axis = format!("vcs = [1, 2, 4]\n\"topology.file\" = [{}]", nets.join(", "));
    let topology = "kind = \"file\"\nfile = \"../a.anynet\"";
    let changes = [
        ("kind = \"mesh\"\nsides = [4, 4]", topology),
        ("vcs = [1, 2, 4]", &axis),
    ];
    mesh(&study, &changes);
    let sweep = |folder: &Path, file: &str, more: &[&str]| {
        backwater(folder, &[&["sweep", file], more].concat()).expect(0)
    };
    sweep(&here, "study/shared.toml", &["--out", "whole"]);
    // Of one shard from another folder, so that its files have other paths.
    sweep(
        &here,
        "study/shared.toml",
        &["--shard", "1/2", "--out", "one"],
    );
    sweep(
        &study,
        "shared.toml",
        &["--shard", "2/2", "--out", "../two"],
    );
    for name in ["study/shared.toml", "a.anynet", "b.anynet"] {
        fs::rename(
            here.join(name),
            here.join("hidden").with_extension(name.len().to_string()),
        )
        .expect("a file can be renamed");
    }
    merge(&here, &["one-shards", "two-shards", "--out", "merged"]).expect(0);
    merge(&here, &["two-shards", "one-shards", "--out", "again"]).expect(0);
    same_contents(&here.join("again"), &here.join("merged"));
    let table = |name: &str| fs::read(here.join(name).join("tables/sweep.csv")).expect("a table");
    assert!(table("merged") == table("whole"));
    // The other shard with another file of the same name.
    mesh(&study, &changes);
    for name in ["a", "b"] {
        let text = "router 0 node 0 node 1 router 1 5\nrouter 1 node 2 node 3\n";
        fs::write(here.join(format!("{name}.anynet")), text).expect("a file");
    }
    sweep(
        &study,
        "shared.toml",
        &["--shard", "2/2", "--out", "../other"],
    );
    let ran = merge(&here, &["one-shards", "other-shards"]).expect(2);
    ran.complains("are of two sweeps: their files");
}

/// Where the whole sweep would be, unless `--out` says otherwise.
#[test]
fn shards_of_a_named_directory_are_merged_there() {
    let here = folder("shards-named");
    shared(&here, &[]);
    for which in ["1/2", "2/2"] {
        backwater(
            &here,
            &["sweep", "shared.toml", "--out", "own", "--shard", which],
        )
        .expect(0);
    }
    let ran = merge(&here, &["own-shards"]).expect(0);
    assert!(ran.out.contains("report: own/report.html"), "{}", ran.out);
    assert!(!here.join("runs").exists());
}

/// The commands it names can be typed.
#[test]
fn missing_shards_of_standard_input_are_named_as_such() {
    let here = folder("shards-input");
    shared(&here, &[]);
    let file = fs::File::open(here.join("shared.toml")).expect("a file");
    let words = ["sweep", "-", "--out", "own", "--shard", "1/2"];
    finish(command(&here).args(words).stdin(file)).expect(0);
    merge(&here, &["own-shards"])
        .expect(2)
        .complains("backwater sweep - --shard 2/2 --out own");
}

#[test]
fn shards_are_numbers_within_their_count() {
    let here = folder("shards-words");
    shared(&here, &[]);
    for text in ["17/16", "0/0", "0/4", "three", "3", "3/x", "-1/3"] {
        let ran = backwater(&here, &["sweep", "shared.toml", &format!("--shard={text}")]);
        ran.expect(2).complains("as 3/16");
    }
    // More shards than points: the last have none.
    let ran = backwater(&here, &["sweep", "shared.toml", "--shard", "40/40"]).expect(0);
    assert!(ran.out.contains("0 of 0 runs"), "{}", ran.out);
}

#[test]
fn the_list_names_every_point_once() {
    let here = folder("shards-list");
    shared(&here, &[]);
    let list = |more: &[&str]| {
        let ran = backwater(&here, &[&["sweep", "shared.toml", "--list"], more].concat());
        ran.expect(0)
            .out
            .lines()
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let all = list(&[]);
    assert_eq!(all.len(), SHARED_POINTS);
    assert!(all[0].starts_with("1\t") && all[0].ends_with("\tload = 0.1\tn3 = 4\tseed = 1"));
    assert!(!here.join("runs").exists(), "nothing runs");
    let shards = (1..=5).flat_map(|which| list(&["--shard", &format!("{which}/5")]));
    let parts: BTreeSet<String> = shards.collect();
    assert_eq!(parts, all.iter().cloned().collect());
    // The id is the name of the stored point.
    let stored = stored(&whole(&here));
    let names = stored.iter().filter_map(|path| path.file_stem()?.to_str());
    let names: BTreeSet<&str> = names.collect();
    let ids = all.iter().filter_map(|line| line.split('\t').nth(1));
    assert_eq!(ids.collect::<BTreeSet<&str>>(), names);
}

/// The script, each task of its array run as Slurm would, then the merge it names.
#[cfg(unix)]
#[test]
fn the_script_for_slurm_runs() {
    let here = folder("shards-slurm");
    shared(&here, &[]);
    let whole = whole(&here);
    let made = [
        "sweep",
        "shared.toml",
        "--slurm=4",
        "--out",
        "on the cluster",
        "--memory",
        "2GB",
    ];
    let script = backwater(&here, &made).expect(0).out;
    fs::write(here.join("sweep.sh"), &script).expect("a file");
    assert!(script.contains("#SBATCH --array=1-4\n"), "{script}");
    assert!(script.contains(" --memory 2000000000B "), "{script}");
    for other in ["--fresh", "--jobs=2"] {
        backwater(&here, &[&made[..3], &[other]].concat())
            .expect(2)
            .complains("cannot be used with '--");
    }
    let bash = |arguments: &[&str]| {
        let program = Path::new(env!("CARGO_BIN_EXE_backwater"))
            .parent()
            .expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut bash = Command::new("bash");
        bash.args(arguments).current_dir(&here);
        bash.env("PATH", format!("{}:{path}", program.display()));
        bash
    };
    finish(&mut bash(&["-n", "sweep.sh"])).expect(0);
    // Without a task it says so.
    assert_ne!(finish(&mut bash(&["sweep.sh"])).status, 0);
    for task in ["3", "1", "4", "2"] {
        finish(bash(&["sweep.sh"]).env("SLURM_ARRAY_TASK_ID", task)).expect(0);
    }
    let merge = script.lines().find_map(|line| line.strip_prefix("#   "));
    let merge = merge.expect("the command that merges");
    assert!(merge.starts_with("backwater merge"), "{merge}");
    finish(&mut bash(&["-c", merge])).expect(0);
    same_contents(&here.join("on the cluster"), &whole);
    // No more tasks than points.
    let few = [
        "sweep",
        "shared.toml",
        "--axis",
        "flows.*.traffic.load=0.1",
        "--seeds",
        "1",
        "--slurm",
    ];
    let script = backwater(&here, &few).expect(0).out;
    assert!(script.contains("--array=1-2\n"), "{script}");
}
