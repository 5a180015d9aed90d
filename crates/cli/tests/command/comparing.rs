//! `backwater compare` from outside.

use std::fs;
use std::path::Path;

use crate::support::{backwater, folder, json};

/// Two senders to one receiver of a tenth of their rate: queues that are not stopped overflow.
pub const SMALL: &str = r#"
kind = "comparison"
title = "Two to one"

[run]
duration = "30 ms"
warm_up = "5 ms"

[network]
hosts = ["A", "B", "C"]
switches = ["S"]

[link]
rate = "100 Mbps"
delay = "2 us"

[switch]
buffer = "30 kB"

[[links]]
between = ["A", "S"]

[[links]]
between = ["B", "S"]

[[links]]
between = ["S", "C"]
rate = "10 Mbps"

[[flows]]
name = "greedy"
from = "A"
to = "C"
group = "victim"

[[flows]]
name = "bursts"
from = "B"
to = "C"
group = "burst"
traffic = { kind = "bursts", size = "5 kB", start = "10 ms", every = "10 ms" }
"#;

const SCHEMES: [&str; 10] = [
    "none",
    "reno",
    "dctcp",
    "n23",
    "n23-class",
    "cbfc",
    "pause",
    "destination",
    "pfc",
    "abr",
];

/// Writes the comparison as `two.toml`, with `to` for `from`.
fn write(here: &Path, from: &str, to: &str) {
    assert!(SMALL.contains(from), "{from}");
    let text = SMALL.replacen(from, to, 1);
    fs::write(here.join("two.toml"), text).expect("a folder to write to");
}

#[test]
fn all_schemes_stand_in_one_table() {
    let here = folder("compare-all");
    write(&here, "", "");
    let arguments = ["compare", "two.toml", "--out", "out"];
    let ran = backwater(&here, &arguments).expect(0);
    let widest = ran.out.lines().take(30).map(|line| line.chars().count());
    assert!(widest.max() <= Some(120), "{}", ran.out);
    let heading = ran.out.lines().nth(2).unwrap_or_default();
    assert_eq!(heading.split_whitespace().collect::<Vec<_>>(), SCHEMES);
    let found = json(&here.join("out/summary.json"));
    let value = |scheme: usize, measure: &str| {
        let measure = &found["schemes"][scheme]["measures"][measure];
        measure["value"].as_f64().unwrap_or(f64::NAN)
    };
    for (index, name) in SCHEMES.into_iter().enumerate() {
        assert_eq!(found["schemes"][index]["scheme"], name);
        let loss = value(index, "loss_pct");
        match name {
            // Nobody holds the sender back: it loses nine tenths.
            "none" => assert!(loss > 80.0, "{name}: {loss} %"),
            "n23" | "n23-class" | "cbfc" | "pause" | "destination" | "pfc" => {
                assert_eq!(loss, 0.0, "{name}")
            }
            _ => assert!(loss < 20.0, "{name}: {loss} %"),
        }
        let throughput = value(index, "throughput_mbps");
        assert!(
            (4.0..10.0).contains(&throughput),
            "{name}: {throughput} Mbps"
        );
        let scenario = here.join(format!("out/scenarios/{name}.toml"));
        assert!(scenario.exists(), "{scenario:?}");
    }
    // A credit unit of 84 B for ten of 1,538.
    let credit = value(3, "overhead_flow_control_pct");
    assert!((0.4..0.6).contains(&credit), "{credit} %");
    assert_eq!(value(0, "overhead_flow_control_pct"), 0.0);
    for file in [
        "report.html",
        "tables/schemes.csv",
        "tables/runs.csv",
        "series/n23-memory.csv",
    ] {
        assert!(here.join("out").join(file).exists(), "{file}");
    }
    // What only a single run has is not made up.
    let manifest = json(&here.join("out/manifest.json"));
    for name in ["unit_hops", "ended_at_ps", "events_per_second"] {
        assert!(manifest.get(name).is_none(), "{manifest}");
    }
    assert!(manifest["events"].as_u64() > Some(0), "{manifest}");
    let again = backwater(&here, &["run", "out/scenarios/n23.toml", "--out", "n23"]);
    let again = again.expect(0);
    let hash = &found["schemes"][3]["runs"][0]["trace_hash"];
    let manifest = json(&here.join("n23/manifest.json"));
    assert_eq!(&manifest["trace_hash"], hash, "{}", again.out);
}

