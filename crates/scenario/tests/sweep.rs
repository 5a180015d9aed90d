//! Sweeps: which points there are, and which scenario each is.

use scenario::{Limits, Set, Source, Sweep, parse};

const FILE: &str = r#"
[run]
duration = "1000 cells"
seed = 7

[link]
rate = "622 Mbps"
delay = "10 cells"

[topology]
kind = "star"
hosts_per_switch = 3

[flow_control]
scheme = "n23"
n2 = 10
n3 = 22

[[flows]]
name = "VC1"
from = "H1_1"
to = "H1_3"
traffic = { kind = "constant", load = 0.3 }

[[flows]]
name = "VC2"
from = "H1_2"
to = "H1_3"
traffic = { kind = "constant", load = 0.3 }
"#;

const SWEEP: &str = r#"
[sweep]
seeds = 2

[sweep.axes]
flows.VC1.traffic.load = { from = 0.1, to = 0.3, step = 0.1 }
n2 = [10, 5]
link.delay = ["10 cells", "2 cells"]
"#;

fn set(key: &str, value: &str) -> Set {
    Set {
        key: key.into(),
        value: value.into(),
    }
}

fn file() -> Source {
    Source::new("sweep.toml", format!("{FILE}{SWEEP}"))
}

fn read(axes: &[Set]) -> Sweep {
    Sweep::read(&file(), &[], axes).expect("no mistakes")
}

#[test]
fn axes_have_names_units_and_numbers() {
    let sweep = read(&[]);
    let found: Vec<(&str, &str, &str)> = sweep
        .axes()
        .iter()
        .map(|axis| (axis.path.as_str(), axis.name.as_str(), axis.unit.as_str()))
        .collect();
    let wanted = [
        ("flows.VC1.traffic.load", "load", ""),
        ("flow_control.n2", "n2", ""),
        ("link.delay", "delay", "cells"),
    ];
    assert_eq!(found, wanted);
    let numbers = |axis: usize| {
        let values = sweep.axes()[axis].values.iter();
        values.map(|value| value.number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(0), [Some(0.1), Some(0.2), Some(0.3)]);
    assert_eq!(numbers(2), [Some(10.0), Some(2.0)]);
    assert_eq!(sweep.seeds(), [7, 8]);
}

#[test]
fn every_point_is_one_choice() {
    let sweep = read(&[]);
    let points = sweep.points().expect("few points");
    assert_eq!(points, 3 * 2 * 2 * 2);
    let mut told = std::collections::BTreeSet::new();
    for point in 0..points {
        let (values, seed) = sweep.choice(point);
        assert_eq!(sweep.point(&values, seed), point);
        assert!(told.insert(sweep.describe(point)), "told twice: {point}");
    }
    assert_eq!(
        sweep.describe(0),
        "load = 0.1, n2 = 10, delay = 10 cells, seed = 7"
    );
    assert_eq!(
        sweep.describe(points - 1),
        "load = 0.3, n2 = 5, delay = 2 cells, seed = 8"
    );
}

/// A point is what the file without its sweep is with these values set, whatever else is swept.
#[test]
fn a_point_is_the_scenario_with_its_values_set() {
    let sweep = read(&[]);
    let point = sweep.point(&[1, 1, 0], 1);
    let swept = sweep.scenario(point, &Limits::default()).expect("sound");
    let sets = [
        set("flows.VC1.traffic.load", "0.2"),
        set("flow_control.n2", "5"),
        set("run.seed", "8"),
    ];
    let alone = parse(&Source::new("x.toml", FILE), &sets).expect("sound");
    assert_eq!(swept.resolved, alone.resolved);
    let other = sweep
        .scenario(point - 1, &Limits::default())
        .expect("sound");
    assert_ne!(other.resolved, alone.resolved, "another seed");
}

#[test]
fn the_command_line_takes_the_place_of_the_file() {
    let axes = [
        set("n2", "3, 4"),
        set(
            "flows.*.traffic.load",
            "{ from = 0.2, to = 0.4, step = 0.2 }",
        ),
        set("flow_control.scheme", "n23"),
    ];
    let sweep = read(&axes);
    let paths: Vec<&str> = sweep.axes().iter().map(|axis| axis.path.as_str()).collect();
    let wanted = [
        "flows.VC1.traffic.load",
        "flow_control.n2",
        "link.delay",
        "flows.*.traffic.load",
        "flow_control.scheme",
    ];
    assert_eq!(paths, wanted);
    assert_eq!(
        sweep.axes()[3].name,
        "flows.*.traffic.load",
        "two are called load"
    );
    assert_eq!(sweep.axes()[4].values[0].text, "n23");
    let texts: Vec<&str> = sweep.axes()[1]
        .values
        .iter()
        .map(|v| v.text.as_str())
        .collect();
    assert_eq!(texts, ["3", "4"]);
    let last = sweep.points().expect("few") - 1;
    let scenario = sweep.scenario(last, &Limits::default()).expect("sound");
    assert_eq!(scenario.resolved.matches("load = 0.4").count(), 2);
}

#[test]
fn seeds_are_lists_or_counted_from_the_scenarios_own() {
    let seeds = |sets: &[Set]| Sweep::read(&file(), sets, &[]).map(|s| s.seeds().to_vec());
    assert_eq!(
        seeds(&[set("sweep.seeds", "[9, 1]")]).expect("a list"),
        [9, 1]
    );
    let sets = [set("sweep.seeds", "3"), set("run.seed", "100")];
    assert_eq!(seeds(&sets).expect("a count"), [100, 101, 102]);
    let last = [set("run.seed", "18446744073709551615")];
    let error = seeds(&last).expect_err("two seeds");
    assert!(error.to_string().contains("above `run.seed`"), "{error}");
}

#[test]
fn a_value_that_can_not_stand_points_at_the_sweep() {
    let sweep = read(&[set("n3", "22,-1")]);
    let point = sweep.point(&[0, 0, 0, 1], 0);
    let error = sweep
        .scenario(point, &Limits::default())
        .expect_err("n3 = -1");
    let text = error.to_string();
    assert!(text.contains("--axis:1:"), "{text}");
    let sweep = Sweep::read(&file(), &[set("sweep.axes.n2", "[1, true]")], &[]).expect("axes");
    let error = sweep.scenario(sweep.points().expect("few") - 1, &Limits::default());
    assert!(
        error
            .expect_err("true")
            .to_string()
            .contains("whole number")
    );
}

#[test]
fn syntax_errors_and_other_shapes_are_told() {
    for (text, wanted) in [
        ("[sweep", "syntax"),
        ("sweep = 3", "must be a table"),
        ("[sweep]\nseed = 3", "unknown key `seed`"),
        ("[sweep.axes]\nn2 = 3", "neither a list nor a range"),
    ] {
        let error = Sweep::read(&Source::new("x.toml", text), &[], &[]).expect_err(text);
        assert!(error.to_string().contains(wanted), "{text}: {error}");
    }
}
