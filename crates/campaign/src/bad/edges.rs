//! The least and the largest that each key of the language allows, from its schema.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::extremes::SPANS;
use crate::toml_tree::{self, Step};

/// Keys of a table with the values at their edges.
pub type Keys = Vec<(String, Vec<Value>)>;

/// Tables of the language by their names in the schema.
pub struct Edges(BTreeMap<String, Keys>);

impl Edges {
    /// Those of the tree's schema.
    pub fn of(tree: &Path) -> Edges {
        let path = tree.join("docs/schema.json");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let schema: Value = serde_json::from_str(&text).unwrap_or_default();
        let tables = schema["definitions"].as_object().into_iter().flatten();
        let keys = |table: &Value| -> Keys {
            let keys = table["properties"].as_object().into_iter().flatten();
            let keys = keys.map(|(key, told)| (key.clone(), values(told)));
            keys.filter(|(_, values)| !values.is_empty()).collect()
        };
        let all = tables.map(|(name, table)| (name.clone(), keys(table)));
        Edges(all.collect())
    }

    /// The keys of the table at the end of a way, in a file of this engine.
    pub fn at(&self, engine: &str, path: &toml_tree::Path) -> Option<&Keys> {
        let keys = path.iter().filter_map(|step| match step {
            Step::Key(name) => Some(name.as_str()),
            Step::Item(_) => None,
        });
        let name: Vec<&str> = keys.collect();
        let prefix = match engine {
            "packet" => String::new(),
            engine => format!("{engine}-"),
        };
        self.0.get(&format!("{prefix}{}", name.join("-")))
    }
}

/// What a key allows at its edges.
fn values(told: &Value) -> Vec<Value> {
    let text = told["description"].as_str().unwrap_or("");
    let allowed = text.split("Allowed: ").nth(1).unwrap_or("");
    let allowed = allowed.lines().next().unwrap_or("");
    if allowed.contains(" or longer, in ") {
        return SPANS.iter().map(|span| json!(span)).collect();
    }
    if let Some((_, range)) = allowed.split_once("whole numbers from ") {
        let words: Vec<&str> = range.split_whitespace().collect();
        let whole = |word: &&str| word.trim_end_matches(['.', ';', ',']).parse::<i64>().ok();
        let ends = [words.first(), words.get(2)];
        return ends
            .into_iter()
            .flatten()
            .filter_map(whole)
            .map(|n| json!(n))
            .collect();
    }
    // What follows names units, or other ways to write the same.
    let range = allowed.split([',', ';']).next().unwrap_or("");
    if let Some((least, most)) = range.split_once(" to ") {
        let is_quantity = |text: &&str| text.split(' ').count() == 2;
        let ends = [least, most].into_iter().filter(is_quantity);
        let ends: Vec<Value> = ends.map(|end| json!(end)).collect();
        if ends.len() == 2 {
            return ends;
        }
        let ends = [least, most].map(|end| end.trim_end_matches('.').parse::<f64>());
        return ends.into_iter().flatten().map(|end| json!(end)).collect();
    }
    match allowed.starts_with("above 0, at most ") {
        true => vec![json!(1e-300), json!(1e-9), json!(100.0)],
        false => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_their_edges() {
        let edges = Edges::of(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));
        let at = |engine: &str, path: &[&str], key: &str| {
            let path = path.iter().map(|name| Step::Key((*name).into())).collect();
            let keys = edges.at(engine, &path).expect("a table");
            let found = keys.iter().find(|(name, _)| name == key);
            found.expect("a key").1.clone()
        };
        assert_eq!(
            at("packet", &["flow_control"], "n2"),
            [json!(1), json!(1_073_741_824)]
        );
        assert_eq!(
            at("ethernet", &["link"], "rate"),
            [json!("1 bps"), json!("100 Tbps")]
        );
        assert!(at("ethernet", &["link"], "delay").contains(&json!("4611686 s")));
        assert_eq!(at("flit", &["traffic"], "load"), [json!(0.0), json!(1.0)]);
    }
}
