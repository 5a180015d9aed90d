//! `import` of configurations of switches: two that fit, and each thing that may be wrong.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::support::{Ran, backwater, folder};

const LEAF: &str = include_str!("switches/leaf.json");
const SPINE: &str = include_str!("switches/spine.json");
const ROWS: &str = "# speed cable size xon xoff threshold xon_offset\n\
    100000 5m 2048 2048 61440 0 4096\n400000\t40m\t2048\t2048\t110592\t0\n";

fn put(here: &Path, name: &str, text: &str) {
    fs::write(here.join(name), text).expect("it is written");
}

fn checked(here: &Path, files: &[&str], more: &[&str]) -> Ran {
    let words = ["import", "--check"];
    backwater(here, &[&words[..], files, more].concat())
}

#[test]
fn two_switches_are_one_network_that_runs() {
    let here = folder("switches");
    put(&here, "leaf.json", LEAF);
    put(&here, "spine.json", SPINE);
    let both = ["import", "leaf.json", "spine.json", "--out", "own.toml"];
    let made = backwater(&here, &both).expect(0);
    let size = "own.toml: 2 switches, 2 hosts, 3 links; 0 errors, 0 warnings";
    assert!(made.out.contains(size), "{}", made.out);
    assert!(!made.err.contains("note["), "{}", made.err);
    let text = fs::read_to_string(here.join("own.toml")).expect("it is there");
    let parts = [
        "hosts = [\"server-1\", \"spine-1-Ethernet8\"]",
        "# Assumed: hosts stand behind ports without a neighbour: spine-1-Ethernet8.",
        "# Assumed: hosts stand for neighbours without a file: server-1.",
        "# Not here: `DEVICE_METADATA`: `hwsku` (leaf-1).",
        "# Not here: `PORT`: `lanes` of 3 entries (leaf-1).",
        "# Not here: pools of `leaf-1`: `egress_lossy_pool` (12000000 B).",
        "between = [\"leaf-1\", \"spine-1\"]\nrate = \"400 Gbps\"\ncable = \"40 m\"",
        "cable = \"300 m\"",
        "classes = [3, 4]\ndetect = \"inputs\"",
        "nodes = \"leaf-1\"\nbytes = \"12000000 B\"\npool = \"400000 B\"",
        // Without shared headroom the size of a profile has it inside.
        "nodes = \"spine-1\"\nbytes = \"20000000 B\"\n\n",
        "reserve = \"4096 B\"\nheadroom = \"126976 B\"\nalpha = \"1/2\"",
        "resume_offset = \"4096 B\"\nresume_floor = \"2048 B\"",
        "min = \"262144 B\", max = \"1048576 B\", probability = \"20 %\"",
        "quantum = \"4566 B\" # `high`",
        "detect = \"400 ms\", restore = \"400 ms\", action = \"drop\"",
    ];
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    let ran = backwater(&here, &["run", "own.toml", "--out", "r", "--audit"]).expect(0);
    assert!(ran.out.contains("nothing was dropped"), "{}", ran.out);
}

/// Changes of one value, and what is said of each.
const WRONG: &str = include_str!("switches/wrong.tsv");

#[test]
fn each_change_of_one_value_is_seen() {
    let here = folder("switches-wrong");
    put(&here, "leaf.json", LEAF);
    put(&here, "spine.json", SPINE);
    let right = checked(&here, &["leaf.json", "spine.json"], &[]).expect(0);
    assert!(!right.err.contains('['), "{}", right.err);
    let rows: Vec<&str> = WRONG.lines().filter(|row| !row.starts_with('#')).collect();
    assert!(rows.len() > 35);
    let codes = backwater_scenario::error_codes().filter(|code| code.starts_with("switch-"));
    for code in codes {
        let is_shown = |row: &str| row.contains(&format!("[{code}]"));
        assert!(rows.iter().any(|row| is_shown(row)), "{code}");
    }
    for row in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, from, to, status, message] = cells[..] else {
            panic!("{row}");
        };
        let text = if file == "leaf" { LEAF } else { SPINE };
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{row}");
        put(&here, "changed.json", &changed);
        let files = match file {
            "leaf" => ["changed.json", "spine.json"],
            _ => ["leaf.json", "changed.json"],
        };
        let ran = checked(&here, &files, &[]);
        assert!(ran.err.contains(message), "{row}: {}", ran.err);
        assert_eq!(ran.status.to_string(), status, "{row}: {}", ran.err);
        assert!(
            message.is_empty() || ran.err.contains("changed.json:"),
            "{row}"
        );
    }
}

