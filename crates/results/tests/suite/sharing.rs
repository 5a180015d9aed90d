//! One writer a directory, and nothing behind its links.

use std::fs;
use std::path::{Path, PathBuf};

use backwater_results::directory::{Holder, Manifest, RunDirectory};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("backwater-sharing-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
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

fn holder() -> Holder {
    Holder {
        command: "backwater run a\u{1b}[2J.toml".into(),
        process: 4711,
        since: "noon".into(),
    }
}

fn create(path: &Path) -> Result<RunDirectory, String> {
    RunDirectory::create(path, &holder()).map_err(|error| error.to_string())
}

fn create_with_points(path: &Path) -> Result<RunDirectory, String> {
    RunDirectory::create_with_points(path, &holder()).map_err(|error| error.to_string())
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn one_writes_at_a_time_and_the_second_learns_who() {
    let scratch = Scratch::new("lock");
    let path = scratch.0.join("run");
    let mut held = create(&path).unwrap();
    held.write("tables/a.csv", b"first").unwrap();
    for second in [create(&path), create_with_points(&path)] {
        let error = second.unwrap_err();
        let who = "(`backwater run a\\u{1b}[2J.toml`, process 4711, since noon)";
        assert!(error.contains("another backwater"), "{error}");
        assert!(error.contains(who), "{error}");
    }
    assert_eq!(text(&path.join("tables/a.csv")), "first");
    held.finish(&Manifest::default()).unwrap();
    assert!(!path.join("lock").exists());
    create(&path).unwrap();
}

/// Threads that all want the directory: each has it alone while it has it, and a lock file that
/// the last holder removed is no lock.
#[test]
fn however_many_want_it_one_has_it() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let scratch = Scratch::new("crowd");
    let path = scratch.0.join("run");
    let (inside, got) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..60 {
                    let Ok(directory) = create(&path) else {
                        continue;
                    };
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two have it");
                    got.fetch_add(1, Ordering::SeqCst);
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(directory);
                }
            });
        }
    });
    assert!(got.into_inner() > 0);
}

/// A second name for a file of somebody else, or that file itself.
#[test]
fn a_lock_of_somebody_else_is_left_alone() {
    let scratch = Scratch::new("lock-foreign");
    let (run, mine) = (scratch.0.join("run"), scratch.0.join("mine.txt"));
    fs::create_dir(&run).unwrap();
    fs::write(&mine, "mine").unwrap();
    fs::hard_link(&mine, run.join("lock")).unwrap();
    assert!(create(&run).unwrap_err().contains("not written by this"));
    assert_eq!(text(&mine), "mine");
}

