//! Sweeps that are killed, stopped or started twice: nothing is lost, nothing done twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use crate::support::{backwater, command, folder, json};
use crate::sweeping::{MESH_POINTS, log, mesh, same_contents, shared};

const PATIENCE: Duration = Duration::from_secs(120);
const ARGUMENTS: [&str; 6] = ["sweep", "shared.toml", "--jobs", "2", "--out", "out"];

fn start(here: &Path) -> Child {
    let mut command = command(here);
    command
        .args(ARGUMENTS)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// When each stored point was written.
fn written(out: &Path) -> BTreeMap<String, SystemTime> {
    let entries = fs::read_dir(out.join("points"))
        .into_iter()
        .flatten()
        .flatten();
    let points = entries.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let time = entry.metadata().and_then(|data| data.modified()).ok()?;
        name.ends_with(".json").then_some((name, time))
    });
    points.collect()
}

/// Lets it store `more` points, if it gets to that, and kills it.
fn kill_after(child: &mut Child, out: &Path, more: usize, pause: Duration) {
    let wanted = log(out).len() + more;
    let begun = Instant::now();
    while more > 0 && log(out).len() < wanted {
        if child.try_wait().expect("it can be asked").is_some() {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "no point is stored");
        sleep(Duration::from_micros(300));
    }
    sleep(pause);
    let _ = child.kill();
    child.wait().expect("it ended");
}

#[test]
fn killed_fifty_times_it_ends_like_one_that_never_was() {
    let here = folder("sweep-kills");
    let whole = folder("sweep-kills-whole");
    for folder in [&here, &whole] {
        shared(folder, &[("seeds = 3", "seeds = 24")]);
    }
    killed(&here, &whole, 6 * 2 * 24, 50, 10);
}

#[test]
fn killed_ten_times_cycles_end_like_those_that_never_were() {
    let here = folder("sweep-kills-flit");
    let whole = folder("sweep-kills-flit-whole");
    for folder in [&here, &whole] {
        mesh(folder, &[("seeds = 2", "seeds = 8")]);
    }
    killed(&here, &whole, MESH_POINTS * 4, 10, 2);
}

/// Sweeps in `here` with so many kills, the last `late` of them while the tables are written, and
/// in `whole` without.
fn killed(here: &Path, whole: &Path, points: usize, kills: usize, late: usize) {
    backwater(whole, &ARGUMENTS).expect(0);
    assert_eq!(log(&whole.join("out")).len(), points);
    let out = here.join("out");
    let mut before = BTreeMap::new();
    let mut kept = 0;
    for kill in 0..kills {
        let is_late = kill >= kills - late;
        if kill == kills - late {
            backwater(here, &ARGUMENTS).expect(0);
        }
        let mut child = start(here);
        // From the very start to some points further, and a little later each time.
        let more = if is_late { 0 } else { kill % 8 };
        let millis = if is_late { 4 * (kill % 10) } else { kill % 3 };
        kill_after(&mut child, &out, more, Duration::from_millis(millis as u64));
        let now = written(&out);
        for (name, time) in &before {
            assert_eq!(
                now.get(name),
                Some(time),
                "{name} is lost or was written again"
            );
        }
        kept += usize::from(!before.is_empty() && before.len() < points);
        before = now;
    }
    assert!(
        kept > kills / 2,
        "only {kept} kills in the middle of the sweep"
    );
    backwater(here, &ARGUMENTS).expect(0);
    same_contents(&out, &whole.join("out"));
    let computed = log(&out);
    let different: BTreeSet<&String> = computed.iter().collect();
    assert_eq!(
        different.len(),
        computed.len(),
        "a point was computed twice"
    );
    // A kill between storing and noting leaves points out of the log, one a job at most.
    assert!(computed.len() + 2 * kills >= points && computed.len() <= points);
    assert_eq!(written(&out).len(), points);
}

/// Files cut short, as by a disk that lost them, are found out.
#[test]
fn a_cut_point_is_what_the_comparison_sees() {
    let here = folder("sweep-kills-control");
    let whole = folder("sweep-kills-control-whole");
    for folder in [&here, &whole] {
        shared(folder, &[]);
        backwater(folder, &ARGUMENTS).expect(0);
    }
    same_contents(&here.join("out"), &whole.join("out"));
    let name = written(&here.join("out"))
        .into_keys()
        .next()
        .expect("a point");
    let path = here.join("out/points").join(name);
    let text = fs::read_to_string(&path).expect("a point");
    fs::write(&path, text.replacen("0.", "1.", 1)).expect("a file");
    let differs = || same_contents(&here.join("out"), &whole.join("out"));
    assert!(
        std::panic::catch_unwind(differs).is_err(),
        "a changed point is not seen"
    );
}

/// A sweep of many seconds that has stored some points.
fn long_sweep(here: &Path) -> Child {
    shared(
        here,
        &[("1500 cells", "60000 cells"), ("seeds = 3", "seeds = 40")],
    );
    let mut command = command(here);
    command
        .args(ARGUMENTS)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let begun = Instant::now();
    while log(&here.join("out")).len() < 3 {
        assert!(begun.elapsed() < PATIENCE, "no point is stored");
        sleep(Duration::from_millis(5));
    }
    child
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_points() {
    let here = folder("sweep-ctrl-c");
    let child = long_sweep(&here);
    let out = here.join("out");
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("`kill` runs").success());
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("the same command continues"), "{err}");
    let manifest = json(&out.join("manifest.json"));
    assert_eq!(manifest["partial"], true);
    let done = log(&out).len();
    assert_eq!(manifest["done"], done, "{manifest}");
    assert!((3..480).contains(&done));
    let table = fs::read_to_string(out.join("tables/sweep.csv")).expect("a table");
    assert_eq!(table.lines().count(), 1 + done);
}

#[test]
fn two_at_once_are_refused() {
    let here = folder("sweep-two");
    let mut first = long_sweep(&here);
    let second = backwater(&here, &ARGUMENTS).expect(2);
    second.complains("another backwater is using it");
    let _ = first.kill();
    first.wait().expect("it ended");
}
