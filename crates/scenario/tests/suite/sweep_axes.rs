//! Axes that undo each other, and their units.

use backwater_scenario::{Diagnostics, Grid, GridEnd, Set, Source, Sweep, parse};

use crate::sweep::{FILE, MESH, file, scenario, set};

fn star_sweep(axes: &str) -> Result<Sweep, Diagnostics> {
    let text = format!("{FILE}[sweep.axes]\n{axes}");
    Sweep::read(&Source::new("x.toml", text), &[], &[])
}

/// A key that is lost would be in tables as if it had been there.
#[test]
fn axes_that_undo_each_other_are_refused() {
    let star = r#"topology = [{ kind = "star" }, { kind = "star", hosts_per_switch = 4 }]"#;
    let all = r#""flows.*.traffic.load" = [0.1, 0.2]"#;
    for (axes, wanted) in [
        (
            format!("\"topology.hosts_per_switch\" = [3, 4]\n{star}"),
            "two axes change `topology`",
        ),
        (
            format!("{star}\n\"topology.hosts_per_switch\" = [3, 4]"),
            "two axes change `topology.hosts_per_switch`",
        ),
        (
            format!("\"flows.VC1.traffic.load\" = [0.1, 0.3]\n{all}"),
            "two axes change `flows.*.traffic.load`",
        ),
        (
            format!("{all}\n\"flows.0.traffic.load\" = [0.1, 0.3]"),
            "two axes change `flows.0.traffic.load`",
        ),
        (
            "\"flows.VC1.traffic.load\" = [0.1, 0.3]\n\"flows.0.traffic.load\" = [0.1]".into(),
            "two axes change `flows.0.traffic.load`",
        ),
        (
            r#"a = [{ set = { "flow_control.n2" = 5, flow_control = { kind = "none" } } }]"#.into(),
            "no value of an axis",
        ),
    ] {
        let mistakes = star_sweep(&axes).expect_err(&axes);
        let told = mistakes.render(false);
        assert!(told.contains(wanted), "{axes}: {told}");
    }
}

/// The table first, then a key that it leaves open.
#[test]
fn a_later_axis_may_refine_a_table() {
    let axes = "flow_control = [{ kind = \"n23\", n3 = 22 }, { kind = \"n123\", n3 = 22 }]\n\
                \"flow_control.n2\" = [5, 10]";
    let sweep = star_sweep(axes).expect("no key is set twice");
    assert_eq!(sweep.points().ok(), Some(4));
    assert!(scenario(&sweep, 3).is_ok());
}

#[test]
fn a_set_that_no_point_has_is_refused() {
    let told = |sets: &[Set]| {
        let mistakes = Sweep::read(&file(), sets, &[]).expect_err("it changes nothing");
        mistakes.render(false)
    };
    let n2 = told(&[set("flow_control.n2", "77")]);
    assert!(n2.contains("an axis changes `flow_control.n2`"), "{n2}");
    assert!(
        n2.contains("`--axis flow_control.n2=77` takes this value alone"),
        "{n2}"
    );
    let seed = told(&[set("run.seed", "7"), set("sweep.seeds", "[1, 2]")]);
    assert!(
        seed.contains("`--seeds [7]` takes this seed alone"),
        "{seed}"
    );
    for set in [
        set("run.seed", "3"),
        set("flows.*.traffic.load", "0.2"),
        set("flow_control.n3", "4"),
    ] {
        assert!(
            Sweep::read(&file(), &[set], &[]).is_ok(),
            "some points have it"
        );
    }
}

