//! What a directory of results holds, without what differs from run to run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Files by name, with what they hold.
#[derive(Default, Clone)]
pub struct Contents(BTreeMap<String, String>);

/// Fields of JSON that tell time or the command.
const PASSING: &[&str] = &["command", "host", "process", "started", "build"];

impl Contents {
    /// Of a directory.
    pub fn of(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        walk(folder, "", &mut files);
        Self(files)
    }

    /// The first difference.
    pub fn differs(&self, other: &Self) -> Option<String> {
        for (name, text) in &self.0 {
            match other.0.get(name) {
                None => return Some(format!("{name} is missing")),
                Some(there) if there != text => return Some(format!("{name} differs")),
                Some(_) => {}
            }
        }
        let more = other.0.keys().find(|name| !self.0.contains_key(*name));
        more.map(|name| format!("{name} is left over"))
    }

    /// Without the points of sweeps, which other commands leave where they are.
    pub fn without_points(&self) -> Self {
        let files = self.0.clone().into_iter();
        Self(
            files
                .filter(|(name, _)| !name.starts_with("points"))
                .collect(),
        )
    }
}

fn walk(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() {
            walk(&path, &format!("{name}/"), files);
        } else if let Some(text) = lasting(&name, &fs::read(&path).unwrap_or_default()) {
            files.insert(name, text);
        }
    }
}

/// The part of a file that must be the same again; `None` for files that need not be.
fn lasting(name: &str, bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    if name == "lock" {
        return None;
    }
    if name.ends_with(".html") {
        // It shows how long things took.
        let whole = text.trim_end().ends_with("</html>");
        return Some(if whole { "whole" } else { "cut" }.into());
    }
    if name == "points.log" {
        // In the order of completion, and a point between storing and noting is not in it.
        return None;
    }
    if name.ends_with(".json") {
        let mut value: Value = match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => return Some(format!("no JSON: {error}")),
        };
        strip(&mut value);
        return Some(value.to_string());
    }
    Some(text)
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(table) => {
            table.retain(|name, _| !name.contains("second") && !PASSING.contains(&name.as_str()));
            // Runs that were read, and runs computed now, add up to the same.
            table.retain(|name, _| name != "computed" && name != "stored");
            table.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// What is wrong with a directory right after a crash.
pub fn faults(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut names = BTreeMap::new();
    walk(folder, "", &mut names);
    for (name, text) in &names {
        if text.starts_with("no JSON") {
            found.push(format!("{name} is cut: {text}"));
        }
    }
    let is_result = |name: &&String| name.starts_with("tables/") || name.ends_with(".html");
    if !names.contains_key("manifest.json")
        && let Some(result) = names.keys().find(is_result)
    {
        found.push(format!("{result} without a manifest"));
    }
    found
}

/// Does the manifest say that all is there? `None` without one.
pub fn says_whole(folder: &Path) -> Option<bool> {
    let text = fs::read(folder.join("manifest.json")).ok()?;
    let manifest: Value = serde_json::from_slice(&text).ok()?;
    Some(manifest["partial"] == false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("contents-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        for (name, text) in files {
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        path
    }

    #[test]
    fn only_what_lasts_is_compared() {
        let one = [
            ("manifest.json", "{\"a\": 1, \"wall_seconds\": 2}"),
            ("t/x.csv", "1"),
            ("lock", ""),
        ];
        let two = [
            ("manifest.json", "{\"wall_seconds\": 3, \"a\": 1}"),
            ("t/x.csv", "1"),
        ];
        let (one, two) = (
            Contents::of(&folder("1", &one)),
            Contents::of(&folder("2", &two)),
        );
        assert_eq!(one.differs(&two), None);
        let three = Contents::of(&folder(
            "3",
            &[("manifest.json", "{\"a\": 2}"), ("t/x.csv", "1")],
        ));
        assert_eq!(
            one.differs(&three).as_deref(),
            Some("manifest.json differs")
        );
        let four = Contents::of(&folder("4", &[("manifest.json", "{\"a\": 1}")]));
        assert_eq!(one.differs(&four).as_deref(), Some("t/x.csv is missing"));
        assert_eq!(four.differs(&one).as_deref(), Some("t/x.csv is left over"));
    }

    #[test]
    fn cut_files_and_lone_results_are_seen() {
        assert_eq!(
            faults(&folder("5", &[("manifest.json", "{\"a\"")])).len(),
            1
        );
        assert_eq!(faults(&folder("6", &[("tables/a.csv", "")])).len(), 1);
        assert_eq!(
            faults(&folder(
                "7",
                &[("manifest.json", "{}"), ("tables/a.csv", "")]
            )),
            [""; 0]
        );
    }
}
