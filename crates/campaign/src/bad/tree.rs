//! Ways to spoil a scenario as a tree: types, units, names, structure.

use serde_json::{Value, json};

use crate::random::Random;
use crate::toml_tree::{Path, Step, at, paths};

/// Values that fit nowhere, or hardly anywhere.
fn odd_value(random: &mut Random) -> Value {
    let deep = random.below(300);
    let many = 1 + random.below(2_000);
    match random.below(30) {
        0 => json!(true),
        1 => json!(-1),
        2 => json!(0),
        3 => json!(i64::MAX),
        4 => json!(i64::MIN),
        5 => json!(1e308),
        6 => json!(-0.5),
        7 => json!(5e-324),
        8 => json!(""),
        9 => json!(" "),
        10 => json!("nobody"),
        11 => json!("-5 us"),
        12 => json!("1e40 s"),
        13 => json!("NaN us"),
        14 => json!("0 bps"),
        15 => json!("5 parsec"),
        16 => json!("99999999999999999999 cells"),
        17 => json!("1e-300 s"),
        18 => json!("S1->S1"),
        19 => json!("\u{202e}evil\u{2066}"),
        20 => json!("a\u{0}b\u{1b}[31m"),
        21 => json!("x".repeat(many * 10)),
        22 => json!("{i}{1..1000000}"),
        23 => json!([]),
        24 => json!({}),
        25 => json!({ "mean": -1, "kind": "none" }),
        26 => (0..deep).fold(json!(1), |inner, _| json!([inner])),
        27 => (0..deep).fold(json!(1), |inner, _| json!({ "a": inner })),
        28 => json!(vec![1; many]),
        _ => json!("S{1..3}"),
    }
}

const UNITS: &[&str] = &[
    "ps", "ns", "us", "ms", "s", "min", "cells", "bps", "Mbps", "Tbps", "cells/s", "B", "kB",
    "GiB", "m", "km", "%", "cycles", "frames", "", "µs", "MBPS", "Mbps us",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "1e3",
    "1e18",
    "18446744073709551615",
    "18446744073709551616",
    "0.000001",
    "1_000",
    "1__0",
    ".5",
    "5.",
    "+7",
    "inf",
    "0x10",
    "1/0",
    "١٢",
    "9223372036854775807",
];

/// Does something to the tree and says what.
pub fn spoil(tree: &mut Value, donor: &Value, random: &mut Random) -> &'static str {
    let all = paths(tree);
    let Some(path) = random.pick(&all).cloned() else {
        return "nothing left";
    };
    match random.below(16) {
        0 | 1 => put(tree, &path, odd_value(random), "an odd value"),
        2 => put(tree, &path, json!(quantity(random)), "an odd quantity"),
        3 => other_unit(tree, &path, random),
        4 => scale(tree, &path, random),
        5 => remove(tree, &path),
        6 => rename(tree, &path, random),
        7 => duplicate(tree, &path, random),
        8 => swap(tree, &all, random),
        9 | 10 => transplant(tree, &path, donor, random),
        11 => wrap(tree, &path, random),
        12 => unwrap(tree, &path),
        13 => rename_text(tree, &path, random),
        14 => insert(tree, &path, random),
        _ => put(
            tree,
            &path,
            json!(random.next() >> random.below(63)),
            "a random number",
        ),
    }
}

/// A `--set` that may or may not be one.
pub fn set(random: &mut Random) -> String {
    let key = random.word(&[
        "run.seed",
        "run.duration",
        "run.warm_up",
        "link.rate",
        "flows.*.priority",
        "flows.0.to",
        "topology.kind",
        "nothing.at.all",
        "flows",
        "",
        "run",
        "a.b.c.d.e.f",
        "links.A-S1.delay",
        "traffic.load",
        "router.vcs",
        "sweep.axes.load",
        "classes.*.name",
        "\u{202e}",
    ]);
    let value = match random.chance(50) {
        true => quantity(random),
        false => crate::toml_tree::inline(&odd_value(random)).replace('\0', ""),
    };
    format!("{key}={value}")
}

fn quantity(random: &mut Random) -> String {
    format!("{} {}", random.word(NUMBERS), random.word(UNITS))
}

fn put(tree: &mut Value, path: &Path, value: Value, what: &'static str) -> &'static str {
    if let Some(place) = at(tree, path) {
        *place = value;
    }
    what
}

fn other_unit(tree: &mut Value, path: &Path, random: &mut Random) -> &'static str {
    if let Some(Value::String(text)) = at(tree, path)
        && let Some((number, _)) = text.clone().split_once(' ')
    {
        *text = format!("{number} {}", random.word(UNITS));
    }
    "another unit"
}

fn scale(tree: &mut Value, path: &Path, random: &mut Random) -> &'static str {
    let factor = [0.0, -1.0, 1e-9, 1e-3, 0.5, 2.0, 1e3, 1e9, 1e15][random.below(9)];
    match at(tree, path) {
        Some(Value::Number(number)) => {
            let value = number.as_f64().unwrap_or(1.0) * factor;
            let whole = number.is_i64() && value.abs() < 9e18;
            let scaled = if whole {
                json!(value as i64)
            } else {
                json!(value)
            };
            return put(tree, path, scaled, "another size");
        }
        Some(Value::String(text)) => {
            let parts = text.clone();
            if let Some((number, unit)) = parts.split_once(' ')
                && let Ok(number) = number.parse::<f64>()
            {
                *text = format!("{:e} {unit}", number * factor);
            }
        }
        _ => {}
    }
    "another size"
}