#[test]
fn numbers_are_the_same_on_any_number_of_threads_and_seeds_give_intervals() {
    let here = folder("compare-threads");
    write(&here, "duration = \"30 ms\"", "duration = \"12 ms\"");
    let only = ["--only", "none,reno,pfc", "--seeds", "2"];
    let mut tables = Vec::new();
    for threads in ["1", "3"] {
        let mut arguments = vec![
            "compare",
            "two.toml",
            "--out",
            threads,
            "--threads",
            threads,
        ];
        arguments.extend(only);
        backwater(&here, &arguments).expect(0);
        let table = here.join(threads).join("tables/runs.csv");
        tables.push(fs::read_to_string(table).expect("a table of runs"));
    }
    assert_eq!(tables[0], tables[1]);
    assert_eq!(tables[0].lines().count(), 1 + 3 * 2);
    let table = fs::read_to_string(here.join("1/tables/schemes.csv")).expect("a table");
    assert!(table.starts_with("scheme,"), "{table}");
    assert!(table.contains("throughput_mbps_ci95"), "{table}");
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let here = folder("compare-wrong");
    write(&here, "to = \"C\"", "to = \"D\"");
    let line = SMALL
        .lines()
        .position(|line| line == "to = \"C\"")
        .map(|at| at + 1);
    let place = format!("two.toml:{}:6", line.expect("a flow"));
    backwater(&here, &["compare", "two.toml"])
        .expect(2)
        .complains("there is no host `D`")
        .complains(&place);
    write(&here, "buffer = \"30 kB\"", "buffer = \"2 kB\"");
    backwater(&here, &["check", "two.toml"])
        .expect(2)
        .complains("small-buffer");
    write(&here, "", "");
    backwater(&here, &["check", "two.toml"]).expect(0);
    backwater(&here, &["run", "two.toml"])
        .expect(2)
        .complains("backwater compare two.toml");
    backwater(&here, &["compare", "two.toml", "--only", "paus"])
        .expect(2)
        .complains("did you mean `pause`");
    assert!(!here.join("runs").exists(), "nothing ran");
}

/// A server that is stopped for a slow host's sake sends to the fast one no faster: they take
/// turns. Circuits with credit of their own share the server's link as if the other had not been.
#[test]
fn a_victim_keeps_its_share_with_credit_by_flow_and_loses_it_to_stops() {
    let here = folder("compare-victim");
    write(
        &here,
        "to = \"C\"\ngroup = \"victim\"",
        "to = \"B\"\ngroup = \"victim\"",
    );
    let text = fs::read_to_string(here.join("two.toml")).expect("written");
    let burst = "from = \"B\"\nto = \"C\"\ngroup = \"burst\"\n\
                 traffic = { kind = \"bursts\", size = \"5 kB\", start = \"10 ms\", \
                 every = \"10 ms\" }";
    assert!(text.contains(burst), "{text}");
    let text = text
        .replacen(burst, "from = \"A\"\nto = \"C\"\ngroup = \"slow\"", 1)
        .replace("\"30 ms\"", "\"600 ms\"")
        .replace("\"5 ms\"", "\"200 ms\"");
    fs::write(here.join("two.toml"), text).expect("a folder to write to");
    let only = "n23,n23-class,cbfc,pause,destination,pfc";
    let arguments = ["compare", "two.toml", "--only", only];
    backwater(&here, &arguments).expect(0);
    let found = json(&here.join("runs/two-comparison/summary.json"));
    let schemes = found["schemes"].as_array().expect("schemes");
    assert_eq!(schemes.len(), 6);
    // Payload of full frames, 1,472 B of 1,538: 10 of 100 Mbps go to the slow host.
    let share = 1472.0 / 1538.0;
    for scheme in schemes {
        let name = scheme["scheme"].as_str().expect("a name");
        let value = |measure: &str| {
            scheme["measures"][measure]["value"]
                .as_f64()
                .expect(measure)
        };
        assert_eq!(value("loss_pct"), 0.0, "{name}");
        let slow = value("throughput_slow_mbps");
        assert!((slow - 10.0 * share).abs() < 0.1, "{name}: {slow}");
        let victim = value("throughput_victim_mbps");
        let expected = match name {
            "n23" | "destination" => 90.0 * share,
            _ => 10.0 * share,
        };
        assert!(
            (victim - expected).abs() < 0.005 * expected,
            "{name}: {victim}"
        );
        let most = value("switch_buffer_max_kbytes");
        let given = scheme["conditions"]["memory_bytes"]["S"]
            .as_f64()
            .expect("S");
        assert!(most <= given * 1e-3, "{name}: {most} kB of {given} B");
        assert!((84e3..=90e3).contains(&given), "{name}: {given} B");
    }
    let differs = &found["conditions_that_differ"];
    assert_eq!(*differs, serde_json::json!(["divided"]));
}

