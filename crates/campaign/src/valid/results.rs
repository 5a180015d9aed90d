//! What a run left: does it add up, and is it the same as another's?

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::child::Ended;
use crate::toml_tree;

/// Columns of the table of queues that say where frames were dropped for want of room.
const DROPPED: [&str; 4] = [
    "dropped_queue_full_frames",
    "dropped_buffer_full_frames",
    "dropped_memory_full_frames",
    "dropped_threshold_frames",
];

fn json(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Why a run that says it is done is not right.
pub fn wrong(out: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let manifest = json(&out.join("manifest.json"));
    if manifest["partial"] != false {
        found.push("status 0, but the manifest says partial".into());
    }
    for check in manifest["checks"].as_array().into_iter().flatten() {
        if check["holds"] == false {
            found.push(format!("status 0 with a broken promise: {check}"));
        }
    }
    let summary = json(&out.join("summary.json"));
    if summary["balanced"] == false {
        found.push("units made do not equal units delivered, dropped and inside".into());
    }
    for name in names(&out.join("tables")) {
        let text = fs::read_to_string(out.join("tables").join(&name)).unwrap_or_default();
        found.extend(odd_numbers(&text).map(|odd| format!("tables/{name}: {odd}")));
    }
    found.extend(lossless_loss(out));
    found
}

/// A number that no table has a place for.
fn odd_numbers(table: &str) -> Option<String> {
    let heading: Vec<&str> = table
        .lines()
        .next()
        .unwrap_or_default()
        .split(',')
        .collect();
    for line in table.lines().skip(1) {
        for (at, cell) in line.split(',').enumerate() {
            // A credit that E takes more from than there is.
            let may_be = heading
                .get(at)
                .is_some_and(|name| name.starts_with("credit_"));
            let is_negative = !may_be && cell.parse::<f64>().is_ok_and(|value| value < 0.0);
            if is_negative || matches!(cell, "NaN" | "inf" | "-inf") {
                return Some(format!("`{cell}` in `{line}`"));
            }
        }
    }
    None
}

/// Frames of a class that loses nothing, lost by switches though nobody gave up the promise.
fn lossless_loss(out: &Path) -> Option<String> {
    let resolved = fs::read_to_string(out.join("resolved.toml")).ok()?;
    let tree = toml_tree::read(&resolved)?;
    let pressure = tree.get("flow_control")?;
    let kind = pressure["kind"].as_str()?;
    let gives_up = pressure["headroom"] == "unchecked" || pressure.get("time_out").is_some();
    let nodes = tree["nodes"].as_array().into_iter().flatten();
    let mut broken =
        nodes.filter(|node| node["ignores_stops"] == true || node.get("storm").is_some());
    // Over a link with control of its own other classes may pass freely: the run judges that.
    let gives_up = gives_up || has_link_with_own(&tree);
    if kind == "none" || gives_up || broken.next().is_some() || tree.get("watchdog").is_some() {
        return None;
    }
    let given_up: Vec<&Value> = tree["classes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|own| own["headroom"] == "unchecked")
        .map(|own| &own["class"])
        .collect();
    let classes: Option<Vec<u64>> = pressure["classes"]
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_u64).collect());
    let queues = fs::read_to_string(out.join("tables/queues.csv")).ok()?;
    let mut lines = queues.lines();
    let heading: Vec<&str> = lines.next()?.split(',').collect();
    let at = |name: &str| heading.iter().position(|column| *column == name);
    let class_at = at("class")?;
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let class = cells.get(class_at)?.parse().ok();
        let is_lossless = classes
            .as_ref()
            .is_none_or(|list| class.is_some_and(|c| list.contains(&c)))
            && !given_up.iter().any(|own| own.as_u64() == class);
        let dropped = DROPPED
            .iter()
            .filter_map(|name| cells.get(at(name)?)?.parse::<u64>().ok());
        let dropped: u64 = dropped.sum();
        if is_lossless && dropped > 0 {
            return Some(format!("{dropped} frames of a lossless class lost: {line}"));
        }
    }
    None
}

/// Does a link say anything of its own flow control?
fn has_link_with_own(tree: &Value) -> bool {
    let trunk = tree["topology"].get("trunk");
    let links = tree["links"].as_array().into_iter().flatten();
    let sides = links.flat_map(|own| [Some(own), own.get("forward"), own.get("backward")]);
    let mut channels = trunk.into_iter().chain(sides.flatten());
    channels.any(|channel| channel.get("flow_control").is_some())
}

