//! `explain`, `list`, `schema`, `reference`, completions and man pages.

use std::path::Path;

use crate::support::{backwater, folder};

#[test]
fn schemes_keys_and_claims_are_explained() {
    let here = folder("explain");
    let text = |word: &str| backwater(&here, &["explain", word]).expect(0).out;
    let scheme = text("n23");
    assert!(
        scheme.contains("n2 ") && scheme.contains("Kung 1993"),
        "{scheme}"
    );
    let key = text("flow_control.n3");
    for part in ["default", "allowed", "cells", "example"] {
        assert!(key.contains(part), "no {part} in: {key}");
    }
    let claim = text("kung1993.fig12.burst");
    assert!(
        claim.contains("61") && claim.contains("backwater reproduce"),
        "{claim}"
    );
}

#[test]
fn every_word_listed_is_explained() {
    let here = folder("list");
    let list = backwater(&here, &["list"]).expect(0).out;
    let words = list.lines().take_while(|line| *line != "papers:");
    let words = words.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let words: Vec<&str> = words
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        ["n23", "greedy", "n23-class"]
            .iter()
            .all(|word| words.contains(word)),
        "{words:?}"
    );
    let groups = list.lines().take_while(|line| *line != "papers:");
    let engines = [
        "packet ",
        "flit ",
        "ethernet ",
        "circuits of",
        "controls of",
        "gates of",
    ];
    for group in groups.filter(|line| line.ends_with(':') && !line.starts_with(' ')) {
        let is_labelled = engines.iter().any(|engine| group.starts_with(engine));
        assert!(is_labelled, "for which engine is `{group}`?");
    }
    assert!(list.contains("kung1993"), "{list}");
    for word in words {
        backwater(&here, &["explain", word]).expect(0);
    }
}

/// Words of several words are found however they are written; of those that are not, the parts.
#[test]
fn names_of_several_words_are_explained() {
    let here = folder("explain-phrases");
    for phrase in [
        "sliding window",
        "tail drop",
        "hot spot",
        "initial_window",
        "PFC deadlock",
    ] {
        backwater(&here, &["explain", phrase]).expect(0);
    }
    backwater(&here, &["explain", "victim shaper credits"])
        .expect(2)
        .complains("there is `victim`, `shaper` and `credits`");
}

/// Of every engine, and 3 for a run that memory ended.
#[test]
fn help_names_the_exit_statuses() {
    let here = folder("help");
    let help = backwater(&here, &["--help"]).expect(0).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "(no cell can move, or some frames or flits never again;",
        "one flow of cells is dead and others move",
        "2 bad input",
        "3 memory ran short",
        "130",
    ] {
        assert!(help.contains(part), "{part} in {help}");
    }
}

#[test]
fn papers_and_claims_are_listed_and_explained() {
    let here = folder("list-claims");
    let text = |words: &[&str]| backwater(&here, words).expect(0).out;
    let claims = text(&["list", "claims"]);
    let whole = text(&["list"]);
    let ids: Vec<&str> = claims
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once(": "))
        .map(|(id, _)| id)
        .collect();
    let papers = backwater_papers::papers();
    let count = |paper: &backwater_papers::Paper| {
        backwater_papers::claim::parse(paper.claims_toml)
            .unwrap()
            .len()
    };
    assert_eq!(ids.len(), papers.iter().map(count).sum::<usize>());
    assert!(ids.iter().all(|id| whole.contains(&format!("  {id}: "))));
    assert!(
        !claims.contains("n23 ") && whole.contains("n23 "),
        "{claims}"
    );
    let listed = text(&["list", "papers"]);
    for paper in papers {
        assert!(listed.contains(&format!("  {} ", paper.id)), "{listed}");
        let told = text(&["explain", paper.id]);
        let own = ids
            .iter()
            .filter(|id| id.starts_with(&format!("{}.", paper.id)));
        for id in own {
            assert!(told.contains(&format!("    {id}: ")), "no {id} in: {told}");
        }
        assert!(
            told.contains(&format!("backwater reproduce {}", paper.id)),
            "{told}"
        );
    }
    assert!(!listed.contains("fig12"), "{listed}");
    assert_eq!(text(&["list", "scenarios"]), text(&["example", "--list"]));
    backwater(&here, &["explain", "kung1993.fig12"])
        .expect(2)
        .complains("there is no claim `kung1993.fig12`; did you mean kung1993.fig12.");
    backwater(&here, &["explain", "kung1993.nothing-of-that-name"])
        .expect(2)
        .complains("`backwater list claims` shows them all");
}

