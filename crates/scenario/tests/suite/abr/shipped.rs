//! The scenarios that come with the program.

use std::fs;
use std::path::Path;

use backwater_scenario::{Source, parse};

const SHIPPED: [&str; 14] = [
    "abr/aging",
    "abr/capc",
    "abr/client-server",
    "abr/efci",
    "abr/eprca",
    "abr/erica-plus",
    "abr/five-sources",
    "abr/link-failure",
    "abr/relative-rate",
    "abr/tcp-over-abr",
    "abr/tcp-over-ubr",
    "abr/vbr-background",
    "bench/abr-200",
    "bench/abr-five",
];

#[test]
fn shipped_scenarios_are_right_and_say_what_they_show() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for name in SHIPPED {
        let path = folder.join(format!("{name}.toml"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let source = Source::new(format!("{name}.toml"), text);
        let scenario = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert!(scenario.warnings.is_empty(), "{}", scenario.warnings);
        assert!(
            !scenario.title.is_empty() && !scenario.about.is_empty(),
            "{name}"
        );
        let network = &scenario.packet().expect("the packet engine").network;
        let tells = !network.rules.rate_ports.is_empty();
        assert_eq!(tells, name != "abr/tcp-over-ubr", "{name}");
        assert!(
            network.flows.iter().any(|flow| flow.partner.is_some()),
            "{name}"
        );
    }
}

#[test]
fn the_list_is_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/abr");
    for entry in fs::read_dir(folder).expect("scenarios/abr") {
        let file = entry.expect("readable").file_name();
        let file = file.to_string_lossy();
        let name = format!("abr/{}", file.trim_end_matches(".toml"));
        assert!(
            SHIPPED.contains(&name.as_str()),
            "{name} is not in the list"
        );
    }
}

#[test]
fn the_example_of_the_chapter_is_a_scenario() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemes/abr.md");
    let chapter = fs::read_to_string(path).expect("docs/schemes/abr.md");
    let example = chapter.split("```toml\n").nth(1).expect("an example");
    let example = example.split("```").next().unwrap_or_default();
    let scenario = parse(&Source::new("abr.md", example), &[]);
    let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert!(scenario.warnings.is_empty(), "{}", scenario.warnings);
    assert_eq!(
        scenario.packet().map(|packet| packet.network.flows.len()),
        Some(10)
    );
}
