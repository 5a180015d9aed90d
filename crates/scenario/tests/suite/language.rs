//! The tables explain themselves.

use backwater_scenario::{Set, Source, explain, json_schema, list, parse, reference_pages};
use serde_json::Value;

#[test]
fn every_word_of_the_lists_is_explained() {
    for (group, words) in list() {
        assert!(!words.is_empty(), "{group}");
        for (word, meaning) in words {
            let text = explain(word).expect(word);
            assert!(text.contains(meaning), "{word}: {text}");
        }
    }
}

/// `explain` prints them without the line above.
#[test]
fn meanings_make_sense_alone() {
    let pages = reference_pages().into_iter().map(|(_, page)| page);
    let page: String = pages.collect();
    let keys = page.lines().filter_map(|line| line.split(" | ").nth(1));
    let words = page.lines().filter_map(|line| line.split_once("`: "));
    let meanings = keys.chain(words.map(|(_, meaning)| meaning));
    let openings = [
        "The same",
        "Those ",
        "That one",
        "The latter",
        "From here",
        "From then",
        "To here",
        "to here",
        "until ",
        "More than this",
        "Less than this",
    ];
    let lean = |meaning: &&str| openings.iter().any(|opening| meaning.starts_with(opening));
    let found: Vec<&str> = meanings.filter(lean).collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// What people look for by the words of other tools.
#[test]
fn words_of_other_tools_are_explained() {
    for word in [
        "noc",
        "rail",
        "rail-optimized",
        "nccl",
        "800g",
        "buffer sizing",
        "bound",
        "worst case",
        "gate",
        "routing table",
        "area",
        "energy",
        "power",
        "clock",
        "frequency",
        "ghz",
        "speculative",
        "neighbor",
        "latex",
        "pdf",
        "json",
        "hash",
        "notebook",
        "playground",
        "plugin",
        "artifact",
        "ci",
        "htsim",
        "ns-3",
        "unfinished",
    ] {
        assert!(backwater_scenario::explain(word).is_ok(), "{word}");
    }
}

#[test]
fn keys_are_explained_with_default_range_and_source() {
    let text = explain("n2").expect("a key");
    for part in [
        "default    10",
        "whole numbers from 1",
        "Kung 1993",
        "[flow_control]",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(
        text.matches("n2 in ").count(),
        2,
        "cells and frames; overrides repeat nothing: {text}"
    );
    assert!(
        explain("link.delay")
            .expect("a key")
            .contains("Propagation")
    );
    assert!(explain("[run]").expect("a section").contains("warm_up"));
    assert!(explain("n123").expect("a scheme").contains("its keys"));
    let topologies = explain("topology").expect("two sections");
    for part in [
        "(packet engine)",
        "hosts_per_switch",
        "(flit engine)",
        "sides",
    ] {
        assert!(topologies.contains(part), "{part} in {topologies}");
    }
    let seed = explain("run.seed").expect("a key of both engines");
    assert_eq!(seed.matches("seed in [run]").count(), 1, "{seed}");
}

#[test]
fn unknown_names_come_with_a_suggestion() {
    assert!(
        explain("dealy")
            .expect_err("no key")
            .contains("did you mean `delay`?")
    );
    assert!(
        explain("n32")
            .expect_err("no scheme")
            .contains("did you mean `n23`?")
    );
    assert!(explain("zzzzzzzz").expect_err("nothing").contains("list"));
    assert!(explain(&"x".repeat(1 << 20)).expect_err("nothing").len() < 300);
}

/// Every `$ref` leads somewhere, and every object names what it needs.
fn check_schema(root: &Value, part: &Value, seen: &mut usize) {
    if let Some(path) = part.get("$ref").and_then(Value::as_str) {
        assert!(
            root.pointer(path.trim_start_matches('#')).is_some(),
            "{path}"
        );
        *seen += 1;
    }
    // Rules about several keys (`allOf`) name keys whose schema stands beside them.
    let is_table = part.get("additionalProperties").is_some();
    if let Some(required) = part
        .get("required")
        .and_then(Value::as_array)
        .filter(|_| is_table)
    {
        for key in required {
            let key = key.as_str().expect("a name");
            assert!(part["properties"].get(key).is_some(), "{key}");
        }
    }
    match part {
        Value::Object(fields) => fields.values().for_each(|v| check_schema(root, v, seen)),
        Value::Array(items) => items.iter().for_each(|v| check_schema(root, v, seen)),
        _ => {}
    }
}

#[test]
fn the_schema_hangs_together() {
    let schema = json_schema();
    let mut references = 0;
    check_schema(&schema, &schema, &mut references);
    assert!(references >= 15, "{references}");
    for file in ["file", "flit-file", "ethernet-file", "comparison-file"] {
        let file = &schema["definitions"][file];
        assert_eq!(file["additionalProperties"], Value::Bool(false), "{file}");
    }
    let (run, flit_run) = (
        &schema["definitions"]["run"],
        &schema["definitions"]["flit-run"],
    );
    assert!(run["properties"].get("duration").is_some(), "{run}");
    assert!(
        flit_run["properties"].get("measure").is_some(),
        "{flit_run}"
    );
    let n2 = &schema["definitions"]["flow_control"]["properties"]["n2"];
    assert_eq!(
        (&n2["minimum"], &n2["default"]),
        (&Value::from(1), &Value::from(10))
    );
}

#[test]
fn the_reference_has_every_section_and_word() {
    let pages = reference_pages();
    let parts: [(&str, &[&str]); 5] = [
        (
            "reference.md",
            &["reference/flits.md", "`engine = \"flit\"`", "`n123+`"],
        ),
        (
            "reference/circuits.md",
            &[
                "## `[run]`",
                "## `[[flows]]`",
                "| `redundant_every` |",
                "`n123+`",
                "## `[sweep]`",
            ],
        ),
        (
            "reference/flits.md",
            &[
                "## `[run]`",
                "## `[router]`",
                "| `credit_delay` |",
                "`minimal-adaptive`",
            ],
        ),
        (
            "reference/ethernet.md",
            &[
                "## `[flow_control]`",
                "| `initial_window` |",
                "`leaf-spine`",
                "## `[sweep]`",
            ],
        ),
        (
            "reference/comparison.md",
            &["## `[schemes]`", "kind = \"comparison\""],
        ),
    ];
    for (path, parts) in parts {
        let (_, page) = pages.iter().find(|(known, _)| known == path).expect(path);
        for part in parts {
            assert!(page.contains(part), "{path}: {part}");
        }
    }
    assert_eq!(pages.len(), parts.len());
    for (path, page) in &pages[1..] {
        for line in page.lines().filter(|line| line.starts_with("| ")) {
            let cells = line.replace("\\|", "").matches('|').count();
            assert_eq!(cells, 5, "{path}: {line}");
        }
    }
}

/// Hints lead somewhere else than where the author is, and to what may stand there.
#[test]
fn hints_are_no_circles() {
    let text = "[run]\nduration = \"1 ms\"\n[link]\nrate = \"100 Mbps\"\ndelay = \"1 us\"\n\
                [network]\nhosts = [\"A\", \"B\"]\nswitches = [\"S\"]\n\
                [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"S\", \"B\"]\n\
                [flow_control]\nkind = \"n23\"\nn2 = 10\n\
                [[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"B\"\n";
    for (change, wanted) in [
        (
            "links.S-A.delay=1 us",
            "did you mean `A-S`, from the other end?",
        ),
        ("flows.f.title=x", "`title` belongs at the top of the file"),
        ("flow_control.target=0.64", "`target = \"64 %\"`"),
        ("link.rate=622000000", "`rate = \"622000000 bps\"`"),
        ("link.rate=622", "`rate = \"622 Mbps\"`"),
        ("link.bandwidth=5", "`link.rate`"),
        (
            "engine=flit",
            "add `[topology]` with `kind = \"fly\"` and `k = 10` and `n = 10`\n",
        ),
    ] {
        let set = Set::new(change).expect("a key and a value");
        let told = parse(&Source::new("x.toml", text), &[set]).expect_err(change);
        let told = told.render(false);
        assert!(told.contains(wanted), "{change}: {told}");
    }
    for word in [
        "limit",
        "N3",
        "flow_control.N3",
        "BDP",
        "rtt",
        "lossless",
        "jain",
    ] {
        assert!(explain(word).is_ok(), "{word}");
    }
}

/// What looks like a range and is none was one host of that name.
#[test]
fn ranges_of_names_are_whole_or_refused() {
    let of_hosts = |host: &str| {
        let text = format!(
            "[run]\nduration = \"1 ms\"\n[link]\nrate = \"100 Mbps\"\ndelay = \"1 us\"\n\
             [network]\nhosts = [\"A\", \"{host}\"]\nswitches = [\"S\"]\n\
             [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"S\", \"{host}\"]\n\
             [[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"{host}\"\n"
        );
        parse(&Source::new("x.toml", text), &[])
    };
    for range in [
        "D{3..1}",
        "D{1..}",
        "D{1-3}",
        "D{a..b}",
        "D{}",
        "D{1..1000001}",
        "D{1..1000}_{1..1001}",
    ] {
        let told = of_hosts(range).expect_err(range).render(false);
        assert!(
            told.contains(&format!("`{range}` is no range of names")),
            "{told}"
        );
    }
    for name in ["D{x}", "D{"] {
        if let Err(mistakes) = of_hosts(name) {
            panic!("{name}: {}", mistakes.render(false));
        }
    }
}
