//! What stands at a path of a scenario, changes included.

use crate::given;
use crate::language::diagnostics::Diagnostics;
use crate::language::source::{Set, Source};
use crate::language::tree::{self, Node, Value};
use crate::sweep::overrides;
use crate::sweep::paths;

/// The value at a path as TOML on one line, after every `--set`; none where nothing stands there.
///
/// Paths are those of `--set`: `run.duration`, `flows.VC1.priority`, a short name such as `load`
/// where only one key can be meant, `*` for every item of a list, whose values are a list then. An
/// empty path is the whole scenario. Defaults do not stand there: [`crate::Scenario::resolved`]
/// has them.
///
/// # Errors
/// If the text is no TOML, a `--set` can't be made, or a short name can mean several keys.
pub fn value_at(source: &Source, sets: &[Set], path: &str) -> Result<Option<String>, Diagnostics> {
    let asked = Set {
        key: path.into(),
        value: String::new(),
    };
    let others = sets.iter().map(Set::source).chain([asked.source()]);
    let (mut root, mut mistakes) = tree::read_source(source, others)?;
    overrides::apply(&mut root, sets, &mut mistakes);
    if mistakes.errors() > 0 {
        return Err(mistakes);
    }
    if path.is_empty() {
        return Ok(Some(root.to_toml()));
    }
    let names = overrides::owned(path, sets.len() + 1);
    let names = match paths::resolve(names, &root, given::root_of(&root)) {
        Ok(names) => names,
        Err(wrong) if wrong.code == "unknown-key" => return Ok(None),
        Err(wrong) => {
            mistakes.push(*wrong);
            return Err(mistakes);
        }
    };
    let names: Vec<&str> = names.iter().map(|(name, _)| &**name).collect();
    Ok(found(&root, &names).map(|node| node.to_toml()))
}

/// The node at these names.
fn found(node: &Node, names: &[&str]) -> Option<Node> {
    let Some((name, rest)) = names.split_first() else {
        return Some(node.clone());
    };
    match &node.value {
        Value::Table(_) => found(node.get(name)?, rest),
        Value::List(items) if *name == "*" => {
            let all = items.iter().filter_map(|item| found(item, rest));
            Some(Node {
                value: Value::List(all.collect()),
                at: node.at.clone(),
            })
        }
        Value::List(items) => found(&items[overrides::index_of(items, name)?], rest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
        [run]\nduration = \"50 ms\"\n[link]\nrate = \"622 Mbps\"\n\
        [[flows]]\nname = \"VC1\"\nstart = \"1 ms\"\n[[flows]]\nname = \"V.2\"\n";

    fn at(path: &str, sets: &[&str]) -> Option<String> {
        let sets: Vec<Set> = sets
            .iter()
            .map(|set| Set::new(set).expect("it sets something"))
            .collect();
        let source = Source::new("test.toml", TEXT);
        value_at(&source, &sets, path).expect("the text is TOML")
    }

    #[test]
    fn values_are_those_of_the_text_and_of_changes() {
        assert_eq!(at("run.duration", &[]).as_deref(), Some("\"50 ms\""));
        assert_eq!(at("duration", &[]).as_deref(), Some("\"50 ms\""));
        assert_eq!(at("run.seed", &[]), None);
        assert_eq!(at("run.seed", &["run.seed=3"]).as_deref(), Some("3"));
        assert_eq!(at("run.duration", &["run.duration=unset"]), None);
        assert_eq!(at("flows.VC1.start", &[]).as_deref(), Some("\"1 ms\""));
        assert_eq!(at("flows.\"V.2\".start", &[]), None);
        assert_eq!(at("flows.1.name", &[]).as_deref(), Some("\"V.2\""));
        assert_eq!(at("flows.*.start", &[]).as_deref(), Some("[\"1 ms\"]"));
        let link = at("link", &["link.delay=5 us"]);
        let wanted = "{ rate = \"622 Mbps\", delay = \"5 us\" }";
        assert_eq!(link.as_deref(), Some(wanted));
        let whole = at("", &["run.seed=3"]).expect("the whole");
        assert!(whole.starts_with("{ run = { duration = \"50 ms\", seed = 3 }"));
    }

    #[test]
    fn what_can_not_be_read_is_told() {
        let wrong = Source::new("test.toml", "[run\n");
        assert!(value_at(&wrong, &[], "run.seed").is_err());
        let source = Source::new("test.toml", TEXT);
        assert_eq!(value_at(&source, &[], "duratoin").ok(), Some(None));
        let told = value_at(&source, &[], "name").expect_err("of two flows");
        assert!(told.render(false).contains("flows.VC1.name"));
    }
}
