//! Dependencies point down.

use crate::files::{self, TextFile};
use crate::{code, hold};

/// From the bottom to the top; what a crate needs stands before it.
const ORDER: &[&str] = &[
    "derive",
    "shipped",
    "kernel",
    "formats",
    "ends",
    "net",
    "flit",
    "scenario",
    "results",
    "run",
    "papers",
    "cli",
    "python",
    "playground",
];
/// The one crate with lints of its own: what lends memory to another language is unsafe.
const LENDS: &str = "crates/python/Cargo.toml";
/// Crates that only tests may need, and what they may need themselves.
const TEST_ONLY: &[(&str, &[&str])] = &[
    ("oracle", &["kernel", "ends", "net", "flit"]),
    ("campaign", &["kernel", "net", "flit", "scenario"]),
];
/// Crates without the standard library.
const BARE: &[&str] = &["kernel", "ends", "net", "flit"];

#[test]
fn dependencies_point_down() {
    let complaints = manifests()
        .iter()
        .flat_map(|file| complaints_about(&name_of(&file.path), &file.text))
        .collect();
    hold(
        complaints,
        "move what is shared into the lower crate; the order is kernel, formats, ends, net, flit, \
         scenario, results, run, papers, cli, python, playground, and oracle and campaign serve \
         tests alone",
    );
}

#[test]
fn the_engine_needs_no_standard_library() {
    let lacks = |name: &&&str| {
        let text = files::read(&format!("crates/{name}/src/lib.rs")).unwrap_or_default();
        !code::blanked(&text).contains("#![no_std]")
    };
    let missing = BARE.iter().filter(lacks);
    hold(
        missing
            .map(|name| format!("crates/{name}/src/lib.rs: no `#![no_std]`"))
            .collect(),
        "put `#![no_std]` back: files, clock, environment and threads belong to the layers above",
    );
}

/// A benchmark may also measure a part of an engine, or what no scenario says.
#[test]
fn commands_know_engines_through_one_trait() {
    let mut commands = files::ending(".rs");
    let above = ["crates/cli/src/", "crates/python/src/"];
    commands.retain(|file| above.iter().any(|folder| file.path.starts_with(folder)));
    commands.retain(|file| !file.path.starts_with("crates/cli/src/bench/"));
    assert!(commands.len() > 20, "{}", commands.len());
    let names = ["backwater_net", "backwater_flit", "Engine::"];
    let says = |file: &TextFile| {
        let code = code::blanked(&file.text);
        let found = names.iter().filter(|name| code.contains(**name));
        let path = &file.path;
        found
            .map(|name| format!("{path}: `{name}`"))
            .collect::<Vec<_>>()
    };
    hold(
        commands.iter().flat_map(says).collect(),
        "ask `backwater_run::engine(scenario)`, and add to `trait Engine` what it does not say",
    );
}

#[test]
fn unsafe_code_stays_forbidden() {
    let root: toml::Table = files::read("Cargo.toml")
        .and_then(|text| text.parse().ok())
        .expect("Cargo.toml can be read");
    let lints = &root["workspace"]["lints"]["rust"];
    assert_eq!(lints["unsafe_code"].as_str(), Some("forbid"));
    let mut others = manifests();
    others.retain(|file| file.path != LENDS);
    let free = others.into_iter().filter(|file| !inherits(&file.text));
    hold(
        free.map(|file| format!("{}: lints of its own", file.path))
            .collect(),
        "write `[lints]` with `workspace = true` in it",
    );
    let lends: toml::Table = files::read(LENDS)
        .and_then(|text| text.parse().ok())
        .expect("the manifest of the package for Python can be read");
    assert_eq!(lends["lints"]["rust"]["unsafe_code"].as_str(), Some("deny"));
    assert_eq!(
        lends["lints"]["clippy"],
        root["workspace"]["lints"]["clippy"]
    );
}

