//! What random scenarios grow from: small networks, and what is shipped, cut short.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::files::Files;
use super::grow::Grown;
use crate::random::Random;
use crate::toml_tree;

/// Folders of scenarios, below the tree.
const FOLDERS: &[&str] = &[
    "crates/scenario/tests/files",
    "scenarios/abr",
    "scenarios/booksim",
    "scenarios/dally1990",
    "scenarios/ethernet",
    "scenarios/flit",
    "scenarios/kalyanaraman1998",
    "scenarios/kung1993",
    "scenarios/nouredine1999",
    "scenarios/schedulers",
    "scenarios/sweeps",
    "scenarios/zhang1991",
];

/// Sound scenarios with the word for their engine.
pub struct Starts {
    shipped: Vec<(&'static str, Value, Files)>,
}

/// The engine that runs a scenario.
pub fn engine_of(tree: &Value) -> &'static str {
    match tree.get("engine").and_then(Value::as_str) {
        Some("flit") => "flit",
        Some("ethernet") => "ethernet",
        _ => "packet",
    }
}

impl Starts {
    /// Those below the tree, with short runs; those that a short run makes unsound are left out.
    pub fn load(tree: &Path) -> Self {
        let mut shipped = Vec::new();
        for folder in FOLDERS {
            let entries = fs::read_dir(tree.join(folder)).into_iter().flatten();
            let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths
                .iter()
                .filter(|path| path.extension().is_some_and(|e| e == "toml"))
            {
                let text = fs::read_to_string(path).unwrap_or_default();
                let found = toml_tree::read(&text).and_then(|scenario| shortened(scenario, path));
                if let Some(grown) = found {
                    shipped.push((engine_of(&grown.tree), grown.tree, grown.files));
                }
            }
        }
        Self { shipped }
    }

    /// How many of the shipped ones serve an engine.
    #[cfg(test)]
    pub fn count(&self, engine: &str) -> usize {
        let of = |start: &&(&str, Value, Files)| start.0 == engine;
        self.shipped.iter().filter(of).count()
    }

    /// A start for this engine.
    pub fn pick(&self, engine: &str, random: &mut Random) -> Grown {
        let shipped: Vec<_> = self
            .shipped
            .iter()
            .filter(|start| start.0 == engine)
            .collect();
        if random.chance(50)
            && let Some((_, tree, files)) = random.pick(&shipped)
            && let Some(grown) = Grown::new(tree.clone(), files.clone())
        {
            return grown;
        }
        let tree = match engine {
            "flit" => fabric(random),
            "ethernet" => ethernet(random),
            _ => packet(random),
        };
        let text = toml_tree::write(&tree);
        Grown::new(tree, Files::new())
            .unwrap_or_else(|| panic!("a start that is not sound: {text}"))
    }
}

/// With a short run, and without the series and sweeps that it would make senseless.
fn shortened(mut tree: Value, path: &Path) -> Option<Grown> {
    if tree.get("kind").is_some() {
        return None;
    }
    tree["run"] = match engine_of(&tree) {
        "flit" => json!({ "warm_up": 200, "measure": 800, "drain": 3000 }),
        "ethernet" => json!({ "duration": "20 ms" }),
        _ => json!({ "duration": "2000 cells" }),
    };
    let mut files = Files::new();
    let name = "four-routers.anynet";
    if let Ok(text) = fs::read_to_string(path.with_file_name(name)) {
        files.insert(name.into(), text);
    }
    if let Some(whole) = Grown::new(tree.clone(), files.clone()) {
        return Some(whole);
    }
    for senseless in ["series", "sweep", "measure"] {
        tree.as_object_mut()?.remove(senseless);
    }
    Grown::new(tree, files)
}