/// All entries of a configuration: table, key, fields.
fn entries(text: &str) -> Vec<(String, String, Value)> {
    let whole: Map<String, Value> = serde_json::from_str(text).expect("JSON");
    let rows = whole.into_iter().flat_map(|(table, rows)| match rows {
        Value::Object(rows) => rows
            .into_iter()
            .map(|(key, fields)| (table.clone(), key, fields))
            .collect::<Vec<_>>(),
        _ => panic!("{table}"),
    });
    rows.collect()
}

/// The same in another form.
fn forms(text: &str) -> Vec<(&'static str, String)> {
    let all = || entries(text).into_iter();
    let object = |pairs: Vec<(String, Value)>| Value::Object(pairs.into_iter().collect());
    let flat = all().map(|(table, key, fields)| (format!("{table}|{key}"), fields));
    let application = all()
        .map(|(table, key, fields)| (format!("{table}_TABLE:{}", key.replace('|', ":")), fields));
    let application: Vec<(String, Value)> = application.collect();
    let set = application
        .iter()
        .map(|(key, fields)| json!({ "OP": "SET", key: fields }));
    let numbers = text
        .replace(": \"100000\"", ": 100000")
        .replace("\"10\"", "10");
    let bracketed = text
        .replace("\"near\"}", "\"[BUFFER_PROFILE|near]\"}")
        .replace("\"pool\": \"ingress", "\"pool\": \"[BUFFER_POOL|ingress")
        .replace("lossless_pool\", \"size", "lossless_pool]\", \"size")
        .replace(
            "dscp_to_tc_map\": \"MAP\"",
            "dscp_to_tc_map\": \"[DSCP_TO_TC_MAP|MAP]\"",
        );
    let apart = text.replace(
        "\"Ethernet0|3-4\": {",
        "\"Ethernet0|4\": {\"profile\": \"near\"}, \"Ethernet0|3\": {",
    );
    Vec::from([
        ("flat", object(flat.collect()).to_string()),
        ("operations", Value::Array(set.collect()).to_string()),
        ("application", object(application).to_string()),
        ("numbers", numbers),
        ("brackets", bracketed),
        ("apart", apart),
        ("lines", text.replace('\n', "\r\n")),
    ])
}

#[test]
fn all_forms_give_the_same_scenario() {
    let here = folder("switches-forms");
    put(&here, "leaf.json", LEAF);
    let words = ["import", "leaf.json"];
    let first = backwater(&here, &words).expect(0).out;
    for (form, text) in forms(LEAF) {
        assert_ne!(text, LEAF, "{form}");
        put(&here, "leaf.json", &text);
        let again = backwater(&here, &words).expect(0).out;
        assert_eq!(again, first, "{form}");
    }
    // Tables of buffers and of queues in files of their own, before and behind.
    let is_buffer = |table: &str| table.starts_with("BUFFER");
    for order in [["buffers.json", "leaf.json"], ["leaf.json", "buffers.json"]] {
        let pick = |wanted: bool| {
            let mut whole: Map<String, Value> = serde_json::from_str(LEAF).expect("JSON");
            whole.retain(|table, _| is_buffer(table) == wanted);
            Value::Object(whole).to_string()
        };
        put(&here, "buffers.json", &pick(true));
        put(&here, "leaf.json", &pick(false));
        let again = backwater(&here, &["import", order[0], order[1]])
            .expect(0)
            .out;
        let names = order.join(", ");
        assert_eq!(again.replace(&names, "leaf.json"), first);
    }
}

