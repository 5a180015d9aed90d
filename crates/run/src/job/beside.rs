//! Files that a scenario names, moved beside it, so that a directory of results runs by itself.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use backwater_scenario::{Scenario, Source};

/// The scenario with all defaults, and the files it names. One that lies elsewhere, as
/// `../ring.anynet`, is named by the last part of its path.
pub fn beside(scenario: &Scenario) -> (String, Vec<Source>) {
    let (mut resolved, mut files) = (scenario.resolved.clone(), scenario.files.clone());
    let mut taken: BTreeSet<String> = files.iter().map(|file| file.name.clone()).collect();
    for file in files.iter_mut().filter(|file| !lies_below(&file.name)) {
        let Some(last) = Path::new(&file.name).file_name() else {
            continue;
        };
        let last = last.to_string_lossy();
        let names = (2..).map(|number| format!("{number}-{last}"));
        let mut free = [last.clone().into_owned()].into_iter().chain(names);
        let Some(name) = free.find(|name| !taken.contains(name)) else {
            continue;
        };
        let key = |name: &str| Some(format!("file = {}", as_toml(name)?));
        if let Some((old, new)) = key(&file.name).zip(key(&name)) {
            resolved = resolved.replace(&old, &new);
            taken.insert(name.clone());
            file.name = name;
        }
    }
    (resolved, files)
}

fn lies_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.all(|part| matches!(part, Component::Normal(_)))
}

/// In quotes; nothing where signs of it would need more.
fn as_toml(name: &str) -> Option<String> {
    let is_plain = |letter: char| !letter.is_control() && !"\"\\".contains(letter);
    name.chars().all(is_plain).then(|| format!("\"{name}\""))
}