/// What in the scenario brought about a run with status 1; `None` if nothing there asks for it.
pub fn provoked(ended: &Ended, out: &Path) -> Option<&'static str> {
    let manifest = json(&out.join("manifest.json"));
    let stop = manifest["stop"].as_str().unwrap_or_default();
    let scenario = manifest["scenario"].as_str().unwrap_or_default();
    let says = |word: &str| stop.contains(word) || ended.err.contains(word);
    let has = |text: &str| scenario.contains(text);
    if says("deadlock") {
        return Some("deadlock");
    }
    if says("standstill") || says("can move") {
        return Some("standstill");
    }
    let corrupts = has("control_corruption = ") && !only(scenario, "control_corruption = 0.0");
    let unsafe_credit = [
        "bind = \"trigger\"",
        "buffer = ",
        "window = \"",
        "headroom = \"unchecked\"",
        "ignores_stops = true",
    ];
    match corrupts {
        true => Some("control units corrupted"),
        false if ended.err.contains("warning[") && unsafe_credit.iter().any(|text| has(text)) => {
            Some("a setting that was warned of")
        }
        false => None,
    }
}

/// Is the key given nowhere but so?
fn only(scenario: &str, harmless: &str) -> bool {
    let key = harmless.split(" = ").next().unwrap_or_default();
    let (all, good) = (format!("{key} = "), harmless.to_owned());
    scenario.matches(&all).count() == scenario.matches(&good).count()
}

/// Only a run with the audit sees what this table holds.
const AUDITED: &str = "violations.csv";

/// How two runs of one scenario differ, where they must not.
pub fn difference(a: &Path, b: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let hash = |out: &Path| json(&out.join("manifest.json"))["trace_hash"].clone();
    if hash(a) != hash(b) || hash(a).is_null() {
        found.push(format!("trace hash {} and {}", hash(a), hash(b)));
    }
    for folder in ["tables", "series", "figures"] {
        let (here, there) = (a.join(folder), b.join(folder));
        if names(&here) != names(&there) {
            found.push(format!("other files in {folder}"));
        }
        for name in names(&here) {
            if fs::read(here.join(&name)).ok() != fs::read(there.join(&name)).ok() {
                found.push(format!("{folder}/{name} differs"));
            }
        }
    }
    found
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.map(name).filter(|name| name != AUDITED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn out(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("campaign-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("tables")).unwrap();
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
        }
        path
    }

    const GOOD: (&str, &str) = (
        "manifest.json",
        "{\"partial\": false, \"trace_hash\": \"1\"}",
    );

    #[test]
    fn a_run_that_does_not_add_up_is_seen() {
        assert_eq!(wrong(&out("good", &[GOOD])), [""; 0]);
        let broken = "{\"partial\": false, \"checks\": [{\"holds\": false}]}";
        assert_eq!(wrong(&out("broken", &[("manifest.json", broken)])).len(), 1);
        assert_eq!(wrong(&out("partial", &[])).len(), 1);
        let summary = ("summary.json", "{\"balanced\": false}");
        assert_eq!(wrong(&out("balance", &[GOOD, summary])).len(), 1);
        let negative = ("tables/a.csv", "what,n\nqueue,-3\n");
        assert_eq!(wrong(&out("negative", &[GOOD, negative])).len(), 1);
        let fine = ("tables/a.csv", "what-1,n,credit_cells\nA-3,3,-1\n");
        assert_eq!(wrong(&out("fine", &[GOOD, fine])), [""; 0]);
    }

    #[test]
    fn frames_lost_where_nothing_may_be_are_seen() {
        let queues = "port,class,dropped_queue_full_frames\nA -> B,3,7\nA -> B,0,9\n";
        let lost = |pressure: &str| {
            let text = format!("[flow_control]\nkind = \"pfc\"\n{pressure}");
            let files = [
                GOOD,
                ("resolved.toml", &text),
                ("tables/queues.csv", queues),
            ];
            wrong(&out("lossless", &files)).len()
        };
        assert_eq!(lost("classes = [3]\n"), 1);
        assert_eq!(lost(""), 1);
        assert_eq!(lost("classes = [2]\n"), 0);
        assert_eq!(lost("classes = [3]\nheadroom = \"unchecked\"\n"), 0);
        let of_class = |class| format!("[[classes]]\nclass = {class}\nheadroom = \"unchecked\"\n");
        assert_eq!(lost(&format!("classes = [3]\n{}", of_class(3))), 0);
        assert_eq!(lost(&format!("classes = [3]\n{}", of_class(0))), 1);
        let own = "[[links]]\nbackward = { flow_control = { kind = \"none\" } }\n";
        assert_eq!(lost(&format!("classes = [3]\n{own}")), 0);
    }

    #[test]
    fn runs_that_differ_are_told() {
        let a = out("one", &[GOOD, ("tables/a.csv", "1\n")]);
        let b = out("two", &[GOOD, ("tables/a.csv", "1\n")]);
        assert_eq!(difference(&a, &b), [""; 0]);
        fs::write(b.join("tables/a.csv"), "2\n").unwrap();
        fs::write(b.join("manifest.json"), "{\"trace_hash\": \"2\"}").unwrap();
        assert_eq!(difference(&a, &b).len(), 2);
    }
}
