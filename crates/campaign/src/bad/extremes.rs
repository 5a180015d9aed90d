//! Scenarios whose quantities are as small or as large as they can be written: sums and products
//! of them lie past what 64 bits hold, and every one is allowed or refused at its place.

use serde_json::{Map, Value, json};

use super::edges::Edges;
use super::{Shipped, Spoiled};
use crate::random::Random;
use crate::toml_tree::{self, Path, Step, at, paths};

/// Spans of all sizes: most are allowed alone, and no two of the large ones fit the clock together.
pub const SPANS: &[&str] = &[
    "0 s",
    "1 ps",
    "2 ps",
    "1 us",
    "1 s",
    "1000 s",
    "76861 min",
    "76861 min",
    "2305843 s",
    "4611686 s",
    "4611686 s",
    "4611686018427387903 ps",
    "4611686018427387904 ps",
    "4611686018427387905 ps",
    "9223372036854775807 ps",
    "18446744073709551615 ps",
    "1000000000 cells",
    "4611686018427387904 cells",
];
const RATES: &[&str] = &[
    "0 bps",
    "1 bps",
    "7 bps",
    "1 kbps",
    "1 Mbps",
    "10 Tbps",
    "100 Tbps",
    "101 Tbps",
    "1000000 Tbps",
    "1152921504606846976 bps",
    "1152921504606846977 bps",
    "18446744073709551615 bps",
];
const SIZES: &[&str] = &[
    "0 B",
    "1 B",
    "63 B",
    "1500 B",
    "65535 B",
    "4294967295 B",
    "4294967296 B",
    "1000000000 kB",
    "4611686018427387904 B",
    "9223372036854775808 B",
    "18446744073709551615 B",
];
const LENGTHS: &[&str] = &["0 m", "1 mm", "1 km", "1000 km", "1000000 km"];
const SHARES: &[&str] = &["0 %", "0.0000001 %", "50 %", "100 %", "1000000 %"];
const COUNTED: &[&str] = &[
    "0",
    "1",
    "2",
    "4294967295",
    "4294967296",
    "4611686018427387904",
    "9223372036854775807",
    "18446744073709551615",
];
const NUMBERS: &[i64] = &[
    0,
    1,
    2,
    7,
    255,
    256,
    65_535,
    65_536,
    1_000_000,
    i32::MAX as i64,
    u32::MAX as i64,
    u32::MAX as i64 + 1,
    1 << 62,
    i64::MAX,
];
const FRACTIONS: &[f64] = &[0.0, 1e-300, 1e-9, 0.5, 1.0, 1.000_000_1, 1e9, 1e300];

/// Units of counts.
const UNITS: &[&str] = &["cells", "units", "packets", "frames", "cycles", "cells/s"];

/// The extreme values of what `text` is a quantity of.
fn alike(text: &str, random: &mut Random) -> Option<String> {
    let (number, unit) = text.trim().rsplit_once(' ')?;
    number.trim().parse::<f64>().ok()?;
    let values = match unit {
        "ps" | "ns" | "us" | "ms" | "s" | "min" => SPANS,
        "m" | "km" | "mm" | "cm" => LENGTHS,
        "%" => SHARES,
        _ if unit.ends_with("bps") => RATES,
        _ if unit.ends_with('B') => SIZES,
        _ if UNITS.contains(&unit) => {
            return Some(format!("{} {unit}", random.word(COUNTED)));
        }
        _ => return None,
    };
    if random.chance(50) {
        return Some(random.word(values).to_owned());
    }
    // Of any size.
    let (most, least) = match unit {
        "ps" | "ns" | "us" | "ms" | "s" | "min" => (62, "ps"),
        "m" | "km" | "mm" | "cm" => (30, "mm"),
        "%" => (7, "%"),
        _ if unit.ends_with("bps") => (60, "bps"),
        _ => (64, "B"),
    };
    Some(format!("{} {least}", of_any_size(most, random)))
}

/// A power of two of at most so many bits, or a number beside it.
fn of_any_size(bits: u64, random: &mut Random) -> u64 {
    let power = 1_u64
        .checked_shl(random.between(0, bits) as u32)
        .unwrap_or(u64::MAX);
    (power.saturating_add(random.below(3) as u64)).saturating_sub(1)
}

/// The value at its extreme, if it is a quantity or a number.
fn extreme(value: &Value, random: &mut Random) -> Option<Value> {
    match value {
        Value::String(text) => alike(text, random).map(Value::from),
        Value::Number(number) if number.is_f64() => random.pick(FRACTIONS).map(|one| json!(one)),
        Value::Number(_) if random.chance(60) => {
            let bits = [8, 20, 33, 62][random.below(4)];
            Some(json!(of_any_size(bits, random)))
        }
        Value::Number(_) => random.pick(NUMBERS).map(|one| json!(one)),
        _ => None,
    }
}