/// What a rendered file lacks comes from the table of headroom.
#[test]
fn priority_groups_come_from_the_table_of_headroom() {
    let here = folder("switches-rows");
    put(&here, "leaf.json", LEAF);
    let groups = LEAF
        .find("    \"Ethernet0|3-4\": {\"profile\": \"near\"}")
        .expect("groups");
    let end = LEAF
        .find("    \"Ethernet0,Ethernet8|0\"")
        .expect("the next");
    let without = format!("{}{}", &LEAF[..groups], &LEAF[end..]);
    put(&here, "rendered.json", &without);
    put(&here, "rows.ini", ROWS);
    let memory = |text: &str| -> Vec<String> {
        let tables = text
            .split("[[")
            .filter(|table| table.contains("headroom = \""));
        let tables = tables.filter(|table| table.starts_with("memory"));
        let tables = tables.map(|table| table.split("\n\n").next().unwrap_or("").to_owned());
        let mut tables: Vec<String> = tables.collect();
        tables.sort();
        tables
    };
    let first = backwater(&here, &["import", "leaf.json"]).expect(0).out;
    let made = backwater(&here, &["import", "rendered.json", "rows.ini"]).expect(0);
    assert_eq!(memory(&first).len(), 2, "{first}");
    // Of the row without an offset there is none; all else is the same.
    let again = memory(&made.out).join("\n").replace("12000000 B", "4096 B");
    assert_eq!(again, memory(&first).join("\n"));
    made.complains("4 lossless priority groups come from the table of headroom");
    let alone = checked(&here, &["rendered.json"], &[]).expect(1);
    alone.complains("has PFC for priority 3, and its priority group 3 is not lossless");
    put(&here, "rows.ini", &ROWS.replace("40m", "50m"));
    let ran = checked(&here, &["rendered.json", "rows.ini"], &[]).expect(1);
    ran.complains("no row for 400000 Mb/s and 40 m in the table of headroom")
        .complains("add a row for exactly these two");
    // Computed by the switch: from the row, or what the language takes.
    put(
        &here,
        "null.json",
        &LEAF
            .replace("\"near\"}", "\"NULL\"}")
            .replace("\"far\"}", "\"NULL\"}"),
    );
    put(&here, "rows.ini", ROWS);
    let made = backwater(&here, &["import", "null.json", "rows.ini"]).expect(0);
    let again = memory(&made.out).join("\n").replace("12000000 B", "4096 B");
    assert_eq!(again, memory(&first).join("\n"));
    backwater(&here, &["import", "null.json"]).expect(0);
}

#[test]
fn a_table_of_headroom_is_checked_alone() {
    let here = folder("switches-table");
    let rows = "25000 5m 2048 2048 20480 -2\n25000 40m 2048 2048 22528 -2\n\
                400000 300m 2048 2048 243712 -2\n";
    put(&here, "rows.ini", rows);
    let ran = checked(&here, &["rows.ini"], &[]).expect(1);
    assert!(
        ran.out.starts_with("3 rows; 2 errors, 0 warnings"),
        "{}",
        ran.out
    );
    let ran = ran.complains("has 20,480 B of headroom, and 27,354 B comes even if");
    ran.complains("has 22,528 B of headroom, and 27,354 B comes even if");
    let small = ["--lossless-mtu", "4136"];
    let ran = checked(&here, &["rows.ini"], &small).expect(0);
    assert!(
        ran.out.starts_with("3 rows; 0 errors, 1 warning"),
        "{}",
        ran.out
    );
    ran.complains("has 20,480 B of headroom, and 20,770 B comes if a stop acts as late");
    // The published figure of a chip.
    let chip = ["--lossless-mtu", "1024", "--chip", "3"];
    let ran = checked(&here, &["rows.ini"], &chip).expect(0);
    ran.complains("has 243,712 B of headroom, and 659,456 B is published for the chip");
    put(&here, "rows.ini", "# nothing\n");
    checked(&here, &["rows.ini"], &[]).expect(0);
}