/// A burst that has the network to itself takes as long as the closed form says, under every scheme
/// that sends its frames at once.
/// Headers of TCP and paced units take longer, and so does a last unit that is a full one.
#[test]
fn a_burst_on_an_idle_network_has_slowdown_one() {
    let here = folder("compare-alone");
    let greedy = "[[flows]]\nname = \"greedy\"\nfrom = \"A\"\nto = \"C\"\ngroup = \"victim\"\n";
    write(&here, greedy, "");
    let arguments = ["compare", "two.toml"];
    backwater(&here, &arguments).expect(0);
    let found = json(&here.join("runs/two-comparison/summary.json"));
    let schemes = found["schemes"].as_array().expect("schemes");
    assert_eq!(schemes.len(), SCHEMES.len());
    // 5 kB: three full frames and one of 584 B. On the second link the first frame starts after
    // 123.04 and 2 us; the last follows three of 1,230.4 us.
    let full_us = [1538.0 * 8.0 / 100.0, 1538.0 * 8.0 / 10.0];
    let last_us = 650.0 * 8.0 / 10.0;
    let alone_ms = (full_us[0] + 2.0 + 3.0 * full_us[1] + last_us + 2.0) * 1e-3;
    for scheme in schemes {
        let name = scheme["scheme"].as_str().expect("a name");
        let value = |measure: &str| {
            let value = scheme["measures"][measure]["value"].as_f64();
            value.unwrap_or_else(|| panic!("{name}: {measure}"))
        };
        let (mean, slowdown) = (value("message_mean_ms"), value("slowdown_mean"));
        assert!(
            (mean / slowdown - alone_ms).abs() < 1e-9,
            "{name}: {mean} {slowdown}"
        );
        match name {
            // The last unit of a circuit is a full one.
            "n23" => assert!((slowdown - 1.16).abs() < 0.01, "{name}: {slowdown}"),
            "reno" | "dctcp" | "abr" => assert!(slowdown > 1.005, "{name}: {slowdown}"),
            _ => assert!((slowdown - 1.0).abs() < 1e-9, "{name}: {slowdown}"),
        }
    }
}

/// Completion times and busbw of a comparison are those of each scheme's scenario by itself.
#[test]
fn jobs_and_collectives_are_compared_by_their_times() {
    let here = folder("compare-jobs");
    let ranks = "[[jobs]]\nname = \"train\"\niterations = 2\nphases = [{ compute = \"1 ms\", \
                 kind = \"ring-all-reduce\", size = \"9 kB\", across = \"all\" }]\n\n\
                 [[collectives]]\nname = \"ring\"\nkind = \"ring-all-gather\"\nsize = \"30 kB\"\n";
    let flows = SMALL.find("[[flows]]").expect("it has flows");
    let head = SMALL[..flows].replace("30 ms", "200 ms");
    fs::write(here.join("jobs.toml"), head + ranks).expect("a folder");
    let only = ["pfc", "reno", "dcqcn+cbfc"];
    let arguments = [
        "compare",
        "jobs.toml",
        "--only",
        &only.join(","),
        "--out",
        "out",
    ];
    let ran = backwater(&here, &arguments).expect(0);
    assert!(
        ran.out.contains("JCT train") && ran.out.contains("busbw ring"),
        "{}",
        ran.out
    );
    let found = json(&here.join("out/summary.json"));
    for (index, name) in only.into_iter().enumerate() {
        let own = found["schemes"].as_array().expect("schemes");
        let own = own
            .iter()
            .find(|own| own["scheme"] == name)
            .expect("it ran");
        let value = |measure: &str| own["measures"][measure]["value"].as_f64();
        let alone = format!("alone{index}");
        let scenario = format!("out/scenarios/{name}.toml");
        backwater(&here, &["run", &scenario, "--out", &alone]).expect(0);
        let cell = |table: &str, key: &str| {
            let path = here.join(format!("{alone}/tables/{table}.csv"));
            let text = fs::read_to_string(path).expect("a table");
            let mut lines = text.lines();
            let at = lines.next()?.split(',').position(|own| own == key)?;
            lines
                .find(|line| line.starts_with("train") == (table == "jobs"))?
                .split(',')
                .nth(at)?
                .parse::<f64>()
                .ok()
        };
        for (measure, wanted) in [
            ("jct_train_ms", cell("jobs", "jct_ms")),
            ("jct_ratio_train", cell("jobs", "jct_ratio")),
            ("time_ring_ms", cell("collectives", "time_mean_ms")),
            ("busbw_ring_mbps", cell("collectives", "busbw_mbps")),
        ] {
            let (found, wanted) = (value(measure), wanted);
            let is_near = found
                .zip(wanted)
                .is_some_and(|(a, b)| (a - b).abs() <= 1e-4 * b);
            assert!(is_near, "{name}: {measure} {found:?} {wanted:?}: {own}");
        }
    }
}