fn packet(random: &mut Random) -> Value {
    let mut tree = json!({
        "run": { "duration": "2000 cells" },
        "link": { "rate": random.word(&["10 Mbps", "155 Mbps", "622 Mbps"]),
                  "delay": random.word(&["1 us", "10 cells", "70 cells"]) },
    });
    let (from, to) = match random.below(4) {
        0 => {
            tree["network"] = json!({ "hosts": ["A", "B", "C"], "switches": ["S1", "S2"] });
            tree["links"] = json!([
                { "between": ["A", "S1"] }, { "between": ["S1", "S2"] },
                { "between": ["S2", "B"] }, { "between": ["S2", "C"] },
            ]);
            ("A", "B")
        }
        1 => {
            tree["topology"] = json!({ "kind": "star", "hosts_per_switch": 4 });
            ("H1_1", "H1_3")
        }
        2 => {
            let kind = random.word(&["line", "ring"]);
            tree["topology"] = json!({ "kind": kind, "switches": 3, "hosts_per_switch": 2 });
            ("H1_1", "H3_2")
        }
        _ => {
            tree["topology"] = json!({ "kind": "mesh", "sides": [2, 2] });
            ("H1_1_1", "H2_2_1")
        }
    };
    tree["flows"] = json!([
        { "name": "first", "from": from, "to": to },
        { "name": "second", "from": to, "to": from,
          "traffic": { "kind": "poisson", "load": "20 %" } },
    ]);
    tree
}

fn ethernet(random: &mut Random) -> Value {
    let mut tree = json!({
        "engine": "ethernet",
        "run": { "duration": "10 ms" },
        "link": { "rate": random.word(&["10 Mbps", "100 Mbps", "1 Gbps"]) },
    });
    let (from, to) = match random.below(3) {
        0 => {
            tree["topology"] = json!({ "kind": "star", "hosts_per_switch": 4 });
            ("H1_1", "H1_3")
        }
        1 => {
            let kind = random.word(&["line", "ring"]);
            tree["topology"] = json!({ "kind": kind, "switches": 3, "hosts_per_switch": 2 });
            ("H1_1", "H3_2")
        }
        _ => {
            tree["network"] = json!({ "hosts": ["S{1..3}", "D1"], "switches": ["A", "B"] });
            tree["links"] = json!([
                { "between": ["S{1..3}", "A"] }, { "between": ["A", "B"] },
                { "between": ["B", "D1"] },
            ]);
            ("S1", "D1")
        }
    };
    tree["flows"] = json!([
        { "name": "first", "from": from, "to": to },
        { "name": "second", "from": to, "to": from,
          "traffic": { "kind": "constant", "rate": "2 Mbps" } },
    ]);
    tree
}

fn fabric(random: &mut Random) -> Value {
    let topology = match random.below(6) {
        0 => json!({ "kind": "fly", "k": 2, "n": 3 }),
        1 => json!({ "kind": "mesh", "sides": [4, 4] }),
        2 => json!({ "kind": "torus", "sides": [4, 4] }),
        3 => json!({ "kind": "fat-tree", "k": 2, "n": 3 }),
        4 => json!({ "kind": "full", "routers": 5 }),
        _ => json!({ "kind": "crossbar", "terminals": 6 }),
    };
    json!({
        "engine": "flit",
        "run": { "warm_up": 200, "measure": 800, "drain": 3000, "stall": 1000 },
        "topology": topology,
        "router": { "vcs": 4, "depth": 4 },
        "traffic": { "load": random.between(5, 60) as f64 / 100.0,
                     "flits": random.between(1, 8) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_starts() {
        let starts = Starts::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        for (engine, least) in [("packet", 40), ("flit", 20), ("ethernet", 12)] {
            assert!(
                starts.count(engine) >= least,
                "{engine}: {}",
                starts.count(engine)
            );
        }
        let mut random = Random::of(1, "starts", 0);
        for _ in 0..60 {
            for engine in ["packet", "flit", "ethernet"] {
                assert_eq!(engine_of(&starts.pick(engine, &mut random).tree), engine);
            }
        }
    }
}
