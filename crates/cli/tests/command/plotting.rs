//! `backwater plot`: what lies in several directories in one report.

use std::fs;

use crate::support::{backwater, folder, json};
use crate::sweeping::shared;

#[test]
fn variants_have_directories_of_their_own_and_are_drawn_over_what_varies() {
    let here = folder("plot-runs");
    shared(&here, &[]);
    for n3 in ["n3=4", "n3=16"] {
        let set = format!("flow_control.{n3}");
        backwater(&here, &["run", "shared.toml", "--set", &set]).expect(0);
    }
    let made = ["4", "16"].map(|n3| format!("runs/shared,flow_control.n3={n3}"));
    assert!(
        made.iter()
            .all(|made| here.join(made).join("report.html").is_file())
    );
    let command = [
        "plot",
        &made[0],
        &made[1],
        "--y",
        "throughput",
        "--over",
        "n3",
    ];
    let ran = backwater(&here, &command).expect(0);
    assert!(
        ran.out.contains("2 curves of 2 directories in 1 plot"),
        "{}",
        ran.out
    );
    assert_eq!(json(&here.join("runs/plot/manifest.json"))["kind"], "plot");
    let table = fs::read_to_string(here.join("runs/plot/tables/throughput.csv")).expect("a table");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "row,n3_4_mbps,n3_16_mbps");
    assert!(
        lines[1].starts_with("one,") && lines[2].starts_with("two,"),
        "{table}"
    );
    // Side by side, with the series that both have.
    let ran = backwater(&here, &["plot", &made[0], &made[1], "--out", "both"]).expect(0);
    assert!(ran.out.contains("both/report.html"), "{}", ran.out);
    backwater(&here, &["plot", &made[0], "--y", "goodness"])
        .expect(2)
        .complains("has no column `goodness`; there is ");
    backwater(&here, &["plot", "."])
        .expect(2)
        .complains("is no directory of results");
}

/// A series is called as the scenario calls it, or as its file; a block that stands for several
/// by its own name.
#[test]
fn series_are_drawn_by_their_names() {
    let here = folder("plot-series");
    shared(&here, &[]);
    let text = fs::read_to_string(here.join("shared.toml")).expect("a scenario");
    let series = |name: &str, on: &str| {
        format!("[[series]]\nname = \"{name}\"\nmeasure = \"queue\"\non = \"{on}\"\n")
    };
    let slow = series("D->slow", "S1->H1_3");
    let text = format!("{text}\n{slow}{}", series("A->B", "all"));
    fs::write(here.join("named.toml"), text).expect("a file");
    backwater(&here, &["run", "named.toml", "--out", "out"]).expect(0);
    for asked in ["series.D->slow", "series.d-slow", "series.A->B"] {
        let ran = backwater(&here, &["plot", "out", "--y", asked]).expect(0);
        assert!(!ran.out.starts_with("0 curves"), "{asked}: {}", ran.out);
        let page = fs::read_to_string(here.join("runs/plot/report.html")).expect("a page");
        let name = if asked.contains("A->B") {
            "A-&gt;B"
        } else {
            "D-&gt;slow"
        };
        assert!(page.contains(name), "{asked}");
    }
    backwater(&here, &["plot", "out", "--y", "series.D"])
        .expect(2)
        .complains("series.D->slow");
}

/// Its directory would be cleared when the report is begun.
#[test]
fn a_plot_does_not_overwrite_what_it_draws() {
    let here = folder("plot-over-itself");
    shared(&here, &[]);
    backwater(&here, &["run", "shared.toml", "--out", "all/one"]).expect(0);
    for out in ["all/one", "all/../all/one/plot", "all"] {
        backwater(&here, &["plot", "all/one", "--out", out])
            .expect(2)
            .complains("would overwrite `all/one`, which is to be drawn");
    }
    assert!(here.join("all/one/scenario.toml").is_file());
    backwater(&here, &["plot", "all/one", "--out", "all/one-plot"]).expect(0);
}

#[test]
fn sweeps_are_drawn_together() {
    let here = folder("plot-sweeps");
    shared(&here, &[("seeds = 3", "seeds = 2")]);
    backwater(&here, &["sweep", "shared.toml", "--out", "a"]).expect(0);
    let other = [
        "sweep",
        "shared.toml",
        "--set",
        "link.delay=40 cells",
        "--out",
        "b",
    ];
    backwater(&here, &other).expect(0);
    let ran = backwater(&here, &["plot", "a", "b", "--y", "delay_mean_us"]).expect(0);
    assert!(
        ran.out.contains("4 curves of 2 directories in 1 plot"),
        "{}",
        ran.out
    );
    let table = fs::read_to_string(here.join("runs/plot/tables/delay_mean.csv")).expect("a table");
    assert!(
        table.contains("\"a, n3 = 4\"") && table.contains("\"b, n3 = 16\""),
        "{table}"
    );
    let ran = backwater(&here, &["plot", "a", "--over", "n3"]).expect(0);
    assert!(ran.out.contains("report: "), "{}", ran.out);
    backwater(&here, &["plot", "a", "--over", "depth"])
        .expect(2)
        .complains("a has no axis `depth`; there is ");
}

/// What is no table as it was written is refused with its line, and read in little memory.
#[test]
fn a_damaged_table_is_told() {
    let here = folder("plot-damaged");
    shared(&here, &[]);
    backwater(&here, &["run", "shared.toml", "--out", "a"]).expect(0);
    let table = here.join("a/tables/flows.csv");
    let text = fs::read_to_string(&table).expect("it is there");
    let line = text.lines().count() + 1;
    fs::write(&table, format!("{text}1\n")).expect("it can be written");
    backwater(&here, &["plot", "a", "--out", "p"])
        .expect(2)
        .complains(&format!("tables/flows.csv: line {line} has 1 cell, not"));
}
