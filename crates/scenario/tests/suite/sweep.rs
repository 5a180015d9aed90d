//! Sweeps: which points there are, and which scenario each is.

use std::io;
use std::path::Path;

use backwater_scenario::{Diagnostics, Limits, Scenario, Set, Source, Sweep, parse, parse_with};

pub const FILE: &str = r#"
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
kind = "n23"
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

pub fn set(key: &str, value: &str) -> Set {
    Set {
        key: key.into(),
        value: value.into(),
    }
}

pub fn file() -> Source {
    Source::new("sweep.toml", format!("{FILE}{SWEEP}"))
}

/// The scenario of a point; there are no files.
pub fn scenario(sweep: &Sweep, point: u64) -> Result<Scenario, Diagnostics> {
    let no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    sweep.scenario(point, &Limits::default(), &no_files)
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
    let swept = scenario(&sweep, point).expect("sound");
    let sets = [
        set("flows.VC1.traffic.load", "0.2"),
        set("flow_control.n2", "5"),
        set("run.seed", "8"),
    ];
    let alone = parse(&Source::new("x.toml", FILE), &sets).expect("sound");
    assert_eq!(swept.resolved, alone.resolved);
    let other = scenario(&sweep, point - 1).expect("sound");
    assert_ne!(other.resolved, alone.resolved, "another seed");
}