#[test]
fn no_message_names_a_path_of_the_source_tree() {
    let here = folder("paths");
    let commands: &[&[&str]] = &[
        &["--help"],
        &["run", "--help"],
        &["sweep", "--help"],
        &["check", "--help"],
        &["compare", "--help"],
        &["explain", "--help"],
        &["list", "--help"],
        &["run", "nosuch.toml"],
        &["explain", "nosuch"],
        &["example", "nosuch"],
    ];
    for words in commands {
        let ran = backwater(&here, words);
        for path in ["scenarios/", "claims/", "docs/", "crates/"] {
            let text = format!("{}{}", ran.out, ran.err);
            assert!(!text.contains(path), "{words:?}: {path} in: {text}");
        }
    }
}

#[test]
fn shells_complete_every_command() {
    let here = folder("completions");
    let help = backwater(&here, &["--help"]).expect(0).out;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        commands.contains(&"run") && commands.contains(&"man"),
        "{commands:?}"
    );
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = backwater(&here, &["completions", shell]).expect(0).out;
        for command in &commands {
            assert!(text.contains(command), "{shell}: no {command}");
        }
    }
    backwater(&here, &["completions", "nosuch"]).expect(2);
    backwater(&here, &["man", "--out", "pages/man1"]).expect(0);
    let page = |name: &str| {
        let text = std::fs::read_to_string(here.join("pages/man1").join(name));
        text.unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert!(page("backwater.1").contains("network flow control"));
    for command in commands.iter().filter(|command| **command != "help") {
        let text = page(&format!("backwater-{command}.1"));
        assert!(text.contains(".TH") && text.contains("SYNOPSIS"), "{text}");
    }
    let hidden = here.join("pages/man1/backwater-reference.1");
    assert!(!hidden.exists(), "what --help hides has no page");
}

#[test]
fn an_unknown_word_brings_a_hint() {
    let here = folder("unknown");
    backwater(&here, &["explain", "nosuch"])
        .expect(2)
        .complains("`list`");
    let ran = backwater(&here, &["explain", "n24"]).expect(2);
    ran.complains("did you mean `n23`?");
}

#[test]
fn the_schema_is_json() {
    let text = backwater(&folder("schema"), &["schema"]).expect(0).out;
    let schema: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    assert_eq!(schema["type"], "object");
    assert!(schema["properties"]["run"].is_object(), "{schema}");
}

#[test]
fn the_reference_is_markdown() {
    let here = folder("reference");
    let text = |page: &str| backwater(&here, &["reference", page]).expect(0).out;
    assert!(text("keys").starts_with("# Scenario reference\n"));
    for (path, page) in backwater_scenario::reference_pages() {
        let name = path.strip_prefix("reference/").unwrap_or("keys.md");
        assert_eq!(text(name.trim_end_matches(".md")), page, "{path}");
    }
}

#[test]
fn words_of_the_field_and_codes_of_errors_are_explained() {
    let here = folder("explain-field");
    let text = |word: &str| backwater(&here, &["explain", word]).expect(0).out;
    assert!(text("num_vcs").contains("`router.vcs`"));
    assert!(text("qbv").contains("not here"));
    // What the field means by it first, then the keys.
    let both = text("pfc");
    let place = |part: &str| {
        both.find(part)
            .unwrap_or_else(|| panic!("no {part} in: {both}"))
    };
    assert!(place("(in the field)") < place("`flow_control.kind"));
    assert!(place("`flow_control.kind") < place("kind in [flow_control]"));
    for code in backwater_scenario::error_codes() {
        let told = text(code);
        assert!(told.contains("what to do"), "{code}: {told}");
    }
    assert!(text("error[bad-link]").contains("for example"));
}

#[test]
fn the_index_of_errors_is_what_the_code_says() {
    let page = backwater(&folder("errors"), &["reference", "errors"]);
    let stored = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    let stored = std::fs::read_to_string(stored).expect("docs/errors.md");
    assert!(
        page.expect(0).out == stored,
        "run `make docs`, and commit what it changed"
    );
    // What no wrong file shows: bytes that are no text, machines that are too small, states that
    // no file leads to. `switches` has what is wrong with switches.
    let without = stored
        .split("\n## ")
        .skip(1)
        .filter(|part| !part.contains("```text") && !part.starts_with("switch-"));
    let without: Vec<&str> = without.filter_map(|part| part.lines().next()).collect();
    let known = [
        "long-series",
        "not-utf8",
        "out-of-memory",
        "refused",
        "set-aside",
        "too-many-axes",
        "unknown-column",
    ];
    assert_eq!(without, known);
}

