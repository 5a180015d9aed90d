//! Warnings of flows that want a guarantee and have no bound.

use super::{second, simple, try_read};

const HELD: &str = "traffic = { kind = \"poisson\", rate = \"50 kbps\" }\n\
                    reserve = { rate = \"100 kbps\", interval = \"100 ms\" }\n\
                    envelope = { kind = \"sliding-window\" }\n";
const OTHER: &str = "traffic = { kind = \"poisson\", rate = \"50 kbps\" }\n";

/// Warnings under this discipline, with these keys besides in the first flow and in the second.
fn warnings(scheduler: &str, first: &str, other: &str) -> Vec<String> {
    let tables = format!("[scheduler]\n{scheduler}");
    let text = simple(&tables, &format!("{HELD}{first}")) + &second(&format!("{OTHER}{other}"));
    let scenario = try_read(&text, &[]).expect("no mistakes");
    let lacks = scenario.warnings.iter();
    let lacks = lacks.filter(|found| found.code == "no-delay-bound");
    lacks
        .map(|found| format!("{}; {}", found.message, found.help.join("; ")))
        .collect()
}

#[test]
fn disciplines_that_guarantee_are_silent() {
    for kind in ["virtual-clock", "wfq", "wf2q+", "scfq"] {
        let found = warnings(&format!("kind = \"{kind}\""), "", "");
        assert_eq!(found, [""; 0], "{kind}");
    }
    // Others promise nothing, and nobody who chose them expects it.
    for kind in ["fifo", "round-robin", "drr", "ats"] {
        let found = warnings(&format!("kind = \"{kind}\""), "", "");
        assert_eq!(found, [""; 0], "{kind}");
    }
}

#[test]
fn each_reason_has_its_way_on() {
    let clock = "kind = \"virtual-clock\"";
    let expect = |found: Vec<String>, words: &str, help: &str| {
        assert_eq!(found.len(), 1, "{found:?}");
        let is_there = found[0].contains(words) && found[0].contains(help);
        assert!(is_there, "no {words:?} and {help:?} in {found:?}");
    };
    let literal = warnings(&format!("{clock}\nresync = \"literal\""), "", "");
    expect(literal, "`S->T` gives no guarantee", "idle-link");
    let saved = warnings(&format!("{clock}\nstamp = \"virtual-clock\""), "", "");
    expect(saved, "`S->T` gives no guarantee", "auxvc");
    let behind = warnings(clock, "", "priority = 1");
    expect(behind, "others have priority on `S->T`", "highest priority");
    let set_up = warnings(clock, "", "session = { open = \"1 s\" }");
    expect(set_up, "control units go first on `S->T`", "`session`");
    let late = warnings("kind = \"edf\"", "", "reserve = { rate = \"1 kbps\" }");
    expect(late, "not all deadlines can be kept on `S->T`", "deadlines");
    let loose = "policer = { kind = \"bucket\", rate = \"120 kbps\", excess = \"delay\" }";
    let loose = warnings(
        clock,
        &loose
            .replace("bucket\"", "fixed-window\", units = 9")
            .replace(", rate = \"120 kbps\"", ""),
        "",
    );
    expect(loose, "nothing holds it", "reserve 180 kbps or more");
}

#[test]
fn flows_with_one_reason_are_told_of_once() {
    let many = warnings(
        "kind = \"virtual-clock\"\nresync = \"literal\"",
        "count = 4",
        "",
    );
    assert_eq!(many.len(), 1);
    assert!(
        many[0].starts_with("4 flows have no delay bound"),
        "{many:?}"
    );
    // Without an envelope nobody asked for a guarantee.
    let text = simple("[scheduler]\nkind = \"edf\"", OTHER)
        + &second(&format!("{OTHER}reserve = {{ rate = \"100 kbps\" }}"));
    let scenario = try_read(&text, &[]).expect("no mistakes");
    assert!(
        scenario
            .warnings
            .iter()
            .all(|found| found.code != "no-delay-bound")
    );
}

#[test]
fn flows_by_rule_are_shown_by_their_table() {
    let asking = format!("{OTHER}session = {{ open = \"1 s\" }}");
    let by_rule = format!("[[patterns]]\nname = \"p\"\nkind = \"all-to-one\"\nto = \"B\"\n{HELD}");
    let text = simple("[scheduler]\nkind = \"virtual-clock\"", &asking) + &by_rule;
    let scenario = try_read(&text, &[]).expect("no mistakes");
    let mut warnings = scenario.warnings.iter();
    let found = warnings.find(|found| found.code == "no-delay-bound");
    let labels = &found.expect("a warning").labels;
    // A pattern has no `from`.
    assert_eq!(labels[0].1, "on this path");
}