#[test]
fn points_of_a_sweep_are_not_taken_for_rubbish() {
    let scratch = Scratch::new("points");
    let run = scratch.0.join("run");
    drop(create_with_points(&run).unwrap());
    fs::create_dir(run.join("points")).unwrap();
    drop(create(&run).unwrap());
    assert!(!run.join("points").exists(), "an empty folder is no loss");
    fs::create_dir(run.join("points")).unwrap();
    fs::write(run.join("points/0123.json"), "{}").unwrap();
    let manifest = text(&run.join("manifest.json"));
    let error = create(&run).unwrap_err();
    assert!(error.contains("stored points of a sweep") && error.contains("--out"));
    assert_eq!(text(&run.join("manifest.json")), manifest);
    assert_eq!(text(&run.join("points/0123.json")), "{}");
    assert!(!run.join("lock").exists());
    drop(create_with_points(&run).unwrap());
    assert!(run.join("points/0123.json").exists());
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_lock_is_not_followed() {
        let scratch = Scratch::new("lock-link");
        let (run, mine) = (scratch.0.join("run"), scratch.0.join("mine.txt"));
        fs::create_dir(&run).unwrap();
        fs::write(&mine, "").unwrap();
        symlink(&mine, run.join("lock")).unwrap();
        assert!(create(&run).unwrap_err().contains("a symbolic link"));
        assert!(create_with_points(&run).is_err());
        symlink(scratch.0.join("nothing"), scratch.0.join("dangling")).unwrap();
        fs::remove_file(run.join("lock")).unwrap();
        fs::rename(scratch.0.join("dangling"), run.join("lock")).unwrap();
        assert!(create(&run).is_err());
        assert!(!scratch.0.join("nothing").exists());
        assert_eq!(text(&mine), "");
    }

    /// A manifest or a lock of somebody else names a file behind a link.
    #[test]
    fn nothing_is_removed_behind_a_link() {
        let scratch = Scratch::new("remove-link");
        let (run, there) = (scratch.0.join("run"), scratch.0.join("there"));
        fs::create_dir(&there).unwrap();
        fs::write(there.join("keep.txt"), "mine").unwrap();
        fs::write(there.join("x.1.tmp"), "mine").unwrap();
        drop(create(&run).unwrap());
        symlink(&there, run.join("link")).unwrap();
        symlink(there.join("keep.txt"), run.join("named")).unwrap();
        let files = serde_json::json!(["link/keep.txt", "link/x", "named"]);
        let manifest = serde_json::json!({ "program": "backwater", "files": files });
        fs::write(run.join("manifest.json"), manifest.to_string()).unwrap();
        let lock = "{\"program\":\"backwater\",\"command\":\"\",\"process\":1,\"since\":\"\"}\n";
        fs::write(run.join("lock"), format!("{lock}\"link/keep.txt\"\n")).unwrap();
        let mut directory = create(&run).unwrap();
        assert_eq!(text(&there.join("keep.txt")), "mine");
        assert_eq!(text(&there.join("x.1.tmp")), "mine");
        assert!(
            fs::symlink_metadata(run.join("named")).is_err(),
            "the link itself goes"
        );
        let error = directory
            .write("link/new.txt", b"new")
            .unwrap_err()
            .to_string();
        assert!(error.contains("a symbolic link"), "{error}");
        assert!(!there.join("new.txt").exists());
    }

    #[test]
    fn folders_of_results_must_be_folders() {
        let scratch = Scratch::new("folder-link");
        let there = scratch.0.join("there");
        fs::create_dir(&there).unwrap();
        for folder in ["tables", "series", "figures", "scenarios", "points"] {
            let run = scratch.0.join(format!("run-{folder}"));
            drop(create(&run).unwrap());
            symlink(&there, run.join(folder)).unwrap();
            let manifest = text(&run.join("manifest.json"));
            for refused in [create(&run), create_with_points(&run)] {
                let error = refused.unwrap_err();
                assert!(error.contains("a symbolic link") && error.contains(folder));
            }
            assert_eq!(text(&run.join("manifest.json")), manifest);
        }
        assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
    }

    /// Files take the place of links, and what these name stays as it is.
    #[test]
    fn nothing_is_written_through_a_link() {
        let scratch = Scratch::new("write-link");
        let (run, mine) = (scratch.0.join("run"), scratch.0.join("mine.txt"));
        fs::write(&mine, "mine").unwrap();
        let mut directory = create(&run).unwrap();
        let temporary = format!("summary.json.{}.tmp", std::process::id());
        for name in [
            "report.html",
            "summary.json",
            "trace.csv",
            temporary.as_str(),
        ] {
            symlink(&mine, run.join(name)).unwrap();
        }
        directory.write("report.html", b"ours").unwrap();
        directory.write("summary.json", b"ours").unwrap();
        let trace = directory.adopt("trace.csv");
        drop(backwater_results::directory::fresh_file(&trace).unwrap());
        assert_eq!(text(&mine), "mine");
        assert_eq!(text(&run.join("report.html")), "ours");
        directory.finish(&Manifest::default()).unwrap();
        // A directory that is a link itself is what the user says.
        symlink(&run, scratch.0.join("other-name")).unwrap();
        drop(create(&scratch.0.join("other-name")).unwrap());
        assert!(!run.join("report.html").exists());
    }
}