/// Every column of every table, and every key of the summary, of a run by each engine.
#[test]
fn names_of_results_are_explained() {
    let here = folder("explain-results");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/");
    let mut count = 0;
    let mut unknown = Vec::new();
    for (scenario, more) in [
        ("ethernet/incast.toml", "run.duration=2 ms"),
        ("flit/requests.toml", "run.measure=1000"),
        (
            "kung1993/fig17-two-switches.toml",
            "run.duration=8000 cells",
        ),
        ("abr/erica-plus.toml", "run.duration=20 ms"),
        ("ethernet/multicast.toml", "run.duration=2 ms"),
        ("ethernet/two-jobs.toml", "run.duration=3 ms"),
    ] {
        let file = format!("{root}{scenario}");
        let mut run = vec!["run", &file, "--set", more, "--out", "out"];
        let text = std::fs::read_to_string(&file).expect("a shipped scenario");
        if text.contains("\nwarm_up") && !scenario.starts_with("flit") {
            run.extend(["--set", "run.warm_up=unset"]);
        }
        backwater(&here, &run).expect(0);
        let told = named(&here.join("out"));
        count += told.len();
        let is_new = |told: &Told| backwater_results::names::explain(&told.name).is_none();
        unknown.extend(told.into_iter().filter(is_new));
        std::fs::remove_dir_all(here.join("out")).expect("what was written");
    }
    if std::env::var_os("UPDATE_NAMES").is_some() {
        return add_names(unknown);
    }
    let unknown: Vec<&str> = unknown.iter().map(|told| &*told.name).collect();
    assert_eq!(unknown, [""; 0], "UPDATE_NAMES=1 adds columns");
    assert!(count > 150, "only {count}");
    let told = backwater(&here, &["explain", "delay_p99_us"]).expect(0).out;
    assert!(told.contains("tables/delays.csv"), "{told}");
}

/// A column or a key as results tell of it.
struct Told {
    name: String,
    place: String,
    heading: String,
    meaning: String,
}

/// The columns of a run's tables, and the keys of its summary.
fn named(out: &Path) -> Vec<Told> {
    let json = |name: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(out.join(name)).expect(name);
        serde_json::from_str(&text).expect("JSON")
    };
    let mut told = Vec::new();
    for (file, table) in json("columns.json").as_object().expect("tables") {
        let Some(place) = file
            .strip_prefix("tables/")
            .filter(|_| !file.contains("series"))
        else {
            continue;
        };
        for column in table["columns"].as_array().expect("columns") {
            let text = |key: &str| column[key].as_str().expect("a text").to_owned();
            let (heading, unit) = (text("heading"), text("unit"));
            told.push(Told {
                name: text("name"),
                place: place.trim_end_matches(".csv").to_owned(),
                heading: if unit.is_empty() {
                    heading
                } else {
                    format!("{heading} [{unit}]")
                },
                meaning: text("meaning"),
            });
        }
    }
    told.retain(|one| !one.meaning.is_empty());
    let keys = json("summary.json").as_object().expect("keys").clone();
    told.extend(keys.into_iter().map(|(name, _)| Told {
        name,
        place: "summary.json".to_owned(),
        heading: String::new(),
        meaning: "the table of this name".to_owned(),
    }));
    told
}

/// Writes columns and keys that nothing explains to the file of names.
fn add_names(told: Vec<Told>) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../results/assets/names.tsv");
    let text = std::fs::read_to_string(file).expect("the file of names");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.extend(told.into_iter().map(|one| {
        format!(
            "{}\t{}\t{}\t{}",
            one.name, one.place, one.heading, one.meaning
        )
    }));
    lines.sort();
    lines.dedup();
    std::fs::write(file, lines.join("\n") + "\n").expect("the file of names");
}

/// Words of the field are asked for as they are said, with and without quotes.
#[test]
fn words_of_the_field_have_an_answer() {
    let here = folder("words-of-the-field");
    let words = "noc|rail|rail-optimized|nccl|800g|buffer sizing|bound|worst case|gate|\
                 routing table|area|energy|power|clock|frequency|ghz|speculative|neighbor|\
                 latex|pdf|json|hash|\
                 notebook|playground|plugin|artifact|ci|htsim|ns-3|unfinished";
    for word in words.split('|') {
        let parts = word.split(' ');
        let ran = backwater(
            &here,
            &["explain"].into_iter().chain(parts).collect::<Vec<_>>(),
        );
        let ran = ran.expect(0);
        let quoted = backwater(&here, &["explain", word]).expect(0);
        assert!(ran.out == quoted.out && !ran.out.is_empty(), "{word}");
    }
    let gate = backwater(&here, &["explain", "gate"]).expect(0);
    assert!(gate.out.contains("time table"), "{}", gate.out);
}