#[test]
fn units_have_one_spelling_and_values_one_worth() {
    for (values, unit) in [
        (r#""link.delay" = ["1 µs", "10 us"]"#, "us"),
        (r#""link.rate" = ["100G", "400 GbE", "1600 Gbps"]"#, "Gbps"),
        (r#""link.delay" = ["1 cell", "10 cells"]"#, "cells"),
    ] {
        let sweep = star_sweep(values).expect("sound");
        let axis = &sweep.axes()[0];
        assert_eq!(axis.unit, unit, "{values}");
        assert!(axis.values.iter().all(|value| value.number.is_some()));
    }
    for values in [
        r#""link.delay" = ["1 us", "1000 ns"]"#,
        r#""link.rate" = ["0.1 Tbps", "100G"]"#,
        r#""flows.*.traffic.load" = [0.1, 0.10]"#,
    ] {
        let told = star_sweep(values).expect_err("one value").render(false);
        assert!(told.contains("is given twice"), "{told}");
    }
}

/// The loads of a search.
fn grid(low: &str, high: &str, precision: &str) -> Grid {
    let end = |typed: &str| GridEnd {
        typed: typed.into(),
        value: typed.into(),
    };
    Grid {
        over: "load".into(),
        low: end(low),
        high: end(high),
        precision: end(precision),
    }
}

/// What is wrong with the options of a search is shown in them as they were typed.
#[test]
fn mistakes_in_a_grid_point_at_its_options() {
    let told = |grid: &Grid| {
        let source = Source::new("x.toml", MESH);
        let wrong = Sweep::read_with_grid(&source, &[], &[], Some(grid));
        wrong.expect_err("no grid").render(false)
    };
    let turned = told(&grid("0.9", "0.2", "0.1"));
    assert!(turned.contains("`--low` is above `--high`"), "{turned}");
    let line = "--over load --low 0.9 --high 0.2 --precision 0.1";
    assert!(turned.contains(line), "{turned}");
    assert!(turned.contains("write `--low 0.2 --high 0.9`"), "{turned}");
    let turned = told(&grid("\"1 Gbps\"", "\"500 kbps\"", "\"1 kbps\""));
    assert!(!turned.contains("load={"), "{turned}");
    let still = told(&grid("0.1", "0.2", "0"));
    assert!(still.contains("--precision 0"), "{still}");
}

/// The name alone does not say where; the same name is no answer.
#[test]
fn a_key_that_stands_nowhere_once_has_its_tables_named() {
    let wrong = Sweep::read(&Source::new("x.toml", MESH), &[], &[set("size", "1, 2")]);
    let told = wrong.expect_err("no such key").render(false);
    assert!(!told.contains("did you mean `size`"), "{told}");
    let text = FILE.replace("traffic = { kind = \"constant\", load = 0.3 }\n", "");
    let grid = grid("0", "1", "0.5");
    let wrong = Sweep::read_with_grid(&Source::new("x.toml", text), &[], &[], Some(&grid));
    let told = wrong.expect_err("no such key").render(false);
    assert!(
        told.contains("`load` is a key of `flows.traffic`"),
        "{told}"
    );
    assert!(
        told.contains("--> --over, --low, --high, --precision:1:8"),
        "{told}"
    );
}

/// A key that a `--set` takes away holds its default, and one that is not there is told.
#[test]
fn a_set_takes_a_key_away() {
    let source = Source::new("x.toml", MESH);
    let plain = parse(&source, &[]).expect("sound");
    let deeper = MESH.replace("[router]", "[router]\ncredit_delay = 2");
    let deeper = Source::new("x.toml", deeper);
    assert_ne!(parse(&deeper, &[]).expect("sound").resolved, plain.resolved);
    for key in ["router.credit_delay", "credit_delay"] {
        let without = parse(&deeper, &[set(key, "unset")]).expect(key);
        assert_eq!(without.resolved, plain.resolved);
    }
    let codes = |source: &Source, key: &str, value: &str| {
        let error = parse(source, &[set(key, value)]).expect_err(key);
        error.iter().map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&source, "router.credit_delay", "unset"), ["bad-set"]);
    // In quotes it is a text like others.
    let quoted = codes(&deeper, "router.credit_delay", "\"unset\"");
    assert_eq!(quoted, ["bad-quantity"]);
    let titled = parse(&source, &[set("title", "\"unset\"")]).expect("a title");
    assert_eq!(titled.title, "unset");
}