#[test]
fn the_command_line_takes_the_place_of_the_file() {
    let axes = [
        set("n2", "3, 4"),
        set(
            "flows.VC2.traffic.load",
            "{ from = 0.2, to = 0.4, step = 0.2 }",
        ),
        set("flow_control.kind", "n23"),
    ];
    let sweep = read(&axes);
    let paths: Vec<&str> = sweep.axes().iter().map(|axis| axis.path.as_str()).collect();
    let wanted = [
        "flows.VC1.traffic.load",
        "flow_control.n2",
        "link.delay",
        "flows.VC2.traffic.load",
        "flow_control.kind",
    ];
    assert_eq!(paths, wanted);
    assert_eq!(
        sweep.axes()[3].name,
        "flows.VC2.traffic.load",
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
    let scenario = scenario(&sweep, last).expect("sound");
    assert_eq!(scenario.resolved.matches("load = 0.4").count(), 1);
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
    let error = scenario(&sweep, point).expect_err("n3 = -1");
    let text = error.to_string();
    assert!(text.contains("--axis:1:"), "{text}");
    let sweep = Sweep::read(&file(), &[set("sweep.axes.n2", "[1, true]")], &[]).expect("axes");
    let error = scenario(&sweep, sweep.points().expect("few") - 1);
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

const FLIT: &str = r#"
engine = "flit"

[run]
warm_up = "100 cycles"
measure = "200 cycles"

[topology]
kind = "file"
file = "net.anynet"

[router]
vcs = 1
storage = 16

[traffic]
load = 0.1
"#;

/// Short names are those of the file's engine, also of keys that do not stand in it.
#[test]
fn names_are_those_of_the_engine() {
    let paths = |axes: &[(&str, &str)]| {
        let axes: Vec<Set> = axes.iter().map(|(key, value)| set(key, value)).collect();
        let sweep = Sweep::read(&Source::new("x.toml", FLIT), &[], &axes)?;
        Ok::<_, Diagnostics>(sweep.axes().iter().map(|axis| axis.path.clone()).collect())
    };
    let found: Vec<String> = paths(&[
        ("vcs", "1, 2"),
        ("load", "0.1, 0.2"),
        ("allocator", "[\"islip\"]"),
        ("drain", "0, 9"),
    ])
    .expect("keys of the flit engine");
    let wanted = [
        "router.vcs",
        "traffic.load",
        "router.allocator",
        "run.drain",
    ];
    assert_eq!(found, wanted);
    let error = paths(&[("duration", "1, 2")]).expect_err("a key of the other engine");
    assert!(error.to_string().contains("no key is called"), "{error}");
}

/// The file that a point names is read, from beside the scenario; which one may vary.
#[test]
fn points_name_files() {
    let load = |path: &Path| match path.to_str() {
        Some("nets/net.anynet") => Ok("router 0 node 0 node 1 router 1\nrouter 1 node 2".into()),
        Some("nets/more.anynet") => Ok("router 0 node 0 node 1".into()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    let source = Source::new("nets/x.toml", FLIT);
    let axes = [set("topology.file", "net.anynet, more.anynet, none.anynet")];
    let sweep = Sweep::read(&source, &[], &axes).expect("an axis of words");
    let point = |point| sweep.scenario(point, &Limits::default(), &load);
    let terminals = |point: Result<Scenario, Diagnostics>| {
        let scenario = point.expect("a sound point");
        assert_eq!(scenario.files.len(), 1);
        scenario.fabric().expect("flit").graph.inject.len()
    };
    assert_eq!(terminals(point(0)), 3);
    assert_eq!(terminals(point(1)), 2);
    let error = point(2).expect_err("no such file");
    assert!(
        error.to_string().contains("can't read `none.anynet`"),
        "{error}"
    );
    let alone = parse_with(&source, &[], &Limits::default(), &load).expect("sound");
    assert_eq!(alone.resolved, point(0).expect("sound").resolved);
}

/// A table without a key of a range is one value, as it is in a list.
#[test]
fn a_table_alone_is_a_value() {
    let read = |value: &str| {
        let source = Source::new("x.toml", FLIT);
        Sweep::read(&source, &[], &[set("topology", value)]).expect("an axis")
    };
    let mesh = "{ kind = \"mesh\", sides = [4, 4] }";
    let alone = read(mesh);
    let values: Vec<&str> = alone.axes()[0]
        .values
        .iter()
        .map(|v| v.text.as_str())
        .collect();
    assert_eq!(values, [mesh]);
    let spec = scenario(&alone, 0).expect("sound");
    assert_eq!(spec.fabric().expect("flit").graph.inject.len(), 16);
    assert_eq!(read(&format!("[{mesh}]")).describe(0), alone.describe(0));
}

/// `--set` takes the short names that axes take; a name of no key is one mistake.
#[test]
fn a_set_and_an_axis_take_the_same_names() {
    let text = format!("{FLIT}\n[sweep.axes]\ncredit_delay = [1, 2]\n");
    let text = text.replace(
        "kind = \"file\"\nfile = \"net.anynet\"",
        "kind = \"mesh\"\nsides = [2, 2]",
    );
    let source = Source::new("x.toml", text);
    let long = parse(&source, &[set("router.vcs", "8")]).expect("a key of the file");
    let short = parse(&source, &[set("vcs", "8")]).expect("the only key of this name");
    assert_eq!(long.resolved, short.resolved);
    let codes = |key: &str| {
        let error = parse(&source, &[set(key, "8")]).expect_err(key);
        error.iter().map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("nonsense"), ["unknown-key"]);
}

pub const MESH: &str = r#"
engine = "flit"

[run]
warm_up = "100 cycles"
measure = "200 cycles"

[topology]
kind = "mesh"
sides = [4, 4]

[router]
vcs = 2

[traffic]
load = 0.1
"#;

fn texts(sweep: &Sweep, axis: usize) -> Vec<&str> {
    let values = sweep.axes()[axis].values.iter();
    values.map(|value| value.text.as_str()).collect()
}

fn sweep_of(axes: &str) -> Result<Sweep, Diagnostics> {
    Sweep::read(&Source::new("x.toml", format!("{MESH}{axes}")), &[], &[])
}

/// The name is what people see; the value is what runs.
#[test]
fn a_value_may_have_a_name() {
    let sweep = sweep_of(
        "[sweep.axes]\n\
         topology = [\n\
           { name = \"cmesh\", value = { kind = \"mesh\", sides = [2, 2], \
             terminals_per_router = 4 } },\n\
           { kind = \"torus\", sides = [4, 4] },\n\
         ]\n\
         vcs = [{ name = 4, value = 8 }, 2]\n",
    )
    .expect("sound");
    assert_eq!(texts(&sweep, 0)[0], "cmesh");
    assert_eq!(sweep.describe(0), "topology = cmesh, vcs = 4, seed = 1");
    let numbers: Vec<_> = sweep.axes()[1].values.iter().map(|v| v.number).collect();
    assert_eq!(numbers, [Some(4.0), Some(2.0)], "names that are numbers");
    let point = scenario(&sweep, 0).expect("sound");
    let fabric = point.fabric().expect("flit");
    assert_eq!(fabric.graph.inject.len(), 16);
    assert!(point.resolved.contains("vcs = 8"), "{}", point.resolved);
    assert!(point.resolved.contains("terminals_per_router = 4"));
    let torus = scenario(&sweep, 2).expect("sound");
    assert!(torus.resolved.contains("terminals_per_router = 1"));
}

/// Several keys that vary together are one axis, whatever it is called.
#[test]
fn keys_that_vary_together_are_one_axis() {
    let sweep = sweep_of(
        "[sweep.axes]\n\
         network = [\n\
           { name = \"mesh\", set = { vcs = 4 } },\n\
           { name = \"torus\", set = { topology = { kind = \"torus\", sides = [2, 2] }, \
             router.depth = 8, \"router.vcs\" = 3 } },\n\
           { set = { \"traffic.load\" = 0.2, \"router.vcs\" = 5 } },\n\
         ]\n",
    )
    .expect("sound");
    assert_eq!(sweep.axes()[0].path, "network");
    assert_eq!(texts(&sweep, 0), ["mesh", "torus", "load = 0.2, vcs = 5"]);
    assert_eq!(sweep.points().expect("few"), 3);
    let resolved = |point| scenario(&sweep, point).expect("sound").resolved;
    for (point, wanted) in [
        (0, ["kind = \"mesh\"", "vcs = 4", "load = 0.1"]),
        (1, ["kind = \"torus\"", "vcs = 3", "depth = 8"]),
        (2, ["kind = \"mesh\"", "vcs = 5", "load = 0.2"]),
    ] {
        let resolved = resolved(point);
        for wanted in wanted {
            assert!(resolved.contains(wanted), "{point}, {wanted}: {resolved}");
        }
    }
    let typed = "[{ name = \"a\", set = { vcs = 4 } }, { name = \"b\", set = { vcs = 6 } }]";
    let source = Source::new("x.toml", MESH);
    let sweep = Sweep::read(&source, &[], &[set("size", typed)]).expect("sound");
    assert_eq!(sweep.describe(1), "size = b, seed = 1");
    assert!(
        scenario(&sweep, 1)
            .expect("sound")
            .resolved
            .contains("vcs = 6")
    );
}

#[test]
fn values_that_are_neither_are_told() {
    for (axis, wanted) in [
        ("vcs = [{ value = 3 }]", "and no `name`"),
        ("vcs = [{ name = \"\", value = 3 }]", "a name is a text"),
        ("vcs = [{ name = true, value = 3 }]", "a name is a text"),
        (
            "vcs = [{ name = \"a\", value = 3, by = 2 }]",
            "not a key of such a value",
        ),
        (
            "vcs = [{ name = \"a\", value = 3 }, { name = \"a\", value = 4 }]",
            "given twice",
        ),
        ("x = [{ set = {} }]", "it sets nothing"),
        ("x = [{ set = { vcs = 2 } }, 3]", "no `set` here"),
        (
            "x = [{ set = { vcs = 2 }, value = 1 }]",
            "not a key of such a value",
        ),
        (
            "x = [{ set = { vcs = 2, \"router.vcs\" = 3 } }]",
            "set twice",
        ),
        ("x = [{ set = { lanse = 2 } }]", "no key is called `lanse`"),
        (
            "x = [{ set = { \"run.seed\" = 2 } }]",
            "`run.seed` is no axis",
        ),
        (
            "vcs = [1, 2]\nx = [{ set = { vcs = 2 } }]",
            "two axes change `router.vcs`",
        ),
    ] {
        let error = sweep_of(&format!("[sweep.axes]\n{axis}\n")).expect_err(axis);
        assert!(error.to_string().contains(wanted), "{axis}: {error}");
    }
}

/// Every point of every shipped sweep can run.
#[test]
fn shipped_sweeps_are_sound() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/sweeps");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("sweeps")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("text");
        let sweep = Sweep::read(&Source::new("x.toml", text), &[], &[]).expect("axes");
        for point in 0..sweep.points().expect("few") {
            if let Err(mistakes) = scenario(&sweep, point) {
                panic!("{path:?}, {}: {mistakes}", sweep.describe(point));
            }
        }
    }
}

#[test]
fn columns_of_flows_are_names_with_a_place() {
    let sweep = sweep_of("[sweep]\ncolumns = [\"a.latency\", \"b.latency\"]\n").expect("names");
    assert_eq!(
        sweep.columns().collect::<Vec<_>>(),
        ["a.latency", "b.latency"]
    );
    let known = ["class 0".to_owned()];
    let wrong = sweep
        .wrong_column(1, "there is no flow or group `b`", &known)
        .to_string();
    assert!(
        wrong.contains("x.toml:") && wrong.contains("there is class 0"),
        "{wrong}"
    );
    assert!(sweep_of("[sweep]\ncolumns = 3\n").is_err());
}