/// Applies to the table or list around the end of a path.
fn around<'a>(tree: &'a mut Value, path: &'a [Step]) -> Option<(&'a mut Value, &'a Step)> {
    let (last, before) = path.split_last()?;
    Some((at(tree, before)?, last))
}

fn remove(tree: &mut Value, path: &Path) -> &'static str {
    match around(tree, path) {
        Some((Value::Object(table), Step::Key(name))) => {
            table.remove(name);
        }
        Some((Value::Array(list), Step::Item(index))) => {
            list.remove(*index);
        }
        _ => {}
    }
    "something removed"
}

fn rename(tree: &mut Value, path: &Path, random: &mut Random) -> &'static str {
    if let Some((Value::Object(table), Step::Key(name))) = around(tree, path)
        && let Some(value) = table.remove(name)
    {
        let mut letters: Vec<char> = name.chars().collect();
        let at = random.below(letters.len());
        match random.below(5) {
            0 => letters.push('s'),
            1 => letters.swap(at, name.chars().count().saturating_sub(1)),
            2 if letters.len() > 1 => {
                letters.remove(at);
            }
            3 => letters[at] = 'é',
            _ => letters.insert(at, '_'),
        }
        table.insert(letters.into_iter().collect(), value);
    }
    "an unknown key"
}

fn duplicate(tree: &mut Value, path: &Path, random: &mut Random) -> &'static str {
    let most = if random.chance(5) { 3_000 } else { 3 };
    let times = 1 + random.below(most);
    match at(tree, path) {
        Some(Value::Array(list)) if !list.is_empty() => {
            let item = list[random.below(list.len())].clone();
            list.extend(std::iter::repeat_n(item, times));
        }
        _ => {
            if let Some((Value::Array(list), Step::Item(index))) = around(tree, path) {
                let item = list[*index].clone();
                list.push(item);
            }
        }
    }
    "something twice"
}

fn swap(tree: &mut Value, all: &[Path], random: &mut Random) -> &'static str {
    let (Some(a), Some(b)) = (random.pick(all), random.pick(all)) else {
        return "nothing to swap";
    };
    let values = (at(tree, a).cloned(), at(tree, b).cloned());
    // One may hold the other: then only the first is put.
    if let (Some(first), Some(second)) = values {
        put(tree, a, second, "");
        put(tree, b, first, "");
    }
    "two swapped"
}

fn transplant(tree: &mut Value, path: &Path, donor: &Value, random: &mut Random) -> &'static str {
    let mut donor = donor.clone();
    let from = paths(&donor);
    let Some(from) = random.pick(&from) else {
        return "nothing to transplant";
    };
    let Some(value) = at(&mut donor, from).cloned() else {
        return "nothing to transplant";
    };
    match (around(tree, path), from.last()) {
        (Some((Value::Object(table), _)), Some(Step::Key(name))) if random.chance(60) => {
            table.insert(name.clone(), value);
        }
        _ => {
            put(tree, path, value, "");
        }
    }
    "a part of another file"
}

fn wrap(tree: &mut Value, path: &Path, random: &mut Random) -> &'static str {
    if let Some(place) = at(tree, path) {
        let inner = place.take();
        *place = match random.below(3) {
            0 => json!([inner]),
            1 => json!([inner.clone(), inner]),
            _ => json!({ "kind": inner }),
        };
    }
    "a value wrapped"
}

fn unwrap(tree: &mut Value, path: &Path) -> &'static str {
    if let Some(place) = at(tree, path) {
        let inner = match place {
            Value::Array(list) => list.first().cloned(),
            Value::Object(table) => table.values().next().cloned(),
            _ => None,
        };
        *place = inner.unwrap_or(json!([]));
    }
    "a value unwrapped"
}

fn rename_text(tree: &mut Value, path: &Path, random: &mut Random) -> &'static str {
    if let Some(Value::String(text)) = at(tree, path) {
        match random.below(5) {
            0 => text.push('x'),
            1 => *text = text.to_uppercase(),
            2 => *text = format!("{text}[1]"),
            3 => *text = format!("\u{feff}{text}\u{301}"),
            _ => *text = text.chars().rev().collect(),
        }
    }
    "another word"
}

fn insert(tree: &mut Value, path: &Path, random: &mut Random) -> &'static str {
    let key = random.word(&[
        "kind",
        "name",
        "rate",
        "from",
        "to",
        "count",
        "load",
        "class",
        "path",
        "n3",
        "partner",
        "toString",
        "__proto__",
        "a b",
        "",
        "\"",
        "é",
        "flows.x",
    ]);
    let value = odd_value(random);
    match at(tree, path) {
        Some(Value::Object(table)) => {
            table.insert(key.into(), value);
        }
        Some(Value::Array(list)) => list.push(value),
        _ => {}
    }
    "something added"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_operator_works_on_any_tree_that_is_left() {
        let mut random = Random::of(1, "tree", 0);
        let donor = json!({ "flows": [{ "name": "a", "to": ["b"] }], "run": { "seed": 1 } });
        let mut names = BTreeSet::new();
        let mut changed = 0;
        for _ in 0..2_000 {
            let mut tree = donor.clone();
            for _ in 0..4 {
                names.insert(spoil(&mut tree, &donor, &mut random));
            }
            changed += usize::from(tree != donor);
            crate::toml_tree::write(&tree);
        }
        assert!(names.len() >= 15 && changed > 1_900, "{names:?}, {changed}");
    }
}
