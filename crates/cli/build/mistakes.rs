//! An example of each kind of mistake: the shortest text that is told of one in the wrong files
//! of the scenario crate's tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The source of a table of codes and examples, in the order of codes.
pub fn table() -> String {
    let folder = "../scenario/tests/diagnostics";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    super::collect(&folder, &mut files);
    files.sort();
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    let mut examples: BTreeMap<String, String> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("texts are UTF-8");
        for part in text.split("\n\n") {
            let Some(code) = code(part) else { continue };
            let known = examples.get(code);
            if known.is_none_or(|known| part.len() < known.len()) {
                examples.insert(code.into(), part.into());
            }
        }
    }
    let mut table = String::from("&[\n");
    for example in examples {
        writeln!(table, "{example:?},").expect("it fits");
    }
    table.push_str("]\n");
    table
}

/// The code in the first line of what is told of a mistake.
fn code(part: &str) -> Option<&str> {
    let rest = part
        .strip_prefix("error[")
        .or(part.strip_prefix("warning["));
    rest?.split_once("]: ").map(|(code, _)| code)
}