/// The name of the table that holds what lies at the end of a way.
fn table(path: &Path) -> Option<&str> {
    let (_, before) = path.split_last()?;
    before.iter().rev().find_map(|step| match step {
        Step::Key(name) => Some(&**name),
        Step::Item(_) => None,
    })
}

/// All quantities of a tree.
fn quantities(tree: &mut Value) -> Vec<Path> {
    let mut dice = Random::of(0, "is it a quantity", 0);
    let all = paths(tree).into_iter();
    all.filter(|path| at(tree, path).is_some_and(|value| extreme(value, &mut dice).is_some()))
        .collect()
}

/// Sets a quantity, or one that another file has in a table of this name.
fn push(tree: &mut Value, donor: &mut Value, random: &mut Random) -> String {
    if random.chance(50) {
        let theirs = quantities(donor);
        if let Some(from) = random.pick(&theirs)
            && let Some(Step::Key(key)) = from.last()
            && let Some(value) = at(donor, from).and_then(|value| extreme(value, random))
            && let Some(home) = home(tree, table(from), random)
        {
            let said = format!("{}.{key}", table(from).unwrap_or(""));
            home.insert(key.clone(), value);
            return said;
        }
    }
    let own = quantities(tree);
    let Some(path) = random.pick(&own) else {
        return "no quantity".into();
    };
    if let Some(place) = at(tree, path)
        && let Some(value) = extreme(place, random)
    {
        *place = value;
    }
    format!("{path:?}")
}

/// Sets a key of the language to one of its edges; says which.
fn to_an_edge(tree: &mut Value, edges: &Edges, random: &mut Random) -> Option<String> {
    let engine = tree["engine"].as_str().unwrap_or("packet").to_owned();
    let engine = match tree["kind"].as_str() {
        Some(_) => "comparison".into(),
        None => engine,
    };
    let all = paths(tree).into_iter();
    let tables = all.filter(|path| at(tree, path).is_some_and(|value| value.is_object()));
    let tables: Vec<Path> = tables
        .filter(|path| edges.at(&engine, path).is_some())
        .collect();
    let path = random.pick(&tables)?;
    let (key, values) = random.pick(edges.at(&engine, path)?)?;
    let value = random.pick(values)?.clone();
    at(tree, path)?.as_object_mut()?.insert(key.clone(), value);
    Some(format!("{path:?} {key}"))
}

/// A table of this name in the tree.
fn home<'a>(
    tree: &'a mut Value,
    name: Option<&str>,
    random: &mut Random,
) -> Option<&'a mut Map<String, Value>> {
    let named: Vec<Path> = paths(tree)
        .into_iter()
        .filter(|path| {
            let mut keys = path.iter().rev();
            let own = keys.find_map(|step| match step {
                Step::Key(name) => Some(&**name),
                Step::Item(_) => None,
            });
            own == name
        })
        .collect();
    let path = random.pick(&named)?.clone();
    at(tree, &path)?.as_object_mut()
}

/// One of the files with some of its quantities at their extremes.
pub fn spoil(shipped: &[Shipped], edges: &Edges, random: &mut Random) -> Spoiled {
    let file = &shipped[random.below(shipped.len())];
    let mut how = file.name.clone();
    let mut tree = toml_tree::read(&file.text).unwrap_or_default();
    // Mostly few: what is at its extreme in one place gets furthest.
    let most = [1, 1, 2, 4, 30][random.below(5)];
    for _ in 0..1 + random.below(most) {
        if random.chance(60)
            && let Some(said) = to_an_edge(&mut tree, edges, random)
        {
            how += &format!(", {said}");
            continue;
        }
        let donor = &shipped[random.below(shipped.len())];
        let mut donor = toml_tree::read(&donor.text).unwrap_or_default();
        how += &format!(", {}", push(&mut tree, &mut donor, random));
    }
    Spoiled {
        bytes: toml_tree::write(&tree).into_bytes(),
        how,
        sets: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_of_every_kind_are_pushed() {
        let text = "[run]\nduration = \"5 ms\"\n[link]\nrate = \"1 Gbps\"\nmtu = 1500\n\
                    [[flows]]\nname = \"a\"\nload = 0.5\nqueue = \"3 cells\"\nbytes = \"1 kB\"\n";
        let mut tree = toml_tree::read(text).expect("a tree");
        assert_eq!(quantities(&mut tree).len(), 6, "all but the name");
        let shipped = Shipped {
            name: "a.toml".into(),
            text: text.into(),
        };
        let mut random = Random::of(1, "extremes", 0);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let edges = Edges::of(std::path::Path::new(""));
            let spoiled = spoil(std::slice::from_ref(&shipped), &edges, &mut random);
            seen.insert(spoiled.bytes);
        }
        assert!(seen.len() > 150, "{}", seen.len());
    }
}
