//! What the tests of sweeps share.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Two sources that share a link: full at half the load each.
pub const SHARED: &str = r#"
title = "A shared link"

[run]
duration = "1500 cells"
warm_up = "300 cells"

[link]
rate = "622 Mbps"
delay = "5 cells"

[topology]
kind = "star"
hosts_per_switch = 3

[flow_control]
kind = "n23"
n2 = 4
n3 = 16

[[flows]]
name = "one"
from = "H1_1"
to = "H1_3"
traffic = { kind = "poisson", load = 0.3 }

[[flows]]
name = "two"
from = "H1_2"
to = "H1_3"
traffic = { kind = "poisson", load = 0.3 }

[sweep]
seeds = 3

[sweep.axes]
"flows.*.traffic.load" = { from = 0.1, to = 0.6, step = 0.1 }
n3 = [4, 16]
"#;

/// Points of [`SHARED`], seeds included.
pub const SHARED_POINTS: usize = 6 * 2 * 3;

/// Writes the scenario as `shared.toml`, with other values for some keys.
pub fn shared(here: &Path, changes: &[(&str, &str)]) {
    write(here, SHARED, changes);
}

/// A small mesh: beyond saturation at the highest load.
pub const MESH: &str = r#"
title = "A small mesh"
engine = "flit"

[run]
warm_up = "500 cycles"
measure = "2000 cycles"
drain = "20000 cycles"

[topology]
kind = "mesh"
sides = [4, 4]

[router]
vcs = 1
storage = 8

[traffic]
load = 0.1
flits = 4

[sweep]
seeds = 2

[sweep.axes]
vcs = [1, 2, 4]
load = [0.1, 0.3, 0.9]
"#;

/// Points of [`MESH`], seeds included.
pub const MESH_POINTS: usize = 3 * 3 * 2;

/// Writes the mesh as `shared.toml`, with other values for some keys.
pub fn mesh(here: &Path, changes: &[(&str, &str)]) {
    write(here, MESH, changes);
}

fn write(here: &Path, scenario: &str, changes: &[(&str, &str)]) {
    let mut text = scenario.to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "no `{old}`");
        text = text.replace(old, new);
    }
    fs::write(here.join("shared.toml"), text).expect("a file");
}

/// Every file below a directory with its bytes, but for the log and the lock.
pub fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![directory.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(directory).expect("below");
            let name = name.to_string_lossy().replace('\\', "/");
            if !["points.log", "lock"].contains(&name.as_str()) {
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// Fails where two directories differ, naming the first file that does.
pub fn same_contents(one: &Path, other: &Path) {
    let (one, other) = (contents(one), contents(other));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    for (name, bytes) in &one {
        assert!(bytes == &other[name], "{name} differs");
    }
}

/// Keys of the points computed, in the order of completion.
pub fn log(directory: &Path) -> Vec<String> {
    let text = fs::read_to_string(directory.join("points.log")).unwrap_or_default();
    text.lines().map(String::from).collect()
}

/// Rows of a table, without its header, split at commas.
pub fn rows(directory: &Path, table: &str) -> Vec<Vec<String>> {
    let path = directory.join("tables").join(table);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let rows = text.lines().skip(1);
    rows.map(|row| row.split(',').map(String::from).collect())
        .collect()
}