#[test]
fn numbers_that_are_not_allowed_are_refused() {
    let here = folder("switches-numbers");
    // More than any sum has room for.
    let huge = LEAF.replacen("\"xoff\": \"", "\"xoff\": \"9223372036854775807", 1);
    put(&here, "wrong.json", &huge);
    checked(&here, &["wrong.json"], &[])
        .expect(1)
        .complains("where a number of bytes up to 1 TiB is needed");
    // Nothing is taken for what is near it.
    let near = [
        (
            "\"mtu\": \"9100\"",
            "\"mtu\": \"0\"",
            "an mtu from 68 to 9216",
        ),
        (
            "\"speed\": \"100000\"",
            "\"speed\": \"0\"",
            "a speed in Mb/s",
        ),
        (
            "\"weight\": \"",
            "\"weight\": \"10",
            "a weight from 1 to 100",
        ),
        (
            "_drop_probability\": \"",
            "_drop_probability\": \"10",
            "a share from 0 to 100",
        ),
        ("\"34\": \"4\"", "\"64\": \"4\"", "numbers below 64"),
        ("\"26\": \"3\"", "\"26\": \"16\"", "a number from 0 to 15"),
    ];
    for (from, to, allowed) in near {
        assert!(LEAF.contains(from), "no `{from}`");
        put(&here, "wrong.json", &LEAF.replacen(from, to, 1));
        checked(&here, &["wrong.json"], &[])
            .expect(1)
            .complains(allowed);
    }
}

#[test]
fn what_is_no_configuration_is_refused() {
    let here = folder("switches-refused");
    put(&here, "rows.ini", ROWS);
    put(&here, "other.ini", ROWS);
    put(&here, "net.txt", "2 1 1\n1\n0 1 1Gbps 1us 0\n");
    put(&here, "leaf.json", LEAF);
    let refused = |text: &str, files: &[&str], parts: &[&str]| {
        put(&here, "wrong.json", text);
        let mut ran = checked(&here, files, &[]).expect(2);
        for part in parts {
            ran = ran.complains(part);
        }
    };
    let one = ["wrong.json"];
    let template = LEAF.replacen("\"100000\"", "{{ speed }}", 1);
    refused(
        &template,
        &one,
        &["`wrong.json`", "line 4", "a template", "sonic-cfggen"],
    );
    refused("{% if x %}\n", &one, &["a template"]);
    refused(&LEAF.replacen('}', "", 1), &one, &["no JSON of a switch"]);
    refused("{\"PORT\": 5}", &one, &["the table `PORT` is `5`"]);
    refused(
        "",
        &["rows.ini", "other.ini"],
        &["a second table of headroom"],
    );
    refused(
        "",
        &["leaf.json", "net.txt"],
        &["`net.txt` is no configuration of a switch"],
    );
    put(&here, "short.ini", "100000 5m 1 2 3\n");
    refused("", &["short.ini"], &["line 1", "a row of 5 columns"]);
    // One switch, said twice and differently.
    put(&here, "wrong.json", &LEAF.replacen("9100", "9000", 1));
    let ran = checked(&here, &["leaf.json", "wrong.json"], &[]).expect(1);
    ran.complains("`mtu` of `PORT|Ethernet0` is said twice, and differs");
    put(&here, "wrong.json", "{\"BUFFER_POOL\": {}}");
    let ran = checked(&here, &["wrong.json"], &[]).expect(1);
    ran.complains("`switch` has no table `PORT`");
}