#[test]
fn a_wrong_arrow_is_seen() {
    let up = "[dependencies]\nresults = { workspace = true }\n";
    assert_eq!(complaints_about("net", up).len(), 1);
    assert_eq!(complaints_about("papers", up), [""; 0]);
    let test = "[dev-dependencies]\npapers = { path = \"../papers\" }\n";
    assert_eq!(complaints_about("kernel", test).len(), 1);
    let command = "[dependencies]\nbackwater = { path = \"../cli\" }\n";
    assert_eq!(complaints_about("papers", command).len(), 1);
    assert_eq!(complaints_about("python", command), [""; 0]);
    let renamed = "[dependencies]\nx = { package = \"backwater-papers\", path = \"../papers\" }\n";
    assert_eq!(complaints_about("scenario", renamed).len(), 1);
    let oracle = "[dependencies]\noracle = { path = \"../oracle\" }\n";
    assert_eq!(complaints_about("cli", oracle).len(), 1);
    let run = "[dependencies]\nrun = { path = \"../run\" }\n";
    assert_eq!(complaints_about("campaign", run).len(), 1);
    let reader = "[dependencies]\nscenario = { path = \"../scenario\" }\n";
    assert_eq!(complaints_about("campaign", reader), [""; 0]);
    let for_tests = "[dev-dependencies]\noracle = { path = \"../oracle\" }\n";
    assert_eq!(complaints_about("net", for_tests), [""; 0]);
    assert_eq!(
        complaints_about("oracle", "[dependencies]\nscenario = \"1\"").len(),
        1
    );
    assert_eq!(complaints_about("new", "").len(), 1);
    assert!(!inherits("[lints.rust]\nunsafe_code = \"allow\"\n"));
}

#[test]
fn crates_are_imported_by_their_own_names() {
    let complaints = manifests()
        .into_iter()
        .filter(|file| gives_another_name(&file.text))
        .map(|file| format!("{}: another name for a crate of the workspace", file.path));
    hold(
        complaints.collect(),
        "write `backwater-x = { workspace = true }`, and no `name` under `[lib]`: what reads \
         imports then sees the layers",
    );
    assert!(gives_another_name(
        "[dependencies]\nx = { package = \"backwater-kernel\", path = \"../kernel\" }\n"
    ));
    assert!(gives_another_name("[lib]\nname = \"kernel\"\n"));
    assert!(!gives_another_name("[lib]\nproc-macro = true\n"));
}

fn gives_another_name(manifest: &str) -> bool {
    let table: toml::Table = manifest.parse().expect("a manifest can be read");
    let library = table.get("lib").and_then(toml::Value::as_table);
    let renames = |group: &&str| {
        let group = table.get(*group).and_then(toml::Value::as_table);
        let mut values = group.into_iter().flat_map(|group| group.values());
        values.any(|value| value.get("package").is_some())
    };
    let groups = ["dependencies", "build-dependencies", "dev-dependencies"];
    library.is_some_and(|library| library.contains_key("name")) || groups.iter().any(renames)
}

fn manifests() -> Vec<TextFile> {
    let mut found = files::ending("/Cargo.toml");
    found.retain(|file| file.path.starts_with("crates/"));
    found
}

fn name_of(path: &str) -> String {
    path.split('/').nth(1).unwrap_or_default().to_owned()
}

fn inherits(manifest: &str) -> bool {
    let table: toml::Table = manifest.parse().expect("a manifest can be read");
    let lints = table.get("lints").and_then(|lints| lints.get("workspace"));
    lints.and_then(toml::Value::as_bool) == Some(true)
}

fn rank(name: &str) -> Option<usize> {
    ORDER.iter().position(|known| *known == name)
}

fn complaints_about(name: &str, manifest: &str) -> Vec<String> {
    let table: toml::Table = manifest.parse().expect("a manifest can be read");
    let helper = TEST_ONLY.iter().find(|(helper, _)| *helper == name);
    if rank(name).is_none() && helper.is_none() {
        return vec![format!(
            "crates/{name}: has no place in the order of layers"
        )];
    }
    let may_need = |other: &str| match helper {
        Some((_, allowed)) => allowed.contains(&other),
        None => rank(other) < rank(name),
    };
    let mut complaints = Vec::new();
    for group in ["dependencies", "build-dependencies", "dev-dependencies"] {
        for other in needed(&table, group) {
            let is_helper = TEST_ONLY.iter().any(|(helper, _)| *helper == other);
            let fits = if is_helper {
                group == "dev-dependencies"
            } else {
                may_need(&other)
            };
            if !fits {
                complaints.push(format!("crates/{name}/Cargo.toml: needs {other} ({group})"));
            }
        }
    }
    complaints
}

/// Crates of this workspace that a group of dependencies names, by folder.
fn needed(manifest: &toml::Table, group: &str) -> Vec<String> {
    let Some(group) = manifest.get(group).and_then(toml::Value::as_table) else {
        return Vec::new();
    };
    let folder = |(name, value): (&String, &toml::Value)| {
        let package = value.get("package").and_then(toml::Value::as_str);
        let name = package.unwrap_or(name);
        let name = match name {
            "backwater" => "cli".to_owned(),
            name => name.strip_prefix("backwater-").unwrap_or(name).to_owned(),
        };
        let ours = rank(&name).is_some() || TEST_ONLY.iter().any(|(helper, _)| *helper == name);
        ours.then_some(name)
    };
    group.iter().filter_map(folder).collect()
}
