//! The guide to the library shows what its example prints.

use std::fs;
use std::path::Path;

#[test]
fn the_guide_shows_what_its_example_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = |path: &str| fs::read_to_string(root.join(path)).expect("a file of the tree");
    let (guide, example) = (
        text("docs/library.md"),
        text("crates/net/examples/two_hosts.rs"),
    );
    let shown = guide
        .split("```text\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let shown = shown.expect("a block of text");
    assert!(example.contains(&format!("= \"\\\n{shown}\";")), "{shown}");
    assert!(
        !guide.contains("rust,ignore"),
        "all code of the guide is run"
    );
}
