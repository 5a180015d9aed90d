//! A column of a result is declared with what it holds: `TableOf` makes tables, nothing else does.

use crate::{code, files, hold};

/// Where a table may be made.
const MAKER: &str = "crates/results/src/table_of.rs";

#[test]
fn columns_are_declared_with_what_they_hold() {
    let results = files::ending(".rs").into_iter();
    let results = results.filter(|file| file.path.starts_with("crates/results/src/"));
    let complaints = results.filter(|file| file.path != MAKER);
    hold(
        complaints
            .flat_map(|file| tables_in(&file.path, &file.text))
            .collect(),
        "make it by `TableOf`, whose columns say what they hold of a row",
    );
}

/// Tables that the code of a file makes by hand; its tests may.
fn tables_in(path: &str, text: &str) -> Vec<String> {
    let code = code::blanked(text);
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = (1..).zip(code.lines());
    let made = lines.filter(|(_, line)| line.contains("Table::new(") && !line.contains("TableOf"));
    made.map(|(line, _)| format!("{path}:{line}: `Table::new`"))
        .collect()
}

#[test]
fn a_table_made_by_hand_is_seen() {
    let text = "fn a() {\n    Table::new(\"x\");\n    // Table::new(\n    TableOf::new(\"x\");\n}\n\
                #[cfg(test)]\nmod tests {\n    Table::new(\"x\");\n}\n";
    assert_eq!(tables_in("a.rs", text), ["a.rs:2: `Table::new`"]);
}
